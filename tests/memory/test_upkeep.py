"""What has ended is archived: bounded, once a day, told in the log without a word of it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from cloche.errors import MemoryUnavailableError
from cloche.logs import OncePerCause
from cloche.memory.local import LocalMemoryStore
from cloche.memory.spool import Spool
from cloche.memory.upkeep import Upkeep
from cloche.memory.writer import Writer
from cloche.messages import Address
from cloche.people import Person, PersonSettings
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.clock import FakeClock
from cloche.testing.samples import START, make_record

ANA, BEN = "console_-ana", "console_-ben"
HOUR = timedelta(hours=1)


class Kept:
    """A store with records of two people, and its upkeep."""

    def __init__(self, folder: Path) -> None:
        self.clock = FakeClock(START + timedelta(days=10))
        self.store = LocalMemoryStore(folder / "memory.db", self.clock)
        self.state = SqliteStateStore(folder / "state.db", self.clock)
        notices = OncePerCause(logging.getLogger("test"))
        self.writer = Writer(self.store, Spool(folder / "spool.jsonl", self.clock), notices)
        self.upkeep = self.again()

    def again(self) -> Upkeep:
        """Upkeep as another process has it."""
        return Upkeep(self.store, self.writer, self.state, self.clock)

    async def ended(self, *numbers: int, actor: str = ANA) -> None:
        for number in numbers:
            end = self.clock() - number * HOUR
            text = f"Secret garden {number}."
            await self.store.write(make_record(number, text, actor=actor, expires_at=end))

    async def archived(self, actor: str = ANA) -> list[int]:
        found = await self.store.iterate(actor)
        return [int(r.id[-4:]) for r in found if r.validity.archived_at is not None]

    def person(self) -> Person:
        zone = ZoneInfo("UTC")
        return Person(
            ANA, Address("console", "ana"), "c", False, "s", PersonSettings(), "en", zone,
            self.clock().astimezone(zone),
        )  # fmt: skip


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Kept]:
    kept = Kept(tmp_path)
    yield kept
    await kept.store.close()
    await kept.state.close()


async def test_what_has_ended_is_archived_and_the_rest_stays(kept: Kept) -> None:
    await kept.ended(1, 2)
    await kept.ended(3, actor=BEN)
    later = kept.clock() + HOUR
    await kept.store.write(make_record(4, "Holds.", expires_at=later))
    await kept.store.write(make_record(5, "Endless."))
    done = await kept.upkeep.run(ANA)
    assert [int(action.record_id[-4:]) for action in done.archived] == [2, 1]  # longest ended first
    assert await kept.archived() == [1, 2]
    assert await kept.archived(BEN) == []
    assert (await kept.upkeep.run(ANA)).archived == ()


async def test_a_dry_run_says_the_same_and_changes_nothing(kept: Kept) -> None:
    await kept.ended(1, 2, 3)
    dry = await kept.upkeep.run(ANA, most=2, dry_run=True)
    assert await kept.archived() == []
    assert await kept.upkeep.run(ANA, most=2) == dry
    assert await kept.archived() == [2, 3]


async def test_one_run_does_so_much_and_leaves_the_rest_for_the_next(kept: Kept) -> None:
    await kept.ended(*range(1, 8))
    assert (await kept.upkeep.run(ANA, most=3)).left == 4
    assert (await kept.upkeep.run(ANA, most=3)).left == 1
    assert (await kept.upkeep.run(ANA, most=3)).left == 0
    assert await kept.archived() == list(range(1, 8))


async def test_it_runs_once_a_day_whichever_process_comes_first(kept: Kept) -> None:
    await kept.ended(1)
    assert await kept.upkeep.daily(kept.person()) is not None
    await kept.ended(2)
    assert await kept.upkeep.daily(kept.person()) is None
    assert await kept.again().daily(kept.person()) is None
    assert await kept.archived() == [1]
    kept.clock.pass_(days=1)
    assert await kept.again().daily(kept.person()) is not None
    assert await kept.upkeep.daily(kept.person()) is None
    assert await kept.archived() == [1, 2]


async def test_what_nobody_confirmed_for_long_is_named_and_left(kept: Kept) -> None:
    record = make_record(1, "Old.")
    due = replace(record.validity, review_after=kept.clock() - HOUR)
    await kept.store.write(replace(record, validity=due))
    done = await kept.upkeep.run(ANA)
    assert [action.record_id for action in done.review] == [record.id]
    assert await kept.archived() == []


async def test_the_log_tells_counts_and_no_words(
    kept: Kept, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="cloche")
    assert await kept.upkeep.run(ANA)
    assert not caplog.records  # nothing was due
    await kept.ended(1, 2)
    await kept.upkeep.run(ANA, dry_run=True)
    await kept.upkeep.run(ANA, most=1)
    assert "upkeep (dry run): 2 ended" in caplog.text
    assert "upkeep: 1 ended and archived, 1 left" in caplog.text
    assert "Secret" not in caplog.text


async def test_a_store_that_is_away_leaves_it_to_another_turn(kept: Kept) -> None:
    await kept.state.close()
    with pytest.raises(MemoryUnavailableError):
        await kept.upkeep.daily(kept.person())
    with pytest.raises(ValueError, match="actor"):
        await kept.upkeep.run("")
