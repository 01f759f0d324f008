"""What each kind of invocation does, on the host's event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, assert_never

from cloche import __version__
from cloche.channels import Incoming, SendError
from cloche.clock import Clock
from cloche.delivery import Delivery
from cloche.errors import MemoryUnavailableError, StoreCause
from cloche.house import PROBE, House, reminders_of
from cloche.messages import Message, place_of
from cloche.runtime.busy import Busy
from cloche.runtime.dev import DevConsole
from cloche.runtime.events import Body, Ended, Events, Said
from cloche.runtime.observed import Requests
from cloche.runtime.payload import (
    ChannelRequests,
    Check,
    ConsoleMessage,
    DueReminder,
    Health,
    Payload,
    Register,
    Unregister,
)
from cloche.runtime.receiving import SKEW, check_session, read_all
from cloche.runtime.refusals import RefusedError, invalid
from cloche.runtime.untold import Untold
from cloche.ways import CONSOLE

if TYPE_CHECKING:
    from cloche.reminders.reminder import Reminder
    from cloche.settings import Settings

logger = logging.getLogger(__name__)

PROBE_SECONDS: Final = 3.0
"""A store that takes longer over one small write cannot be used."""
PROBE_KEPT: Final = timedelta(minutes=1)
PLATFORM_SECONDS: Final = 30.0
"""How long a platform may take over registering or a check."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One invocation.

    Attributes:
        payload: What is asked.
        request: Its id, for the log.
        session: The session it came with; None = it came with none.
        local: True when it came from this machine and from no page in a browser.
        pieces: Whether the answer is seen as it grows.
    """

    payload: Payload
    request: str
    session: str | None = None
    local: bool = False
    pieces: bool = True


class Invocations:
    """Answers invocations through an assistant's open doors."""

    def __init__(
        self,
        house: House,
        settings: Settings,
        clock: Clock,
        busy: Busy,
        requests: Requests,
    ) -> None:
        """Take the doors, which are open, and what is told of turns."""
        # The owner's console is no platform's: nothing is told there that nobody asked for.
        served = {name: house.deliveries[name] for name in house.gates}
        self._served = replace(house, deliveries=served)
        self._house, self._settings, self._clock = house, settings, clock
        self._busy, self._requests = busy, requests
        self._untold = Untold(house.assistant.memory.state)
        self._salt = settings.runtime.session_salt

    async def answer(self, asked: Asked, events: Events) -> None:
        """Do what is asked; what happens goes to ``events``, its end at the latest here.

        Raises:
            RefusedError: it is not done.
            MemoryUnavailableError: the store is away, so that nothing could be kept.
        """
        payload = asked.payload
        match payload:
            case ChannelRequests():
                with self._busy.doing("invocations"):
                    body = await self._channel(payload, asked, events)
            case DueReminder():
                with self._busy.doing("invocations"):
                    body = await self._reminder(payload, asked, events)
            case ConsoleMessage():
                with self._busy.doing("invocations"):
                    return await self._message(payload, asked, events)
            case Register():
                body = await self._register(payload)
            case Unregister():
                body = await self._unregister(payload)
            case Check():
                body = await self._check(payload)
            case Health():
                body = await self._health()
            case _:
                assert_never(payload)
        events.put(Ended(body))

    async def _channel(self, payload: ChannelRequests, asked: Asked, events: Events) -> Body:
        """Keep what came, then wait until it is answered, sent and remembered."""
        delivery = self._delivery(payload.channel)
        incoming = read_all(delivery.channel, payload, asked.session, self._salt, self._clock)
        self._requests.note(incoming, asked.request)
        name, away = payload.channel, []
        for one in dict.fromkeys(each.conversation for each in _messages(incoming)):
            if await self._untold.is_noted(name, one) or not delivery.reaches(one):
                away.append(one)
        await delivery.accept(*incoming)
        for conversation in away:
            # No schedule fires for what was due while they could not be reached.
            await self._round(conversation, self._clock())
            await self._untold.told(name, conversation)
        events.put(Said({"accepted": len(incoming)}))
        done = await self._finished(delivery, [one.place for one in _messages(incoming)])
        return {"accepted": len(incoming), "done": done}

    async def _reminder(self, payload: DueReminder, asked: Asked, events: Events) -> Body:
        """Hand over what is due in the reminder's conversation, then wait as for a message."""
        now = self._clock()
        if payload.at > now + SKEW:
            raise invalid("at", "must be an instant that has come")
        # The service's clock fired it: ours may be behind.
        now = max(now, payload.at)
        reminder = await self._due(payload, now)
        if reminder is None:
            return {"told": False, "done": True}
        place = reminder.place
        check_session(asked.session, place.channel, place.conversation, self._salt)
        where = place_of(place.conversation, place.thread)
        self._requests.note_place(place.channel, where, asked.request)
        delivery = self._delivery(place.channel)
        await self._round(place.conversation, now, reminder.actor)
        if not delivery.reaches(place.conversation):
            await self._untold.note(place.channel, place.conversation)
        events.put(Said({"accepted": 1}))
        done = await self._finished(delivery, [where])
        left = await self._house.assistant.memory.reminders.get(reminder.actor, reminder.id)
        told = left is None or left.next is None or left.next > now
        return {"told": told, "done": done}

    async def _round(self, conversation: str, now: datetime, whose: str = "") -> None:
        """Tell what is due in a conversation; ``now`` where our clock is behind it."""
        clock = lambda: max(now, self._clock())  # noqa: E731
        await reminders_of(self._served, clock, only=conversation, whose=whose).round()

    async def _message(self, payload: ConsoleMessage, asked: Asked, events: Events) -> None:
        """The local owner's words; whoever asked has the answer before what follows is done."""
        delivery = self._house.deliveries.get(CONSOLE)
        if delivery is None or not isinstance(delivery.channel, DevConsole):
            raise RefusedError(
                "dev_only",
                "Messages without a channel are taken with --dev only.",
                status=HTTPStatus.FORBIDDEN,
                field="kind",
            )
        if not asked.local:
            raise RefusedError(
                "not_local",
                "Messages without a channel are taken from this machine only.",
                status=HTTPStatus.FORBIDDEN,
            )
        console = delivery.channel
        self._requests.note_place(CONSOLE, console.place, asked.request)
        await console.ask(delivery, payload.text, events, pieces=asked.pieces)

    async def _register(self, payload: Register) -> Body:
        delivery = self._delivery(payload.channel)
        channel = delivery.channel
        await _platform(
            channel.register(payload.address, drop_pending=payload.drop_pending), channel.name
        )
        gate = self._house.gates.get(channel.name)
        code = await gate.owner_code() if gate else None
        return {"registered": channel.name} | ({"owner_code": code} if code else {})

    async def _unregister(self, payload: Unregister) -> Body:
        channel = self._delivery(payload.channel).channel
        await _platform(channel.unregister(), channel.name)
        return {"unregistered": channel.name}

    async def _check(self, payload: Check) -> Body:
        names = [payload.channel] if payload.channel else sorted(self._house.gates)
        found: dict[str, object] = {}
        for name in names:
            channel = self._delivery(name).channel
            lines: Sequence[tuple[bool, str]] = ()
            try:
                async with asyncio.timeout(PLATFORM_SECONDS):
                    lines = await channel.check()
            except Exception as error:
                logger.warning("channel=%s | not checked: %s", name, type(error).__name__)
                lines = ((False, "it cannot be asked now"),)
            found[name] = [{"ok": ok, "about": about} for ok, about in lines]
        return {"channels": found}

    async def _health(self) -> Body:
        state = await self._written()
        return {
            "assistant": self._house.assistant.name,
            "version": __version__,
            "channels": sorted(self._house.gates),
            "state": state or "ok",
            "dev": CONSOLE in self._house.deliveries,
            "busy": self._busy.status.busy,
        }

    async def _written(self) -> StoreCause | None:
        """Why the state store cannot be used now; None = it can."""
        state = self._house.assistant.memory.state
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                await state.get(PROBE)
                await state.put(PROBE, True, ttl=PROBE_KEPT)
        except MemoryUnavailableError as error:
            return error.cause
        except TimeoutError:
            return "slow"
        # A full disk may have room for a probe, and for nothing else.
        return next((each.unkept for each in self._house.deliveries.values() if each.unkept), None)

    def _delivery(self, name: str) -> Delivery:
        """A channel's door.

        Raises:
            RefusedError: it is not open here.
        """
        if name not in self._house.gates:
            raise RefusedError(
                "unknown_channel",
                "There is no such channel here, or it is not configured.",
                status=HTTPStatus.NOT_FOUND,
                field="channel",
            )
        return self._house.deliveries[name]

    async def _due(self, payload: DueReminder, now: datetime) -> Reminder | None:
        """The reminder, where it is due by now in a channel that is open."""
        found = await self._house.assistant.memory.reminders.find(payload.reminder)
        if found is None or found.paused or found.place.channel not in self._house.gates:
            return None
        return found if found.next and found.next <= now else None

    async def _finished(self, delivery: Delivery, places: Iterable[str]) -> bool:
        """Wait until nothing is under way in some places; False when it takes too long."""
        try:
            async with asyncio.timeout(self._settings.runtime.wait_seconds):
                for place in dict.fromkeys(places):
                    await delivery.finished(place)
        except TimeoutError:
            return False
        return True


async def _platform(asked: Awaitable[None], name: str) -> None:
    """Wait for what a platform does.

    Raises:
        RefusedError: it refused, or takes too long.
    """
    try:
        async with asyncio.timeout(PLATFORM_SECONDS):
            await asked
    except (SendError, TimeoutError) as error:
        logger.warning("channel=%s | the platform refused: %s", name, type(error).__name__)
        raise RefusedError(
            "platform_refused",
            f"{name} did not take it; the log says why.",
            status=HTTPStatus.BAD_GATEWAY,
        ) from error


def _messages(incoming: Sequence[Incoming]) -> Iterable[Message]:
    """What turns may follow from."""
    return (one for one in incoming if isinstance(one, Message))
