"""Whether one sentence of a person is worth keeping, and as what. Pure; one language at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cloche.memory.extraction.rules.language_rules import LanguageRules, bare
from cloche.memory.records import Kind
from cloche.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Kept:
    """A sentence worth keeping.

    Attributes:
        kind: What it is.
        confidence: 0-1.
        importance: 1-5.
        subject: Whom it is about when that is somebody else.
        outsider: True when that somebody does not live with the person: what is theirs is not
            the person's.
        firm: True when the sentence says by itself that it is about the person or theirs.
    """

    kind: Kind
    confidence: float
    importance: int = 3
    subject: str = ""
    outsider: bool = False
    firm: bool = True


Verdict = Kept | Literal["asked", "refused", "nothing"]
"""Kept; a question or command, of which a part may be a statement; refused; or nothing to keep."""


def judge(text: str, rules: LanguageRules, vocabulary: Vocabulary) -> Verdict:
    """What to do with a sentence of that language."""
    said = bare(text, rules)
    if not said:
        return "nothing"
    given = rules.remember.match(said)
    if given:
        said = bare(said[given.end() :], rules)
    named = bool(vocabulary.mentions(text))
    if asked := _asked(said, rules, given=bool(given)):
        return asked
    if rules.imagined.search(said):
        return "refused"
    if rules.wondering.search(said) and not (named and rules.possessive.search(said)):
        return "refused"
    if heard := rules.hearsay.search(said):
        return _heard(said, heard.start(), heard.end(), rules)
    verdict = _judge_statement(said, rules, named=named)
    if given and said and not isinstance(verdict, Kept):
        return Kept("fact", 0.8, 4)
    return verdict


def _asked(said: str, rules: LanguageRules, *, given: bool) -> Verdict | None:
    """A question, a command, or a standing wish, which is a command worth keeping."""
    question = said.rstrip(" .!)\"'\u201d\u2026~").endswith("?")
    if question or rules.question.search(said):
        return "asked"
    if rules.rule.search(said):
        return Kept("rule", 0.9, 5)
    if not given and rules.command.match(said):
        return "asked"
    return None


def _heard(said: str, start: int, end: int, rules: LanguageRules) -> Verdict:
    """Hearsay: kept as a fact when it is about what is theirs, never as their preference."""
    before, after = said[:start], said[end:]
    if rules.own.search(after) or rules.possessive.search(before):
        return Kept("fact", 0.6)
    return "refused"


def _judge_statement(said: str, rules: LanguageRules, *, named: bool) -> Verdict:
    personal = rules.personal.search(said)
    others = rules.others.match(said)
    fleeting = bool(rules.passing.search(said)) and not rules.lasting.search(said)
    if others and (personal or named):
        if fleeting and not named:
            return "refused"
        subject = next((group for group in others.groups() if group), "")
        outsider = bool(rules.outsiders.search(subject))
        return Kept("fact", 0.6, 2, subject, outsider)
    if personal:
        return _judge_personal(said, rules, named=named, fleeting=fleeting)
    if rules.weather.search(said) and not rules.habitual.search(said):
        return "refused"
    if rules.fragment_preference.match(said) and not fleeting:
        return Kept("preference", 0.8, 4)
    if rules.meal.search(said) and not rules.lasting.search(said):
        return "refused"
    described = rules.stative.match(said)
    if named:
        return Kept("fact", 0.8 if described else 0.7, firm=bool(described))
    if (described or rules.measure.search(said)) and not fleeting:
        return Kept("fact", 0.5, firm=False)
    return "nothing"


def _judge_personal(said: str, rules: LanguageRules, *, named: bool, fleeting: bool) -> Verdict:
    if rules.identity.search(said) and not rules.chatter.match(said):
        return Kept("fact", 0.9, 4)
    if not named and rules.chatter.search(said) and not rules.lasting.search(said):
        return "refused"
    if rules.preference.search(said):
        return Kept("preference", 0.9, 4)
    if rules.decision.search(said):
        return Kept("decision", 0.9, 4)
    if rules.meal.search(said) and not rules.lasting.search(said):
        return "refused"
    if fleeting and not named:
        return "refused"
    owned = bool(rules.possessive.search(said))
    return Kept("fact", 0.8 if owned or named else 0.6, firm=owned or named)
