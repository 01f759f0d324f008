"""When a platform lets the next message through, by a clock that only waiting moves."""

from __future__ import annotations

import pytest

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
