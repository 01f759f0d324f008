"""The documented limits of what a bot sends, as functions of its arguments.

Lengths and entity offsets are UTF-16 code units (https://core.telegram.org/bots/api#messageentity,
#sendmessage, #inlinekeyboardbutton). Where the service would quietly drop formatting, this refuses:
a test is to see it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from cloche.testing.telegram.refusal import bad_request

MAX_TEXT: Final = 4096
MAX_CAPTION: Final = 1024
MAX_ENTITIES: Final = 100
MAX_BUTTONS: Final = 100
MAX_BUTTON_DATA_BYTES: Final = 64
MAX_ALBUM: Final = 10
MAX_DOWNLOAD_BYTES: Final = 20 * 1024 * 1024
MAX_UPLOAD_BYTES: Final = 50_000_000
MAX_COMMANDS: Final = 100

ENTITY_TYPES: Final = frozenset(
    {
        "mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number", "bold",
        "italic", "underline", "strikethrough", "spoiler", "blockquote", "expandable_blockquote",
        "code", "pre", "text_link", "text_mention", "custom_emoji", "date_time",
    }
)  # fmt: skip
_NEEDS: Final = {"text_link": "url", "text_mention": "user", "custom_emoji": "custom_emoji_id"}


def utf16_length(text: str) -> int:
    """Length in UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def check_text(text: str) -> None:
    """A message's text: something, and not too long.

    Raises:
        RefusedError: it is not.
    """
    if not text.strip():
        raise bad_request("message text is empty")
    if utf16_length(text) > MAX_TEXT:
        raise bad_request("message is too long")


def check_caption(caption: str) -> None:
    """A caption may be empty.

    Raises:
        RefusedError: it is too long.
    """
    if utf16_length(caption) > MAX_CAPTION:
        raise bad_request("message caption is too long")


def check_entities(text: str, entities: object) -> list[dict[str, Any]]:
    """Entities of a text: known, within it, on whole characters, one in another or apart.

    Raises:
        RefusedError: they are not.
    """
    if entities is None:
        return []
    if not isinstance(entities, list) or not all(isinstance(each, dict) for each in entities):
        raise bad_request("can't parse entities: expected an Array of MessageEntity")
    if len(entities) > MAX_ENTITIES:
        raise bad_request("ENTITIES_TOO_LONG")
    edges = _edges(text)
    for entity in entities:
        _check_entity(entity, edges, utf16_length(text))
    _check_nesting(entities)
    return entities


def _edges(text: str) -> frozenset[int]:
    """Offsets at which a character begins or the text ends."""
    edges, at = {0}, 0
    for char in text:
        at += 2 if ord(char) > 0xFFFF else 1
        edges.add(at)
    return frozenset(edges)


def _check_entity(entity: Mapping[str, Any], edges: frozenset[int], length: int) -> None:
    kind, start, span = entity.get("type"), entity.get("offset"), entity.get("length")
    if kind not in ENTITY_TYPES:
        raise bad_request("can't parse MessageEntity: unsupported type specified")
    if type(start) is not int or type(span) is not int or start < 0 or span <= 0:
        raise bad_request("can't parse MessageEntity: receive an entity with incorrect range")
    end = start + span
    if end > length:
        raise bad_request(
            f"entity beginning at UTF-16 offset {start} ends after the end of the text "
            f"at UTF-16 offset {end}"
        )
    if start not in edges or end not in edges:
        where = "begins" if start not in edges else "ends"
        raise bad_request(f"entity {where} in a middle of a UTF-16 symbol at offset {start}")
    if (needed := _NEEDS.get(str(kind))) and not entity.get(needed):
        raise bad_request(f"can't parse MessageEntity: can't find field {needed!r}")


def _check_nesting(entities: Sequence[Mapping[str, Any]]) -> None:
    spans = sorted((each["offset"], -each["length"]) for each in entities)
    open_ends: list[int] = []
    for start, span in spans:
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        if open_ends and start - span > open_ends[-1]:
            raise bad_request(f"entity beginning at UTF-16 offset {start} overlaps another")
        open_ends.append(start - span)


def check_markup(markup: object) -> dict[str, Any] | None:
    """An inline keyboard; other markup is not played.

    Raises:
        RefusedError: it is none, or a button of it cannot be.
    """
    if markup is None:
        return None
    rows = markup.get("inline_keyboard") if isinstance(markup, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise bad_request("object expected as reply markup")
    buttons = [button for row in rows for button in row]
    if len(buttons) > MAX_BUTTONS:
        raise bad_request("reply markup is too long")
    for button in buttons:
        _check_button(button)
    return {"inline_keyboard": rows}


def _check_button(button: object) -> None:
    if not isinstance(button, dict) or not button.get("text"):
        raise bad_request("can't parse inline keyboard button: text buttons are unallowed")
    data = button.get("callback_data")
    if data is not None and not 1 <= len(str(data).encode()) <= MAX_BUTTON_DATA_BYTES:
        raise bad_request("BUTTON_DATA_INVALID")
    if data is None and not button.get("url"):
        raise bad_request("can't parse inline keyboard button: text buttons are unallowed")


def check_commands(commands: object) -> list[dict[str, str]]:
    """A menu: at most 100 commands of ``[a-z0-9_]{1,32}``, described in 1 to 256 characters.

    Raises:
        RefusedError: it is not.
    """
    if not isinstance(commands, list):
        raise bad_request("expected an Array of BotCommand")
    if len(commands) > MAX_COMMANDS:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    for each in commands:
        name, about = str(each.get("command", "")), str(each.get("description", ""))
        plain = name.isascii() and name.replace("_", "a").isalnum() and name == name.lower()
        if not plain or len(name) > 32:
            raise bad_request("BOT_COMMAND_INVALID")
        if not 1 <= utf16_length(about) <= 256:
            raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
    return commands
