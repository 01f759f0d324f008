"""The protocol of a channel: a door through which people reach an assistant."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from cloche.messages import Attachment, Message

if TYPE_CHECKING:
    from cloche.agents.agent import OnDelta
    from cloche.turn import Turn

Handle = Callable[[Message, "OnDelta | None"], Awaitable["Turn"]]
"""``Assistant.handle``: the caller shows the reply, then awaits ``turn.afterwards()``."""


@runtime_checkable
class Channel(Protocol):
    """A door: it makes messages of what people send and shows them what is answered.

    Plugins hand the host channel *types* (``provide_channels``), unique by ``name``.
    """

    name: ClassVar[str]
    """``[a-z][a-z0-9-]*``, at most 32 characters: the first half of every address."""

    async def run(self, handle: Handle) -> int:
        """Exchange messages until the door closes; the exit code of the process."""
        ...

    async def fetch(self, attachment: Attachment) -> bytes:
        """The bytes an attachment of this channel stands for.

        Raises:
            RequestError: there is no such file, or it may not be read.
        """
        ...


@dataclass(frozen=True, slots=True)
class OwnerOptions:
    """What the command line tells the channel it opens for the owner of this machine.

    Attributes:
        owner: Who sits here: the sender of every message; never empty.
        persona: How the assistant introduces itself.
        language: Language of the host's own sentences (BCP 47 primary subtag).
        interactive: True when a person types into a terminal and reads from it.
        once: The one message of ``--once``, which may be empty beside pictures; None = read on.
        images: Files that go along with the first message.
        as_json: One JSON object per turn instead of text.
        verbose: Tell after each answer what it took and rested on.
    """

    owner: str
    persona: str
    language: str
    interactive: bool
    once: str | None = None
    images: tuple[Path, ...] = ()
    as_json: bool = False
    verbose: bool = False


@runtime_checkable
class OwnerDoor(Protocol):
    """A channel type that ``cloche chat`` can open: it acts for the owner of this machine."""

    def open(self, options: OwnerOptions) -> Channel:
        """The channel, ready to run. A class method of the type."""
        ...
