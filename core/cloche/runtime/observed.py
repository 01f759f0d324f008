"""Between an assistant's doors and the assistant: sees its turns, and changes nothing of them."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from cloche.channels import Incoming
from cloche.ids import conversation_id, turn_id
from cloche.llm.usage import Usage
from cloche.log_ids import ids_now, logged
from cloche.messages import Message
from cloche.tracing import Traced, passed, span
from cloche.turn import BrokenOff, Failure, Remembered, Turn

if TYPE_CHECKING:
    from cloche.agents.agent import OnDelta
    from cloche.delivery import Answering

logger = logging.getLogger(__name__)

KNOWN: Final = 1000
"""Requests that are remembered until their turn is over."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One turn in numbers.

    Attributes:
        seconds: How long each step took: those of the turn, ``turn`` itself, ``send`` until the
            reply was shown or had to wait for its platform, and ``afterwards``.
        agent: Which agent answered, or failed to; "" = none was asked.
        failure: Why no model answered; "" = one did, or none was needed.
        degraded: Why memory could not be read; "" = it could.
        recalled: Records that entered the prompt.
        tool_calls: Tools called.
        usage: What the turn and what followed it took.
    """

    seconds: Mapping[str, float] = field(default_factory=dict)
    agent: str = ""
    failure: Failure | Literal[""] = ""
    degraded: str = ""
    recalled: int = 0
    tool_calls: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class _Answered:
    """A turn that was answered and is not sent yet.

    Attributes:
        turn: The turn.
        ids: What its lines in the log carry.
        span: Its span, which is over.
        took: Seconds until it was answered.
        then: When that was, by ``time.perf_counter``.
        at: The same in nanoseconds since 1970.
    """

    turn: Turn
    ids: Mapping[str, str]
    span: Traced
    took: float
    then: float = field(default_factory=time.perf_counter)
    at: int = field(default_factory=time.time_ns)


@dataclass(frozen=True, slots=True)
class _Begun:
    """A turn whose end was cut off, until it is told what it took.

    Attributes:
        ids: What its lines in the log carry.
        seen: What is known of it.
        answered: Whether it was answered, so that only what follows was cut off.
    """

    ids: Mapping[str, str]
    seen: Seen
    answered: bool = False


class Requests:
    """Which request a turn came with: turns run on tasks of their own, one request's after another.

    Messages are known by their ids; what is made here of a request, by its place.
    """

    def __init__(self) -> None:
        """Know none."""
        self._ids: OrderedDict[tuple[str, str], str] = OrderedDict()

    def note(self, incoming: Iterable[Incoming], request: str) -> None:
        """Messages came with a request."""
        for one in incoming:
            if isinstance(one, Message):
                self.note_place(one.address.channel, one.id, request)

    def note_place(self, channel: str, key: str, request: str) -> None:
        """What is answered next in a place was asked for by a request."""
        self._ids[channel, key] = request
        self._ids.move_to_end((channel, key))
        if len(self._ids) > KNOWN:
            self._ids.popitem(last=False)

    def of(self, message: Message) -> str:
        """The request a message came with; "" where none is known."""
        channel = message.address.channel
        by_place = self._ids.get((channel, message.place), "")
        return self._ids.get((channel, message.id), by_place)


class Observed:
    """An assistant (``cloche.delivery.Answering``) whose turns are told of."""

    def __init__(
        self, assistant: Answering, requests: Requests, tell: Sequence[Callable[[Seen], None]]
    ) -> None:
        """Take who answers, and who is told of each turn when what follows it is done."""
        self._assistant, self._requests, self._tell = assistant, requests, tell
        self._begun: dict[str, _Begun] = {}

    async def handle(self, message: Message, on_delta: OnDelta | None = None) -> Turn:
        """Answer."""
        id_ = turn_id(message.address, message.place, message.id)
        channel = message.address.channel
        conversation = conversation_id(channel, message.place)
        ids = {
            "request": self._requests.of(message) or ids_now().get("request", ""),
            "conversation": conversation,
            "turn": id_,
        }
        began = time.perf_counter()
        about = {"cloche.turn": id_, "cloche.channel": channel}
        with logged(**ids), span("turn", {**about, "gen_ai.conversation.id": conversation}) as now:
            try:
                turn = await self._assistant.handle(message, on_delta)
            except BaseException:
                self._begun[id_] = _Begun(ids, Seen({"turn": time.perf_counter() - began}))
                raise
            now.note({"cloche.failure": turn.report.failure, "cloche.memory": turn.report.degraded})
        answered = _Answered(turn, ids, now, time.perf_counter() - began)
        return replace(turn, afterwards=partial(self._afterwards, answered), span=now)

    async def overhear(self, message: Message) -> None:
        """Listen."""
        await self._assistant.overhear(message)

    async def broken_off(self, message: Message, why: BrokenOff) -> Usage:
        """Ask the assistant; a turn that was not answered is over by that, and told of."""
        usage = await self._assistant.broken_off(message, why)
        if begun := self._begun.pop(turn_id(message.address, message.place, message.id), None):
            failure = begun.seen.failure if begun.answered else why
            seen = replace(begun.seen, failure=failure, usage=begun.seen.usage + usage)
            with logged(**begun.ids):
                self._told(seen)
        return usage

    async def language_of(self, message: Message) -> str:
        """Ask the assistant."""
        return await self._assistant.language_of(message)

    async def _afterwards(self, answered: _Answered) -> Remembered:
        """What follows a turn; it begins when the reply is shown, or has to wait."""
        began, remembered = time.perf_counter(), Remembered()
        turn, about = answered.turn, {"cloche.turn": answered.turn.id}
        passed("send", answered.at, about, of=answered.span)
        with logged(**answered.ids):
            try:
                with span("afterwards", about, of=answered.span):
                    remembered = await turn.afterwards()
            except BaseException:
                seen = _seen(answered, remembered, began)
                self._begun[turn.id] = _Begun(answered.ids, seen, answered=True)
                raise
            self._told(_seen(answered, remembered, began))
            return remembered

    def _told(self, seen: Seen) -> None:
        usage = seen.usage
        fields = {
            "agent": seen.agent,
            "failure": seen.failure,
            "memory": seen.degraded,
            "milliseconds": {step: round(each * 1000, 1) for step, each in seen.seconds.items()},
            "tokens": [usage.input_tokens, usage.cache_read_tokens, usage.output_tokens],
        }
        logger.info("a turn is over", extra={"fields": fields})
        for tell in self._tell:
            tell(seen)


def _seen(answered: _Answered, remembered: Remembered, followed: float) -> Seen:
    """A turn, and what followed it from an instant on until now."""
    report = answered.turn.report
    seconds = {
        "turn": answered.took,
        "send": followed - answered.then,
        "afterwards": time.perf_counter() - followed,
    }
    return Seen(
        seconds={**report.seconds, **seconds},
        agent=report.agent,
        failure=report.failure,
        degraded=report.degraded,
        recalled=len(report.recalled),
        tool_calls=len(report.tool_uses),
        usage=report.usage + remembered.usage,
    )
