"""How long a person waits: shares of one wait, begun anew by what is shown, and never for ever."""

from __future__ import annotations

import asyncio
import gc
import time

import pytest

from cloche.in_time import in_time
from cloche.patience import ALL, ANSWER, WORK, Patience


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


async def heard(piece: str) -> None:
    pass


def test_what_comes_later_has_what_is_left_and_its_own_share() -> None:
    clock = Clock()
    patience = Patience(30, 60, now=clock)
    assert [patience.left(share) for share in (WORK, ANSWER, ALL)] == pytest.approx(
        [18, 28.5, 29.1]
    )
    clock.now += 20
    assert patience.left(WORK) == 0
    assert patience.left(ANSWER) == pytest.approx(8.5)
    clock.now += 20
    assert patience.left() == 0


async def test_what_is_shown_begins_the_wait_anew_but_not_for_ever() -> None:
    clock = Clock()
    patience = Patience(30, 60, now=clock)
    show = patience.showing(heard)
    assert show
    for _ in range(5):
        clock.now += 10
        await show("A word.")
    assert patience.left(ANSWER) == pytest.approx(7)  # of the longest turn
    clock.now += 10
    await show("One more.")
    assert patience.left(ALL) == 0


async def test_what_nobody_sees_shows_nothing() -> None:
    assert Patience().showing(None) is None

    async def gone(piece: str) -> None:
        raise BrokenPipeError

    clock = Clock()
    patience = Patience(30, 60, now=clock)
    show = patience.showing(gone)
    clock.now += 10
    with pytest.raises(BrokenPipeError):
        await show("Hello?")  # type: ignore[misc]
    assert patience.left(WORK) == pytest.approx(8)


def test_a_turn_may_take_as_long_as_one_waits_whatever_else_is_set() -> None:
    assert Patience(100, 10, now=Clock()).left(1.0) == pytest.approx(100)


async def test_in_time_gives_what_it_gives() -> None:
    assert await in_time(Patience(), asyncio.sleep(0, "done")) == "done"

    async def broken() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        await in_time(Patience(), broken())


async def test_what_takes_longer_is_broken_off_also_where_it_will_not_stop() -> None:
    stopped: list[str] = []

    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append("slow")

    async def stubborn() -> None:
        while not stopped[1:]:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                await asyncio.sleep(1)

    started = time.monotonic()
    with pytest.raises(TimeoutError):
        await in_time(Patience(0.1), slow())
    assert stopped == ["slow"]
    with pytest.raises(TimeoutError):
        await in_time(Patience(0.1), stubborn())
    assert time.monotonic() - started < 30  # not for ever
    stopped.append("all")


async def test_what_it_fails_with_afterwards_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    async def fails_late() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise LookupError("the person's words")

    with pytest.raises(TimeoutError):
        await in_time(Patience(0.1), fails_late())
    await asyncio.sleep(0)
    gc.collect()
    assert "words" not in caplog.text


async def test_it_is_awaited_on_while_something_is_shown() -> None:
    patience = Patience(1.5, 60)
    show = patience.showing(heard)
    assert show

    async def talks() -> str:
        for _ in range(4):
            await asyncio.sleep(0.5)
            await show("A word.")
        return "said"

    assert await in_time(patience, talks()) == "said"


async def test_who_waits_and_goes_away_takes_what_was_awaited_along() -> None:
    stopped = asyncio.Event()

    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(1.0)  # it has something to put away
            stopped.set()

    waiting = asyncio.create_task(in_time(Patience(60), slow()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert stopped.is_set()


def test_what_was_waited_before_counts_and_half_of_the_wait_is_left_at_least() -> None:
    for before, left in ((0, 30), (8, 22), (3600, 15), (-5, 30)):
        assert Patience(30, 60, now=Clock()).waited(before).left(1.0) == pytest.approx(left)
