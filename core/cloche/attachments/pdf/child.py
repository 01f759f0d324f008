"""The program that takes a PDF from its input and writes its text, one JSON line a page.

The first line says how many pages there are, or why none can be read; a page that takes too much is
null. It runs by itself, with no secret around it and little memory, and stops when its time is
over, or when its input ends: then nobody waits for it. A file may be made to last.
"""

from __future__ import annotations

import io
import json
import os
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pypdf import PdfReader

MAX_PAGES: Final = 500
MAX_CHARS: Final = 400_000
"""Of the whole text: some 130 full pages."""
MEMORY_BYTES: Final = 1_000_000_000
SPARE_SECONDS: Final = 7
"""Of the processor, beside the seconds it may read: to start and over the last page."""


def main() -> int:
    """Read, write, and end within some seconds (first argument); of the input, a size (second)."""
    seconds, size = float(sys.argv[1]), int(sys.argv[2])
    until = time.monotonic() + seconds
    _take_little(seconds)
    try:
        data = sys.stdin.buffer.read(size)
        threading.Thread(target=_end_with_input, daemon=True).start()
        reader = _opened(data)
        pages = len(reader.pages) if reader else 0
    except Exception as error:  # what is fed with anything raises anything
        return _tell({"fault": "slow" if _is_too_much(error) else "broken"})
    if reader is None:
        return _tell({"fault": "locked"})
    _tell({"pages": pages})
    room = MAX_CHARS
    for number in range(min(pages, MAX_PAGES)):
        if room <= 0 or time.monotonic() > until:
            break
        try:
            text: str | None = reader.pages[number].extract_text()
        except Exception as error:  # the other pages may be better
            text = None if _is_too_much(error) else ""
        _tell(text and text[:room])
        room -= len(text or "")
    return 0


def _opened(data: bytes) -> PdfReader | None:
    """The file; None where a password is needed."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    return reader if not reader.is_encrypted or reader.decrypt("") else None


def _tell(told: object) -> int:
    print(json.dumps(told), flush=True)  # noqa: T201 # it is what the program is for
    return 0


def _is_too_much(error: Exception) -> bool:
    """Whether it takes more memory than there is, here or by the reader's own limits."""
    from pypdf.errors import LimitReachedError

    return isinstance(error, MemoryError | LimitReachedError)


def _end_with_input() -> None:
    """End as soon as the host is gone, or has let go: it holds the input open while it waits."""
    with suppress(OSError):
        while os.read(0, 1):
            pass
    os._exit(1)


def _take_little(seconds: float) -> None:
    """Little memory and time of the processor, where the system lets one say so."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        most = max(0, int(seconds)) + SPARE_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))


if __name__ == "__main__":
    sys.exit(main())
