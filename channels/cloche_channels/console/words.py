"""What is typed or piped in, as words: whole lines, UTF-8 whatever the locale, ``/image``."""

from __future__ import annotations

import asyncio
import codecs
import os
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CHUNK_BYTES: Final = 65_536
MAX_CHUNKS: Final = 4
MAX_LINE_CHARS: Final = 1_000_000
"""Far more than anybody writes or any model reads at once; what is beyond is cut off."""
ODD_SHARE: Final = 3
"""A line of which more than one character in this many is no text is binary data."""

_IMAGE: Final = re.compile(
    r"\s*[/／](?:image|imagen|foto|图片|圖片|照片)(?:\s+(?P<rest>.*))?\s*",
    re.IGNORECASE | re.DOTALL,
)
_PATH: Final = re.compile(
    r"""(?:"(?P<double>[^"]+)"|'(?P<single>[^']+)'|(?P<bare>(?:\\\s|\S)+))(?:\s+(?P<words>.*))?""",
    re.DOTALL,
)


_LEAVE: Final = re.compile(
    r"\s*[/／](?:quit|exit|bye|q|salir|adios|adiós|退出|再见)\s*", re.IGNORECASE
)


def wants_to_leave(text: str) -> bool:
    """True for ``/quit`` and its like, which end the chat as Ctrl-D does."""
    return bool(_LEAVE.fullmatch(text))


@dataclass(frozen=True, slots=True)
class ImageCommand:
    """``/image FILE words``: the file as it was named (None = none was), and what was said."""

    path: Path | None
    words: str


def parse_image(text: str) -> ImageCommand | None:
    """The image command a text is; None = it is none.

    A name with spaces is quoted, or has a backslash before each, as terminals paste it.
    """
    found = _IMAGE.fullmatch(text)
    if found is None:
        return None
    named = _PATH.fullmatch((found["rest"] or "").strip())
    if named is None:
        return ImageCommand(None, "")
    bare = re.sub(r"\\(\s)", r"\1", named["bare"] or "")
    name = named["double"] or named["single"] or bare
    return ImageCommand(Path(name).expanduser(), (named["words"] or "").strip())


async def read_words(read_line: Callable[[bool], Awaitable[str]]) -> str:
    """One message: a line, and the lines after it as long as each ends with a backslash.

    Args:
        read_line: Gives the next line without its end; its argument is True for a line that
            continues the message. Raises ``EOFError`` when there are no more.

    Raises:
        EOFError: there is no line at all.
    """
    lines = [await read_line(False)]
    size = len(lines[0])
    while lines[-1].endswith("\\"):
        lines[-1] = lines[-1][:-1]
        if size > MAX_LINE_CHARS:  # a pipe that goes on for ever
            break
        try:
            lines.append(await read_line(True))
        except EOFError:
            break
        size += len(lines[-1]) + 1
    return "\n".join(lines).strip()


async def piped_lines(descriptor: int, tell: Callable[[str], None]) -> AsyncIterator[str]:
    """Lines of a file, pipe or terminal as UTF-8; what is not UTF-8 becomes U+FFFD.

    A thread reads, so that the event loop goes on; it reads the bare descriptor because a thread
    that waits inside a buffered reader blocks the end of the process. It reads no more than
    ``MAX_CHUNKS`` ahead: who writes faster than answers come has to wait.

    Args:
        descriptor: Where to read.
        tell: Gets the key of a sentence: a line was cut, or lines that are no text are left out.
    """
    lines = _Lines()
    refused = False
    async for chunk in _chunks(descriptor):
        for line in lines.add(chunk):
            was_refused, refused = refused, bool(line) and not is_text(line, doubted=refused)
            if refused:
                if not was_refused:
                    tell("chat_line_unreadable")
                continue
            if len(line) > MAX_LINE_CHARS:
                tell("chat_line_cut")
            yield line[:MAX_LINE_CHARS]


def is_text(line: str, *, doubted: bool = False) -> bool:
    """Whether a line is words at all, and no binary data.

    Args:
        line: As it was decoded.
        doubted: True after a line that was none: one odd character is enough then.
    """
    odd = sum(char == "\ufffd" or (char < " " and char not in "\t\r\x1b") for char in line)
    return not odd or not (doubted or "\0" in line or odd * ODD_SHARE > len(line))


class _Lines:
    """Puts lines together from chunks, each character touched once, none longer than the limit."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
        self._parts: list[str] = []
        self._kept = 0

    def add(self, chunk: bytes) -> Iterator[str]:
        """The lines that a chunk ends; the empty chunk is the end of all.

        One that is too long comes with one character more than ``MAX_LINE_CHARS``.
        """
        first, *others = self._decoder.decode(chunk, final=not chunk).split("\n")
        self._keep(first)
        for other in others:
            yield self._taken()
            self._keep(other)
        if not chunk and self._kept:
            yield self._taken()

    def _keep(self, part: str) -> None:
        part = part[: MAX_LINE_CHARS + 1 - self._kept]
        if part:
            self._parts.append(part)
            self._kept += len(part)

    def _taken(self) -> str:
        line = "".join(self._parts)
        self._parts, self._kept = [], 0
        return line.removesuffix("\r")


async def _chunks(descriptor: int) -> AsyncIterator[bytes]:
    """What can be read, piece by piece; the last one is empty."""
    loop = asyncio.get_running_loop()
    chunks: asyncio.Queue[bytes] = asyncio.Queue()
    room = threading.Semaphore(MAX_CHUNKS)

    def read() -> None:
        data = b"?"
        while data:
            room.acquire()
            try:
                data = os.read(descriptor, CHUNK_BYTES)
            except OSError:
                data = b""
            try:
                loop.call_soon_threadsafe(chunks.put_nowait, data)
            except RuntimeError:  # the loop is closed: nobody listens any more
                return

    threading.Thread(target=read, name="console-reader", daemon=True).start()
    chunk = b"?"
    while chunk:
        chunk = await chunks.get()
        yield chunk
        room.release()
