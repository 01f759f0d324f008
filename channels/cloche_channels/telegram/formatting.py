"""Formatting between the host's code points and Telegram's UTF-16 code units, both ways."""

from __future__ import annotations

from collections.abc import Iterable
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
        start, end = _span(text, each)
        if kind is None or start >= end or (kind == "link" and not url):
            continue
        found.append(Entity(kind, start, end, url=url, language=each.text("language")))
    return tuple(found)


def marked(text: str, entity: Fields) -> str:
    """The piece of a text an entity marks."""
    start, end = _span(text, entity)
    return text[start:end]


def _span(text: str, entity: Fields) -> tuple[int, int]:
    """An entity's range in code points."""
    start, length = entity.integer("offset") or 0, entity.integer("length") or 0
    return utf16_to_code_points(text, start), utf16_to_code_points(text, start + length)
