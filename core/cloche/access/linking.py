"""Two doors of one person: a code shown in one, given back in the other, confirmed in the first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final, Literal, TypeAlias

from cloche.access.codes import bare
from cloche.access.limits import Limits
from cloche.access.moving import Moved, Mover
from cloche.access.offers import Offer, Offers
from cloche.errors import MemoryUnavailableError
from cloche.ids import actor_id
from cloche.links import Link, LinkError, Links
from cloche.messages import Address
from cloche.people import person_prefix
from cloche.reminders.rehoming import leave_there, tell_here
from cloche.reminders.reminder import Place
from cloche.reminders.store import ReminderStore
from cloche.state.store import Json, StateStore

CODE_KEPT: Final = timedelta(minutes=30)
KIND: Final = "link"

Asked: TypeAlias = Literal["asked", "wrong", "self", "taken_here"]


@dataclass(frozen=True, slots=True)
class Asker:
    """Who gave a code back.

    Attributes:
        address: Channel and sender.
        name: The name their platform shows; "" when unknown.
        shown: True once the person who gave the code out was told who it is.
    """

    address: Address
    name: str
    shown: bool


@dataclass(frozen=True, slots=True)
class Joined:
    """A link that was made, and what came with it; ``moved`` None = that is done later.

    ``name`` is what the platform calls whoever asked; "" = unknown.
    """

    link: Link
    moved: Moved | None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Parted:
    """A link that was undone, and how many reminders its door had to come."""

    link: Link
    reminders: int


class Linking:
    """Links doors, step by step; each step survives a process."""

    def __init__(
        self,
        state: StateStore,
        offers: Offers,
        links: Links,
        mover: Mover,
        limits: Limits,
        reminders: ReminderStore,
    ) -> None:
        """Take where steps are kept, who makes links, what counts people's use, and reminders."""
        self._state, self._offers, self._links, self._mover = state, offers, links, mover
        self._limits, self._reminders = limits, reminders

    async def offer(self, person: str) -> str:
        """A new code for a person, shown to them; the one before holds no longer.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        await self.withdraw(person)
        code, key = await self._offers.make(KIND, by=person, kept=CODE_KEPT)
        await self._state.put(_pending_key(person), key, ttl=CODE_KEPT)
        return code

    async def ask(self, code: str, address: Address, name: str) -> Asked:
        """Give a code back at another door; nothing is linked yet.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        wanted = bare(code)
        door, person = actor_id(address), await self._links.person_of(address)
        if not wanted:
            return "wrong"
        if person != door:
            return "taken_here"
        asker: dict[str, Json] = {
            "channel": address.channel,
            "sender": address.sender,
            "name": name,
        }
        offer = await self._offers.use(KIND, wanted, door, asker=asker)
        if offer is None:
            return "wrong"
        if offer.by == person:
            await self._offers.withdraw(offer.key)
            return "self"
        # So that either side can take it back.
        await self._state.put(_pending_key(door), offer.key, ttl=CODE_KEPT)
        return "asked"

    async def asker(self, person: str) -> Asker | None:
        """Who gave a person's code back; None = nobody yet, or it holds no longer.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        offer = await self._pending(person)
        return _asker(offer) if offer else None

    async def show(self, person: str, shown: Asker) -> None:
        """Note that a person was told who asked.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        offer = await self._pending(person)
        if offer and (asker := _asker(offer)) and asker.address == shown.address:
            await self._offers.note(offer, shown=True)

    async def confirm(self, person: str) -> Joined | None:
        """Link whoever asked, and move what they had; None = nobody was shown to have asked.

        Raises:
            LinkError: they cannot be linked.
            MemoryUnavailableError: the store is away, nothing is linked.
        """
        asker = await self.asker(person)
        if asker is None or not asker.shown:
            return None
        joined = await self.join(asker.address, person)
        await self.withdraw(person)
        return replace(joined, name=asker.name)

    async def join(self, address: Address, person: str) -> Joined:
        """Link a door to a person at once, as the operator may; see ``confirm``."""
        link = await self._links.join(address, person)
        try:
            return Joined(link, await self._mover.move(link))
        except MemoryUnavailableError:
            return Joined(link, None)

    async def withdraw(self, person: str) -> bool:
        """Take a person's code back, whoever asked with it; False when there was none.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        item = await self._state.get(_pending_key(person))
        if item is None:
            return False
        if isinstance(item.value, str):
            await self._offers.withdraw(item.value)
        return await self._state.delete(item.key)

    async def part(self, door: str, place: Place | None = None) -> Parted:
        """Undo a link: what comes later is the door's own again; budgets are so from tomorrow on.

        Args:
            door: The door.
            place: Where the person is told from now on what they asked to be told at that door;
                None = the door keeps those reminders, as its own.

        Raises:
            LinkError: there is none, or it is not finished yet.
            MemoryUnavailableError: the store is away.
        """
        found = [link for link in await self._links.all() if link.door == door]
        if not found:
            raise LinkError("none")
        if not found[0].moved:
            raise LinkError("busy")
        person = found[0].person
        await self._limits.part(door, person)
        # Before the link goes: afterwards nobody would be told them, and nobody told so.
        if place is None:
            count = await leave_there(self._reminders, person, door)
        else:
            count = await tell_here(self._reminders, person, door, place)
        return Parted(await self._links.part(door), count)

    async def _pending(self, person: str) -> Offer | None:
        item = await self._state.get(_pending_key(person))
        key = item.value if item else None
        offer = await self._offers.at(key) if isinstance(key, str) else None
        return offer if offer and offer.by == person else None


__all__ = ["Asked", "Asker", "Joined", "LinkError", "Linking", "Parted"]


def _pending_key(person: str) -> str:
    return f"{person_prefix(person)}link"


def _asker(offer: Offer) -> Asker | None:
    match offer.notes.get("asker"):
        case {"channel": str(channel), "sender": str(sender), "name": str(name)}:
            return Asker(Address(channel, sender), name, offer.notes.get("shown") is True)
    return None
