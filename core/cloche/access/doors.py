"""The assistant's side of access: who is known, whose doors are whose, and what they may ask."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from cloche.access.limits import Limits
from cloche.access.linking import Linking
from cloche.access.moving import Mover
from cloche.access.offers import Offers, Room
from cloche.access.roles import Role, Roles
from cloche.clock import Clock
from cloche.errors import RequestError
from cloche.ids import CHANNEL_PATTERN, actor_id
from cloche.links import Links
from cloche.memory.pipeline import Memory
from cloche.messages import Address
from cloche.people import person_prefix
from cloche.state.store import StateStore

PAIR_KEPT: Final = timedelta(hours=1)
PAIR: Final = "pair"
HANDLE_CHARS: Final = 6
MAX_NAME_CHARS: Final = 100


@dataclass(frozen=True, slots=True)
class Visitor:
    """One door in the list of people.

    Attributes:
        handle: What names it in a command: 6 characters, the same for good.
        address: Channel and sender.
        name: The name its platform showed; "" when unknown or forgotten.
        role: The role that counts.
        person: Actor its memory belongs to.
        linked: True when that is another door's.
        since: When it was let in or linked, ISO 8601.
        spent_today: US dollars of its person.
    """

    handle: str
    address: Address
    name: str
    role: Role | None
    person: str
    linked: bool
    since: str
    spent_today: float


class Doors:
    """Everything about access that is the same for all channels of an assistant."""

    def __init__(
        self,
        memory: Memory,
        links: Links,
        limits: Limits,
        clock: Clock,
        *,
        own_doors: Collection[str] = (),
        owner: str = "",
    ) -> None:
        """Take the assistant's memory and links; for the rest see ``Roles``."""
        self.state: StateStore = memory.state
        self._reminders = memory.reminders
        self.links, self.limits = links, limits
        self.roles = Roles(memory.state, links, clock, own_doors=own_doors, owner=owner)
        self.offers = Offers(memory.state, clock)
        self.mover = Mover(memory, links, limits, clock)
        self.linking = Linking(
            memory.state, self.offers, links, self.mover, limits, memory.reminders
        )

    async def pairing_code(self, by: str, asked: Room | None = None) -> str:
        """A code that lets one more person in, within the hour.

        Args:
            by: The actor who gives it; "" = the operator.
            asked: Where it was asked for, to be told there who came in; None = nobody is told.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        notes = asked.notes() if asked else {}
        return (await self.offers.make(PAIR, by=by, kept=PAIR_KEPT, **notes))[0]

    async def name(self, address: Address, name: str) -> None:
        """Keep the name a platform shows, with what is kept of the person.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        if name:
            person = await self.links.person_of(address)
            await self.state.put(_name_key(person, address), name[:MAX_NAME_CHARS])

    async def name_of(self, address: Address) -> str:
        """The name that is kept; "" = none.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        person = await self.links.person_of(address)
        item = await self.state.get(_name_key(person, address))
        return item.value if item and isinstance(item.value, str) else ""

    async def visitors(self) -> tuple[Visitor, ...]:
        """Every door that was let in, shown out or linked, the oldest first.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        known = await self.roles.all()
        since = {one.address: one.since for one in known}
        for link in await self.links.all():
            since.setdefault(link.address, link.since)
        ordered = sorted(since, key=lambda address: (since[address], actor_id(address)))
        return tuple(
            [
                await self._visitor(address, since[address].isoformat(timespec="seconds"))
                for address in ordered
            ]
        )

    async def find(self, written: str) -> Address:
        """The door that a handle, ``channel:sender`` or a name no other has stands for.

        Raises:
            RequestError: nothing is called that, or several are.
            MemoryUnavailableError: the store is away.
        """
        wanted, every = written.strip(), await self.visitors()
        for one in every:
            if wanted in (one.handle, f"{one.address.channel}:{one.address.sender}"):
                return one.address
        named = [one for one in every if one.name and one.name.casefold() == wanted.casefold()]
        if len(named) == 1:
            return named[0].address
        channel, colon, sender = wanted.partition(":")
        if named or not (colon and sender and CHANNEL_PATTERN.fullmatch(channel)):
            raise RequestError(
                f"{len(named)} people are called {written!r}; `cloche people list` shows what "
                "names each of them, and CHANNEL:SENDER names anybody."
            )
        return Address(channel, sender)

    async def remove(self, address: Address, *, by: str = "") -> None:
        """Show a person out, by all their doors; it counts from their next message on.

        Their reminders wait until they are let in again.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        await self._reminders.pause(await self.links.person_of(address))
        for one in await self._all_of(address):
            await self.roles.give(one, "removed", by=by)

    async def allow(self, address: Address, role: Role = "guest", *, by: str = "") -> None:
        """Let a person in, or in again, by all their doors; who is the owner stays it.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        for one in await self._all_of(address):
            own = await self.roles.own(one)
            if own == "removed" or (one == address and own != "owner"):
                await self.roles.give(one, role, by=by)
        await self._reminders.resume(await self.links.person_of(address))

    async def doors_of(self, person: str) -> tuple[Visitor, ...]:
        """A person's doors, as far as they have a role or a link.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        return tuple([one for one in await self.visitors() if one.person == person])

    async def _all_of(self, address: Address) -> list[Address]:
        """The doors of whoever uses one, as far as they have a role or a link; itself first."""
        person = await self.links.person_of(address)
        others = [one.address for one in await self.doors_of(person)]
        return list(dict.fromkeys([address, *others]))

    async def _visitor(self, address: Address, since: str) -> Visitor:
        person = await self.links.person_of(address)
        return Visitor(
            handle=handle_of(address),
            address=address,
            name=await self.name_of(address),
            role=await self.roles.of(address),
            person=person,
            linked=person != actor_id(address),
            since=since,
            spent_today=await self.limits.spent_today(person),
        )


def handle_of(address: Address) -> str:
    """Six characters that name a door."""
    return hashlib.sha256(actor_id(address).encode()).hexdigest()[:HANDLE_CHARS]


def _name_key(person: str, address: Address) -> str:
    return f"{person_prefix(person)}door/{actor_id(address)}"
