"""A link always leads to a person who is linked nowhere, whatever is linked and parted."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.errors import MemoryUnavailableError
from cloche.ids import actor_id
from cloche.links import Link, LinkError, Links
from cloche.messages import Address
from cloche.state.store import Json, StateItem

DOORS = [Address("telegram", f"door {number}") for number in range(6)]
ACTORS = [actor_id(door) for door in DOORS]


class OneItem:
    """The one document that links are, in a process that others interrupt at every step."""

    def __init__(self) -> None:
        self.item: StateItem | None = None

    async def get(self, key: str) -> StateItem | None:
        await asyncio.sleep(0)
        return self.item

    async def compare_and_set(
        self, key: str, value: Json, *, version: int, ttl: timedelta | None = None
    ) -> StateItem | None:
        await asyncio.sleep(0)
        if (self.item.version if self.item else 0) != version:
            return None
        self.item = StateItem(key, value, version + 1)
        return self.item


def make_links() -> Links:
    store: Any = OneItem()
    return Links(store, lambda: datetime(2026, 3, 2, tzinfo=UTC))


INDEX = st.integers(0, len(DOORS) - 1)
STEP = st.one_of(
    st.tuples(st.just("join"), INDEX, INDEX),
    st.tuples(st.just("part"), INDEX, st.just(0)),
    st.tuples(st.just("moved"), INDEX, st.just(0)),
)


async def take(links: Links, step: tuple[str, int, int]) -> str:
    """Do a step; why it was refused, "" = it was not."""
    what, door, person = step
    try:
        if what == "join":
            await links.join(DOORS[door], ACTORS[person])
        elif what == "part":
            await links.part(ACTORS[door])
        else:
            await links.mark_moved(ACTORS[door])
    except LinkError as error:
        return error.reason
    return ""


async def people(links: Links) -> list[str]:
    return [await links.person_of(door) for door in DOORS]


@given(st.lists(STEP, max_size=25))
def test_any_steps_keep_every_door_one_hop_from_its_person(
    steps: list[tuple[str, int, int]],
) -> None:
    async def play() -> None:
        links = make_links()
        for step in steps:
            before = await people(links)
            refused = await take(links, step)
            after = await people(links)
            what, door, person = step
            expected = list(before)
            if what == "join" and not refused:
                group = [n for n, one in enumerate(before) if one == ACTORS[door]]
                for number in group:
                    expected[number] = before[person]
            if what == "part" and not refused:
                expected[door] = ACTORS[door]
            assert after == expected
            linked = {link.door for link in await links.all()}
            assert not linked & set(after)

    asyncio.run(play())


@given(st.lists(STEP, min_size=2, max_size=12))
def test_steps_at_the_same_time_end_as_some_order_of_them_would(
    steps: list[tuple[str, int, int]],
) -> None:
    async def play() -> None:
        links = make_links()
        await asyncio.gather(*(take(links, step) for step in steps))
        roots = set(await people(links))
        linked = {link.door for link in await links.all()}
        assert not roots & linked

    asyncio.run(play())


async def test_two_who_link_each_other_at_once_do_not_make_a_circle() -> None:
    links = make_links()
    first, second = await asyncio.gather(take(links, ("join", 0, 1)), take(links, ("join", 1, 0)))
    assert sorted([first, second]) in (["", "self"], ["", "busy"])
    assert len(await links.all()) == 1


async def test_what_is_still_being_moved_is_not_moved_on() -> None:
    links = make_links()
    await links.join(DOORS[0], ACTORS[1])
    assert await take(links, ("join", 1, 2)) == "busy"
    assert await take(links, ("join", 2, 1)) == "busy"
    assert await take(links, ("part", 0, 0)) == "busy"
    await links.mark_moved(ACTORS[0])
    assert await take(links, ("join", 1, 2)) == ""
    assert (await people(links))[:3] == [ACTORS[2]] * 3


async def test_there_is_room_for_as_many_links_as_the_store_takes_in_one_item() -> None:
    store: Any = OneItem()
    links = Links(store, lambda: datetime(2026, 3, 2, tzinfo=UTC))
    link = replace(await links.join(DOORS[0], ACTORS[1]), moved=True)
    await links.mark_moved(link.door)
    (written,) = store.item.value.values()
    many = {}
    for number in range(1_000):
        sender = f"{number:09}"
        door = actor_id(Address("telegram", sender))
        many[door] = {**written, "sender": sender, "moved": True}
    store.item = StateItem(store.item.key, many, 9)
    await links.join(DOORS[2], ACTORS[1])
    for number in range(1_000, 2_000):
        sender = f"{number:09}"
        many[actor_id(Address("telegram", sender))] = {**written, "sender": sender, "moved": True}
    store.item = StateItem(store.item.key, many, 99)
    refused = await take(links, ("join", 3, 1))
    assert refused == "full"
    assert await links.person_of(DOORS[3]) == ACTORS[3]


async def test_a_chain_that_somebody_wrote_by_hand_is_not_followed() -> None:
    store: Any = OneItem()
    links = Links(store, lambda: datetime(2026, 3, 2, tzinfo=UTC))
    link = await links.join(DOORS[0], ACTORS[1])
    assert isinstance(link, Link)
    value = dict(store.item.value)
    value[ACTORS[1]] = {**value[ACTORS[0]], "sender": DOORS[1].sender, "to": ACTORS[2]}
    store.item = StateItem(store.item.key, value, 9)
    with pytest.raises(MemoryUnavailableError):
        await links.person_of(DOORS[0])


@pytest.mark.parametrize("address", [Address("", "x"), Address("telegram", "")])
async def test_nobody_stands_for_a_missing_sender(address: Address) -> None:
    with pytest.raises(ValueError, match="nobody"):
        await make_links().person_of(address)
