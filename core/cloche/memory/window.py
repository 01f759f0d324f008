"""What fits into a piece of a prompt: whole, shortened, or left out, and why. Pure.

Items come in the order of their worth and are shown from the first on. The first that does not fit
into what is left is shortened, and what follows it is left out: nothing of less worth stands in
its place. So more budget never shows less of anything. An item that would take more than its
share is shortened whatever the budget is, so that one of them cannot push out all others.

A text is cut where a sentence ends, else where a word does, and marked where it was cut.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from cloche.memory.extraction.sentences import sentences
from cloche.vocabulary import CJK

MARK: Final = " […]"
"""Stands where a text was cut."""
MIN_TOKENS: Final = 8
"""A shortened text that would be smaller tells nothing: the item is left out."""
SHARE_TOKENS: Final = 400
"""What one item may take at most: about 1,600 letters or 400 Chinese characters."""

Reason = Literal["long", "budget", "limit"]
"""Why: it is longer than an item may be, the budget is used up, there are enough items."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something that could be shown.

    Attributes:
        id: What it is, for the report.
        text: What would be shown of it.
        beside: Tokens that showing it takes beside its text.
        share: Tokens that its text may take, whatever the budget.
    """

    id: str
    text: str
    beside: int = 0
    share: int = SHARE_TOKENS


@dataclass(frozen=True, slots=True)
class Shortened:
    """An item of which a part is shown: its text with the mark, and why."""

    item: Item
    text: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An item that is not shown, and why."""

    item: Item
    reason: Reason


@dataclass(frozen=True, slots=True)
class Window:
    """What is shown of some items, each part in the order given.

    Attributes:
        kept: Shown whole.
        shortened: Shown in part.
        left_out: Not shown.
        tokens: What the shown ones take together, never more than the budget.
    """

    kept: tuple[Item, ...] = ()
    shortened: tuple[Shortened, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    tokens: int = 0

    @property
    def texts(self) -> dict[str, str]:
        """What is shown, by id."""
        return {one.id: one.text for one in self.kept} | {
            one.item.id: one.text for one in self.shortened
        }


def estimate_tokens(text: str) -> int:
    """A stated estimate that needs no tokenizer: 4 ASCII characters or 1 other make a token."""
    plain = sum(char.isascii() for char in text)
    return -(-plain // 4) + len(text) - plain


def build_window(items: Sequence[Item], budget: int, *, limit: int | None = None) -> Window:
    """Fit items into a budget.

    Args:
        items: In order of their worth, the first worth most.
        budget: Tokens that all of them may take together, as ``estimate_tokens`` counts.
        limit: At most this many are shown; None = any number.
    """
    kept: list[Item] = []
    shortened: list[Shortened] = []
    left_out: list[LeftOut] = []
    left, closed = budget, False
    for item in items:
        if limit is not None and len(kept) + len(shortened) >= limit:
            left_out.append(LeftOut(item, "limit"))
            continue
        whole = estimate_tokens(item.text)
        room = -1 if closed else left - item.beside
        if whole <= min(room, item.share):
            kept.append(item)
            left -= whole + item.beside
            continue
        reason: Reason = "budget" if room < min(whole, item.share) else "long"
        closed = closed or reason == "budget"
        if text := shorten(item.text, min(room, item.share)):
            shortened.append(Shortened(item, text, reason))
            left -= estimate_tokens(text) + item.beside
        else:
            left_out.append(LeftOut(item, reason))
    return Window(tuple(kept), tuple(shortened), tuple(left_out), budget - left)


def shorten(text: str, tokens: int) -> str:
    """The longest beginning of a text that fits with its mark; "" when that is next to nothing.

    It ends with a sentence where that leaves enough, at least half of what would fit, else with a
    word.
    A text that fits is given as it is.
    """
    if estimate_tokens(text) <= tokens:
        return text
    fits = _characters_that_fit(text, tokens - estimate_tokens(MARK))
    ends = [one.end for one in sentences(text) if _may_cut(text, one.end)]
    cut = _last(ends, fits)
    if 2 * cut < fits or estimate_tokens(text[:cut]) < MIN_TOKENS:
        cut = next((at for at in range(fits, cut, -1) if _may_cut(text, at)), cut)
    beginning = text[:cut].rstrip()
    return beginning + MARK if estimate_tokens(beginning) >= MIN_TOKENS else ""


def _characters_that_fit(text: str, tokens: int) -> int:
    """Length of the longest beginning that takes at most so many tokens."""
    plain = others = 0
    for at, char in enumerate(text):
        if char.isascii():
            plain += 1
        else:
            others += 1
        if -(-plain // 4) + others > tokens:
            return at
    return len(text)


def _last(ends: Sequence[int], most: int) -> int:
    at = bisect_right(ends, most)
    return ends[at - 1] if at else 0


def _may_cut(text: str, at: int) -> bool:
    """True where a word ends: never inside one, nor between a character and its marks."""
    if at in (0, len(text)):
        return at > 0
    before, after = text[at - 1], text[at]
    if after.isspace() or before.isspace():
        return not before.isspace()
    if unicodedata.category(before) in _OPENS or _continues(before, after):
        return False
    return bool(CJK.match(before) or CJK.match(after) or before in _FULL_WIDTH)


def _continues(before: str, after: str) -> bool:
    """True when a character belongs to the one before it, or closes what it is in."""
    category = unicodedata.category(after)
    joined = category[0] in "MPS" or category == "Cf" or 0xFE00 <= ord(after) <= 0xFE0F
    return joined or before == "\u200d"


_OPENS: Final = ("Ps", "Pi")
_FULL_WIDTH: Final = frozenset("，。、；：！？）】》”’」』…")
