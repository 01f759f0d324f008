"""When a platform lets the next message through, by a clock that only waiting moves."""

from __future__ import annotations

import asyncio
import heapq
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.channels import Limits
from cloche.delivery.pace import Pace


class Time:
    """Seconds that pass while somebody waits."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def paced(time: Time, *, on: bool = True, **limits: float) -> Pace:
    return Pace(Limits(**limits), on=on, seconds=time, sleep=time.sleep)  # type: ignore[arg-type]


@pytest.mark.parametrize("on", [True, False])
async def test_when_three_chats_are_told_to_wait_no_other_tries_before(on: bool) -> None:
    time = Time()
    pace = paced(time, on=on)
    for seconds, chat in ((30, "a"), (20, "b"), (25, "c")):
        pace.told(chat, seconds)
    await pace.turn("d", group=False)
    assert time.now == 120


async def test_two_chats_told_to_wait_hold_up_nobody_else() -> None:
    time = Time()
    pace = paced(time)
    pace.told("a", 30)
    pace.told("a", 40)
    pace.told("b", 30)
    await pace.turn("c", group=False)
    assert time.now == 100


async def test_waits_that_are_over_count_no_more() -> None:
    time = Time()
    pace = paced(time)
    pace.told("a", 5)
    pace.told("b", 5)
    await time.sleep(6)
    pace.told("c", 30)
    await pace.turn("d", group=False)
    assert time.now == 106


async def test_after_a_wait_of_all_the_chats_go_on_at_the_pace_of_all() -> None:
    time = Time()
    pace = paced(time, per_second=10)
    for chat in "abc":
        pace.told(chat, 20)
    for chat in "def":
        await pace.turn(chat, group=False)
    assert time.now == pytest.approx(120.2)


class Together:
    """Seconds that pass when all who run at once wait."""

    def __init__(self) -> None:
        self.now, self._count = 0.0, itertools.count()
        self._asleep: list[tuple[float, int, asyncio.Event]] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.Event()
        heapq.heappush(self._asleep, (self.now + seconds, next(self._count), woken))
        await woken.wait()

    async def run(self, *all_: asyncio.Task[None]) -> None:
        while not all(one.done() for one in all_):
            for _ in range(10):
                await asyncio.sleep(0)
            if self._asleep:
                at, _, woken = heapq.heappop(self._asleep)
                self.now = max(self.now, at)
                woken.set()


@given(
    chats=st.lists(
        st.tuples(st.booleans(), st.floats(0, 8), st.integers(1, 4)), min_size=1, max_size=25
    )
)
async def test_whoever_waits_no_chat_and_not_all_together_are_too_fast(
    chats: list[tuple[bool, float, int]],
) -> None:
    time, sent = Together(), list[tuple[float, int]]()
    limits = Limits(per_second=5, conversation_seconds=1, group_seconds=3)
    pace = Pace(limits, on=True, seconds=time, sleep=time.sleep)

    async def chat(number: int, group: bool, begins: float, messages: int) -> None:
        await time.sleep(begins)
        for _ in range(messages):
            await pace.turn(str(number), group=group)
            sent.append((time.now, number))

    await time.run(*(asyncio.create_task(chat(n, *one)) for n, one in enumerate(chats)))
    moments = sorted(at for at, _ in sent)
    assert all(b - a >= 0.2 - 1e-6 for a, b in itertools.pairwise(moments))
    for number, (group, _, _) in enumerate(chats):
        own = sorted(at for at, one in sent if one == number)
        assert all(b - a >= (3 if group else 1) - 1e-6 for a, b in itertools.pairwise(own))
