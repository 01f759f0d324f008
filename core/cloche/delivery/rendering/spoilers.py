"""Spoilers, ``||like this||``, told from the ``||`` that a program writes for "or"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from cloche.delivery.rendering.flanking import is_wide

SPOILER_START: Final = {"InlineHtml": "<tg-spoiler>"}
SPOILER_END: Final = {"InlineHtml": "</tg-spoiler>"}
_BARS: Final = re.compile(r"(?<!\|)\|\|(?!\|)")
_BLOCKS: Final = ("Paragraph", "Item", "Heading")


def spoilers(
    source: bytes, events: Iterable[tuple[Any, Mapping[str, int]]]
) -> dict[int, Mapping[str, str]]:
    """Where in the source ``||`` opens or closes a spoiler: both within one paragraph.

    It opens before and closes after a visible character, never inside a word; in Chinese, where no
    space says what is one, between any letters.
    """
    if b"||" not in source:
        return {}
    marks: dict[int, Mapping[str, str]] = {}
    opened: int | None = None
    for at in _bars(source, events):
        if at is None:
            opened = None
            continue
        before, after = _neighbours(source, at)
        if opened is not None and not before.isspace() and not is_in_word(after):
            marks[opened], marks[at] = SPOILER_START, SPOILER_END
            opened = None
        elif after.strip() and not is_in_word(before):
            opened = at
    return marks


def is_in_word(char: str) -> bool:
    """Whether ``||`` beside this letter would be within a word."""
    return char.isalnum() and not is_wide(char)


def _bars(source: bytes, events: Iterable[tuple[Any, Mapping[str, int]]]) -> Iterator[int | None]:
    """Offsets of ``||`` that may be spoilers; None between paragraphs."""
    in_code, in_table = False, False
    for payload, where in events:
        if not isinstance(payload, dict):
            continue
        for side in ("Start", "End"):
            tag = payload.get(side, "")
            name = next(iter(tag)) if isinstance(tag, dict) else tag
            in_code = side == "Start" if name == "CodeBlock" else in_code
            in_table = side == "Start" if name == "Table" else in_table
            if name in _BLOCKS:
                yield None
        text = payload.get("Text", "")
        if "||" in text and not in_code and not in_table and _is_verbatim(source, text, where):
            for found in _BARS.finditer(text):
                yield where["start"] + len(text[: found.start()].encode())


def _is_verbatim(source: bytes, text: str, where: Mapping[str, int]) -> bool:
    return source[where["start"] : where["end"]] == text.encode()


def _neighbours(source: bytes, at: int) -> tuple[str, str]:
    """The characters around ``||``: a backslash, which would escape it, counts as a letter."""
    before = source[max(at - 4, 0) : at].decode(errors="ignore")[-1:] or " "
    after = source[at + 2 : at + 6].decode(errors="ignore")[:1] or " "
    return ("x" if before in "\\|" else before), after
