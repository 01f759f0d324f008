"""Which doors are one person's: an address that is linked stands for another address's actor.

All links are one document of the StateStore, so that every change is one compare-and-set: a link
always leads to a person who is linked nowhere, chains and cycles cannot come about. It has room for
about a thousand links (``MAX_BYTES``); further ones are refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal, TypeAlias

from cloche.clock import Clock
from cloche.errors import ClocheError, MemoryUnavailableError
from cloche.ids import actor_id
from cloche.messages import Address
from cloche.state.store import Json, StateStore

KEY: Final = "access/links"
MAX_BYTES: Final = 250_000
"""Of the document; an item of the store takes 300 kB."""

Refusal: TypeAlias = Literal["self", "taken", "busy", "full", "none"]
"""Why a link is not changed: both doors are one person's already; the door is linked to somebody
else; what a link brings is still being moved; there are too many; there is no such link."""


class LinkError(ClocheError):
    """A link cannot be made or undone; nothing was changed."""

    def __init__(self, reason: Refusal) -> None:
        """Take why."""
        self.reason: Refusal = reason
        super().__init__(f"the doors cannot be linked or parted: {reason}")


@dataclass(frozen=True, slots=True)
class Link:
    """A door that is another person's, too.

    Attributes:
        door: The actor id of its address.
        address: The address.
        person: The actor it stands for; never itself a linked door.
        since: When it was linked.
        moved: True once what the door had is the person's.
    """

    door: str
    address: Address
    person: str
    since: datetime
    moved: bool


Links_: TypeAlias = Mapping[str, Link]


class Links:
    """The links of one assistant's people."""

    def __init__(self, state: StateStore, clock: Clock) -> None:
        """Take the store they lie in."""
        self._state, self._clock = state, clock

    async def person_of(self, address: Address) -> str:
        """The actor an address stands for.

        Raises:
            ValueError: the address has no channel or sender.
            MemoryUnavailableError: the links cannot be read. Whoever asks must then go by the
                address alone, never by what was known before: a link may have been undone.
        """
        door = actor_id(address)
        link = (await self._read())[0].get(door)
        return link.person if link else door

    async def all(self) -> tuple[Link, ...]:
        """Every link, by door.

        Raises:
            MemoryUnavailableError: they cannot be read.
        """
        links, _ = await self._read()
        return tuple(links[door] for door in sorted(links))

    async def doors_of(self, person: str) -> tuple[Link, ...]:
        """The doors linked to a person, the oldest first.

        Raises:
            MemoryUnavailableError: they cannot be read.
        """
        found = [link for link in await self.all() if link.person == person]
        return tuple(sorted(found, key=lambda link: (link.since, link.door)))

    async def join(self, address: Address, person: str) -> Link:
        """Have an address stand for a person; doors linked to the address follow it.

        What the door's actor had is not moved here: ``moved`` says that it must be.

        Raises:
            LinkError: "self", "taken", "busy" or "full".
            MemoryUnavailableError: the store is away.
        """
        door = actor_id(address)

        def change(links: dict[str, Link]) -> None:
            root = links[person].person if person in links else person
            if (links[door].person if door in links else door) == root:
                raise LinkError("self")
            if door in links:
                raise LinkError("taken")
            # What is being moved to either of them must arrive before it is moved on.
            if any(not one.moved and one.person in (door, root) for one in links.values()):
                raise LinkError("busy")
            for other, link in links.items():
                if link.person == door:
                    links[other] = replace(link, person=root)
            links[door] = Link(door, address, root, self._clock(), moved=False)
            if len(json.dumps(_document(links)).encode()) > MAX_BYTES:
                raise LinkError("full")

        return (await self._change(change))[door]

    async def part(self, door: str) -> Link:
        """Undo a link; what was moved stays where it is. The link as it was.

        Raises:
            LinkError: "none", or "busy" while what it brings is still being moved.
            MemoryUnavailableError: the store is away.
        """
        undone: list[Link] = []

        def change(links: dict[str, Link]) -> None:
            if door not in links:
                raise LinkError("none")
            if not links[door].moved:
                raise LinkError("busy")
            undone[:] = [links.pop(door)]

        await self._change(change)
        return undone[0]

    async def mark_moved(self, door: str) -> None:
        """Note that what a door had is its person's.

        Raises:
            MemoryUnavailableError: the store is away.
        """

        def change(links: dict[str, Link]) -> None:
            if door in links:
                links[door] = replace(links[door], moved=True)

        await self._change(change)

    async def _change(self, change: Callable[[dict[str, Link]], None]) -> Links_:
        while True:
            links, version = await self._read()
            changed = dict(links)
            change(changed)
            if changed == links:
                return links
            if await self._state.compare_and_set(KEY, _document(changed), version=version):
                return changed

    async def _read(self) -> tuple[Links_, int]:
        item = await self._state.get(KEY)
        if item is None:
            return {}, 0
        if not isinstance(item.value, dict):
            raise MemoryUnavailableError("the links of people are damaged", cause="corrupt")
        links = {door: _read_link(door, value) for door, value in item.value.items()}
        if any(link.person in links for link in links.values()):
            raise MemoryUnavailableError("the links of people lead in chains", cause="corrupt")
        return links, item.version


def _document(links: Links_) -> Json:
    return {door: _written(link) for door, link in links.items()}


def _written(link: Link) -> Json:
    return {
        "channel": link.address.channel,
        "sender": link.address.sender,
        "to": link.person,
        "since": link.since.isoformat(),
        "moved": link.moved,
    }


def _read_link(door: str, value: Json) -> Link:
    """A link as it was stored; what is not one makes all of them unreadable: nobody is guessed."""
    match value:
        case {
            "channel": str(channel),
            "sender": str(sender),
            "to": str(person),
            "since": str(since),
            "moved": bool(moved),
        } if person:
            try:
                at, address = datetime.fromisoformat(since), Address(channel, sender)
                if actor_id(address) == door:
                    return Link(door, address, person, at, moved)
            except ValueError:
                pass
    raise MemoryUnavailableError("a link of people is damaged", cause="corrupt")
