"""Everything kept about a person can be carried away and brought back, whole or not at all."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cloche.errors import ManifestError
from cloche.memory.holdings import (
    Counts,
    Holdings,
    add_holdings,
    count_holdings,
    matching_records,
    read_holdings,
    read_records,
    short_id,
    write_private,
)
from cloche.memory.local import LocalMemoryStore
from cloche.memory.portable import export_text, parse_export, write_export
from cloche.memory.records import KINDS, Event, MemoryRecord, Source, Tag, Trust, Validity
from cloche.people import person_prefix
from cloche.state.sqlite import SqliteStateStore

ANA, BEN = "console_-ana", "console_-ben"
NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)

WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
IDS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,20}", fullmatch=True)
TIMES = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))
METADATA = st.dictionaries(
    st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True),
    st.one_of(
        st.lists(st.builds(Tag, st.just("fig"), WORDS), max_size=2).map(tuple),
        st.floats(allow_nan=False, allow_infinity=False),
        TIMES,
    ),
    max_size=3,
)
RECORDS = st.builds(
    MemoryRecord,
    id=IDS,
    actor=st.just(ANA),
    scope=st.sampled_from(["long_term", "episodic"]),
    kind=st.sampled_from(KINDS),
    text=WORDS.filter(str.strip),
    source=st.builds(
        Source,
        stated=st.booleans(),
        ref=WORDS,
        quote=WORDS,
        conversation=WORDS,
        group=st.booleans(),
        derived_from=st.lists(IDS, max_size=2).map(tuple),
    ),
    validity=st.builds(
        Validity,
        created_at=TIMES,
        updated_at=TIMES,
        expires_at=st.none() | TIMES,
        archived_at=st.none() | TIMES,
        supersedes=st.lists(IDS, max_size=2).map(tuple),
    ),
    trust=st.builds(Trust, confidence=st.floats(0, 1), importance=st.integers(1, 5)),
    subject=WORDS,
    metadata=METADATA,
)
EVENTS = st.builds(
    Event,
    id=IDS,
    actor=st.just(ANA),
    session=IDS,
    conversation=IDS,
    at=TIMES,
    user_text=WORDS,
    assistant_text=st.none() | WORDS,
    group=st.booleans(),
    attachments=st.lists(WORDS, max_size=2).map(tuple),
    language=st.sampled_from(["", "en", "es", "zh"]),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
).filter(lambda value: "Infinity" not in json.dumps(value))
KEYS = st.lists(IDS, min_size=1, max_size=3).map("/".join)


class Stores:
    def __init__(self, folder: Path) -> None:
        self.memory = LocalMemoryStore(folder / "memory.db", lambda: NOON)
        self.state = SqliteStateStore(folder / "state.db", lambda: NOON)

    async def export(self, actor: str = ANA, at: datetime = NOON) -> str:
        return export_text("tea", await read_holdings(actor, self.memory, self.state), at)

    async def add(self, *items: Event | MemoryRecord, **state: object) -> None:
        for item in items:
            if isinstance(item, Event):
                await self.memory.add_event(item)
            else:
                await self.memory.write(item)
        for key, value in state.items():
            await self.state.put(f"{person_prefix(ANA)}{key}", value)  # type: ignore[arg-type]

    async def bring(self, text: str, actor: str = ANA) -> Counts:
        holdings = parse_export(text.encode(), file="x.jsonl", assistant="tea", actor=actor)
        return await add_holdings(holdings, self.memory, self.state)

    async def forget(self, actor: str = ANA) -> None:
        await self.memory.forget(actor)
        await self.state.delete_prefix(person_prefix(actor))


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Stores]:
    stores = Stores(folder)
    try:
        yield stores
    finally:
        await stores.memory.close()
        await stores.state.close()


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    async with opened(tmp_path) as stores:
        yield stores


def record(number: int, text: str = "Tengo un bonsái", **changes: object) -> MemoryRecord:
    made = MemoryRecord(
        f"mem-{number:08x}-0000", ANA, "long_term", "fact", text, Source(), Validity(NOON, NOON)
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def event(number: int, text: str = "你好") -> Event:
    return Event(f"turn{number}", ANA, "s1", "c1", NOON, text, "Hola")


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.lists(RECORDS, max_size=4, unique_by=lambda r: r.id),
    st.lists(EVENTS, max_size=4, unique_by=lambda e: e.id),
    st.dictionaries(KEYS, VALUES, max_size=4),
)
async def test_export_forget_import_gives_the_same_bytes(
    records: list[MemoryRecord], events: list[Event], state: dict[str, object]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with opened(Path(folder)) as stores:
            await stores.add(*records, *events, **state)
            first = await stores.export()
            await stores.forget()
            assert (await stores.export()).count("\n") == 1
            added = await stores.bring(first)
            again = await stores.export(at=NOON + timedelta(days=1))
    assert added == Counts(len(state), len(events), len(records))
    assert first.split("\n")[1:] == again.split("\n")[1:]
    headers = [json.loads(text.split("\n")[0]) for text in (first, again)]
    assert headers[0].pop("exported_at") != headers[1].pop("exported_at")
    assert headers[0] == headers[1]


async def test_an_archived_record_comes_back_archived(stores: Stores) -> None:
    await stores.add(record(1), record(2))
    await stores.memory.archive(ANA, record(1).id, NOON)
    text = await stores.export()
    await stores.forget()
    await stores.bring(text)
    kept = await stores.memory.get(ANA, record(1).id)
    assert kept is not None
    assert kept.validity.archived_at == NOON
    assert [one.id for one in await read_records(ANA, stores.memory, NOON)] == [record(2).id]


async def test_importing_twice_adds_nothing_the_second_time(stores: Stores) -> None:
    await stores.add(record(1), event(1), settings={"language": "es"})
    text = await stores.export()
    await stores.forget()
    assert await stores.bring(text) == Counts(1, 1, 1)
    assert await stores.bring(text) == Counts()
    assert await stores.export() == text


async def test_what_is_there_already_stays_as_it_is(stores: Stores) -> None:
    await stores.add(record(1), settings={"language": "es"})
    text = await stores.export()
    await stores.memory.update(record(1, "corrected"))
    await stores.add(settings={"language": "zh"})
    await stores.bring(text)
    assert "corrected" in await stores.export()
    assert '"zh"' in await stores.export()


async def test_another_person_gets_a_copy_of_their_own(stores: Stores) -> None:
    await stores.add(record(1), event(1), settings={"language": "es"})
    text = await stores.export()
    assert await stores.bring(text, BEN) == Counts(1, 1, 1)
    assert await stores.export(BEN) == text.replace(ANA, BEN)
    await stores.forget(BEN)
    assert await stores.export() == text


async def test_working_state_is_not_carried_but_counted_for_a_forget(stores: Stores) -> None:
    await stores.add(settings={"language": "es"})
    key = f"{person_prefix(ANA)}session/x"
    await stores.state.put(key, "cache", ttl=timedelta(days=1))
    assert "cache" not in await stores.export()
    assert await count_holdings(ANA, stores.memory, stores.state) == Counts(state=2)


async def test_an_import_cannot_set_what_the_host_goes_by(stores: Stores) -> None:
    foreign = {"session/a": 1, "forget-code": "abc", "used/x": 1, "spoke": "es", "in/c/new/d": 9}
    await stores.add(**foreign, notes=7, spokes=8)
    text = await stores.export()
    assert [json.loads(line)["key"] for line in text.splitlines()[1:]] == ["notes", "spokes"]
    header = json.loads(text.splitlines()[0])
    header["counts"]["state"] += len(foreign)
    lines = [json.dumps({"type": "state", "key": k, "value": v}) for k, v in foreign.items()]
    forged = "\n".join([json.dumps(header), *text.splitlines()[1:], *lines])
    await stores.forget()
    assert await stores.bring(forged) == Counts(state=2)
    assert await count_holdings(ANA, stores.memory, stores.state) == Counts(state=2)


async def test_half_a_character_that_is_stored_breaks_no_export(
    stores: Stores, tmp_path: Path
) -> None:
    await stores.add(record(1, "roses \ud800 x"), event(1, "\udfff"), notes={"\ud801": "\udc00"})
    text = await stores.export()
    assert text.count("\ufffd") >= 3
    holdings = await read_holdings(ANA, stores.memory, stores.state)
    path = write_export(tmp_path, "tea", holdings, NOON)
    assert path.read_text(encoding="utf-8") == text
    await stores.forget()
    assert (await stores.bring(text)).total == 3


async def test_nobody_is_acted_for_without_an_actor(stores: Stores) -> None:
    await stores.add(record(1))
    text = await stores.export()
    for call in (
        lambda: read_holdings("", stores.memory, stores.state),
        lambda: count_holdings("", stores.memory, stores.state),
        lambda: add_holdings(Holdings("", (), (), ()), stores.memory, stores.state),
    ):
        with pytest.raises(ValueError, match="actor"):
            await call()
    with pytest.raises(ValueError, match="actor"):
        parse_export(text.encode(), file="x", assistant="tea", actor="")


async def sample(stores: Stores) -> list[str]:
    await stores.add(record(1), record(2), event(1), settings={"language": "es"})
    return (await stores.export()).splitlines()


Mangle = Callable[[list[str]], list[str]]


def at(line: int, change: Callable[[dict[str, object]], object]) -> Mangle:
    """Change one line's document."""

    def mangle(lines: list[str]) -> list[str]:
        document = json.loads(lines[line - 1])
        change(document)
        return [*lines[: line - 1], json.dumps(document), *lines[line:]]

    return mangle


def event_with(**changes: object) -> Mangle:
    return at(3, lambda d: d["event"].update(changes))  # type: ignore[attr-defined]


def record_with(part: str = "", **changes: object) -> Mangle:
    def change(document: dict[str, dict[str, dict[str, object]]]) -> None:
        record = document["record"]
        (record[part] if part else record).update(changes)

    return at(4, change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mangle", "line", "reason"),
    [
        (lambda lines: [], 1, "is empty"),
        (lambda lines: lines[1:], 1, "no export"),
        (at(1, lambda d: d.update(format="other")), 1, "no export"),
        (at(1, lambda d: d.update(version=2)), 1, "version 2"),
        (at(1, lambda d: d.update(assistant="coffee")), 1, "'coffee', not of 'tea'"),
        (at(1, lambda d: d.update(actor="")), 1, "names no actor"),
        (at(1, lambda d: d.update(counts={"state": True})), 1, "no count of state"),
        (at(2, lambda d: d.update(type="thing")), 2, "type is 'thing'"),
        (at(2, lambda d: d.update(key="a//b")), 2, "key 'a//b'"),
        (at(2, lambda d: d.update(key="k" * 600)), 2, "too long"),
        (at(2, lambda d: d.pop("value")), 2, "value is missing"),
        (at(2, lambda d: d.update(value="v" * 300_001)), 2, "larger than"),
        (at(3, lambda d: d.pop("event")), 3, "event is not an object"),
        (at(3, lambda d: d["event"].update(at="yesterday")), 3, "at"),  # type: ignore[attr-defined]
        (at(4, lambda d: d["record"].update(kind="rumour")), 4, "kind"),  # type: ignore[attr-defined]
        (at(4, lambda d: d["record"].update(actor="other")), 4, "actor is 'other'"),  # type: ignore[attr-defined]
        (at(2, lambda d: d.update(key="a\0b")), 2, "is not a path"),
        (at(2, lambda d: d.update(key="a\ud800")), 2, "half a character"),
        (at(2, lambda d: d.update(value={"\udfff": 1})), 2, "half a character"),
        (event_with(user_text="\ud800 x"), 3, "half a character"),
        (event_with(id=""), 3, "id is empty"),
        (event_with(id="a\0b"), 3, "is no id"),
        (event_with(at="1969-12-31T23:00:00+00:00"), 3, "years 1970 to 2200"),
        (record_with(id=" "), 4, "id is empty"),
        (record_with(id="mem-\x85a"), 4, "is no id"),
        (record_with(id="m" * 513), 4, "is no id"),
        (record_with(text=" \n"), 4, "text is empty"),
        (record_with(text="\udc80"), 4, "half a character"),
        (
            record_with(metadata={"a": {"time": "9999-12-31T23:59:59+00:00"}}),
            4,
            "metadata.a is not",
        ),
        (record_with("validity", created_at="0001-01-01T00:00:00+00:00"), 4, "created_at is not"),
        (record_with("validity", created_at="0001-01-01T00:00:00+14:00"), 4, "created_at is not"),
        (record_with("validity", expires_at="2201-01-01T00:00:00+00:00"), 4, "expires_at is not"),
        (record_with("trust", importance=10**400), 4, "importance"),
        (record_with("trust", confidence=1e308), 4, "confidence"),
        (record_with("source", start=5, end=2), 4, "source.start"),
        (lambda lines: [*lines, lines[-1]], 6, "there twice"),
        (lambda lines: lines[:-1], 4, "not whole"),
        (lambda lines: [*lines[:2], '{"type":', *lines[3:]], 3, "not a JSON document"),
        (lambda lines: [*lines[:2], "[1]", *lines[3:]], 3, "not a JSON object"),
        (lambda lines: [*lines[:2], "[" * 100_000, *lines[3:]], 3, "not a JSON document"),
        (lambda lines: [lines[0], lines[1].replace('"es"', "NaN")], 2, "not a JSON document"),
    ],
)
async def test_a_wrong_line_is_named_and_nothing_is_written(
    stores: Stores, mangle: Mangle, line: int, reason: str
) -> None:
    lines = mangle(await sample(stores))
    await stores.forget()
    with pytest.raises(ManifestError) as refused:
        await stores.bring("\n".join(lines))
    assert (refused.value.file, refused.value.line) == ("x.jsonl", line)
    assert reason in str(refused.value)
    assert await count_holdings(ANA, stores.memory, stores.state) == Counts()


async def test_a_line_that_is_not_utf8_is_named(stores: Stores) -> None:
    lines = await sample(stores)
    data = "\n".join(lines).encode().replace("你好".encode(), b"\xff")
    with pytest.raises(ManifestError, match=r"x.jsonl:3: the line is not UTF-8"):
        parse_export(data, file="x.jsonl", assistant="tea", actor=ANA)


@given(st.binary(max_size=60))
def test_no_file_makes_the_import_break(data: bytes) -> None:
    with pytest.raises(ManifestError):
        parse_export(data, file="x", assistant="tea", actor=ANA)


async def test_blank_lines_a_byte_order_mark_and_windows_line_ends_are_taken(
    stores: Stores,
) -> None:
    text = "\ufeff" + "\r\n\r\n".join(await sample(stores))
    assert await stores.bring(text, BEN) == Counts(1, 1, 2)


async def test_line_separators_inside_a_text_break_no_line(stores: Stores) -> None:
    await stores.add(record(1, "uno\u2028dos\x85tres\nfour"))
    text = await stores.export()
    await stores.forget()
    await stores.bring(text)
    assert (await stores.export()) == text


async def test_export_file_is_for_its_owner_only(stores: Stores, tmp_path: Path) -> None:
    await stores.add(record(1))
    holdings = await read_holdings(ANA, stores.memory, stores.state)
    path = write_export(tmp_path, "tea", holdings, NOON)
    assert path == tmp_path / "exports" / f"{ANA}-20260303T120000Z.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text(encoding="utf-8") == await stores.export()


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_private(path, "\ud800")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["old"]
    with pytest.raises(FileExistsError):
        write_private(tmp_path, "text")


async def test_records_are_found_by_the_start_of_their_id(stores: Stores) -> None:
    await stores.add(record(0x12345678), record(0x12349999))
    one = record(0x12345678).id

    async def found(written: str) -> list[str]:
        return [each.id for each in await matching_records(ANA, stores.memory, written)]

    assert short_id(one) == "12345678"
    assert await found("12345678") == await found("MEM-12345") == await found(one) == [one]
    assert len(await found("1234")) == 2
    assert await found("123") == await found("") == await found("ffff") == []
    assert await matching_records(BEN, stores.memory, one) == []
