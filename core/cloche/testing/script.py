"""What a fake model answers: the vocabulary that the fake servers and ``FakeModel`` share.

A script is a list of answers, one per model call, or a function of the call::

    [call("look_up", word="sun"), say("It is a star."), fault(429), say("Here I am again.")]

    def script(asked: Asked) -> Answer:
        return say(f"You said: {asked.words}")

One answer may say something and call tools: ``[say("A moment."), call("look_up", word="sun")]``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from cloche.state.store import Json

Stop = Literal["end", "length", "filter"]
Trouble = Literal["slow", "cut", "truncated", "empty"]

PIECE_CHARS: Final = 7
"""Streamed text is handed out in pieces of this many characters: words and marks get split."""


@dataclass(frozen=True, slots=True)
class Say:
    """Text of an answer.

    Attributes:
        text: The text.
        stop: Why the model ended: done, out of tokens, filtered.
        pause: Seconds between its pieces where it is streamed.
    """

    text: str
    stop: Stop = "end"
    pause: float = 0.0


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call; ``raw`` replaces the arguments' JSON where a test wants it broken."""

    tool: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong instead of an answer.

    Attributes:
        status: HTTP status of an error answer, or 0.
        trouble: ``slow`` answers nothing until the client goes away; ``cut`` drops the connection
            half-way; ``truncated`` ends half-way, but politely; ``empty`` answers nothing at all.
        message: The text the error carries.
        retry_after: Seconds for a Retry-After header, or None.
        midway: True to send the error, or to fall silent, inside a stream that has begun.
    """

    status: int = 0
    trouble: Trouble | None = None
    message: str = "scripted fault"
    retry_after: float | None = None
    midway: bool = False


Answer = Say | Call | Fault | Sequence[Say | Call]


@dataclass(frozen=True, slots=True)
class Asked:
    """One model call as a script sees it, whatever the provider's wire format.

    Attributes:
        number: 1 for the first call this server or model got.
        model: The model asked for.
        stream: True when the answer is to be streamed.
        system: The instructions.
        words: The text of the last user message, blocks joined by line breaks.
        tools: Names of the tools offered, in order.
        results: Texts of the tool results in the last message, in order.
        images: Media types of the images in the last user message.
    """

    number: int
    model: str
    stream: bool
    system: str
    words: str
    tools: tuple[str, ...]
    results: tuple[str, ...]
    images: tuple[str, ...]


Script = Callable[[Asked], Answer] | Sequence[Answer]


def say(text: str, *, stop: Stop = "end", pause: float = 0.0) -> Say:
    """The model says ``text``, slowly where there is a ``pause`` between its pieces."""
    return Say(text, stop, pause)


def call(tool: str, /, **arguments: Json) -> Call:
    """The model calls a tool with these arguments."""
    return Call(tool, arguments)


def fault(
    what: int | Trouble,
    message: str = "scripted fault",
    *,
    retry_after: float | None = None,
    midway: bool = False,
) -> Fault:
    """Something goes wrong: an HTTP status, or a trouble that ``Fault`` names."""
    if isinstance(what, int):
        return Fault(status=what, message=message, retry_after=retry_after, midway=midway)
    return Fault(trouble=what, message=message, midway=midway)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer, taken apart for a wire format.

    Attributes:
        text: What is said, before the calls.
        calls: The tool calls, in order.
        stop: Why the model ended: ``tools`` when it calls any.
        pause: Seconds between the pieces of a stream.
    """

    text: str
    calls: tuple[Call, ...]
    stop: Literal["end", "length", "filter", "tools"]
    pause: float = 0.0

    @property
    def pieces(self) -> tuple[str, ...]:
        """The text as it is streamed."""
        return tuple(
            self.text[start : start + PIECE_CHARS]
            for start in range(0, len(self.text), PIECE_CHARS)
        )


class Player:
    """Plays a script: one answer per call, in order.

    A list that has run out answers with status 500 and a message that says so, so that a test
    fails where it went wrong.
    """

    def __init__(self, script: Script, faults: Mapping[int, Fault] | None = None) -> None:
        """Take the script and faults by call number; a fault uses up no answer of a list."""
        self._script = script
        self._faults = dict(faults or {})
        self._given = 0

    def answer(self, asked: Asked) -> Reply | Fault:
        """What this call gets."""
        if asked.number in self._faults:
            return self._faults[asked.number]
        answer = self._next(asked)
        if isinstance(answer, Fault):
            return answer
        parts = [answer] if isinstance(answer, Say | Call) else list(answer)
        said = [part for part in parts if isinstance(part, Say)]
        calls = tuple(part for part in parts if isinstance(part, Call))
        stop: Stop = next((part.stop for part in said if part.stop != "end"), "end")
        return Reply(
            text="".join(part.text for part in said),
            calls=calls,
            stop="tools" if calls and stop == "end" else stop,
            pause=max((part.pause for part in said), default=0.0),
        )

    def _next(self, asked: Asked) -> Answer:
        if callable(self._script):
            return self._script(asked)
        if self._given >= len(self._script):
            return fault(
                500, f"the script has {len(self._script)} answers, call {asked.number} none"
            )
        self._given += 1
        return self._script[self._given - 1]
