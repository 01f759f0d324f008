"""Which tool the stand-in calls, from what was said and asked. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cloche.llm.demo.seen import Asked, Seen
from cloche.state.store import Json
from cloche.utterances import Example, Match, match
from cloche.utterances.several import Request, requests_in


@dataclass(frozen=True, slots=True)
class Call:
    """A tool to call instead of an answer."""

    tool: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one request.

    Attributes:
        words: What asked for it.
        text: What the tool told; "" where no tool is for the words.
        perhaps: True where a tool that the words may have been for has nothing of the kind.
        first: True where it must not stand below what others tell.
        joined: True for words that no tool is for, in one sentence with what one was called for.
    """

    words: str
    text: str = ""
    perhaps: bool = False
    first: bool = False
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the calls for what was said have come.

    Attributes:
        next: What is to be called now; None = nothing more.
        outcomes: What came of each request so far, in order.
    """

    next: Call | None
    outcomes: tuple[Outcome, ...] = ()


def progress(seen: Seen, examples: Sequence[Example]) -> Progress:
    """What is called for the words, one call after another: each clause that asks has its own.

    Where a tool says that it has nothing of the kind, the next one that the words may be for is
    tried; where none has, the first one's answer is told.
    """
    offered = _offered(seen, examples)
    asked = _wanted(offered, seen.talk)
    first = {example.tool for example in offered if example.first}
    results, outcomes = list(seen.results), list[Outcome]()
    for request in asked:
        outcome = Outcome(request.words, joined=request.joined)
        for way in request.ways:
            if not results:
                return Progress(_call(way), tuple(outcomes))
            result = results.pop(0)
            if not result.absent:
                pressing = way.tool in first
                outcome = Outcome(request.words, result.text or " ", first=pressing)
                break  # done, or it asks, or says why not
            outcome = outcome if outcome.text else Outcome(request.words, result.text, not way.firm)
        outcomes.append(outcome)
    if not results and len(seen.results) == 1 and (call := _taken_up(seen, offered)):
        return Progress(call, tuple(outcomes))
    if results:  # of what was taken up
        return Progress(None, tuple(Outcome(seen.words, result.text) for result in results))
    return Progress(None, tuple(outcomes))


def _taken_up(seen: Seen, offered: Sequence[Example]) -> Call | None:
    """What was asked for before a question of ours was answered: now it can be done."""
    answer = match(offered, seen.words, seen.asked)
    if answer is None or not answer.answers or (answer.completes and not _is_call(answer)):
        return None
    earlier = _wanted(offered, seen.talk[:-1])
    return _call(earlier[0].ways[0]) if earlier and earlier[0].ways else None


def _offered(seen: Seen, examples: Sequence[Example]) -> list[Example]:
    return [example for example in examples if example.tool in seen.tools]


def _call(found: Match) -> Call:
    return Call(found.tool, found.arguments)


def _wanted(offered: Sequence[Example], talk: Sequence[Asked]) -> tuple[Request, ...]:
    """What the last words of a talk ask for, with what they complete."""
    if not talk:
        return ()
    found = requests_in(offered, talk[-1].words, talk[-1].asked)
    return tuple(
        replace(request, ways=tuple(_whole(offered, talk, request.ways))) for request in found
    )


def _whole(
    offered: Sequence[Example], talk: Sequence[Asked], ways: Sequence[Match]
) -> Iterator[Match]:
    for way in ways:
        if not way.completes:
            yield way
            continue
        earlier = _wanted(offered, talk[:-1])
        last = next((one.ways[0] for one in reversed(earlier) if one.ways), None)
        if whole := _completed(last, way):
            yield whole
        elif _is_call(way):
            yield way


def _is_call(answer: Match) -> bool:
    """True for an answer that lacks nothing, so that it is a call of its own (where one lives)."""
    return all(answer.arguments.values())


def _completed(earlier: Match | None, answer: Match) -> Match | None:
    """The call asked for before with the answer's arguments; None where none was, or another.

    A text that was there already goes on in a new line.
    """
    said = {name: value for name, value in answer.arguments.items() if value}
    if earlier is None or (
        earlier.tool != answer.tool and not said.keys() <= earlier.arguments.keys()
    ):
        return None
    arguments = dict(earlier.arguments)
    for name, value in said.items():
        known = arguments.get(name, "")
        if isinstance(known, str) and isinstance(value, str):
            arguments[name] = f"{known}\n{value}".strip()
    return replace(earlier, arguments=arguments)
