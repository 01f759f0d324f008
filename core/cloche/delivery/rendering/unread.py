"""Link references that nothing refers to: a parser drops them, and their author meant them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

_LABEL: Final = r"\[(?P<label>(?:[^\[\]\\\n]|\\.){1,999})\]:"
_DEFINITION: Final = re.compile(
    rf"^[ \t>]*(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]+)*{_LABEL}", re.MULTILINE
)
_MARKERS: Final = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$))*",
    re.MULTILINE,  # an item may be empty
)
_REFERENCES: Final = ("Reference", "Collapsed", "Shortcut")
_CONTAINERS: Final = ("BlockQuote", "List", "Item")


def unread_definitions(
    source: bytes, events: Sequence[tuple[Any, Mapping[str, int]]]
) -> tuple[str, ...]:
    """The lines of definitions whose label no link uses, in their order."""
    if b"]:" not in source:
        return ()
    used = set(_labels(events))
    return tuple(
        line
        for gap in _gaps(source, events)
        for label, text in _definitions(gap)
        if _normal(label) not in used
        for line in text.split("\n")
        if line.strip()
    )


def _labels(events: Iterable[tuple[Any, Mapping[str, int]]]) -> Iterator[str]:
    for payload, _ in events:
        start = payload.get("Start") if isinstance(payload, dict) else None
        for data in start.values() if isinstance(start, dict) else ():
            if isinstance(data, dict) and data.get("link_type") in _REFERENCES:
                yield _normal(data["id"])


def _normal(label: str) -> str:
    return " ".join(label.split()).casefold()


def _gaps(source: bytes, events: Iterable[tuple[Any, Mapping[str, int]]]) -> Iterator[str]:
    """What of the source stands in no block of text."""
    at = 0
    for payload, where in events:
        if _is_container(payload):
            continue
        if where["start"] > at:
            yield source[at : where["start"]].decode()
        at = max(at, where["end"])
    yield source[at:].decode()


def _is_container(payload: Any) -> bool:
    if not isinstance(payload, dict):
        return False
    tag = payload.get("Start", payload.get("End"))
    return (next(iter(tag)) if isinstance(tag, dict) else tag) in _CONTAINERS


def _definitions(gap: str) -> Iterator[tuple[str, str]]:
    found = list(_DEFINITION.finditer(gap))
    ends = [*(each.start() for each in found[1:]), len(gap)]
    for each, end in zip(found, ends, strict=False):
        yield each["label"], _MARKERS.sub("", gap[each.start() : end])
