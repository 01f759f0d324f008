"""The gate of one channel: who is answered, what strangers are told, and when it is too much."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from cloche.access.called import called
from cloche.access.codes import bare, find_code, is_mistyped, like_code
from cloche.access.doors import PAIR, Doors, handle_of
from cloche.access.limits import Ruling, only_first
from cloche.access.offers import Offer
from cloche.delivery.gate import Admission
from cloche.errors import MemoryUnavailableError
from cloche.ids import actor_id, turn_id
from cloche.llm.usage import Usage
from cloche.messages import Message, Reply, of_place
from cloche.people import People, Person
from cloche.settings import AccessSettings
from cloche.slash import Command, parse_command
from cloche.texts import say, say_day

OWNER_CODE_KEPT: Final = timedelta(days=1)
"""A code printed longer ago holds no longer; starting again prints another."""
STRANGERS_TOLD: Final = timedelta(days=1)
"""So often is a stranger told that only known people are answered."""

SILENCE: Final = Admission(go=False)
GO: Final = Admission(go=True)
_CLAIMS: Final = ("start", "claim")


Tell = Callable[[Message, Reply], Awaitable[None]]
"""Sends a reply to where a message would have come from; the message's id makes it the same one."""

logger = logging.getLogger(__name__)


class Access:
    """Lets known people in, by channel; implements ``cloche.delivery.gate.Gate``.

    In a group a known person is answered and a stranger gets silence; codes count in private only.
    """

    def __init__(
        self,
        doors: Doors,
        people: People,
        settings: AccessSettings,
        channel: str,
        tell: Tell | None = None,
    ) -> None:
        """Take the assistant's doors and people, and the channel whose gate it is.

        ``tell`` says something to an owner that they did not just ask for.
        """
        self._doors, self._people, self._tell = doors, people, tell
        self._settings, self._channel = settings, channel

    async def owner_code(self) -> str:
        """A new one-time code that makes whoever sends it the owner; "" when there is one already.

        For the operator's eyes: it is printed, never logged. The one before holds no longer.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        kind = f"owner/{self._channel}"
        await self._doors.offers.withdraw_all(kind)
        if await self._doors.roles.has_owner(self._channel):
            return ""
        return (await self._doors.offers.make(kind, by="", kept=OWNER_CODE_KEPT))[0]

    async def admit(self, message: Message) -> Admission:
        """Ask before a turn; see ``Gate``.

        Raises:
            ValueError: the message has no channel or sender.
            MemoryUnavailableError: it cannot be told who that is or what they used.
        """
        role = await self._doors.roles.of(message.address)
        if role == "removed":
            return SILENCE
        if message.due:  # asked for before, and counted then: it arrives, whatever was used since
            return GO if role is not None or self._settings.open else SILENCE
        command = parse_command(message.text)
        if role is None and not self._settings.open:
            return SILENCE if message.group else await self._stranger(message, command)
        if role is None and not message.group and (welcome := await self._by_bare_code(message)):
            return welcome
        person = await self._people.of(message)
        id_ = turn_id(message.address, message.place, message.id)
        ruling = await self._doors.limits.message(person.actor, id_)
        if ruling.verdict != "go":
            return self._refused("access_rate", ruling, person)
        if command and command.name in _CLAIMS:
            return await self._greeted(message, command, person)
        if command:
            return GO  # costs no money, and nobody is kept from /forget or /export by a budget
        ruling = await self._doors.limits.money(person.actor, id_)
        return GO if ruling.verdict == "go" else self._refused("access_budget", ruling, person)

    async def spent(self, message: Message, usage: Usage) -> None:
        """Count what a turn and what followed it took, against the person's day; never fails."""
        try:
            actor = await self._doors.links.person_of(message.address)
        except MemoryUnavailableError:
            actor = actor_id(message.address)
        await self._doors.limits.spent(actor, usage)

    async def _stranger(self, message: Message, command: Command | None) -> Admission:
        """What somebody unknown gets in private: in with a right code, else one sentence a day."""
        code = _code_in(message.text, command)
        if code is None:
            key = f"access/told/{actor_id(message.address)}"
            id_ = turn_id(message.address, message.place, message.id)
            first = await only_first(self._doors.state, key, id_, ttl=STRANGERS_TOLD)
            return await self._said("access_stranger", message) if first else SILENCE
        left = await self._doors.offers.try_left(actor_id(message.address))
        if left < 0:
            return SILENCE
        welcome = await self._let_in(code, message, command)
        if welcome:
            return await self._said(welcome, message)
        if not left:
            return await self._said("access_code_last", message)
        mistyped = is_mistyped(_like_in(message.text, command))
        return await self._said(
            "access_code_mistyped" if mistyped and not code else "access_code_wrong", message
        )

    async def _by_bare_code(self, message: Message) -> Admission | None:
        """Where everybody is answered: in with a right code; any other word is just a word."""
        code = find_code(message.text)
        if not code or await self._doors.offers.try_left(actor_id(message.address)) < 0:
            return None
        welcome = await self._let_in(code, message, None)
        return await self._said(welcome, message) if welcome else None

    async def _greeted(self, message: Message, command: Command, person: Person) -> Admission:
        """A known person presses start, or claims the assistant."""
        if command.argument and not message.group:
            left = await self._doors.offers.try_left(actor_id(message.address))
            if left < 0:
                return SILENCE
            welcome = await self._let_in(find_code(command.argument), message, None)
            if welcome:
                return await self._said(welcome, message)
            if command.name == "claim":
                return await self._said("access_code_wrong", message)
        return Admission(go=False, reply=Reply(say("access_start", person.language)))

    async def _let_in(self, code: str, message: Message, command: Command | None) -> str:
        """Do what a code is good for: the key of what is said then, "" when it is good for nothing.

        A code is used up before its role is written, and by its door only; whoever is cut off
        between the two sends it again.
        """
        doors, address = self._doors, message.address
        door = actor_id(address)
        if command and command.name == "link":
            asked = await doors.linking.ask(code, address, message.sender_name)
            welcome = "" if asked == "wrong" else f"access_link_{asked}"
        elif code and (offer := await doors.offers.use(f"owner/{self._channel}", code, door)):
            if not offer.again or await doors.roles.of(address) is None:
                await doors.roles.give(address, "owner")
            welcome = "access_welcome_owner"
        elif code and (offer := await doors.offers.use(PAIR, code, door)):
            if await doors.roles.of(address) is None:
                # First, so that nobody is in whom the owner is not told of, whatever dies.
                if not offer.notes.get("told"):
                    await self._tell_who_came(offer, message)
                    await doors.offers.note(offer, told=True)
                await doors.roles.give(address, "guest", by=offer.by)
            welcome = "access_welcome"
        else:
            return ""
        if not welcome:
            return ""
        await doors.offers.right(door)
        if not (command and command.name == "link"):
            await doors.name(address, message.sender_name)
        return welcome

    async def _tell_who_came(self, offer: Offer, message: Message) -> None:
        """One line to the owner who gave the code out, where they asked for it; never fails."""
        room, address = offer.room, message.address
        if self._tell is None or room is None:
            return
        try:
            if not await self._doors.roles.is_owner(room.address):
                return
            conversation, thread = of_place(room.place)
            there = Message(offer.key, room.address, conversation, "", thread=thread)
            language = (await self._people.of(there)).language
            who = called(address, message.sender_name, language)
            handle = handle_of(address)
            await self._tell(there, Reply(say("access_came_in", language, who=who, handle=handle)))
        except Exception:  # whoever has a right code comes in, whatever keeps the owner from it
            logger.exception("channel=%s | the owner was not told who came in", self._channel)

    async def _said(self, key: str, message: Message) -> Admission:
        # A code tells no language, but the sentence around it does.
        alone = bare(message.text) or len(like_code(message.text)) == len(message.text.strip())
        words = "" if alone else message.text
        language = (await self._people.of(replace(message, text=words))).language
        return Admission(go=False, reply=Reply(say(key, language)))

    def _refused(self, key: str, ruling: Ruling, person: Person) -> Admission:
        if ruling.verdict == "silence":
            return SILENCE
        until: datetime = ruling.until.astimezone(person.zone)
        text = say(
            key,
            person.language,
            time=f"{until:%H:%M}",
            day=say_day(until.date(), person.language),
            zone=person.zone.key,
        )
        return Admission(go=False, reply=Reply(text))


def _code_in(text: str, command: Command | None) -> str | None:
    """The code a stranger's message is meant to be, "" = one that is none; None = no code."""
    if command is None:
        return find_code(text) or ("" if like_code(text) else None)
    if command.name in (*_CLAIMS, "link") and command.argument:
        return find_code(command.argument)
    return None


def _like_in(text: str, command: Command | None) -> str:
    return like_code(command.argument if command else text)
