"""Linking and unlinking make no budget: who were one person today share one until midnight."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cloche.access.limits import Limits
from cloche.access.purses import Purses
from cloche.ids import actor_id
from cloche.links import LinkError, Links
from cloche.llm.usage import Usage
from cloche.logs import OncePerCause
from cloche.messages import Address
from cloche.settings import AccessSettings
from cloche.state.sqlite import SqliteStateStore

if TYPE_CHECKING:
    from conftest import Build, House

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
A_DAY = Usage("m", 1, 1, calls=1, cost_usd=1.0)
DOORS = [Address("telegram", name) for name in ("ana", "ben", "caro")]
"""Small budgets: one turn spends a day's, two messages are a minute's."""


@pytest.fixture
async def house(build: Build) -> House:
    """Gus with two doors that were let in each by itself."""
    house = await build(daily_usd=1.0, messages_per_minute=60)
    await house.claim()
    await house.let_in("gus")
    await house.let_in("gus2", "slack")
    return house


async def answered(house: House, sender: str, channel: str = "telegram") -> bool:
    """Whether a question is answered, at the price of a day."""
    heard = await house.hear(house.message(sender, "hello", channel), A_DAY)
    return bool(heard) and "budget" not in heard and "used up" not in heard


async def test_linking_and_unlinking_again_and_again_makes_no_budget(house: House) -> None:
    rounds = []
    for _ in range(3):
        rounds.append(await answered(house, "gus2", "slack"))
        await house.link("gus2", first="gus")
        house.clock.pass_(minutes=1)
        await house.say("gus2", "/unlink", "slack")
    assert rounds == [True, False, False]
    assert not await answered(house, "gus"), "it was one person's all day"
    spent = house.doors.limits.spent_today
    assert await spent(actor_id(Address("telegram", "gus"))) == 1.0
    assert await spent(actor_id(Address("slack", "gus2"))) == 1.0
    house.clock.pass_(days=1)
    assert await answered(house, "gus2", "slack")
    assert await answered(house, "gus"), "two people have two budgets from the next day on"


async def test_who_parts_on_a_later_day_shares_that_days_budget(house: House) -> None:
    await house.link("gus2", first="gus")
    house.clock.pass_(days=1)
    assert await answered(house, "gus")
    await house.say("gus2", "/unlink", "slack")
    assert not await answered(house, "gus2", "slack")


async def test_the_operators_unlink_makes_no_budget_either(house: House) -> None:
    await house.link("gus2", first="gus")
    assert await answered(house, "gus")
    await house.doors.linking.part(actor_id(Address("slack", "gus2")))
    assert not await answered(house, "gus2", "slack")


async def test_no_minute_begins_with_a_link(build: Build) -> None:
    house = await build(messages_per_minute=10)
    await house.claim()
    await house.let_in("ann", "slack")
    house.clock.pass_(minutes=1)
    for number in range(6):
        assert await house.say("ann", f"word {number}", "slack")
    await house.doors.linking.join(Address("slack", "ann"), actor_id(Address("telegram", "ana")))
    heard = [await house.say("ana", f"word {number}") for number in range(6)]
    assert all(heard[:4])
    assert heard[4].startswith("That is more than I can take in one minute.")
    await house.doors.linking.part(actor_id(Address("slack", "ann")))
    assert await house.say("ann", "one more", "slack") == ""


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("spend"), st.sampled_from(DOORS)),
        st.tuples(st.just("link"), st.permutations(DOORS)),
        st.tuples(st.just("unlink"), st.sampled_from(DOORS)),
    ),
    max_size=14,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS)
def test_however_doors_are_linked_they_have_no_more_than_each_would_alone(
    steps: list[tuple[str, object]],
) -> None:
    asyncio.run(_play(steps))


async def _play(steps: list[tuple[str, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        state = SqliteStateStore(Path(folder) / "state.db", lambda: NOW)
        links = Links(state, lambda: NOW)
        chosen = AccessSettings(daily_usd=1.0, messages_per_minute=2)
        notices = OncePerCause(logging.getLogger("test"))
        limits = Limits(state, lambda: NOW, chosen, ZoneInfo("UTC"), notices)
        turns = messages = 0
        for number, (what, about) in enumerate(steps):
            if what == "spend" and isinstance(about, Address):
                person = await links.person_of(about)
                ruling = await limits.message(person, f"m{number}")
                messages += ruling.verdict == "go"
                if await limits.may_spend(person):
                    turns += 1
                    await limits.spent(person, A_DAY)
            elif what == "link" and isinstance(about, list):
                await _link(links, limits, about[0], about[1])
            elif what == "unlink" and isinstance(about, Address):
                await _unlink(links, limits, about)
        assert turns <= len(DOORS)
        assert messages <= 2 * len(DOORS)
        await state.close()


async def _link(links: Links, limits: Limits, door: Address, other: Address) -> None:
    try:
        link = await links.join(door, await links.person_of(other))
    except LinkError:
        return
    await limits.merge(link.door, link.person)
    await links.mark_moved(link.door)


async def _unlink(links: Links, limits: Limits, door: Address) -> None:
    person = await links.person_of(door)
    if person != actor_id(door):
        await limits.part(actor_id(door), person)
        await links.part(actor_id(door))


async def test_two_that_name_each_other_are_one_purse(tmp_path: Path) -> None:
    """Should two processes ever come to that in the same moment."""
    state = SqliteStateStore(tmp_path / "state.db", lambda: NOW)
    purses = Purses(state)
    await state.put("access/purse/today/a", "b")
    await state.put("access/purse/today/b", "a")
    assert await purses.of("a", "today") == await purses.of("b", "today")
    await state.close()
