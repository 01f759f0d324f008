"""What is wrong with one value or one statement costs no other; no failing store loses a write."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from cloche.logs import OncePerCause
from cloche.memory.codec import record_to_json
from cloche.memory.extraction import Draft
from cloche.memory.keeping import Keeper
from cloche.memory.local import LocalMemoryStore
from cloche.memory.records import Event, MemoryRecord, MetadataValue, Source, Tag, Validity
from cloche.memory.sessions import Sessions
from cloche.memory.spool import Spool
from cloche.memory.usable import MAX_LABEL_CHARS, MAX_TAGS, usable
from cloche.memory.writer import Writer
from cloche.messages import Address
from cloche.namespaces import NamespaceScheme
from cloche.people import Person, PersonSettings
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.clock import FakeClock
from cloche.vocabulary import MetadataKey, Value, Vocabulary

ANA = "console_-ana"
WORDS = Vocabulary(
    (
        MetadataKey("things", "Things."),
        MetadataKey("room", "Room.", values=(Value("hall"), Value("attic"))),
        MetadataKey("weight", "Weight.", type="number"),
        MetadataKey("built", "When.", type="time"),
    )
)
EAST, WEST = timezone(timedelta(hours=5)), timezone(timedelta(hours=-5))
FIRST, LAST = datetime(1, 1, 1, tzinfo=EAST), datetime(9999, 12, 31, 23, 59, tzinfo=WEST)
UNUSABLE: dict[str, tuple[str, MetadataValue]] = {
    "before the first year": ("built", FIRST),
    "after the last year": ("built", LAST),
    "no zone": ("built", datetime(2020, 1, 1)),
    "infinite": ("weight", float("inf")),
    "no number": ("weight", float("nan")),
    "too large": ("weight", 10**400),
    "long label": ("things", (Tag("x", "x" * 400_000),)),
    "long id": ("things", (Tag("x" * 65, "x"),)),
    "no label": ("things", (Tag("x", "  "),)),
    "no id": ("things", (Tag("", "x"),)),
}


class Kept:
    def __init__(self, folder: Path) -> None:
        self.clock = FakeClock()
        self.store = LocalMemoryStore(folder / "memory.db", self.clock)
        self.state = SqliteStateStore(folder / "state.db", self.clock)
        self.spool = Spool(folder / "spool.jsonl", self.clock)
        self.writer = Writer(self.store, self.spool, OncePerCause(logging.getLogger("t")))
        self.keeper = Keeper(
            self.store,
            self.writer,
            self.state,
            Sessions(self.store, self.state),
            NamespaceScheme("t"),
            WORDS,
            self.clock,
            seconds=3.0,
        )

    async def say(self, *drafts: Draft) -> list[MemoryRecord]:
        text = " ".join(draft.text for draft in drafts)
        event = Event("turn-1", ANA, "s", "c", self.clock.now, text, "Fine.")
        return list(await self.keeper.keep(drafts, event, {}))


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Kept]:
    kept = Kept(tmp_path)
    yield kept
    await kept.store.close()
    await kept.state.close()


@pytest.mark.parametrize("what", UNUSABLE)
@pytest.mark.parametrize(
    "said",
    [
        ("My harp is old.", "I play the lute."),
        ("Mi arpa es vieja.", "Toco el laúd."),
        ("我的竖琴很旧。", "我会弹琵琶。"),
    ],
)
async def test_an_unusable_value_costs_itself_alone(
    kept: Kept, what: str, said: tuple[str, str]
) -> None:
    key, value = UNUSABLE[what]
    tags = (Tag("harp", "harp"),)
    more: dict[str, MetadataValue] = {} if key == "things" else {"things": tags}
    records = await kept.say(
        Draft("fact", said[0], 0, len(said[0]), metadata={key: value, **more}),
        Draft("fact", said[1], len(said[0]) + 1, len(said[0]) + 1 + len(said[1])),
    )
    assert [record.text for record in records] == list(said)
    assert dict(records[0].metadata) == more


def test_what_is_usable_stays_as_it_is() -> None:
    metadata: dict[str, MetadataValue] = {
        "things": (Tag("harp", "Harp"), Tag("arpa", "l" * MAX_LABEL_CHARS)),
        "weight": 3.5,
        "built": datetime(1812, 1, 1, tzinfo=UTC),
    }
    assert usable(metadata) == metadata
    many = tuple(Tag(f"t{n}", f"t{n}") for n in range(MAX_TAGS + 5))
    assert usable({"things": many})["things"] == many[:MAX_TAGS]


async def test_a_statement_that_cannot_be_written_costs_none_of_the_others(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    decide = kept.keeper._truth.decide

    async def breaks(record: MemoryRecord, *rest: object) -> object:
        if "harp" in record.text:
            raise KeyError("harp")
        return await decide(record, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(kept.keeper._truth, "decide", breaks)
    texts = ("My harp is old.", "I play the lute.")
    records = await kept.say(*(Draft("fact", text, 0, len(text)) for text in texts))
    assert [record.text for record in records] == ["I play the lute."]
    assert "fault=KeyError" in caplog.text
    assert "harp" not in caplog.text


@pytest.mark.parametrize("fault", [KeyError("x"), TypeError(), OverflowError(), RuntimeError()])
async def test_a_store_that_fails_in_a_way_of_its_own_loses_no_write(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    async def fails(event: Event) -> None:
        raise fault

    with monkeypatch.context() as broken:
        broken.setattr(kept.store, "add_event", fails)
        for number in (1, 2):
            await kept.writer.add_event(
                Event(f"turn-{number}", ANA, "s", "c", kept.clock.now, "I play the lute.", None)
            )
        assert await kept.writer.pending(ANA) == 2
    assert await kept.writer.catch_up() == 2
    assert len(await kept.store.iterate_events(ANA)) == 2


async def test_what_is_no_document_is_the_callers_fault(kept: Kept) -> None:
    record = MemoryRecord(
        "mem-1", ANA, "long_term", "fact", "x", Source(), Validity(kept.clock.now, FIRST)
    )
    with pytest.raises(ValueError, match=r"validity\.updated_at is out of range"):
        record_to_json(record)
    with pytest.raises(ValueError, match="out of range"):
        await kept.writer.write(record)
    with pytest.raises(ValueError, match="actor is empty"):
        await kept.writer.write(replace(record, actor=""))
    assert await kept.writer.pending(ANA) == 0
    json.dumps(record_to_json(replace(record, validity=Validity(kept.clock.now, kept.clock.now))))


@pytest.mark.parametrize(("text", "rooms"), [("The harp is sold.", ()), ("In the attic.", "attic")])
async def test_a_correction_keeps_no_tag_of_words_that_are_gone(
    kept: Kept, text: str, rooms: object
) -> None:
    things = (Tag("harp", "harp"),)
    said = Draft("fact", "The harp is in the hall.", 0, 24, metadata={"things": things})
    said = replace(said, metadata={"things": things, "room": (Tag("hall", "hall"),)})
    (record,) = await kept.say(said)
    person = Person(
        actor=ANA,
        address=Address("console", "ana"),
        conversation="c",
        group=False,
        session="s",
        settings=PersonSettings(),
        language="en",
        zone=ZoneInfo("UTC"),
        now=kept.clock.now,
    )
    new = await kept.keeper.correct(person, record.id, text, call_id="call")
    assert new.metadata["things"] == things
    assert new.metadata.get("room", ()) == ((Tag("attic", "attic"),) if rooms else ())
