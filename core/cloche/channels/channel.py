"""The class a channel's author writes: a door through which people reach an assistant."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeAlias, runtime_checkable

from cloche.channels.authentication import Authentication, Challenge
from cloche.channels.declared import Capabilities, Limits, Pointers, Secret
from cloche.channels.failures import SendRefusedError
from cloche.channels.owner import OwnerOptions
from cloche.channels.parts import FileToSend, Part
from cloche.channels.requests import ChannelRequest, Document
from cloche.clock import Clock
from cloche.errors import RequestError
from cloche.messages import Attachment, Message

if TYPE_CHECKING:
    import aiohttp
    from pydantic import SecretStr

    from cloche.channels.desk import Desk
    from cloche.turn import Remembered, Turn


@dataclass(frozen=True, slots=True)
class Moved:
    """A conversation has a new id on its platform; everything kept under the old one follows."""

    update: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Left:
    """A person blocked the assistant or took it out of the conversation: nothing is sent there."""

    update: str
    conversation: str


Incoming: TypeAlias = Message | Moved | Left


class Keepsakes(Protocol):
    """Small values a channel keeps from one process to the next; in the StateStore."""

    async def get(self, key: str) -> Document:
        """The value, None when there is none."""
        ...

    async def put(self, key: str, value: Document) -> None:
        """Keep it; a JSON document of at most 100 kB."""
        ...


@dataclass(frozen=True, slots=True)
class ChannelContext:
    """What the host gives a channel.

    Attributes:
        settings: What the operator set, by key; what is secret never enters a log.
        http: Opens the session all requests go through; one per channel, closed by the host.
        clock: The present instant.
        keepsakes: What the channel kept.
        commands: What people may ask with a slash, in the host's languages: language ->
            (command without the slash, one clause).
        owner: For a door of this machine: who sits here.
        folder: Where it may keep files; made by whoever writes there first. None = nowhere. Of a
            door of this machine it is the owner's alone, and goes when they have all forgotten.
    """

    settings: Mapping[str, SecretStr]
    http: Http
    clock: Clock
    keepsakes: Keepsakes
    commands: Mapping[str, Sequence[tuple[str, str]]]
    owner: OwnerOptions | None = None
    folder: Path | None = None

    def secret(self, key: str) -> str:
        """The value of a setting, "" when it is not set."""
        found = self.settings.get(key)
        return found.get_secret_value() if found else ""


class Http(Protocol):
    """The channel's own HTTP session, made when it is first asked for."""

    def __call__(self) -> aiohttp.ClientSession:
        """The session."""
        ...


class Door(Protocol):
    """The host's side, for channels that run a loop of their own (a terminal, a page)."""

    async def accept(self, *messages: Incoming) -> None:
        """Claim and keep what came; once this returns it will be answered, whatever dies.

        Raises:
            MemoryUnavailableError: it could not be kept; whoever sent it must send it again.
        """
        ...

    async def knows(self, message: Message) -> bool:
        """Whether a message was accepted before, by its id: accepting it again adds nothing.

        Raises:
            MemoryUnavailableError: the store is away.
        """
        ...

    async def finished(self, place: str) -> None:
        """Return when everything accepted in a place is answered, sent and remembered."""
        ...

    async def stop(self, place: str) -> bool:
        """Stop the turn that runs in a place, at the person's wish; False = none ran."""
        ...

    async def withdraw(self, message: Message) -> bool:
        """Take back a message, by its id, that waits; False when its turn has begun.

        Raises:
            MemoryUnavailableError: the store is away; it waits as before.
        """
        ...

    @property
    def desk(self) -> Desk:
        """What the assistant knows of the owner, to be shown and mended."""
        ...


class Onlooker(Protocol):
    """Sees a turn begin and end: for channels that show more of it than its reply."""

    async def began(self, message: Message) -> None:
        """A turn begins: the message as merged."""
        ...

    async def answered(self, turn: Turn) -> None:
        """The turn, before its reply is sent."""
        ...

    async def followed(self, remembered: Remembered) -> None:
        """What followed it."""
        ...


@runtime_checkable
class Watcher(Onlooker, Protocol):
    """Sees a turn while it runs: for channels that show answers as they are written."""

    async def delta(self, piece: str) -> None:
        """The next piece of the answer."""
        ...


@dataclass(frozen=True, slots=True)
class Polled:
    """What one poll brought: each update as a request, and where the next poll starts."""

    requests: Sequence[ChannelRequest]
    cursor: str


class Channel(ABC):
    """A door: it makes messages of what people send, and sends what is answered.

    An author declares the class variables, and writes ``parse`` and ``send``; the rest is for
    platforms that have it. Authentication, claims, order, bursts, pace, splitting, retries and who
    may talk are the host's. Tests inherit ``cloche.testing.ChannelConformance``.

    Plugins hand the host channel *types* (``provide_channels``), unique by ``name``.
    """

    name: ClassVar[str]
    """``[a-z][a-z0-9-]*``, at most 32 characters: the first half of every address."""
    limits: ClassVar[Limits] = Limits()
    capabilities: ClassVar[Capabilities] = Capabilities()
    secrets: ClassVar[tuple[Secret, ...]] = ()
    authentication: ClassVar[Authentication | None] = None
    """How webhook requests are authenticated; None = the channel takes none."""
    challenge: ClassVar[Challenge | None] = None
    pointers: ClassVar[Pointers | None] = None
    """Needed by every channel that takes webhook requests."""

    def __init__(self, context: ChannelContext) -> None:
        """Take what the host gives; nothing is connected yet."""
        self.context = context

    @abstractmethod
    def parse(self, request: ChannelRequest) -> Sequence[Incoming]:
        """The messages a request holds; none for what is no message. Pure: it calls nobody.

        Raises:
            RequestError: the body is not what the platform documents; says which field.
        """

    @abstractmethod
    async def send(self, part: Part) -> None:
        """Send one part; returns when the platform has taken it.

        Raises:
            SendError: see ``cloche.channels.failures``. Anything else is tried again.
        """

    async def send_file(self, part: Part, file: FileToSend) -> None:
        """Send a file where a part is for; returns when the platform has taken it.

        Asked for only where ``capabilities.files`` says so, with at most
        ``limits.sent_file_bytes``. Where the platform refuses, the part's text is sent instead.
        It has a minute, and a second more for each 16 kB.

        Raises:
            SendError: as ``send``.
            TimeoutError: no answer came, so the platform may have taken it: it is sent once more
                at most, then its part's text.
        """
        raise SendRefusedError(f"{self.name} sends no files")

    async def fetch(self, attachment: Attachment) -> bytes:
        """The bytes an attachment of this channel stands for.

        Raises:
            RequestError: there is no such file, or it may not be read.
        """
        raise RequestError(f"{self.name} has no files")

    async def typing(self, conversation: str, thread: str) -> None:
        """Show that an answer is being written. May fail: nobody minds."""

    async def open(self) -> None:
        """Whatever must be done once before messages are exchanged."""

    async def ready(self) -> None:
        """Return once ``run`` can be reached by people; at once where nothing has to be opened."""

    async def close(self) -> None:
        """Release what is held."""

    async def register(self, address: str, *, drop_pending: bool = False) -> None:
        """Have the platform deliver to an address; messages that wait there stay unless dropped.

        Raises:
            SendError: the platform refused.
        """

    async def unregister(self) -> None:
        """Have the platform deliver nowhere."""

    async def poll(self, cursor: str) -> Polled:
        """Wait for updates, at most about 30 s; ``cursor`` is "" the first time.

        Those before the cursor are acknowledged: the host has kept them.
        """
        raise RequestError(f"{self.name} cannot poll")

    async def check(self) -> Sequence[tuple[bool, str]]:
        """What the platform says about this door, for ``cloche doctor``: (is it well, a clause)."""
        return ()

    async def run(self, door: Door) -> int:
        """The loop of a channel that has its own (``owner_only``); the exit code of the process."""
        raise RequestError(f"{self.name} has no loop of its own")

    def watch(self, place: str) -> Onlooker | None:
        """Who sees the turns of a place while they run; None = nobody."""
        return None

    @classmethod
    def polls(cls) -> bool:
        """Whether the platform can be asked for updates."""
        return cls.poll is not Channel.poll

    @classmethod
    def takes_requests(cls) -> bool:
        """Whether the platform delivers to an address."""
        return cls.authentication is not None
