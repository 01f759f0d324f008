"""Which tool the stand-in calls, from what was said and asked. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cloche.llm.demo.seen import Asked, Seen
from cloche.memory.extraction.sentences import sentences
from cloche.state.store import Json
from cloche.utterances import Example, Match, match


@dataclass(frozen=True, slots=True)
class Call:
    """A tool to call instead of an answer."""

    tool: str
    arguments: Mapping[str, Json]


def called_for(seen: Seen, examples: Sequence[Example]) -> Call | None:
    """The call that the words, or one sentence of them, ask for."""
    return _call(_wanted(_offered(seen, examples), seen.talk))


def taken_up(seen: Seen, examples: Sequence[Example]) -> Call | None:
    """What was asked for before a question of ours was answered: now it can be done."""
    offered = _offered(seen, examples)
    answer = match(offered, seen.words, seen.asked)
    if answer is None or not answer.answers or answer.completes:
        return None
    return _call(_wanted(offered, seen.talk[:-1]))


def _offered(seen: Seen, examples: Sequence[Example]) -> list[Example]:
    return [example for example in examples if example.tool in seen.tools]


def _call(found: Match | None) -> Call | None:
    return Call(found.tool, found.arguments) if found else None


def _wanted(offered: Sequence[Example], talk: Sequence[Asked]) -> Match | None:
    """What the last words of a talk ask for, with what they complete."""
    if not talk:
        return None
    words = talk[-1].words
    for text in (words, *(sentence.text for sentence in sentences(words))):
        found = match(offered, text, talk[-1].asked)
        if found and found.completes:
            found = _completed(_wanted(offered, talk[:-1]), found)
        if found:
            return found
    return None


def _completed(earlier: Match | None, answer: Match) -> Match | None:
    """The call asked for before with the answer's arguments; None where none was, or another.

    A text that was there already goes on in a new line.
    """
    if earlier is None or earlier.tool != answer.tool:
        return None
    arguments = dict(earlier.arguments)
    for name, value in answer.arguments.items():
        known = arguments.get(name, "")
        if isinstance(known, str) and isinstance(value, str):
            arguments[name] = f"{known}\n{value}".strip()
    return replace(earlier, arguments=arguments)
