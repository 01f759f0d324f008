"""Opens an assistant's doors: the one place where channels, gate, delivery and stores meet."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from cloche.access import Access
from cloche.assembly import open_assistant
from cloche.channels import (
    Channel,
    ChannelContext,
    Document,
    Formatting,
    Limits,
    OwnerOptions,
)
from cloche.clock import Clock, utc_now
from cloche.delivery import Answering, Delivery, OpenDoor
from cloche.door_files import door_folder
from cloche.errors import FileTooLargeError, MemoryUnavailableError, RequestError
from cloche.ids import actor_id
from cloche.links import LinkError
from cloche.memory_desk import MemoryDesk
from cloche.messages import Address, Attachment, Message, Reply
from cloche.reminders.runner import Runner
from cloche.slash.menu import slash_menu
from cloche.state.sqlite import SqliteStateStore
from cloche.ways import CONSOLE, given_to
from cloche.web_session import HttpSession
from cloche.workspace.outgoing import to_send

if TYPE_CHECKING:
    from cloche.agents.agent import Agent
    from cloche.assistant import Assistant
    from cloche.delivery.rendering import Rendered
    from cloche.plugins import Host
    from cloche.settings import Settings
    from cloche.state.store import StateStore

logger = logging.getLogger(__name__)

PROBE: Final = "channel/probe"
"""A key that nothing is kept under but a probe: it tells whether the store can be used."""


@dataclass(frozen=True, slots=True)
class House:
    """An assistant and its doors, none of them started.

    Attributes:
        assistant: Who answers.
        deliveries: The host's side of each channel, by its name.
        gates: Who is let in, for channels that others than the owner can use.
        telling: Held while reminders are told, so that no two rounds overlap.
    """

    assistant: Assistant
    deliveries: Mapping[str, Delivery]
    gates: Mapping[str, Access]
    telling: asyncio.Lock = field(default_factory=asyncio.Lock)


@asynccontextmanager
async def opened(
    host: Host,
    name: str,
    settings: Settings,
    channels: Sequence[type[Channel]],
    owner: OwnerOptions,
    *,
    clock: Clock = utc_now,
    extra_skills: tuple[Path, ...] = (),
    agent: Agent | None = None,
    observed: Callable[[Assistant], Answering] | None = None,
) -> AsyncIterator[House]:
    """Build an assistant and a delivery per channel; closed again on leaving.

    Args:
        host: Where assistants and adapters come from.
        name: The assistant's entry point.
        settings: The operator's.
        channels: The channels, each name once.
        owner: Who sits at this machine: whom its own doors act for.
        clock: The present instant.
        extra_skills: As ``open_assistant`` takes them.
        agent: As ``open_assistant`` takes it.
        observed: Puts something between the doors and the assistant that sees its turns.

    Raises:
        PluginError: the assistant cannot be loaded.
        SettingsError: a setting is wrong.
        RequestError: a channel cannot be opened as the command line says.
    """
    doors: dict[str, Channel] = {}

    async def fetch(channel: str, attachment: Attachment) -> bytes:
        if channel not in doors:
            raise RequestError(f"{channel} is not open")
        return await _within_limits(doors[channel], attachment)

    assistant = await open_assistant(
        host, name, settings, clock=clock, fetch=fetch, extra_skills=extra_skills, agent=agent
    )
    state, spare = assistant.memory.state, TemporaryState(clock)
    sessions = {channel.name: HttpSession() for channel in channels}
    try:
        for kind in channels:
            context = ChannelContext(
                settings=given_to(kind.name, settings),
                http=sessions[kind.name],
                clock=clock,
                keepsakes=Kept(state, kind.name),
                commands=slash_menu(),
                owner=owner if kind.capabilities.owner_only else None,
                folder=_folder(kind, assistant, owner),
            )
            doors[kind.name] = kind(context)
        if {CONSOLE} == doors.keys():
            state = await spare.unless_usable(state)
        deliveries: dict[str, Delivery] = {}

        async def tell(message: Message, reply: Reply) -> None:
            if delivery := deliveries.get(message.address.channel):
                await delivery.tell(message, reply)

        gates = {
            each: Access(assistant.doors, assistant.people, settings.access, each, tell)
            for each, channel in doors.items()
            if not channel.capabilities.owner_only
        }
        deliveries |= {
            each: Delivery(
                channel,
                observed(assistant) if observed else assistant,
                gates.get(each) or OpenDoor(),
                state,
                clock=clock,
                settings=settings.delivery,
                render=_rendered,
                desk=None if each in gates else MemoryDesk(assistant, Address(each, owner.owner)),
                lock=None if each == CONSOLE else assistant.folder / f"{each}.lock",
                files=partial(to_send, assistant.memory.files, links=assistant.people.links),
            )
            for each, channel in doors.items()
        }
        for delivery in deliveries.values():
            assistant.memory.forgetter.reach(delivery)
        for each in doors.keys() - gates.keys() - {CONSOLE}:
            await _make_the_owners(assistant, Address(each, owner.owner), owner.owner)
        yield House(assistant, deliveries, gates)
    finally:
        for session in sessions.values():
            await session.close()
        await spare.close()
        await assistant.close()


def _folder(kind: type[Channel], assistant: Assistant, owner: OwnerOptions) -> Path:
    own = kind.capabilities.owner_only
    actor = actor_id(Address(kind.name, owner.owner)) if own else ""
    return door_folder(assistant.folder, kind.name, actor)


def reminders_of(house: House, clock: Clock, *, only: str = "", whose: str | None = None) -> Runner:
    """Who tells what is due through an assistant's doors; ``only`` and ``whose`` as in Runner."""
    assistant = house.assistant
    return Runner(
        assistant.memory.reminders,
        assistant.memory.state,
        assistant.people,
        house.deliveries,
        clock,
        only=only,
        whose=whose,
        turn=house.telling,
    )


class Kept:
    """A channel's keepsakes, in the StateStore."""

    def __init__(self, state: StateStore, channel: str) -> None:
        """Take the store and whose they are."""
        self._state, self._prefix = state, f"channel/{channel}/keep/"

    async def get(self, key: str) -> Document:
        """The value, None when there is none.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        item = await self._state.get(self._prefix + key)
        return item.value if item else None

    async def put(self, key: str, value: Document) -> None:
        """Keep it.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        await self._state.put(self._prefix + key, value)


class TemporaryState:
    """Stands in for a state store that is away, so that an owner at the console is answered.

    What it holds ends with the process: nothing survives it that the store would have kept.
    """

    def __init__(self, clock: Clock) -> None:
        """Take the present instant; nothing is made before it is needed."""
        self._clock = clock
        self._folder: TemporaryDirectory[str] | None = None
        self._state: SqliteStateStore | None = None

    async def unless_usable(self, state: StateStore) -> StateStore:
        """The store itself, else its stand-in."""
        try:
            await state.get(PROBE)
        except MemoryUnavailableError as error:
            logger.warning("cause=%s | the chat goes on without a state store", error.cause)
            self._folder = TemporaryDirectory(prefix="cloche-")
            self._state = SqliteStateStore(Path(self._folder.name) / "state.db", self._clock)
            return self._state
        return state

    async def close(self) -> None:
        """Remove it, if it was made."""
        if self._state is not None and self._folder is not None:
            await self._state.close()
            self._folder.cleanup()


def _rendered(markdown: str, limits: Limits, formatting: Formatting) -> Sequence[Rendered]:
    """See ``cloche.delivery.rendering``, which is loaded with the first reply."""
    from cloche.delivery.rendering import render

    return render(markdown, limits, formatting)


async def _within_limits(channel: Channel, attachment: Attachment) -> bytes:
    """A file's bytes, unless it is larger than its channel can fetch.

    Raises:
        FileTooLargeError: it is.
    """
    most = channel.limits.file_bytes
    too_large = FileTooLargeError(f"{channel.name}: a file is too large", most=most)
    if attachment.size is not None and attachment.size > most:
        raise too_large
    data = await channel.fetch(attachment)
    if len(data) > most:
        raise too_large
    return data


async def _make_the_owners(assistant: Assistant, address: Address, owner: str) -> None:
    """Have a door of this machine stand for its owner, whom the console knows already.

    What was kept for the door before moves along, once. Without the store, what is said there is
    kept for the door until the next start.
    """
    try:
        if await assistant.doors.links.person_of(address) == actor_id(address):
            person = actor_id(Address(CONSOLE, owner))
            await assistant.doors.linking.join(address, person)
    except (LinkError, MemoryUnavailableError) as error:
        logger.warning("channel=%s | not the owner's yet: %s", address.channel, error)
