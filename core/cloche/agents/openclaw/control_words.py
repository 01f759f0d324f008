"""What a gateway's replies hold for programs and not for people, taken out piece by piece.

OpenClaw teaches its models a line ``NO_REPLY`` (say nothing), lines ``MEDIA:<path>``, and marks
such as ``[[reply_to_current]]`` or ``[embed ...]``. A piece of text that could still become one of
them waits until it is clear what it is.
"""

from __future__ import annotations

import re
from typing import Final

_LINES: Final = re.compile(
    r"^[ \t]*(?:MEDIA:[^\n]*|[`*]*(?:NO_REPLY|HEARTBEAT_OK)[`*.]*[ \t]*)(?:\n|\Z)", re.MULTILINE
)
_MARKS: Final = re.compile(
    r"\[\[[ \t]*(?:reply_to[^\]\n]*|audio_as_voice)[ \t]*\]\][ \t]*|\[embed [^\[\]\n]*\]"
)
_LINE_WORDS: Final = ("MEDIA:", "NO_REPLY", "HEARTBEAT_OK")
_OPEN_MARK: Final = re.compile(r"\[(?:\[[^\]\n]*\]?|e(?:m(?:b(?:e(?:d(?: [^\[\]\n]*)?)?)?)?)?)?\Z")


class PlainWords:
    """Takes a reply's pieces and gives the words for people."""

    def __init__(self) -> None:
        """Begin with nothing said."""
        self._said = ""
        self._given = 0

    def feed(self, piece: str) -> str:
        """What can be given after this piece; "" where it has to wait."""
        self._said += piece
        return self._up_to(self._clear_until())

    def end(self) -> str:
        """What is left when the reply has ended."""
        return self._up_to(len(self._said))

    def _up_to(self, end: int) -> str:
        # What is clear stays what it is, whatever follows: so the new text only adds to the old.
        words = without_control_words(self._said[:end])
        new = words[self._given :]
        self._given = max(self._given, len(words))
        return new

    def _clear_until(self) -> int:
        """Up to where nothing can still become a control word."""
        line_start = self._said.rfind("\n") + 1
        line = self._said[line_start:].lstrip(" \t`*")
        if any(line.startswith(word) or word.startswith(line) for word in _LINE_WORDS):
            return line_start
        mark = _OPEN_MARK.search(self._said)
        return mark.start() if mark else len(self._said)


def without_control_words(text: str) -> str:
    """A reply's words for people."""
    return _MARKS.sub("", _LINES.sub("", text))
