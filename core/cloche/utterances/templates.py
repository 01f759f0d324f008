"""Templates of what people say: how they are read, and how a sentence fits one.

A template is literal words with ``{slots}`` and ``[optional parts]``, which may offer choices:
``[please] put [the|my] {thing} on the list``. Case, accents, width (full or half), spaces and
punctuation do not count; words do: a slot takes whole words, at least one, as few as the rest
allows, in the person's own spelling. Chinese characters are words of their own. The whole
sentence must fit. Between two slots there must be a word or a punctuation mark; that mark then
counts.

Matching walks each pair (place in the template, word of the sentence) at most once, so no
sentence can make it slow.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from cloche.words import Said, spelling, split

_PIECE: Final = re.compile(r"(\{[^{}]*\})|([\[\]|])|([^{}\[\]|]+|[{}])")
_SLOT: Final = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Literal:
    """A word that must be said."""

    word: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A punctuation mark that must stand between two slots."""

    char: str


@dataclass(frozen=True, slots=True)
class SlotStart:
    """Takes one word for a slot."""

    name: str


@dataclass(frozen=True, slots=True)
class SlotMore:
    """Leaves the slot, or takes one more word for it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Goes on at one of several steps: the first of each choice, at last behind them all."""

    steps: tuple[int, ...]


Step = Literal | Mark | SlotStart | SlotMore | Choice


@dataclass(frozen=True, slots=True)
class Template:
    """A template as steps, the words every match has, its slots (True = always said)."""

    steps: tuple[Step, ...]
    required: frozenset[str]
    slots: Mapping[str, bool]


@lru_cache(maxsize=4096)
def parse_template(text: str, *, alone: bool = True) -> Template:
    """Read a template.

    Args:
        text: What an author wrote.
        alone: False where it is only looked at after a question, so that it may fit any answer.

    Raises:
        ValueError: it is not one; the message says what to change.
    """
    builder = _Builder()
    pieces = _PIECE.findall(text)
    for at, (slot, bracket, literal) in enumerate(pieces):
        if bracket == "[":
            builder.open()
        elif bracket == "|":
            builder.next_choice()
        elif bracket == "]":
            builder.close()
        elif literal:
            between = at + 1 < len(pieces) and bool(pieces[at + 1][0]) and builder.after_slot
            builder.literal(literal, between_slots=between)
        else:
            builder.slot(slot[1:-1])
    return builder.template(alone=alone)


class _Builder:
    """Steps of a template as its pieces are read, with what is wrong about them."""

    def __init__(self) -> None:
        self.after_slot = False
        self._steps: list[Step] = []
        self._slots: dict[str, bool] = {}
        self._required: set[str] = set()
        self._opened: int | None = None
        self._choices: list[int] = []

    def open(self) -> None:
        if self._opened is not None:
            raise ValueError("an optional part stands inside another: close it with ']' first")
        self._opened = len(self._steps)
        self._steps.append(Choice(()))
        self._choices = [len(self._steps)]

    def next_choice(self) -> None:
        if self._opened is None:
            raise ValueError("'|' stands outside an optional part: write [one|other]")
        self._steps.append(Choice(()))  # from the end of a choice to behind them all
        self._choices.append(len(self._steps))

    def close(self) -> None:
        if self._opened is None:
            raise ValueError("']' closes nothing: open the optional part with '['")
        behind = len(self._steps)
        self._steps[self._opened] = Choice((*self._choices, behind))
        for start in self._choices[1:]:
            self._steps[start - 1] = Choice((behind,))
        self._opened = None

    def literal(self, text: str, *, between_slots: bool) -> None:
        if text in ("{", "}"):
            raise ValueError("'{' and '}' must be a pair around the name of a slot")
        said = split(text)
        self._steps += [Literal(word.folded) for word in said.words]
        if self._opened is None:
            self._required.update(word.folded for word in said.words)
        if said.words:
            self.after_slot = False
        elif between_slots and said.marks[0]:
            self._steps.append(Mark(said.marks[0][0]))

    def slot(self, name: str) -> None:
        if not _SLOT.fullmatch(name):
            raise ValueError(f"{{{name}}} is no slot: use a-z, 0-9 and '_'")
        if name in self._slots:
            raise ValueError(f"{{{name}}} stands there twice: name each slot once")
        self._slots[name] = self._opened is None
        self._steps += [SlotStart(name), SlotMore()]
        self.after_slot = True

    def template(self, *, alone: bool) -> Template:
        if self._opened is not None:
            raise ValueError("an optional part is not closed: add ']'")
        if alone and not self._required:
            raise ValueError("it would fit anything: put a word outside slots and optional parts")
        if any(isinstance(s, SlotMore) and self._touches(i + 1) for i, s in enumerate(self._steps)):
            raise ValueError("two slots touch: put a word or a mark such as ':' between them")
        return Template(
            tuple(self._steps), frozenset(self._required), MappingProxyType(self._slots)
        )

    def _touches(self, at: int) -> bool:
        if at == len(self._steps):
            return False
        step = self._steps[at]
        if isinstance(step, Choice):
            return any(self._touches(target) for target in step.steps)
        return isinstance(step, SlotStart)


_State = tuple[int, int]
"""A place in the template's steps and the number of words used up to there."""


def fit(template: Template, said: Said) -> tuple[int, dict[str, str]] | None:
    """How much literal text a fit has, and what its slots took; None when it does not fit."""
    literal, slots, opened = 0, dict[str, str](), 0
    path = _path(template.steps, said)
    for at, used in path:
        step = template.steps[at] if at < len(template.steps) else None
        if isinstance(step, Literal):
            literal += len(step.word)
        elif isinstance(step, SlotStart):
            name, opened = step.name, used
        elif isinstance(step, SlotMore):
            slots[name] = spelling(said, opened, used)  # the last visit of the step counts
    return (literal, slots) if path else None


def _path(steps: tuple[Step, ...], said: Said) -> list[_State]:
    """The first way through in order of preference, walking each state once; empty if none."""
    came_from: dict[_State, _State | None] = {}
    waiting: list[tuple[_State, _State | None]] = [((0, 0), None)]
    while waiting:
        state, previous = waiting.pop()
        if state in came_from:
            continue
        came_from[state] = previous
        if state == (len(steps), len(said.words)):
            return _walked_back(came_from, state)
        if state[0] < len(steps):
            waiting += [(after, state) for after in reversed(_next(steps, said, *state))]
    return []


def _next(steps: tuple[Step, ...], said: Said, at: int, used: int) -> list[_State]:
    """Where a state leads, the preferred way first."""
    step, left = steps[at], used < len(said.words)
    if isinstance(step, Literal):
        return [(at + 1, used + 1)] if left and said.words[used].folded == step.word else []
    if isinstance(step, Mark):
        return [(at + 1, used)] if step.char in said.marks[used] else []
    if isinstance(step, SlotStart):
        return [(at + 1, used + 1)] if left else []
    if isinstance(step, SlotMore):
        return [(at + 1, used), (at, used + 1)] if left else [(at + 1, used)]
    return [(target, used) for target in step.steps]


def _walked_back(came_from: Mapping[_State, _State | None], last: _State) -> list[_State]:
    path: list[_State] = []
    state: _State | None = last
    while state is not None:
        path.append(state)
        state = came_from[state]
    return path[::-1]
