"""Whatever comes in which order, and whichever write a process dies at: everything is answered,
in order, once, and nothing is done twice but the one part that was in flight."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cloche.channels import Part
from cloche.delivery.merging import is_command
from cloche.errors import MemoryUnavailableError
from cloche.ids import turn_id
from cloche.messages import Message, Reply
from cloche.testing.clock import FakeClock
from cloche.testing.mortal_state import Disk, MortalState


@dataclass
class Books(Disk):
    """What outlives a process: the store's items, the platform's books, what tools did."""

    parts: list[tuple[int, Part]] = field(default_factory=list)
    calls: set[tuple[str, str]] = field(default_factory=set)
    acted: Counter[str] = field(default_factory=Counter)
    turns: list[Message] = field(default_factory=list)


@dataclass(frozen=True)
class Word:
    text: str
    entities: tuple[()] = ()
    plain: str = ""


def word_by_word(text: str, *_: object) -> Sequence[Word]:
    """Each word of a reply is a part of its own, so that replies can be half sent."""
    return [Word(word, plain=word) for word in text.split()]


class Process:
    """One life of the host on a disk."""

    def __init__(self, build: Any, disk: Books, number: int, store: MortalState, clock: FakeClock):
        self.store, self.disk, self.number = store, disk, number
        self.world = build(store, clock, render=word_by_word)
        self.world.channel.send = self.send
        self.world.assistant.answer = self.answer

    async def send(self, part: Part) -> None:
        if self.store.died.is_set():
            await asyncio.Event().wait()
        self.disk.parts.append((self.number, part))
        await asyncio.sleep(0)

    def answer(self, message: Message) -> Reply:
        """A turn's tool call for each word of it, and its words as the reply."""
        if not self.store.died.is_set():
            self.disk.turns.append(message)
            turn = turn_id(message.address, message.place, message.id)
            for word in message.text.split():
                if (turn, word) not in self.disk.calls:
                    self.disk.calls.add((turn, word))
                    self.disk.acted[word] += 1
        return Reply(message.text)

    async def live(self, updates: list[tuple[Message, int]], wait: bool = False) -> set[str]:
        """Take updates in order until all are taken or it dies; the ids of those it took."""
        taken: set[str] = set()

        async def work() -> None:
            await self.world.delivery.start()
            for message, pause in updates:
                await self.world.delivery.accept(message)
                taken.add(message.id)
                for _ in range(pause):
                    await asyncio.sleep(0)
            await self.world.delivery.idle()
            await self.world.delivery.close()

        before = asyncio.all_tasks()
        working = asyncio.create_task(work())
        dying = asyncio.create_task(self.store.died.wait())
        await asyncio.wait({working, dying}, return_when=asyncio.FIRST_COMPLETED, timeout=20)
        assert working.done() or self.store.died.is_set(), "it hangs"
        if working.done():
            await working
        mine = asyncio.all_tasks() - before
        for task in mine:
            task.cancel()
        await asyncio.gather(*mine, return_exceptions=True)
        return taken


KINDS = st.sampled_from(["words"] * 4 + ["command", "burst", "edit", "edit", "overheard"])
STEPS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 1), KINDS, st.sampled_from([0, 0, 1, 3, 8, 40])),
    min_size=1,
    max_size=12,
)
DEATHS = st.lists(st.tuples(st.integers(1, 31), st.booleans()), max_size=3)


def written(world: Any, steps: Any) -> list[tuple[Message, int]]:
    """The updates of a platform: conversation, sender, kind, and how long until the next one."""
    updates: list[tuple[Message, int]] = []
    for number, (where, who, kind, pause) in enumerate(steps):
        sender, conversation = f"p{who}", f"c{where}"
        mine = [
            m
            for m, _ in updates
            if m.address.sender == sender and m.conversation == conversation and not m.edits
        ]
        other: dict[str, object] = {"conversation": conversation, "group": True}
        text = f"w{number}"
        if kind == "command":
            text = f"/w{number}"
        elif kind == "burst":
            other["burst"] = "album"
        elif kind == "overheard":
            other["addressed"] = False
        elif kind == "edit" and mine:
            other |= {"ref": mine[-1].ref, "edits": True, "addressed": mine[-1].addressed}
        updates.append((world.message(text, sender=sender, **other), pause))
    return updates


def check(disk: Disk, updates: list[tuple[Message, int]], deaths: int) -> None:
    """What people and tools may have seen."""
    turns_of: dict[str, set[str]] = {}
    for _, part in disk.parts:
        turns_of.setdefault(part.text, set()).add(part.key.rpartition("-")[0])
    assert all(len(turns) == 1 for turns in turns_of.values()), "one message in two turns"
    assert all(count == 1 for count in disk.acted.values()), "a tool call was made twice"
    check_answers([message for message, _ in updates], set(turns_of))
    check_repeats(disk, deaths)
    for turn in disk.turns:
        assert not is_command(turn.text) or len(turn.text.split()) == 1, "a command was merged"
    if not any(m.edits or m.burst for m, _ in updates):
        check_order(disk, [message for message, _ in updates])


def check_answers(messages: list[Message], said: set[str]) -> None:
    """Each message is answered as it was, or as it was edited, and not both."""
    for message in messages:
        if not message.addressed:
            assert message.text not in said
        elif not message.edits:
            ref = message.ref
            answered = [m.text for m in messages if m.ref == ref and m.text in said]
            assert len(answered) == 1, f"{message.text} was answered {len(answered)} times"


def check_repeats(disk: Disk, deaths: int) -> None:
    """Nothing twice in one process; over all at most one part a death in each conversation."""
    in_one = Counter((number, part.key) for number, part in disk.parts)
    assert all(count == 1 for count in in_one.values()), "twice in one process"
    times = Counter(part.key for _, part in disk.parts)
    place_of = {part.key: part.conversation for _, part in disk.parts}
    again = Counter(place_of[key] for key, count in times.items() if count > 1)
    assert all(count <= deaths for count in again.values()), "more than the part in flight"


def check_order(disk: Disk, messages: list[Message]) -> None:
    """In each conversation, what was written first is answered first."""
    for conversation in {message.conversation for message in messages}:
        parts = [part.text for _, part in disk.parts if part.conversation == conversation]
        written = [m.text for m in messages if m.conversation == conversation and m.addressed]
        assert list(dict.fromkeys(parts)) == written, "out of order"


@pytest.fixture
def lives(build: Any) -> Any:
    """Runs updates through one process after another, each but the last dying at a write."""

    def run(steps: Any, deaths: Any) -> None:
        async def all_lives() -> None:
            disk, clock = Books(), FakeClock()
            updates: list[tuple[Message, int]] = []
            left: list[tuple[Message, int]] = []
            for number, (at, after) in enumerate([*deaths, (None, False)]):
                process = Process(
                    build, disk, number, MortalState(disk, clock, dies_at=at, after=after), clock
                )
                if number == 0:
                    updates = left = written(process.world, steps)
                taken = await process.live(left)
                left = [one for one in left if one[0].id not in taken]
            assert not left
            check(disk, updates, len(deaths))

        asyncio.run(all_lives())

    return run


def test_every_interleaving_is_answered_in_order_and_once(lives: Any) -> None:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(STEPS)
    def holds(steps: Any) -> None:
        lives(steps, [])

    holds()


def test_deaths_at_any_write_lose_nothing_and_do_nothing_twice(lives: Any) -> None:
    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(STEPS, DEATHS)
    def holds(steps: Any, deaths: Any) -> None:
        lives(steps, deaths)

    holds()


BUSY = [
    (0, 0, "words", 8),
    (0, 0, "words", 0),
    (0, 0, "edit", 0),
    (0, 0, "command", 3),
    (1, 1, "burst", 0),
    (1, 1, "burst", 0),
    (0, 1, "words", 40),
    (0, 1, "edit", 0),
    (0, 1, "words", 0),
]
TANGLED = [
    (0, 0, "words", 3),
    (0, 0, "burst", 0),
    (0, 1, "words", 0),
    (0, 0, "edit", 0),
    (0, 1, "burst", 0),
    (0, 0, "burst", 0),
    (0, 1, "burst", 0),
    (0, 1, "edit", 0),
]


@pytest.mark.parametrize("steps", [BUSY, TANGLED])
@pytest.mark.parametrize("after", [False, True])
def test_a_death_at_each_write_of_a_busy_hour(lives: Any, after: bool, steps: Any) -> None:
    """Not by lot: every write there is."""
    for write in range(45):
        lives(steps, [(write, after)])
        lives(steps, [(write, after), (write // 2, not after)])


async def test_a_store_that_is_away_for_a_while_loses_nothing(build: Any) -> None:
    disk, clock = Books(), FakeClock()
    store = MortalState(disk, clock)
    world = build(store, clock)
    await world.delivery.start()
    held = world.assistant.hold("one")
    await world.say("one")
    await world.until(lambda: world.assistant.running)
    await world.say("two")
    store.away = 7
    held.set()
    await world.delivery.idle()
    assert world.channel.said == ["re: one", "re: two"]
    store.away = 1
    message = world.message("three")
    with pytest.raises(MemoryUnavailableError):
        await world.delivery.accept(message)
    await world.delivery.accept(message)
    await world.delivery.idle()
    assert world.channel.said[-1] == "re: three"
    await world.delivery.close()
