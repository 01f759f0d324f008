"""From a PDF's bytes to its text, within limits of time, memory, pages and length."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from cloche.messages import without_surrogates

SECONDS: Final = 8.0
"""A program may read for so long; whoever sent the file is waiting."""
START_SECONDS: Final = 7.0
"""What it may take beside that, to start and over its last page; then it is killed."""
AT_ONCE: Final = 2
MIN_PAGE_BYTES: Final = 1_000
"""Less of a page is not worth reading."""
_PASSED_ON: Final = ("HOME", "LANG", "LC_ALL", "PATH", "PYTHONHOME", "PYTHONPATH", "SYSTEMROOT")

PdfCause: TypeAlias = Literal["broken", "locked", "slow", "wordless"]


class PdfError(Exception):
    """A PDF's text cannot be had.

    Attributes:
        cause: ``broken``, ``locked`` by a password, ``slow`` to read or ``wordless``: its pages
            are pictures, or empty.
    """

    def __init__(self, cause: PdfCause) -> None:
        """Take the cause."""
        self.cause: PdfCause = cause
        super().__init__(f"a PDF: {cause}")


@dataclass(frozen=True, slots=True)
class PdfText:
    """What stands in a PDF.

    Attributes:
        pages: How many pages it has.
        texts: The text of each page that could be read, from the first on; some may be "".
    """

    pages: int
    texts: tuple[str, ...]

    def beginning(self, room: int) -> tuple[str, int]:
        """As many pages as fit into some bytes, each under its number, and how many these are.

        The first is cut where it alone is too long.
        """
        shown: list[str] = []
        for number, words in enumerate(self.texts, start=1):
            page = f"[page {number}]\n{words.strip()}\n"
            size = len(page.encode())
            if size > room:
                if not shown and room > MIN_PAGE_BYTES:
                    shown.append(page.encode()[:room].decode(errors="ignore"))
                break
            shown.append(page)
            room -= size
        return "\n".join(shown), len(shown)


def is_pdf(data: bytes) -> bool:
    """Whether a file begins as one."""
    return data[:1024].lstrip().startswith(b"%PDF-")


class PdfReading:
    """Reads PDFs, a few at once."""

    def __init__(self, *, seconds: float = SECONDS, start_seconds: float = START_SECONDS) -> None:
        """Take how long one may be read, and what its program may take beside that."""
        self._seconds, self._start_seconds = seconds, start_seconds
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def text(self, data: bytes) -> PdfText:
        """The text of a file.

        Raises:
            PdfError: there is none to be had.
        """
        async with self._turns:
            return await asyncio.to_thread(self._text, data)

    def _text(self, data: bytes) -> PdfText:
        head, *pages = _lines(self._output(data))
        if not isinstance(head, dict):
            raise PdfError("broken")
        if fault := head.get("fault"):
            raise PdfError("locked" if fault == "locked" else "broken")
        texts = tuple(_cleaned(text) for text in pages if isinstance(text, str))
        number = head.get("pages")
        if not isinstance(number, int) or number < 1:
            raise PdfError("broken")
        if not texts:
            raise PdfError("slow")
        if not any(text.strip() for text in texts):
            raise PdfError("wordless")
        return PdfText(number, texts)

    def _output(self, data: bytes) -> bytes:
        """What the program writes; whatever it is made to do, it knows no secret and ends."""
        command = [sys.executable, "-P", "-m", "cloche.attachments.pdf.child", str(self._seconds)]
        try:
            return subprocess.run(  # noqa: S603 -- our own program, no shell
                command,
                input=data,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                timeout=self._seconds + self._start_seconds,
                check=False,
            ).stdout
        except subprocess.TimeoutExpired as error:
            if not error.stdout:
                raise PdfError("slow") from error
            return bytes(error.stdout)
        except OSError as error:
            raise PdfError("slow") from error


def _lines(output: bytes) -> list[object]:
    """What each whole line says; one that was cut off says nothing."""
    told = []
    for line in output.splitlines():
        try:
            told.append(json.loads(line))
        except ValueError:
            break
    return told or [None]


def _cleaned(text: str) -> str:
    """Text without what is no character, or controls a terminal."""
    plain = without_surrogates(text).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(char for char in plain if char in "\n\t" or not (char < " " or char == "\x7f"))
