"""Which tool a sentence asks for, by the templates that skills declare in ``examples.yaml``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from cloche.state.store import Json
from cloche.tools.hearing import Hear
from cloche.utterances.templates import fit, parse_template
from cloche.words import split

MAX_CHARS: Final = 4_000
"""Longer texts are no requests to a tool (a Telegram message has at most 4,096)."""

REFERENCE: Final = re.compile(r"\{([a-z][a-z0-9_]*)\}")
"""A slot inside a text of ``arguments`` or ``answer``."""


@dataclass(frozen=True, slots=True)
class Example:
    """How people ask for one tool.

    Attributes:
        tool: Name of the tool.
        say: Templates by language.
        arguments: What the tool is called with; texts may hold ``{slots}``. An argument whose slot
            stands in an optional part that was not said is left out.
        values: A value for each slot, to try the templates with.
        answer: Pieces that the tool's answer to such a try contains; may hold ``{slots}``.
        after: By language, words of the assistant's question that ``say`` answers; {} = said at any
            time.
        hear: Where the tool understands words by itself: ``say`` are then no templates, but
            sentences to try it with. With ``after`` they complete what was asked for before.
    """

    tool: str
    say: Mapping[str, tuple[str, ...]]
    arguments: Mapping[str, Json] = field(default_factory=lambda: MappingProxyType({}))
    values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    answer: tuple[str, ...] = ()
    after: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    hear: Hear | None = None

    def fits_after(self, before: str) -> bool:
        """Whether it may be said now, the assistant's last words being these."""
        return not self.after or any(asked in before for asked in self.after.values())


@dataclass(frozen=True, slots=True)
class Match:
    """The tool a sentence asks for, and what to call it with.

    Attributes:
        tool: Name of the tool.
        arguments: What to call it with.
        answers: True when it answers a question of the assistant's.
        only_asks: True when the sentence tells nothing beside: a template without a slot fits it.
        completes: True when its arguments are only what the call that was asked for before lacked.
    """

    tool: str
    arguments: dict[str, Json]
    answers: bool = field(default=False, compare=False)
    only_asks: bool = field(default=False, compare=False)
    completes: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Trial:
    """A sentence made of a template and the example's values, and what it must be taken for."""

    language: str
    text: str
    expected: Match
    answer: tuple[str, ...]
    before: str = ""


def match(examples: Iterable[Example], text: str, before: str = "") -> Match | None:
    """The call a sentence asks for, or None; ``before`` are the assistant's last words.

    Of several templates that fit, the one with most literal text wins, then the first declared;
    where none fits, the first tool that understands the words by itself.
    """
    examples = [each for each in examples if each.fits_after(before)]
    if len(text) > MAX_CHARS or not (said := split(text)).words:
        return None
    present = frozenset(word.folded for word in said.words)
    best: tuple[int, Example, dict[str, str]] | None = None
    for example in (each for each in examples if not each.hear):
        for _, template in _templates(example):
            parsed = parse_template(template, alone=not example.after)
            if not parsed.required <= present:
                continue
            found = fit(parsed, said)
            if found is not None and (best is None or found[0] > best[0]):
                best = (found[0], example, found[1])
    if best is None:
        return _heard(examples, text)
    return Match(
        best[1].tool,
        _arguments(best[1], best[2]),
        answers=bool(best[1].after),
        only_asks=not best[2],
    )


def _heard(examples: Iterable[Example], text: str) -> Match | None:
    """The call of the first tool that understands the words by itself."""
    for each in {each.tool: each for each in examples if each.hear}.values():
        if each.hear and (arguments := each.hear(text)) is not None:
            late = bool(each.after)
            return Match(each.tool, dict(arguments), answers=late, completes=late)
    return None


def trials(example: Example) -> Iterator[Trial]:
    """Sentences to try an example with: each template without its optional parts and with them.

    Of choices, the first is taken.
    """
    for language, template in _templates(example):
        if example.hear:
            expected = Match(example.tool, dict(example.hear(template) or {}))
            before = example.after.get(language, "")
            yield Trial(language, template, expected, example.answer, before)
            continue
        for whole in (True, False):
            text, slots = _fill(template, example.values, optional=whole)
            answer = tuple(_replace(piece, slots) for piece in example.answer)
            expected = Match(example.tool, _arguments(example, slots))
            if whole or text != _fill(template, example.values, optional=True)[0]:
                yield Trial(language, text, expected, answer, example.after.get(language, ""))


def misunderstood(examples: Sequence[Example]) -> tuple[str, ...]:
    """What an author must mend: sentences of the examples that are taken for something else."""
    return tuple(
        f"{trial.text!r} ({trial.language}) should be {trial.expected}, but is taken for "
        f"{match(examples, trial.text, trial.before)}"
        for example in examples
        for trial in trials(example)
        if match(examples, trial.text, trial.before) != trial.expected
    )


def _templates(example: Example) -> Iterator[tuple[str, str]]:
    for language, templates in example.say.items():
        for template in templates:
            yield language, template


def _arguments(example: Example, slots: Mapping[str, str]) -> dict[str, Json]:
    return {
        name: _replace(value, slots) if isinstance(value, str) else value
        for name, value in example.arguments.items()
        if not isinstance(value, str) or set(REFERENCE.findall(value)) <= set(slots)
    }


def _replace(text: str, slots: Mapping[str, str]) -> str:
    return REFERENCE.sub(lambda found: slots.get(found[1], found[0]), text)


def _fill(
    template: str, values: Mapping[str, str], *, optional: bool
) -> tuple[str, dict[str, str]]:
    first_choice = r"\1" if optional else ""
    kept = re.sub(r"\[([^\[\]|]*)[^\[\]]*\]", first_choice, template)
    slots = {name: values[name] for name in REFERENCE.findall(kept)}
    return " ".join(_replace(kept, slots).split()), slots
