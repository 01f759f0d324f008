"""The local owner's words with ``--dev``: the console's memory, answered to whoever invoked."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, ClassVar, Literal

from cloche.channels import (
    Capabilities,
    Channel,
    ChannelContext,
    ChannelRequest,
    Door,
    Incoming,
    Limits,
    Onlooker,
    Part,
)
from cloche.errors import RequestError
from cloche.messages import Address, Message, place_of
from cloche.runtime.events import Body, Ended, Events, Said
from cloche.runtime.refusals import RefusedError
from cloche.ways import CONSOLE

if TYPE_CHECKING:
    from cloche.turn import Remembered, Turn


@dataclass(frozen=True, slots=True)
class Asked:
    """One message that waits for its answer.

    Attributes:
        id: The message's.
        events: Where its answer goes.
        pieces: Whether whoever asked sees the answer grow.
        answered: Set when there is one.
    """

    id: str
    events: Events
    pieces: bool
    answered: asyncio.Event = field(default_factory=asyncio.Event)


class DevConsole(Channel):
    """Acts for the owner of this machine, and for nobody else; one message at a time."""

    name: ClassVar[str] = CONSOLE
    # Nothing is split: the answer is one JSON document.
    limits: ClassVar[Limits] = Limits(text=10_000_000, text_bytes=40_000_000)
    capabilities: ClassVar[Capabilities] = Capabilities(formatting="markdown", owner_only=True)

    def __init__(self, context: ChannelContext) -> None:
        """Take who sits here.

        Raises:
            RequestError: nobody is named.
        """
        super().__init__(context)
        self._owner = context.owner.owner if context.owner else ""
        if not self._owner:
            raise RequestError("console: nobody is named as the owner of this machine")
        self.place = place_of(self._owner)
        self._turns = asyncio.Lock()
        self.asked: Asked | None = None

    def parse(self, request: ChannelRequest) -> Sequence[Incoming]:
        """Refuse: the owner's words come with an invocation.

        Raises:
            RequestError: always.
        """
        raise RequestError("console: takes no requests of a platform")

    async def send(self, part: Part) -> None:
        """Nothing: whoever asked has the turn, and nobody else is here."""

    def watch(self, place: str) -> Onlooker | None:
        """Give the turn to whoever asked; who does not see it grow waits as if for nothing."""
        if place != self.place:
            return None
        return _Growing(self) if self.asked and self.asked.pieces else _Answer(self)

    async def ask(self, door: Door, text: str, events: Events, *, pieces: bool = True) -> None:
        """Have words answered; returns when all that follows the answer is done, too.

        ``pieces`` = whoever asked sees the answer grow.

        Raises:
            MemoryUnavailableError: they could not be kept.
            RefusedError: nothing was answered.
        """
        async with self._turns:  # else two that wait would make one turn, answered to one
            message = Message(
                id=uuid.uuid4().hex,
                address=Address(self.name, self._owner),
                conversation=self._owner,
                text=text,
                sender_name=self._owner,
            )
            self.asked = asked = Asked(message.id, events, pieces)
            try:
                await door.accept(message)
                events.put(Said({"accepted": 1}))
                over = asyncio.ensure_future(door.finished(message.place))
                await _first(over, asked.answered)
            finally:
                self.asked = None
        # The next one need not wait for what follows: its turn knows how long it may.
        await over
        if not events.over:
            raise RefusedError(
                "not_answered",
                "There was no answer.",
                status=HTTPStatus.INTERNAL_SERVER_ERROR,
            )


async def _first(over: asyncio.Future[None], answered: asyncio.Event) -> None:
    """Return when a message is answered, or all is over without an answer."""
    waiting = asyncio.ensure_future(answered.wait())
    either: set[asyncio.Future[None] | asyncio.Future[Literal[True]]] = {over, waiting}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        over.cancel()
        raise
    finally:
        waiting.cancel()


class _Answer:
    """Sees one turn of the owner's."""

    def __init__(self, console: DevConsole) -> None:
        self._console = console
        self._asked: Asked | None = None

    async def began(self, message: Message) -> None:
        """A turn begins; one that was left from before has nobody who waits for it."""
        asked = self._console.asked
        self._asked = asked if asked and asked.id == message.id else None

    async def answered(self, turn: Turn) -> None:
        """The whole of it."""
        if self._asked:
            self._asked.events.put(Ended(answer_of(turn)))
            self._asked.answered.set()

    async def followed(self, remembered: Remembered) -> None:
        """Nothing more is told."""


class _Growing(_Answer):
    """The same, for whoever sees the answer grow."""

    async def delta(self, piece: str) -> None:
        """The next piece."""
        if self._asked:
            self._asked.events.put(Said({"delta": piece}))


def answer_of(turn: Turn) -> Body:
    """A turn as an invocation is answered with it."""
    usage = turn.report.usage
    buttons = [{"label": one.label, "data": one.data} for one in turn.reply.buttons]
    words = (turn.reply.text, *(file.instead for file in turn.reply.files))
    return {
        "text": "\n\n".join(filter(None, words)),
        "turn": turn.id,
        "language": turn.language,
        "agent": turn.report.agent,
        "failure": turn.report.failure,
        "usage": {
            "model": usage.model,
            "input_tokens": usage.input_tokens,
            "cached_tokens": usage.cache_read_tokens,
            "output_tokens": usage.output_tokens,
            "cost_usd": usage.cost_usd,
        },
    } | ({"buttons": buttons} if buttons else {})
