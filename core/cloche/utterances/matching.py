"""Which tool a sentence asks for, by the templates that skills declare in ``examples.yaml``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from cloche.state.store import Json
from cloche.tools.hearing import Hear
from cloche.utterances.questions import asks, names_a_thing, told_by_itself, told_by_template
from cloche.utterances.templates import fit, parse_template
from cloche.vocabulary import CJK
from cloche.words import Said, split

MAX_CHARS: Final = 4_000
"""Longer texts are no requests to a tool (a Telegram message has at most 4,096)."""

REFERENCE: Final = re.compile(r"\{([a-z][a-z0-9_]*)\}")
"""A slot inside a text of ``arguments`` or ``answer``."""
_KEEP: Final = re.compile(
    r"(?:please )?(?:log|record|note|track|write down|put down|apunta|anota|registra)\b"
    r"|(?:por favor )?(?:apunta|anota|registra)\b"
    r"|(?:[请請帮幫我] ?)*(?:记 ?(?:录|下|一 ?下)|記 ?錄)"
)


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
        exact: True where what it hears goes before templates with no more words of their own.
        first: True where what the tool tells must not stand below what others tell.
    """

    tool: str
    say: Mapping[str, tuple[str, ...]]
    arguments: Mapping[str, Json] = field(default_factory=lambda: MappingProxyType({}))
    values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    answer: tuple[str, ...] = ()
    after: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    hear: Hear | None = None
    exact: bool = False
    first: bool = False

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
        firm: True when it was asked for in words that are for the assistant ("remind me to"), not
            by a verb that may as well belong to what was said before it ("cancel the gym").
        swallows: True when a template's last slot took the end of the sentence, whatever it says.
    """

    tool: str
    arguments: dict[str, Json]
    answers: bool = field(default=False, compare=False)
    only_asks: bool = field(default=False, compare=False)
    completes: bool = field(default=False, compare=False)
    firm: bool = field(default=False, compare=False)
    swallows: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Trial:
    """A sentence made of a template and the example's values, and what it must be taken for."""

    language: str
    text: str
    expected: Match
    answer: tuple[str, ...]
    before: str = ""


def match(examples: Iterable[Example], text: str, before: str = "") -> Match | None:
    """The call a sentence asks for, or None; ``before`` are the assistant's last words."""
    return next(iter(matches(examples, text, before)), None)


def matches(examples: Iterable[Example], text: str, before: str = "") -> tuple[Match, ...]:
    """The calls that a sentence may ask for, one for each tool, the likeliest first.

    Of several templates that fit, the one with most literal text wins, then the first declared.
    What tools understand by themselves follows in the order of the tools; that of an exact one
    goes among the templates, by the words that it did not hand on.
    """
    examples = [each for each in examples if each.fits_after(before)]
    if len(text) > MAX_CHARS or not (said := split(text)).words:
        return ()
    found = [*_heard(examples, text, said), *_templates_that_fit(examples, said)]
    best: dict[str, tuple[int, Match]] = {}
    for literal, one, told in found:
        if not told and not _is_asked(examples, one.tool):
            continue  # a question in the form of what is told
        if one.tool not in best or literal > best[one.tool][0]:
            best[one.tool] = (literal, one)
    return tuple(one for _, one in sorted(best.values(), key=lambda each: -each[0]))


_Found = tuple[int, Match, bool]
"""How much literal text it has, the call, and whether its words are told rather than asked."""


def _is_asked(examples: Iterable[Example], tool: str) -> bool:
    """Whether a tool is one that is asked things: one of its examples is a question."""
    own = (each for each in examples if each.tool == tool)
    return any(
        asks(template if each.hear else _filled(template, each.values))
        for each in own
        for _, template in _templates(each)
    )


def _filled(template: str, values: Mapping[str, str]) -> str:
    """A template as it may be said; a slot that has no value says its name."""
    named = {name: name for name in REFERENCE.findall(template)}
    return _fill(template, named | dict(values), optional=False)[0]


def _templates_that_fit(examples: Iterable[Example], said: Said) -> Iterator[_Found]:
    present = frozenset(word.folded for word in said.words)
    for example in (each for each in examples if not each.hear):
        for _, template in _templates(example):
            parsed = parse_template(template, alone=not example.after)
            if not parsed.required <= present:
                continue
            if found := fit(parsed, said):
                told = True
                if not example.after:
                    if not names_a_thing(said.text, template, found[1]):
                        continue
                    told = told_by_template(said.text, template, found[1])
                match_ = Match(
                    example.tool,
                    _arguments(example, found[1]),
                    answers=bool(example.after),
                    only_asks=not found[1],
                    firm=_firm(parsed.required) or _told_to_us(said),
                    swallows=template.rstrip().endswith("}"),
                )
                yield found[0], match_, told


def _heard(examples: Iterable[Example], text: str, said: Said) -> Iterator[_Found]:
    """What tools understand by themselves, with how much text they took for words of their own."""
    for each in {each.tool: each for each in examples if each.hear}.values():
        if each.hear and (arguments := each.hear(text)) is not None:
            late = bool(each.after)
            found = Match(
                each.tool, dict(arguments), answers=late, completes=late, firm=_told_to_us(said)
            )
            told = late or told_by_itself(text)
            yield (_own_words(said, arguments) if each.exact else -1), found, told


def _own_words(said: Said, arguments: Mapping[str, Json]) -> int:
    """Letters of the words that no argument repeats."""
    left = Counter(word.folded for word in said.words)
    for value in arguments.values():
        if isinstance(value, str):
            left.subtract(word.folded for word in split(value).words)
    return sum(len(word) * count for word, count in left.items() if count > 0)


def _firm(literal: Collection[str]) -> bool:
    """Two words of its own, or one that says for whom ("recuérdame", 提醒我)."""
    written = [word for word in literal if not CJK.match(word)]
    return len(written) > 1 or len(literal) > 2 or any(word.endswith("me") for word in written)


def _told_to_us(said: Said) -> bool:
    """True where words begin with what one tells whoever keeps a log."""
    return bool(_KEEP.match(" ".join(word.folded for word in said.words)))


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
