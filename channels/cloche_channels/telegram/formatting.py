"""Formatting between the host's code points and Telegram's UTF-16 code units, both ways."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from cloche.channels import Entity, EntityKind, code_points_to_utf16, utf16_to_code_points
from cloche_channels.telegram.fields import Fields

_INWARD: Final[dict[str, EntityKind]] = {
    "bold": "bold",
    "italic": "italic",
    "underline": "underline",
    "strikethrough": "strikethrough",
    "spoiler": "spoiler",
    "code": "code",
    "pre": "pre",
    "text_link": "link",
    "blockquote": "blockquote",
    "expandable_blockquote": "blockquote",
}
"""Formatting that people choose; what Telegram finds by itself (addresses, hashtags) stays text."""
_LEADS: Final = re.compile(r"(?:https?://|mailto:|tel:)", re.IGNORECASE)
_AFTER_CALL: Final = re.compile(r"\s*(?:[,:;!，：；！、–—-]\s*)?")
_BEFORE_PAUSE: Final = re.compile(r"\s*(?:[,.;:!?…，。；：！？、)]|$)")


def entities_out(text: str, entities: Iterable[Entity]) -> list[dict[str, Any]]:
    """Entities as the Bot API takes them."""
    shown: list[dict[str, Any]] = []
    for entity in entities:
        start = code_points_to_utf16(text, entity.start)
        length = code_points_to_utf16(text, entity.end) - start
        kind = "text_link" if entity.kind == "link" else entity.kind
        each: dict[str, Any] = {"type": kind, "offset": start, "length": length}
        if entity.kind == "link":
            each["url"] = entity.url
        if entity.kind == "pre" and entity.language:
            each["language"] = entity.language
        shown.append(each)
    return shown


def entities_in(text: str, entities: Iterable[Fields]) -> tuple[Entity, ...]:
    """A person's formatting, within the text."""
    found: list[Entity] = []
    for each in entities:
        kind, url = _INWARD.get(each.text("type")), each.text("url")
        start, end = span_of(text, each)
        if kind is None or start >= end or (kind == "link" and not url):
            continue
        found.append(Entity(kind, start, end, url=url, language=each.text("language")))
    return tuple(found)


def with_addresses(text: str, entities: Iterable[Entity]) -> str:
    """A text with the addresses that links have behind its words beside them."""
    links = [each for each in entities if each.kind == "link" and _LEADS.match(each.url)]
    for each in sorted(links, key=lambda link: link.end, reverse=True):
        known = {each.url, _LEADS.sub("", each.url)}
        if text[each.start : each.end].strip().rstrip("/") not in {
            one.rstrip("/") for one in known
        }:
            text = f"{text[: each.end]} ({each.url}){text[each.end :]}"
    return text


def marked(text: str, entity: Fields) -> str:
    """The piece of a text an entity marks."""
    start, end = span_of(text, entity)
    return text[start:end]


def without_calls(
    text: str, entities: Iterable[Entity], calls: Iterable[tuple[int, int]]
) -> tuple[str, tuple[Entity, ...]]:
    """A text without the names that only call whom it is for ("@bot, water them").

    A name that its sentence speaks of ("what can @bot do?") stays.

    Args:
        text: The words.
        entities: Their formatting.
        calls: Where they name whom they are for, in code points, in order.
    """
    kept, gone = tuple(entities), 0
    for first, last in calls:
        start, end = first - gone, last - gone
        before, after = text[:start], text[end:]
        if not before.strip():
            start, end = 0, end + len(_AFTER_CALL.match(after)[0])  # type: ignore[index]
        elif _BEFORE_PAUSE.match(after):
            start = len(before.rstrip(" \t\n,，、"))
        else:
            continue
        text = text[:start] + text[end:]
        kept = tuple(_moved(one, start, end) for one in kept)
        gone += end - start
    return text, tuple(one for one in kept if one.start < one.end)


def _moved(entity: Entity, start: int, end: int) -> Entity:
    """Formatting after a piece of the text was taken out."""

    def moved(at: int) -> int:
        return at - (end - start) if at >= end else min(at, start)

    return replace(entity, start=moved(entity.start), end=moved(entity.end))


def span_of(text: str, entity: Fields) -> tuple[int, int]:
    """An entity's range in code points."""
    start, length = entity.integer("offset") or 0, entity.integer("length") or 0
    return utf16_to_code_points(text, start), utf16_to_code_points(text, start + length)
