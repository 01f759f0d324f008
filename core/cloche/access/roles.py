"""Who is known: the owner, their guests, and people who were shown out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from cloche.clock import Clock
from cloche.errors import MemoryUnavailableError
from cloche.ids import actor_id
from cloche.links import Links
from cloche.messages import Address
from cloche.state.store import Json, StateItem, StateStore

Role: TypeAlias = Literal["owner", "guest", "removed"]
"""``removed`` is kept: where everybody is answered they are not, and no code lets them in."""

PREFIX: Final = "access/role/"
PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Known:
    """What is kept of one door: no name and no word, so that a forget leaves it.

    Attributes:
        door: Actor id of its address.
        address: Channel and sender.
        role: Its own role.
        since: When it got it.
        by: Actor who gave it; "" = the operator, or a code printed for them.
    """

    door: str
    address: Address
    role: Role
    since: datetime
    by: str


class Roles:
    """The roles of one assistant's people."""

    def __init__(
        self,
        state: StateStore,
        links: Links,
        clock: Clock,
        *,
        own_doors: Collection[str] = (),
        owner: str = "",
    ) -> None:
        """Take where roles lie.

        Args:
            state: The store.
            links: Which doors are one person's: a linked door has its person's role, too.
            clock: The present instant.
            own_doors: Channels that only whoever sits at this machine can use.
            owner: Who that is when nobody else is named.
        """
        self._state, self._links, self._clock = state, links, clock
        self._own_doors = frozenset(own_doors)
        self._owners = frozenset(actor_id(Address(d, owner)) for d in own_doors if owner)

    async def of(self, address: Address) -> Role | None:
        """The role that counts; None = a stranger.

        Whoever was removed by any of their doors is removed; else the higher role counts.

        Raises:
            ValueError: the address has no channel or sender.
            MemoryUnavailableError: roles or links cannot be read; nobody is let in by guessing.
        """
        door = actor_id(address)
        if address.channel in self._own_doors:
            return "owner"
        own = await self.own(address)
        person = await self._links.person_of(address)
        theirs = own if person == door else await self._of_person(person)
        for role in ("removed", "owner", "guest"):
            if role in (own, theirs):
                return role
        return None

    async def own(self, address: Address) -> Role | None:
        """The role that was given to this very door.

        Raises:
            ValueError: the address has no channel or sender.
            MemoryUnavailableError: it cannot be read.
        """
        return await self._own(actor_id(address))

    async def is_owner(self, address: Address) -> bool:
        """True for the owner; see ``of``."""
        return await self.of(address) == "owner"

    async def give(self, address: Address, role: Role, *, by: str = "") -> Known:
        """Write a door's own role, whatever it was; it counts from the next message on.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        known = Known(actor_id(address), address, role, self._clock(), by)
        value: Json = {
            "channel": address.channel,
            "sender": address.sender,
            "role": role,
            "since": known.since.isoformat(),
            "by": by,
        }
        await self._state.put(PREFIX + known.door, value)
        return known

    async def all(self) -> tuple[Known, ...]:
        """Every door that has a role of its own, the oldest first.

        Raises:
            MemoryUnavailableError: the store is away, or a role is damaged.
        """
        found, after = list[Known](), ""
        while page := await self._state.list_items(PREFIX, after=after, limit=PAGE):
            after = page[-1].key
            found += [_known(item) for item in page]
        return tuple(sorted(found, key=lambda known: (known.since, known.door)))

    async def has_owner(self, channel: str) -> bool:
        """True when somebody owns the assistant through this channel, by a link or not.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        known = [one.address for one in await self.all() if one.role == "owner"]
        linked = [link.address for link in await self._links.all()]
        doors = [one for one in (*known, *linked) if one.channel == channel]
        return any([await self.is_owner(one) for one in doors])

    async def _of_person(self, person: str) -> Role | None:
        if person in self._owners:
            return "owner"
        if person.partition("_-")[0] in self._own_doors:
            return "guest"  # somebody else who is named at this machine
        return await self._own(person)

    async def _own(self, door: str) -> Role | None:
        item = await self._state.get(PREFIX + door)
        return _known(item).role if item else None


def _known(item: StateItem) -> Known:
    """A role as it was stored; a damaged one lets nobody in and is no stranger's either."""
    match item.value:
        case {
            "channel": str(channel),
            "sender": str(sender),
            "role": "owner" | "guest" | "removed" as role,
            "since": str(since),
            "by": str(by),
        }:
            try:
                at, address = datetime.fromisoformat(since), Address(channel, sender)
                return Known(item.key.removeprefix(PREFIX), address, role, at, by)
            except ValueError:
                pass
    raise MemoryUnavailableError("a role of people is damaged", cause="corrupt")
