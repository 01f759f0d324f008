"""Events and records to and from JSON documents: complete, strict, the same for every use.

The spool, the export and the local store share these documents. A document has every field of its
dataclass, none more; instants are ISO 8601 in UTC; a metadata value is an object with one key
that says what it is: ``tags``, ``number`` or ``time``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final, get_args

from cloche.memory.fields import Fields, finite, one_of
from cloche.memory.records import (
    KINDS,
    Event,
    MemoryRecord,
    Metadata,
    MetadataValue,
    Source,
    SourceType,
    Tag,
    Trust,
    Validity,
)
from cloche.state.store import Json

Document = dict[str, Json]

_SOURCE_TYPES: Final[tuple[SourceType, ...]] = get_args(SourceType)


def event_to_json(event: Event) -> Document:
    """The document of an event.

    Raises:
        ValueError: ``at`` has no time zone.
    """
    document: Document = {
        "id": event.id,
        "actor": event.actor,
        "session": event.session,
        "conversation": event.conversation,
        "at": _instant(event.at, "at"),
        "user_text": event.user_text,
        "assistant_text": event.assistant_text,
        "group": event.group,
        "attachments": list(event.attachments),
        "language": event.language,
        "speaker": event.speaker,
    }
    # Else every release can read it.
    return document | {"given": list(event.given)} if event.given else document


def event_from_json(document: Mapping[str, Json]) -> Event:
    """The event a document stands for.

    Raises:
        ValueError: a field is missing, unknown or of the wrong type; the message names it.
    """
    fields = Fields(document)
    event = Event(
        id=fields.text("id"),
        actor=fields.text("actor"),
        session=fields.text("session"),
        conversation=fields.text("conversation"),
        at=fields.instant("at"),
        user_text=fields.text("user_text"),
        assistant_text=fields.text_or_none("assistant_text"),
        group=fields.flag("group"),
        attachments=fields.texts("attachments"),
        language=fields.text("language"),
        # Documents written before the field was there are of the actor.
        speaker=fields.text("speaker") if "speaker" in fields.names else "",
        given=fields.texts("given") if "given" in fields.names else (),
    )
    fields.refuse_others()
    return event


def record_to_json(record: MemoryRecord) -> Document:
    """The document of a record.

    Raises:
        ValueError: an instant has no time zone, a number is not finite, or the kind or source
            type is not one; the message names the field.
    """
    return {
        "id": record.id,
        "actor": record.actor,
        "scope": record.scope,
        "scope_key": record.scope_key,
        "kind": one_of(record.kind, KINDS, "kind"),
        "subject": record.subject,
        "text": record.text,
        "metadata": {
            key: _value_to_json(value, f"metadata.{key}") for key, value in record.metadata.items()
        },
        "source": _source_to_json(record.source),
        "validity": _validity_to_json(record.validity),
        "trust": _trust_to_json(record.trust),
    }


def record_from_json(document: Mapping[str, Json]) -> MemoryRecord:
    """The record a document stands for.

    Raises:
        ValueError: a field is missing, unknown or of the wrong type; the message names it.
    """
    fields = Fields(document)
    record = MemoryRecord(
        id=fields.text("id"),
        actor=fields.text("actor"),
        scope=fields.text("scope"),
        scope_key=fields.text("scope_key"),
        kind=fields.one_of("kind", KINDS),
        subject=fields.text("subject"),
        text=fields.text("text"),
        metadata=_metadata_from_json(fields.object("metadata")),
        source=_source_from_json(fields.object("source")),
        validity=_validity_from_json(fields.object("validity")),
        trust=_trust_from_json(fields.object("trust")),
    )
    fields.refuse_others()
    return record


def dump_line(document: Mapping[str, Json]) -> bytes:
    """A document on one line of UTF-8, without the line feed.

    Lone surrogates, which people's terminals can produce and UTF-8 cannot hold, are escaped.

    Raises:
        ValueError: a number in it is not finite.
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def load_line(line: bytes | str) -> Document:
    """The document on a line.

    Raises:
        ValueError: the line is not one JSON object, or holds a number JSON does not have.
    """
    try:
        parsed: Json = json.loads(line, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("the JSON document is nested too deeply") from error
    if not isinstance(parsed, dict):
        raise ValueError("not a JSON object")
    return parsed


def _source_to_json(source: Source) -> Document:
    return {
        "stated": source.stated,
        "type": one_of(source.type, _SOURCE_TYPES, "source.type"),
        "ref": source.ref,
        "start": source.start,
        "end": source.end,
        "quote": source.quote,
        "conversation": source.conversation,
        "group": source.group,
        "derived_from": list(source.derived_from),
    }


def _source_from_json(fields: Fields) -> Source:
    source = Source(
        stated=fields.flag("stated"),
        type=fields.one_of("type", _SOURCE_TYPES),
        ref=fields.text("ref"),
        start=fields.whole("start"),
        end=fields.whole("end"),
        quote=fields.text("quote"),
        conversation=fields.text("conversation"),
        group=fields.flag("group"),
        derived_from=fields.texts("derived_from"),
    )
    fields.refuse_others()
    return source


def _validity_to_json(validity: Validity) -> Document:
    return {
        "created_at": _instant(validity.created_at, "validity.created_at"),
        "updated_at": _instant(validity.updated_at, "validity.updated_at"),
        "expires_at": _instant_or_none(validity.expires_at, "validity.expires_at"),
        "review_after": _instant_or_none(validity.review_after, "validity.review_after"),
        "archived_at": _instant_or_none(validity.archived_at, "validity.archived_at"),
        "supersedes": list(validity.supersedes),
    }


def _validity_from_json(fields: Fields) -> Validity:
    validity = Validity(
        created_at=fields.instant("created_at"),
        updated_at=fields.instant("updated_at"),
        expires_at=fields.instant_or_none("expires_at"),
        review_after=fields.instant_or_none("review_after"),
        archived_at=fields.instant_or_none("archived_at"),
        supersedes=fields.texts("supersedes"),
    )
    fields.refuse_others()
    return validity


def _trust_to_json(trust: Trust) -> Document:
    return {
        "confidence": finite(trust.confidence, "trust.confidence"),
        "importance": trust.importance,
        "confirmations": trust.confirmations,
        "verified_at": _instant_or_none(trust.verified_at, "trust.verified_at"),
    }


def _trust_from_json(fields: Fields) -> Trust:
    trust = Trust(
        confidence=fields.number("confidence"),
        importance=fields.whole("importance"),
        confirmations=fields.whole("confirmations"),
        verified_at=fields.instant_or_none("verified_at"),
    )
    fields.refuse_others()
    return trust


def _value_to_json(value: MetadataValue, name: str) -> Json:
    if isinstance(value, datetime):
        return {"time": _instant(value, name)}
    if isinstance(value, tuple):
        return {"tags": [{"id": tag.id, "label": tag.label} for tag in value]}
    return {"number": finite(value, name)}


def _metadata_from_json(fields: Fields) -> Metadata:
    return MappingProxyType({key: _value_from_json(fields.object(key)) for key in fields.names})


def _value_from_json(fields: Fields) -> MetadataValue:
    value: MetadataValue
    if "tags" in fields.names:
        value = tuple(_tag_from_json(tag) for tag in fields.objects("tags"))
    elif "time" in fields.names:
        value = fields.instant("time")
    else:
        value = fields.number("number")
    fields.refuse_others()
    return value


def _tag_from_json(fields: Fields) -> Tag:
    tag = Tag(fields.text("id"), fields.text("label"))
    fields.refuse_others()
    return tag


def _instant(at: datetime, name: str) -> str:
    if at.utcoffset() is None:
        raise ValueError(f"{name} has no time zone")
    try:
        return at.astimezone(UTC).isoformat()
    except OverflowError as error:
        raise ValueError(f"{name} is out of range") from error


def _instant_or_none(at: datetime | None, name: str) -> str | None:
    return None if at is None else _instant(at, name)


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")
