"""Limits: so many messages a minute, so much money a day, told politely once, for every process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cloche.access.limits import Limits
from cloche.errors import MemoryUnavailableError
from cloche.ids import actor_id
from cloche.llm.usage import Usage
from cloche.logs import OncePerCause
from cloche.messages import Address
from cloche.settings import AccessSettings
from cloche.state.sqlite import SqliteStateStore

if TYPE_CHECKING:
    from conftest import Build, Clock, House

ANA = actor_id(Address("telegram", "ana"))


def usage(dollars: float | None, tokens: int = 0) -> Usage:
    return Usage("model-x", tokens, 0, calls=1, cost_usd=dollars)


def limits(store: SqliteStateStore, clock: Clock, zone: str = "UTC", **chosen: float) -> Limits:
    return Limits(
        store,
        clock,
        AccessSettings(**chosen),  # type: ignore[arg-type]
        ZoneInfo(zone),
        OncePerCause(logging.getLogger("test")),
    )


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> SqliteStateStore:
    return SqliteStateStore(tmp_path / "state.db", clock)


async def test_more_than_the_minute_allows_is_told_once_and_then_not_answered(
    build: Build,
) -> None:
    house = await build(messages_per_minute=3)
    await house.claim()
    house.clock.pass_(minutes=1)
    heard = [await house.say("ana", f"I own {number} kettles.") for number in range(6)]
    assert all(heard[:3])
    assert heard[3].startswith("That is more than I can take in one minute.")
    assert "09:02 on (UTC)" in heard[3]
    assert heard[4:] == ["", ""]
    house.clock.pass_(minutes=1)
    assert await house.say("ana", "hello")


async def test_limits_are_told_in_the_persons_own_time(build: Build) -> None:
    house = await build(messages_per_minute=1, daily_usd=1)
    await house.claim()
    await house.people.choose(ANA, time_zone="Asia/Tokyo", language="es")
    house.clock.pass_(minutes=1)
    await house.say("ana", "hola")
    assert "a partir de las 18:02 (Asia/Tokyo)" in await house.say("ana", "hola")
    house.clock.pass_(minutes=1)
    await house.doors.limits.spent(ANA, usage(1))
    assert "3 de marzo de 2026 a partir de las 09:00 (Asia/Tokyo)" in await house.say("ana", "hola")


async def test_one_person_is_not_limited_by_what_another_writes(build: Build) -> None:
    house = await build(messages_per_minute=2, daily_usd=1)
    await house.claim()
    await house.let_in("ben")
    house.clock.pass_(minutes=1)
    for _ in range(4):
        await house.say("ana", "hello")
    await house.doors.limits.spent(ANA, usage(5))
    assert await house.say("ben", "hello")


async def test_a_message_that_is_handled_again_counts_once(build: Build) -> None:
    house = await build(messages_per_minute=2)
    await house.claim()
    house.clock.pass_(minutes=1)
    first = house.message("ana", "hello")
    for _ in range(5):
        assert (await house.gate().admit(first)).go
    assert (await house.gate().admit(house.message("ana", "hello"))).go
    third = house.message("ana", "hello")
    told = [await house.gate().admit(third) for _ in range(2)]
    assert [one.reply is not None for one in told] == [True, True]
    assert (await house.gate().admit(first)).go, "it was admitted before"


async def test_the_days_money_ends_answers_but_not_commands(build: Build) -> None:
    house = await build(daily_usd=0.5)
    await house.claim()
    assert await house.hear(house.message("ana", "I drink oolong."), usage(0.3))
    assert await house.hear(house.message("ana", "I drink oolong a lot."), usage(0.3))
    told = await house.say("ana", "And now?")
    assert "used up" in told
    assert "00:00 on 3 March 2026 (UTC)" in told
    assert await house.say("ana", "And now?") == ""
    assert "oolong" in await house.say("ana", "/memory")
    assert await house.say("ana", "/help")
    house.clock.pass_(hours=15)
    assert await house.say("ana", "And now?")


async def test_the_notice_is_said_again_for_its_own_message_only(build: Build) -> None:
    house = await build(daily_usd=0.5)
    await house.claim()
    await house.doors.limits.spent(ANA, usage(0.5))
    over = house.message("ana", "hello")
    assert await house.hear(over) == await house.hear(over) != ""
    assert await house.say("ana", "hello") == ""


async def test_changing_ones_time_zone_begins_no_new_day(build: Build) -> None:
    house = await build(daily_usd=0.5)
    await house.claim()
    await house.doors.limits.spent(ANA, usage(0.5))
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Tokyo"):
        await house.say("ana", f"/timezone {zone}")
        assert not (await house.gate().admit(house.message("ana", "hello"))).go


async def test_forgetting_everything_begins_no_new_day(build: Build) -> None:
    house = await build(daily_usd=0.5)
    await house.claim()
    await house.doors.limits.spent(ANA, usage(0.5))
    await house.memory.forgetter.everything(ANA)
    assert not (await house.gate().admit(house.message("ana", "hello"))).go


async def test_without_a_budget_nothing_is_refused(build: Build) -> None:
    house = await build(daily_usd=0)
    await house.claim()
    await house.doors.limits.spent(ANA, usage(1_000_000))
    assert await house.say("ana", "hello")


async def test_a_model_without_a_known_price_counts_by_its_tokens_and_the_operator_is_told(
    store: SqliteStateStore, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    counted = limits(store, clock)
    for _ in range(2):
        await counted.spent(ANA, usage(None, tokens=100_000))
    assert await counted.spent_today(ANA) == pytest.approx(2.0)
    told = [one for one in caplog.records if "no price is known of model-x" in one.message]
    assert [one.levelname for one in told if one.levelno >= logging.WARNING] == ["WARNING"]
    assert "CLOCHE_ACCESS__UNPRICED_USD_PER_MILLION" in told[0].message
    free = limits(store, clock, unpriced_usd_per_million=0)
    await free.spent(ANA, usage(None, tokens=100_000))
    assert await free.spent_today(ANA) == pytest.approx(2.0)


async def test_what_cannot_be_counted_is_counted_with_the_next(
    store: SqliteStateStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = limits(store, clock, daily_usd=1)

    async def away(*args: object, **kwargs: object) -> int:
        raise MemoryUnavailableError("away", cause="locked")

    with monkeypatch.context() as patch:
        patch.setattr(store, "increment", away)
        await counted.spent(ANA, usage(2))
        with pytest.raises(MemoryUnavailableError):
            await counted.money(ANA, "m")
    assert (await counted.money(ANA, "m")).verdict == "notice"
    assert await counted.spent_today(ANA) == pytest.approx(2.0)


async def test_nobody_goes_on_uncounted(
    store: SqliteStateStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*args: object, **kwargs: object) -> None:
        raise MemoryUnavailableError("away", cause="locked")

    monkeypatch.setattr(store, "compare_and_set", away)
    with pytest.raises(MemoryUnavailableError):
        await limits(store, clock).message(ANA, "m")


async def test_processes_that_ask_at_once_let_through_no_more_than_the_limit(
    tmp_path: Path, clock: Clock
) -> None:
    stores = [SqliteStateStore(tmp_path / "state.db", clock) for _ in range(4)]
    several = [limits(one, clock, messages_per_minute=10) for one in stores]
    asked = (several[n % 4].message(ANA, f"m{n}") for n in range(40))
    verdicts = [ruling.verdict for ruling in await asyncio.gather(*asked)]
    assert (verdicts.count("go"), verdicts.count("notice")) == (10, 1)
    await asyncio.gather(*(several[n % 4].spent(ANA, usage(0.01)) for n in range(40)))
    assert await several[0].spent_today(ANA) == pytest.approx(0.4)
    for one in stores:
        await one.close()


async def test_of_many_over_the_budget_at_once_one_gets_the_notice(
    tmp_path: Path, clock: Clock
) -> None:
    stores = [SqliteStateStore(tmp_path / "state.db", clock) for _ in range(4)]
    several = [limits(one, clock, daily_usd=1) for one in stores]
    await several[0].spent(ANA, usage(1))
    asked = (several[n % 4].money(ANA, f"m{n}") for n in range(20))
    verdicts = [ruling.verdict for ruling in await asyncio.gather(*asked)]
    assert (verdicts.count("notice"), verdicts.count("silence")) == (1, 19)
    for one in stores:
        await one.close()


@given(
    moments=st.lists(st.floats(0, 240, allow_nan=False), min_size=1, max_size=40),
    most=st.integers(1, 5),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
def test_no_window_lets_through_more_than_the_limit_or_tells_twice(
    tmp_path_factory: pytest.TempPathFactory, moments: Sequence[float], most: int
) -> None:
    folder = tmp_path_factory.mktemp("state")
    start = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    now = start

    async def play() -> None:
        nonlocal now
        state = SqliteStateStore(folder / "state.db", lambda: now)
        counted = Limits(
            state,
            lambda: now,
            AccessSettings(messages_per_minute=most),
            ZoneInfo("UTC"),
            OncePerCause(logging.getLogger("test")),
        )
        seen: dict[datetime, list[str]] = {}
        for number, moment in enumerate(sorted(moments)):
            now = start + timedelta(seconds=moment)
            ruling = await counted.message(ANA, f"m{number}")
            assert now < ruling.until <= now + timedelta(minutes=1)
            seen.setdefault(ruling.until, []).append(ruling.verdict)
        for verdicts in seen.values():
            expected = ["go"] * most + ["notice"] + ["silence"] * len(moments)
            assert verdicts == expected[: len(verdicts)]
        await state.close()

    asyncio.run(play())


@pytest.mark.parametrize("zone", ["UTC", "Europe/Madrid", "America/Santiago", "Asia/Kathmandu"])
@given(at=st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)))
def test_a_day_of_money_ends_at_the_hosts_next_midnight(zone: str, at: datetime) -> None:
    now = at.replace(tzinfo=UTC)
    counted = Limits(
        SqliteStateStore(Path("nowhere"), lambda: now),
        lambda: now,
        AccessSettings(),
        ZoneInfo(zone),
        OncePerCause(logging.getLogger("test")),
    )
    day, until = counted._day()
    assert now < until <= now + timedelta(hours=25)
    there = until.astimezone(ZoneInfo(zone))
    assert (until - timedelta(seconds=1)).astimezone(ZoneInfo(zone)).date().isoformat() == day
    assert there.date().isoformat() > day


async def test_what_the_whole_turn_took_counts(build: Build) -> None:
    house: House = await build(daily_usd=1)
    await house.claim()
    message = house.message("ana", "hello")
    await house.gate().spent(message, usage(0.25))
    await house.gate().spent(message, Usage())
    assert await house.doors.limits.spent_today(ANA) == pytest.approx(0.25)
