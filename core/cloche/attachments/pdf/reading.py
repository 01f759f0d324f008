"""From a PDF's bytes to its text, within limits of time, memory, pages and length."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
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

_PIECE: Final = 65_536

PdfCause: TypeAlias = Literal["broken", "locked", "slow", "wordless"]
_FAULTS: Final[tuple[PdfCause, ...]] = ("locked", "slow")


class PdfError(Exception):
    """A PDF's text cannot be had.

    Attributes:
        cause: ``broken``, ``locked`` by a password, ``slow`` to read (it takes too long, or too
            much memory) or ``wordless``: its pages are pictures, or empty.
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
            output = await self._output(data)
        return await asyncio.to_thread(_read, output)

    async def _output(self, data: bytes) -> bytes:
        """What the program writes; whatever it is made to do, it knows no secret and ends.

        Nobody else's begins before it has: also where whoever waited for it has given up.
        """
        own = (str(self._seconds), str(len(data)))
        written = bytearray()
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "cloche.attachments.pdf.child", *own),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
            )
        except OSError as error:
            raise PdfError("slow") from error
        try:
            async with asyncio.timeout(self._seconds + self._start_seconds):
                await _converse(process, data, written)
        except TimeoutError as error:
            if not written:
                raise PdfError("slow") from error
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        return bytes(written)


async def _converse(process: Process, data: bytes, written: bytearray) -> None:
    """Give the program its file, and take what it writes until it ends."""
    if process.stdin:
        with suppress(ConnectionError):  # it ended before: what it wrote says why
            process.stdin.write(data)
            await process.stdin.drain()
    while process.stdout and (some := await process.stdout.read(_PIECE)):
        written += some


def _read(output: bytes) -> PdfText:
    head, *pages = _lines(output)
    if not isinstance(head, dict):
        raise PdfError("broken")
    if fault := head.get("fault"):
        raise PdfError(next((cause for cause in _FAULTS if cause == fault), "broken"))
    texts = tuple(_cleaned(text) if isinstance(text, str) else "" for text in pages)
    number = head.get("pages")
    if not isinstance(number, int) or number < 1:
        raise PdfError("broken")
    if not texts:
        raise PdfError("slow")
    if not any(text.strip() for text in texts):
        raise PdfError("slow" if None in pages else "wordless")
    return PdfText(number, texts)


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
