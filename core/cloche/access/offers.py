"""Codes that were given out: kept as hashes, for a time, good for one person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from cloche.access.codes import bare, digest, make_code, same
from cloche.clock import Clock
from cloche.messages import Address
from cloche.state.store import Json, StateItem, StateStore

MAX_TRIES: Final = 5
TRIES_KEPT: Final = timedelta(hours=1)
"""From the first wrong code on; so long is whoever gave five of them not listened to."""
_KEY_CHARS: Final = 16
"""Of the digest, as the key: the rest is compared in constant time."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A code that holds.

    Attributes:
        key: Where it lies.
        by: The actor who gave it; "" = the operator.
        used_by: Actor id of the door that gave it back; "" = nobody yet.
        notes: What else was noted with it.
        item: As it is stored.
        again: True when it was this door's before: its message is handled again, or sent again.
    """

    key: str
    by: str
    used_by: str
    notes: Mapping[str, Json]
    item: StateItem
    again: bool = False

    @property
    def room(self) -> Room | None:
        """Where it was asked for; None = not in a chat."""
        match self.notes.get("room"):
            case {"channel": str(channel), "sender": str(sender), "place": str(place)}:
                return Room(Address(channel, sender), place)
        return None


@dataclass(frozen=True, slots=True)
class Room:
    """A private chat in which a code was asked for.

    Attributes:
        address: Who asked.
        place: Conversation and thread; see ``cloche.messages.place_of``.
    """

    address: Address
    place: str

    def notes(self) -> dict[str, Json]:
        """As it is noted with an offer."""
        where = {"channel": self.address.channel, "sender": self.address.sender}
        return {"room": {**where, "place": self.place}}


class Offers:
    """The codes of one assistant."""

    def __init__(self, state: StateStore, clock: Clock) -> None:
        """Take the store their hashes lie in."""
        self._state, self._clock = state, clock

    async def make(self, kind: str, *, by: str, kept: timedelta, **notes: Json) -> tuple[str, str]:
        """A new code and where it lies.

        Args:
            kind: What it is good for; one or more parts of a key.
            by: Who gives it; "" = the operator.
            kept: How long it holds.
            notes: What to note with it.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        code = make_code()
        hashed = digest(bare(code))
        key = f"access/code/{kind}/{hashed[:_KEY_CHARS]}"
        await self._state.put(key, {**notes, "hash": hashed, "by": by, "used": ""}, ttl=kept)
        return code, key

    async def at(self, key: str) -> Offer | None:
        """The offer that lies there, while it holds.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        item = await self._state.get(key)
        return _offer(item) if item else None

    async def use(self, kind: str, code: str, door: str, **notes: Json) -> Offer | None:
        """Give a code back: the offer, for exactly one door however many try; else None.

        The same door may give it again: its message is handled again when a process died.

        Args:
            kind: What it should be good for.
            code: As ``codes.bare`` reads it.
            door: Actor id of the address it comes from.
            notes: What to note with it.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        hashed = digest(code)
        key = f"access/code/{kind}/{hashed[:_KEY_CHARS]}"
        while item := await self._state.get(key):
            offer = _offer(item)
            if not same(_text(item, "hash"), hashed) or offer.used_by not in ("", door):
                return None
            if offer.used_by == door:
                return replace(offer, again=True)
            if await self.note(offer, used=door, **notes):
                return await self.at(key)
        return None

    async def note(self, offer: Offer, **notes: Json) -> bool:
        """Note something with an offer; False when it changed meanwhile.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        value = {**_values(offer.item), **notes}
        ends = offer.item.expires_at
        left = None if ends is None else max(ends - self._clock(), timedelta(microseconds=1))
        done = await self._state.compare_and_set(
            offer.key, value, version=offer.item.version, ttl=left
        )
        return done is not None

    async def withdraw(self, key: str) -> None:
        """Have a code hold no longer.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        await self._state.delete(key)

    async def withdraw_all(self, kind: str) -> None:
        """The same for all codes of a kind."""
        await self._state.delete_prefix(f"access/code/{kind}/")

    async def try_left(self, door: str) -> int:
        """Count a try of a door: how many it has after this one; below 0 = it is not heard.

        Counted before the code is looked at, so that tries at the same time count, too.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        return MAX_TRIES - await self._state.increment(_tries(door), ttl=TRIES_KEPT)

    async def right(self, door: str) -> None:
        """A right code: earlier tries are forgotten."""
        await self._state.delete(_tries(door))


def _tries(door: str) -> str:
    return f"access/tries/{door}"


def _values(item: StateItem) -> dict[str, Json]:
    return dict(item.value) if isinstance(item.value, dict) else {}


def _text(item: StateItem, name: str) -> str:
    value = _values(item).get(name)
    return value if isinstance(value, str) else ""


def _offer(item: StateItem) -> Offer:
    return Offer(item.key, _text(item, "by"), _text(item, "used"), _values(item), item)
