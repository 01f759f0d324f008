"""The program that takes a PDF from its input and writes its text, one JSON line a page.

The first line says how many pages there are, or why none can be read. It runs by itself, with no
secret around it and little memory, and stops when its time is over: a file may be made to last.
"""

from __future__ import annotations

import io
import json
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pypdf import PdfReader

MAX_PAGES: Final = 500
MAX_CHARS: Final = 400_000
"""Of the whole text: some 130 full pages."""
MEMORY_BYTES: Final = 1_000_000_000


def main() -> int:
    """Read, write, and end within the seconds that the first argument has."""
    until = time.monotonic() + float(sys.argv[1])
    _take_little_memory()
    try:
        reader = _opened(sys.stdin.buffer.read())
        pages = len(reader.pages) if reader else 0
    except Exception:  # what is fed with anything raises anything
        return _tell({"fault": "broken"})
    if reader is None:
        return _tell({"fault": "locked"})
    _tell({"pages": pages})
    room = MAX_CHARS
    for number in range(min(pages, MAX_PAGES)):
        if room <= 0 or time.monotonic() > until:
            break
        text = ""
        with suppress(Exception):  # the other pages may be better
            text = reader.pages[number].extract_text()
        _tell(text[:room])
        room -= len(text)
    return 0


def _opened(data: bytes) -> PdfReader | None:
    """The file; None where a password is needed."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    return reader if not reader.is_encrypted or reader.decrypt("") else None


def _tell(told: object) -> int:
    print(json.dumps(told), flush=True)  # noqa: T201 # it is what the program is for
    return 0


def _take_little_memory() -> None:
    """Where the system lets one say so."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    sys.exit(main())
