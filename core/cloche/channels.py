"""The protocol of a channel: a door through which people reach an assistant."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from cloche.messages import Attachment, Message

if TYPE_CHECKING:
    from cloche.agents.agent import OnDelta
    from cloche.assistant import Turn

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
