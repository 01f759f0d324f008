"""The library's text buffer, with the line ends at its end counted as they are written."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from telegramify_markdown.converter import _TextBuffer


def line_counting() -> _TextBuffer:
    """An empty buffer; the library's own counts anew each time, however many there are."""
    return _kind()()


@cache
def _kind() -> type[_TextBuffer]:
    from telegramify_markdown.converter import _TextBuffer

    class LineCounting(_TextBuffer):
        def __init__(self) -> None:
            super().__init__()
            self._counts = [0]

        def write(self, text: str) -> None:
            super().write(text)
            ends = len(text) - len(text.rstrip("\n"))
            self._counts.append(ends + (self._counts[-1] if ends == len(text) else 0))

        def pop_last(self) -> str:
            if len(self._counts) > 1:
                self._counts.pop()
            return super().pop_last()

        def trailing_newline_count(self) -> int:
            return self._counts[-1]

    return LineCounting
