from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.memory.codec import (
    dump_line,
    event_from_json,
    event_to_json,
    load_line,
    record_from_json,
    record_to_json,
)
from cloche.memory.operations import (
    AddEvent,
    ArchiveRecord,
    DeleteEvent,
    DeleteRecord,
    Operation,
    UpdateRecord,
    WriteRecord,
    operation_from_json,
    operation_to_json,
)
from cloche.memory.records import (
    KINDS,
    Event,
    MemoryRecord,
    Source,
    SourceType,
    Tag,
    Trust,
    Validity,
)
from cloche.testing.samples import make_event, make_record, whole_event, whole_record

texts = st.text()
instants = st.datetimes(
    min_value=datetime(1, 1, 2),
    max_value=datetime(9999, 12, 30),
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=9, minutes=30))]),
)
maybe_instants = st.none() | instants
floats = st.floats(allow_nan=False, allow_infinity=False)
text_tuples = st.lists(texts, max_size=3).map(tuple)
metadata = st.dictionaries(
    texts, st.lists(st.builds(Tag, texts, texts), max_size=3).map(tuple) | floats | instants
)
events = st.builds(
    Event,
    id=texts,
    actor=texts,
    session=texts,
    conversation=texts,
    at=instants,
    user_text=texts,
    assistant_text=st.none() | texts,
    group=st.booleans(),
    attachments=text_tuples,
    language=texts,
    speaker=texts,
)
records = st.builds(
    MemoryRecord,
    id=texts,
    actor=texts,
    scope=texts,
    kind=st.sampled_from(KINDS),
    text=texts,
    source=st.builds(
        Source,
        stated=st.booleans(),
        type=st.sampled_from(get_args(SourceType)),
        ref=texts,
        start=st.integers(),
        end=st.integers(),
        quote=texts,
        conversation=texts,
        group=st.booleans(),
        derived_from=text_tuples,
    ),
    validity=st.builds(
        Validity, instants, instants, maybe_instants, maybe_instants, maybe_instants, text_tuples
    ),
    trust=st.builds(Trust, floats, st.integers(), st.integers(), maybe_instants),
    scope_key=texts,
    subject=texts,
    metadata=metadata,
)
operations = st.one_of(
    st.builds(AddEvent, events),
    st.builds(WriteRecord, records),
    st.builds(UpdateRecord, records),
    st.builds(ArchiveRecord, texts, texts, instants),
    st.builds(DeleteRecord, texts, texts),
    st.builds(DeleteEvent, texts, texts),
)


def test_an_event_written_before_speakers_were_kept_is_the_actors() -> None:
    document = event_to_json(make_event())
    del document["speaker"]
    assert event_from_json(document) == make_event()


@given(events)
def test_every_event_comes_back_from_its_line(event: Event) -> None:
    line = dump_line(event_to_json(event))
    assert b"\n" not in line
    assert event_from_json(load_line(line)) == event


@given(records)
def test_every_record_comes_back_from_its_line(record: MemoryRecord) -> None:
    line = dump_line(record_to_json(record))
    assert b"\n" not in line
    assert record_from_json(load_line(line)) == record


@given(operations)
def test_every_operation_comes_back_from_its_line(operation: Operation) -> None:
    line = dump_line(operation_to_json(operation))
    assert operation_from_json(load_line(line)) == operation
    # So that even a line a crash cut off tells whose it is.
    assert line.startswith(b'{"actor":')


def test_instants_are_written_in_utc_to_the_microsecond() -> None:
    tokyo = timezone(timedelta(hours=9))
    event = make_event(at=datetime(2026, 3, 1, 8, 0, 0, 7, tzinfo=tokyo))
    assert event_to_json(event)["at"] == "2026-02-28T23:00:00.000007+00:00"
    read = event_from_json({**event_to_json(event), "at": "2026-03-01T08:00:00.000007+09:00"})
    assert read.at == event.at
    assert read.at.tzinfo is UTC


def test_metadata_says_what_its_values_are() -> None:
    written = record_to_json(whole_record())["metadata"]
    assert written == {
        "colours": {
            "tags": [{"id": "azul", "label": "Azul añil"}, {"id": "bai-se", "label": "白色"}]
        },
        "nothing": {"tags": []},
        "litres": {"number": 12.75},
        "due": {"time": "2026-04-01T10:30:00+00:00"},
    }


def test_words_that_utf8_cannot_hold_come_back_too() -> None:
    # A pipe with broken UTF-8 gives lone surrogates; what a person wrote is kept all the same.
    event = make_event(user_text="caf\udce9 阳台")
    line = dump_line(event_to_json(event))
    assert "阳台" in line.decode("utf-8")
    assert event_from_json(load_line(line)) == event


Document = dict[str, Any]


def _change(path: str, value: object) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        *parents, last = path.split(".")
        for parent in parents:
            document = document[int(parent) if parent.isdigit() else parent]
        document[last] = value

    return change


def _remove(path: str) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        *parents, last = path.split(".")
        for parent in parents:
            document = document[parent]
        del document[last]

    return change


EVENT_FAULTS = [
    (_remove("id"), "id is missing"),
    (_remove("at"), "at is missing"),
    (_remove("assistant_text"), "assistant_text is missing"),
    (_change("colour", "red"), "unknown field colour"),
    (_change("user_text", None), "user_text is not a text"),
    (_change("assistant_text", 3), "assistant_text is not a text"),
    (_change("at", "yesterday"), "at is not an ISO 8601 instant"),
    (_change("at", "2026-03-01T08:00:00"), "at is not an instant with a time zone"),
    (_change("at", "0001-01-01T00:00:00+14:00"), "at is not an ISO 8601 instant"),
    (_change("group", 1), "group is not true or false"),
    (_change("attachments", "a.jpg"), "attachments is not a list of texts"),
    (_change("attachments", ["a.jpg", 3]), "attachments is not a list of texts"),
]
RECORD_FAULTS = [
    (_remove("trust"), "trust is missing"),
    (_remove("source.quote"), "source.quote is missing"),
    (_remove("validity.expires_at"), "validity.expires_at is missing"),
    (_change("trust.mood", 1), "unknown field trust.mood"),
    (_change("source", []), "source is not an object"),
    (_change("kind", "rumour"), "kind is 'rumour'"),
    (_change("source.type", "dream"), "source.type is 'dream'"),
    (_change("source.start", 1.5), "source.start is not a whole number"),
    (_change("source.start", True), "source.start is not a whole number"),
    (_change("source.derived_from", {}), "source.derived_from is not a list of texts"),
    (_change("trust.confidence", "high"), "trust.confidence is not a number"),
    (_change("trust.confidence", False), "trust.confidence is not a number"),
    (_change("trust.confidence", 10**400), "trust.confidence is too large"),
    (_change("trust.confidence", float("inf")), "trust.confidence is not a finite"),
    (_change("validity.updated_at", None), "validity.updated_at is not a text"),
    (_change("metadata", []), "metadata is not an object"),
    (_change("metadata.colours", "red"), "metadata.colours is not an object"),
    (_change("metadata.colours", {}), "metadata.colours.number is missing"),
    (_change("metadata.colours.number", 1), "unknown field metadata.colours.number"),
    (_change("metadata.colours.tags", {}), "metadata.colours.tags is not a list"),
    (_change("metadata.colours.tags", ["red"]), "metadata.colours.tags.0 is not an object"),
    (_change("metadata.colours.tags.1.label", 2), "metadata.colours.tags.1.label is not a text"),
    (_change("metadata.colours.tags.0.size", 2), "unknown field metadata.colours.tags.0.size"),
    (_change("metadata.due.time", 3), "metadata.due.time is not a text"),
]


@pytest.mark.parametrize(("change", "message"), EVENT_FAULTS)
def test_a_fault_in_an_event_is_named(change: Callable[[Document], None], message: str) -> None:
    document: Document = json.loads(dump_line(event_to_json(whole_event())))
    change(document)
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        event_from_json(document)


@pytest.mark.parametrize(("change", "message"), RECORD_FAULTS)
def test_a_fault_in_a_record_is_named(change: Callable[[Document], None], message: str) -> None:
    document: Document = json.loads(dump_line(record_to_json(whole_record())))
    change(document)
    with pytest.raises(ValueError, match=message):
        record_from_json(document)


@pytest.mark.parametrize(
    "line", [b"", b"[]", b"3", b"{", b'{"a": NaN}', b"\xff\xfe{}", b"[" * 100_000, b'{"a": 1} x']
)
def test_a_line_that_is_no_document_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        load_line(line)


def test_what_could_not_be_read_back_is_not_written() -> None:
    naive = datetime(2026, 3, 1)
    with pytest.raises(ValueError, match="at has no time zone"):
        event_to_json(make_event(at=naive))
    with pytest.raises(ValueError, match=r"metadata\.due has no time zone"):
        record_to_json(make_record(metadata={"due": naive}))
    with pytest.raises(ValueError, match=r"metadata\.litres is not a finite number"):
        record_to_json(make_record(metadata={"litres": float("nan")}))
    with pytest.raises(ValueError, match="kind is 'rumour'"):
        record_to_json(make_record(kind="rumour"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_change("operation", "sing"), "operation is 'sing'"),
        (_change("actor", "console_-luis"), "actor is not the content's"),
        (_change("content", None), "content is not an object"),
        (_change("more", 1), "unknown field more"),
        (_remove("operation"), "operation is missing"),
    ],
)
def test_a_fault_in_an_operation_is_named(change: Callable[[Document], None], message: str) -> None:
    document: Document = json.loads(dump_line(operation_to_json(AddEvent(whole_event()))))
    change(document)
    with pytest.raises(ValueError, match=message):
        operation_from_json(document)
