"""Where a text may be cut: after a paragraph, a line, a sentence, a word, a visible character."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Begins at the first sign of a row alone: from each of them, a long row would be read again.
_SENTENCE: Final = re.compile(
    r"""(?<![.!?…])[.!?…]++["'”’»)\]]*+(?=\s) | [。！？；]++[”’」』）]*+""", re.VERBOSE
)
_SPACES: Final = (" ", "\n", "\t", "\u3000")
_PAUSES: Final = ("，", "、", "：")
_UNSEEN: Final = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf"))
_JOINER: Final = "\u200d"


def is_blank(text: str) -> bool:
    """Whether nothing of it can be seen: platforms refuse such a message as empty."""
    return all(char.isspace() or unicodedata.category(char) in _UNSEEN for char in text)


def last_boundary(text: str, start: int, end: int) -> int:
    """The best place for a cut in ``(start, end]``, where ``end`` is inside the text.

    A better kind of place counts only after the first third, so that parts are not small; what is
    no place for a cut at all (one endless character) is cut at ``end``.
    """
    third = start + (end - start + 2) // 3
    for sign in ("\n\n", "\n"):
        found = text.rfind(sign, third, end + len(sign))
        if start < found <= end:
            return found
    found = max((each.end() for each in _SENTENCE.finditer(text, third, end + 1)), default=0)
    if start < found <= end:
        return found
    word = max(text.rfind(space, start + 1, end + 1) for space in _SPACES)
    pause = max(text.rfind(sign, third, end) + 1 for sign in _PAUSES)
    if (found := max(word, pause)) > start:
        return found
    return _last_character(text, start, end)


def _last_character(text: str, start: int, end: int) -> int:
    for at in range(end, start, -1):
        if not _is_inside(text, start, at):
            return at
    return end


def _is_inside(text: str, start: int, at: int) -> bool:
    """Whether a cut would fall into what people see as one character (after UAX #29)."""
    before, after = text[at - 1], text[at]
    if before == _JOINER or _joins(after):
        return True
    if _is_flag(before) and _is_flag(after):
        halves = 1
        while at - halves > start and _is_flag(text[at - halves - 1]):
            halves += 1
        return halves % 2 == 1
    if before == "\r" and after == "\n":
        return True
    return "\u1160" <= after <= "\u11ff" and (
        "\u1100" <= before <= "\u11ff" or "가" <= before <= "힣"
    )


def _joins(char: str) -> bool:
    """Belongs to the character before it: an accent, a skin tone, a joiner, a flag's tag."""
    if char < "\u0300":
        return False
    return (
        char in (_JOINER, "\u200c")
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
        or unicodedata.category(char).startswith("M")
    )


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
