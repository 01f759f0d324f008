"""Addresses of links: which may be opened with a click, and how they are shown as text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from cloche.channels.parts import Entity

_OPENS: Final = re.compile(r"(?:https?://[^\s/]|mailto:[^\s]|tel:[+0-9])", re.IGNORECASE)
_SCHEME: Final = re.compile(r"(?:https?://|mailto:|tel:)", re.IGNORECASE)


def can_be_opened(url: str) -> bool:
    """Whether a chat may make it a link; others (``javascript:``, a path) are shown as text."""
    return bool(_OPENS.match(url)) and not any(char < " " or char == "\x7f" for char in url)


def beside(text: str, url: str) -> str:
    """What to write after a link's text so that its address can be read; "" when the text is it."""
    same = {url, _SCHEME.sub("", url, count=1)}
    same |= {each.rstrip("/") for each in same}
    return "" if not url or text.strip() in same else f" ({url})"


def with_addresses(text: str, entities: Iterable[Entity]) -> str:
    """A text without formatting, the addresses of its links beside their words."""
    parts, at = [], 0
    for link in sorted(
        (each for each in entities if each.kind == "link"), key=lambda each: each.end
    ):
        parts.append(text[at : link.end])
        parts.append(beside(text[link.start : link.end], link.url))
        at = link.end
    return "".join((*parts, text[at:]))


def with_long_addresses(
    text: str, entities: Sequence[Entity], is_long: Callable[[str], bool]
) -> tuple[str, tuple[Entity, ...]]:
    """A text where addresses that are too long for a link stand beside its words, to be cut."""
    long = [each for each in entities if each.kind == "link" and is_long(each.url)]
    if not long:
        return text, tuple(entities)
    written = with_addresses(text, long)
    ends, moved, total = [each.end for each in long], [0], 0
    for each in long:
        total += len(beside(text[each.start : each.end], each.url))
        moved.append(total)
    return written, tuple(
        replace(
            each,
            start=each.start + moved[bisect_right(ends, each.start)],
            end=each.end + moved[bisect_left(ends, each.end)],
        )
        for each in entities
        if each.kind != "link" or not is_long(each.url)
    )
