"""What holds when one person says two things at once: in one process, and in two on one home."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from cloche.logs import OncePerCause
from cloche.memory.extraction import Draft
from cloche.memory.keeping import Keeper
from cloche.memory.local import LocalMemoryStore
from cloche.memory.ranking import is_current
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.sessions import Sessions
from cloche.memory.spool import Spool
from cloche.memory.truth.notes import read_notes
from cloche.memory.writer import Writer
from cloche.namespaces import NamespaceScheme
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.clock import FakeClock
from cloche.vocabulary import Vocabulary

ANA = "console_-ana"
PAIRS = [
    ("I love jazz", "I hate jazz"),
    ("Me encanta el jazz", "Odio el jazz"),
    ("我喜欢爵士", "我讨厌爵士"),
    ("The lute is in the hall", "The lute is in the attic"),
]


@dataclass
class Process:
    """A keeper as another process has it: its own connections to the same files."""

    keeper: Keeper
    store: LocalMemoryStore
    state: SqliteStateStore
    clock: FakeClock

    async def tell(self, text: str, turn: str, at: datetime) -> tuple[MemoryRecord, ...]:
        event = Event(
            id=turn,
            actor=ANA,
            session="s",
            conversation=turn,
            at=at,
            user_text=text,
            assistant_text="Fine.",
        )
        return await self.keeper.keep([Draft("fact", text, 0, len(text))], event, {})

    async def records(self) -> list[MemoryRecord]:
        return list(await self.store.iterate(ANA))

    async def holding(self) -> list[str]:
        return [r.text for r in await self.records() if is_current(r, self.clock.now)]


async def opened(folder: Path, clock: FakeClock) -> Process:
    store = LocalMemoryStore(folder / "memory.db", clock)
    state = SqliteStateStore(folder / "state.db", clock)
    writer = Writer(store, Spool(folder / "spool", clock), OncePerCause(logging.getLogger("t")))
    namespaces, words = NamespaceScheme("t"), Vocabulary(())
    sessions = Sessions(store, state)
    keeper = Keeper(store, writer, state, sessions, namespaces, words, clock, seconds=3)
    return Process(keeper, store, state, clock)


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[tuple[Process, Process]]:
    clock = FakeClock()
    processes = (await opened(tmp_path, clock), await opened(tmp_path, clock))
    yield processes
    for process in processes:
        await process.store.close()
        await process.state.close()


def held_up(
    monkeypatch: pytest.MonkeyPatch, process: Process, until: Callable[[], Awaitable[object]]
) -> None:
    """Has a process wait between its look at what holds and its write."""
    decide = process.keeper._truth.decide

    async def slowly(*arguments: object) -> object:
        decision = await decide(*arguments)  # type: ignore[arg-type]
        await until()
        return decision

    monkeypatch.setattr(process.keeper._truth, "decide", slowly)


@pytest.mark.parametrize(("one", "other"), PAIRS)
async def test_two_turns_of_one_process_leave_one_that_holds(
    two: tuple[Process, Process], one: str, other: str
) -> None:
    process, at = two[0], two[0].clock.now
    await asyncio.gather(
        process.tell(one, "turn-1", at), process.tell(other, "turn-2", at + timedelta(seconds=1))
    )
    assert await process.holding() == [other]


@pytest.mark.parametrize(("one", "other"), PAIRS)
@pytest.mark.parametrize("first", [0, 1])
async def test_two_processes_that_do_not_see_each_other_leave_what_was_said_later(
    two: tuple[Process, Process],
    monkeypatch: pytest.MonkeyPatch,
    one: str,
    other: str,
    first: int,
) -> None:
    looked = asyncio.Barrier(2)
    written = asyncio.Event()

    async def until(number: int) -> None:
        await looked.wait()
        if number != first:
            await written.wait()

    for number, process in enumerate(two):
        held_up(monkeypatch, process, lambda number=number: until(number))  # type: ignore[misc]

    async def tell(number: int, text: str) -> None:
        at = two[0].clock.now + timedelta(seconds=number)
        await two[number].tell(text, f"turn-{number}", at)
        if number == first:
            written.set()

    await asyncio.gather(tell(0, one), tell(1, other))
    assert await two[0].holding() == [other]
    (winner,) = [record for record in await two[0].records() if record.text == other]
    (loser,) = [record for record in await two[0].records() if record.text == one]
    assert winner.validity.supersedes == (loser.id,)
    (note,) = await read_notes(two[0].state, ANA, winner.id)
    assert note.replaced == loser.id


@pytest.mark.parametrize("first", [0, 1])
async def test_of_the_same_said_twice_whoever_looks_last_makes_one(
    two: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    looked, written = asyncio.Barrier(2), asyncio.Event()

    async def until(number: int) -> None:
        await looked.wait()
        if number != first:
            await written.wait()

    for number, process in enumerate(two):
        held_up(monkeypatch, process, lambda number=number: until(number))  # type: ignore[misc]
    at = two[0].clock.now

    async def tell(number: int, text: str) -> None:
        await two[number].tell(text, f"turn-{number}", at)
        if number == first:
            written.set()

    await asyncio.gather(tell(0, "I love jazz"), tell(1, "I love jazz!"))
    (record,) = await two[0].records()
    assert record.trust.confirmations == 1


async def test_of_two_sayings_of_one_instant_every_order_leaves_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = []
    for number, (first, together) in enumerate(itertools.product((0, 1), (True, False))):
        clock = FakeClock()
        folder = tmp_path / str(number)
        folder.mkdir()
        two = (await opened(folder, clock), await opened(folder, clock))
        if together:
            looked = asyncio.Barrier(2)
            for process in two:
                held_up(monkeypatch, process, looked.wait)
        said = [
            two[n].tell(("I love jazz", "I hate jazz")[n], f"turn-{n}", clock.now)
            for n in (first, 1 - first)
        ]
        if together:
            await asyncio.gather(*said)
        else:
            for one in said:
                await one
        left.append(await two[0].holding())
        for process in two:
            await process.store.close()
            await process.state.close()
    assert len(left[0]) == 1
    assert left == [left[0]] * 4


async def test_the_same_said_in_two_processes_is_one_record_said_twice(
    two: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = asyncio.Barrier(2)
    for process in two:
        held_up(monkeypatch, process, looked.wait)
    at = two[0].clock.now
    await asyncio.gather(
        two[0].tell("I love jazz", "turn-1", at), two[1].tell("I love jazz!", "turn-2", at)
    )
    (record,) = await two[0].records()
    assert record.trust.confirmations == 1


@pytest.mark.parametrize("seconds", [1, 3])
async def test_what_is_confirmed_here_and_denied_there_is_never_both_nor_neither(
    two: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    start = two[0].clock.now
    await two[0].tell("I love jazz", "turn-0", start)
    looked = asyncio.Barrier(2)
    for process in two:
        held_up(monkeypatch, process, looked.wait)
    two[0].clock.pass_(seconds=9)
    await asyncio.gather(
        two[0].tell("I love jazz", "turn-1", start + timedelta(seconds=seconds)),
        two[1].tell("I hate jazz", "turn-2", start + timedelta(seconds=2)),
    )
    assert await two[0].holding() == ["I hate jazz" if seconds == 1 else "I love jazz"]
