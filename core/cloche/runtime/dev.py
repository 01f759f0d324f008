"""The local owner's words with ``--dev``: the console's memory, answered to whoever invoked."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, ClassVar

from cloche.channels import (
    Capabilities,
    Channel,
    ChannelContext,
    ChannelRequest,
    Door,
    Incoming,
    Limits,
    Part,
    Watcher,
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
    """One message that waits for its answer."""

    id: str
    events: Events


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

    def watch(self, place: str) -> Watcher | None:
        """Give the turn to whoever asked."""
        return _Answer(self) if place == self.place else None

    async def ask(self, door: Door, text: str, events: Events) -> None:
        """Have words answered; returns when all that follows the answer is done, too.

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
            self.asked = Asked(message.id, events)
            try:
                await door.accept(message)
                events.put(Said({"accepted": 1}))
                await door.finished(message.place)
            finally:
                self.asked = None
        if not events.over:
            raise RefusedError(
                "not_answered",
                "There was no answer.",
                status=HTTPStatus.INTERNAL_SERVER_ERROR,
            )


class _Answer:
    """Sees one turn of the owner's."""

    def __init__(self, console: DevConsole) -> None:
        self._console = console
        self._events: Events | None = None

    async def began(self, message: Message) -> None:
        """A turn begins; one that was left from before has nobody who waits for it."""
        asked = self._console.asked
        self._events = asked.events if asked and asked.id == message.id else None

    async def delta(self, piece: str) -> None:
        """The next piece."""
        if self._events:
            self._events.put(Said({"delta": piece}))

    async def answered(self, turn: Turn) -> None:
        """The whole of it."""
        if self._events:
            self._events.put(Ended(answer_of(turn)))

    async def followed(self, remembered: Remembered) -> None:
        """Nothing more is told."""


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
