"""An answer in a terminal: Markdown, shown while it is still being written."""

from __future__ import annotations

import re
from types import TracebackType
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.markdown import Markdown
from rich.segment import Segment
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
        self._print([*block_ends(self._text, self._printed), len(self._text)])

    async def add(self, piece: str) -> None:
        """The next piece of the answer."""
        self._text += safe_text(piece)
        ends = block_ends(self._text, self._printed)
        rest = self._text[ends[-1] if ends else self._printed :]
        # Updated first, so that printing draws the finished block and the rest in one go.
        self._live.update(Block(rest) if rest.strip() else self._spinner)
        self._print(ends)

    async def finish(self, text: str) -> None:
        """The answer as it is after all: shows what the pieces did not have."""
        whole = safe_text(text)
        if whole.startswith(self._text):
            self._text = whole
        elif whole.strip() != self._text.strip():
            # The model was cut short, and what is said instead is another sentence.
            self._text = f"{self._text.rstrip()}\n\n{whole}"

    def _print(self, ends: list[int]) -> None:
        for end in ends:
            block, self._printed = self._text[self._printed : end], end
            if block.strip():
                self._console.print(Block(block))
                self._console.print()


def block_ends(text: str, start: int = 0) -> list[int]:
    """Where the blocks of a growing Markdown text end that can be shown for good.

    A block ends with a blank line, outside a code fence, that is followed by a line which is not
    indented: an indented one may belong to the list item before.
    """
    ends: list[int] = []
    position, fence, blank = start, "", False
    for line in text[start:].splitlines(keepends=True):
        if not fence and blank and line.strip() and not line[0].isspace():
            ends.append(position)
        opening = _FENCE.match(line)
        if opening and not fence:
            fence = opening[1]
        elif opening and line.strip().startswith(fence) and not line.strip(" `~\n"):
            fence = ""
        blank = not line.strip()
        position += len(line)
    return ends


class Block:
    """Markdown without blank lines around it, so that blocks printed one by one stand evenly."""

    def __init__(self, text: str) -> None:
        """Take the text of one block or more."""
        # An address is shown, not hidden behind its words: it comes from a model.
        self._markdown = Markdown(text, hyperlinks=False)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines from the first that shows something to the last."""
        lines = console.render_lines(self._markdown, options, pad=False, new_lines=True)
        shown = [number for number, line in enumerate(lines) if any(map(_shows, line))]
        for line in lines[shown[0] : shown[-1] + 1] if shown else ():
            yield from line


def _shows(segment: Segment) -> bool:
    painted = segment.style is not None and segment.style.bgcolor is not None
    return painted or bool(segment.text.strip())
