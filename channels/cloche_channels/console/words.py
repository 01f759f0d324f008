"""What is typed or piped in, as words: whole lines, UTF-8 whatever the locale, ``/image``."""

from __future__ import annotations

import asyncio
import codecs
import os
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CHUNK_BYTES: Final = 65_536

_IMAGE: Final = re.compile(r"\s*[/／]image(?:\s+(?P<rest>.*))?\s*", re.IGNORECASE | re.DOTALL)
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
    while lines[-1].endswith("\\"):
        lines[-1] = lines[-1][:-1]
        try:
            lines.append(await read_line(True))
        except EOFError:
            break
    return "\n".join(lines).strip()


async def piped_lines(descriptor: int) -> AsyncIterator[str]:
    """Lines of a file, pipe or terminal as UTF-8; what is not UTF-8 becomes U+FFFD.

    A thread reads, so that the event loop goes on; it reads the bare descriptor because a thread
    that waits inside a buffered reader blocks the end of the process.
    """
    loop = asyncio.get_running_loop()
    chunks: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        data = b"?"
        while data:
            try:
                data = os.read(descriptor, CHUNK_BYTES)
            except OSError:
                data = b""
            try:
                loop.call_soon_threadsafe(chunks.put_nowait, data)
            except RuntimeError:  # the loop is closed: nobody listens any more
                return

    threading.Thread(target=read, name="console-reader", daemon=True).start()
    decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
    pending = ""
    while chunk := await chunks.get():
        *lines, pending = (pending + decoder.decode(chunk)).split("\n")
        for line in lines:
            yield line.removesuffix("\r")
    pending += decoder.decode(b"", final=True)
    if pending:
        yield pending
