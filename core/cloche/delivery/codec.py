"""Messages and parts as JSON documents: what the inbox and the outbox keep.

What is at its default is left out. Reading is strict about types and lenient about what is
missing, so that a later release's rows can be read by an earlier one and the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import cast

from cloche.channels.parts import Entity, EntityKind, Part, PartFile
from cloche.messages import Address, Attachment, Button, Due, Message, Quoted
from cloche.sqlite import from_micros, to_micros
from cloche.state.store import Json

_KINDS: Mapping[str, EntityKind] = {
    kind: kind
    for kind in (
        "bold",
        "italic",
        "underline",
        "strikethrough",
        "spoiler",
        "code",
        "pre",
        "link",
        "blockquote",
    )
}


def message_to_json(message: Message) -> dict[str, Json]:
    """A message as it is kept; what rows hold or tell is not, such as ``arrived``."""
    document: dict[str, Json] = {
        "id": message.id,
        "channel": message.address.channel,
        "sender": message.address.sender,
        "conversation": message.conversation,
        "text": message.text,
        "formatted": message.formatted,
        "sender_name": message.sender_name,
        "group": message.group,
        "scope_keys": dict(message.scope_keys),
        "sent_at": message.sent_at.isoformat() if message.sent_at else "",
        "thread": message.thread,
        "ref": message.ref,
        "edits": message.edits,
        "burst": message.burst,
        "overheard": not message.addressed,
        "attachments": [
            {"ref": a.ref, "name": a.name, "media_type": a.media_type, "size": a.size}
            for a in message.attachments
        ],
        "quoted": [
            {
                "text": q.text,
                "author": q.author,
                "forwarded": q.forwarded,
                "own": q.own,
                "shown": q.shown,
            }
            for q in message.quoted
        ],
        "language": message.language,
        "due": [[d.reminder, to_micros(d.at), d.missed, d.before] for d in message.due],
    }
    return {key: value for key, value in document.items() if value}


def message_from_json(document: Json) -> Message:
    """The message.

    Raises:
        ValueError: the document is none.
    """
    fields = _object(document)
    sent_at = _text(fields, "sent_at")
    return Message(
        id=_text(fields, "id"),
        address=Address(_text(fields, "channel"), _text(fields, "sender")),
        conversation=_text(fields, "conversation"),
        text=_text(fields, "text"),
        formatted=_text(fields, "formatted"),
        attachments=tuple(map(_attachment, _list(fields, "attachments"))),
        sender_name=_text(fields, "sender_name"),
        group=_flag(fields, "group"),
        scope_keys={
            key: value
            for key, value in _object(fields.get("scope_keys", {})).items()
            if isinstance(value, str)
        },
        sent_at=datetime.fromisoformat(sent_at) if sent_at else None,
        thread=_text(fields, "thread"),
        ref=_text(fields, "ref"),
        edits=_flag(fields, "edits"),
        burst=_text(fields, "burst"),
        addressed=not _flag(fields, "overheard"),
        quoted=tuple(map(_quoted, _list(fields, "quoted"))),
        due=tuple(map(_due, _list(fields, "due"))),
        language=_text(fields, "language"),
    )


def part_to_json(part: Part) -> dict[str, Json]:
    """A part as it is kept; the text without formatting only where it is another."""
    document: dict[str, Json] = {
        "conversation": part.conversation,
        "text": part.text,
        "thread": part.thread,
        "entities": [[e.kind, e.start, e.end, e.url, e.language] for e in part.entities],
        "buttons": [[b.label, b.data] for b in part.buttons],
        "answers": part.answers,
        "key": part.key,
        "plain": "" if part.plain == part.text else part.plain,
        "file": [part.file.owner, part.file.key, part.file.name] if part.file else [],
    }
    return {key: value for key, value in document.items() if value}


def part_from_json(document: Json) -> Part:
    """The part.

    Raises:
        ValueError: the document is none.
    """
    fields = _object(document)
    text = _text(fields, "text")
    return Part(
        conversation=_text(fields, "conversation"),
        text=text,
        thread=_text(fields, "thread"),
        entities=tuple(map(_entity, _list(fields, "entities"))),
        buttons=tuple(map(_button, _list(fields, "buttons"))),
        answers=_text(fields, "answers"),
        key=_text(fields, "key"),
        plain=_text(fields, "plain") or text,
        file=_file(_list(fields, "file")),
    )


def _attachment(document: Json) -> Attachment:
    fields = _object(document)
    size = fields.get("size")
    return Attachment(
        ref=_text(fields, "ref"),
        name=_text(fields, "name"),
        media_type=_text(fields, "media_type"),
        size=size if isinstance(size, int) else None,
    )


def _quoted(document: Json) -> Quoted:
    fields = _object(document)
    return Quoted(
        text=_text(fields, "text"),
        author=_text(fields, "author"),
        forwarded=_flag(fields, "forwarded"),
        own=_flag(fields, "own"),
        shown=_flag(fields, "shown"),
    )


def _due(document: Json) -> Due:
    match document:
        case [str(reminder), int(at), bool(missed), int(before)]:
            return Due(reminder, from_micros(at), missed, before)
    raise ValueError("what is due is not as it was written")


def _entity(document: Json) -> Entity:
    match document:
        case [str(kind), int(start), int(end), str(url), str(language)] if kind in _KINDS:
            return Entity(_KINDS[kind], start, end, url, language)
    raise ValueError("an entity is not as it was written")


def _button(document: Json) -> Button:
    match document:
        case [str(label), str(data)]:
            return Button(label, data)
    raise ValueError("a button is not as it was written")


def _file(document: list[Json]) -> PartFile | None:
    match document:
        case []:
            return None
        case [str(owner), str(key), str(name)]:
            return PartFile(owner, key, name)
    raise ValueError("a file is not as it was written")


def _object(document: Json) -> Mapping[str, Json]:
    if not isinstance(document, dict):
        raise ValueError("is not an object")
    return cast(Mapping[str, Json], document)


def _list(fields: Mapping[str, Json], key: str) -> list[Json]:
    value = fields.get(key, [])
    if not isinstance(value, list):
        raise ValueError(f"{key} is not a list")
    return value


def _text(fields: Mapping[str, Json], key: str) -> str:
    value = fields.get(key, "")
    if not isinstance(value, str):
        raise ValueError(f"{key} is not a text")
    return value


def _flag(fields: Mapping[str, Json], key: str) -> bool:
    value = fields.get(key, False)
    if not isinstance(value, bool):
        raise ValueError(f"{key} is neither true nor false")
    return value
