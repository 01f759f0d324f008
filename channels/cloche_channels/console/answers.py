"""An answer in a terminal: Markdown, shown while it is still being written."""

from __future__ import annotations

import re
from types import TracebackType
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown
from rich.spinner import Spinner
from rich.text import Text

from cloche_channels.console.cleaning import safe_text

REFRESHES_PER_SECOND: Final = 12

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")


class StreamedAnswer:
    """Shows pieces as they come; used as a context manager around one turn.

    A terminal can redraw only what it has on the screen. So every block that is complete is
    printed for good, and only the last, unfinished one is drawn again.
    """

    def __init__(self, console: Console, persona: str = "") -> None:
        """Take the console to show the answer in, and who is seen to think before it comes."""
        self._console = console
        self._spinner = Spinner("dots", Text(safe_text(persona), style="dim"))
        self._live = Live(
            self._spinner,
            console=console,
            refresh_per_second=REFRESHES_PER_SECOND,
            transient=True,
        )
        self._text = ""
        self._printed = 0

    def __enter__(self) -> StreamedAnswer:
        """Show that an answer is on its way."""
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop redrawing and print for good what has come."""
        # Emptied first: what is taller than the screen could not be taken back from it.
        self._live.update(Text(), refresh=True)
        self._live.stop()
        self._print(len(self._text))

    async def add(self, piece: str) -> None:
        """The next piece of the answer."""
        self._text += safe_text(piece)
        until = finished_chars(self._text, self._printed)
        rest = self._text[until:]
        # Updated first, so that printing draws the finished block and the rest in one go.
        self._live.update(_markdown(rest) if rest.strip() else self._spinner)
        self._print(until)

    async def finish(self, text: str) -> None:
        """The answer as it is after all: shows what the pieces did not have."""
        whole = safe_text(text)
        if whole.startswith(self._text):
            self._text = whole
        elif whole.strip() != self._text.strip():
            # The model was cut short, and what is said instead is another sentence.
            self._text = f"{self._text.rstrip()}\n\n{whole}"

    def _print(self, until: int) -> None:
        block = self._text[self._printed : until]
        self._printed = max(until, self._printed)
        if block.strip():
            self._console.print(_markdown(block))
            self._console.print()


def finished_chars(text: str, start: int = 0) -> int:
    """Up to where a growing Markdown text can be shown for good, from ``start`` on.

    That is the end of the last blank line, outside a code fence, that is followed by a line which
    is not indented: an indented one may belong to the list item before.
    """
    finished, position, fence, blank = start, start, "", False
    for line in text[start:].splitlines(keepends=True):
        opening = _FENCE.match(line)
        if not fence and blank and line.strip() and not line[0].isspace():
            finished = position
        if opening and not fence:
            fence = opening[1]
        elif fence and opening and line.strip().startswith(fence) and not line.strip(" `~\n"):
            fence = ""
        blank = not line.strip()
        position += len(line)
    return finished


def _markdown(text: str) -> Markdown:
    # An address is shown, not hidden behind its words: it comes from a model.
    return Markdown(text, hyperlinks=False)
