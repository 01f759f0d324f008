"""Whether one sentence of a person is worth keeping, and as what. Pure; one language at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cloche.memory.extraction.rules.language_rules import LanguageRules, bare
from cloche.memory.extraction.timebound import names_an_end
from cloche.memory.records import Kind
from cloche.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Kept:
    """A sentence worth keeping.

    Attributes:
        kind: What it is.
        confidence: 0-1.
        importance: 1-5.
        outsider: Whom it is about when they do not live with the person ("my neighbour"): what is
            theirs is not the person's.
        firm: True when the sentence says by itself that it is about the person or theirs.
    """

    kind: Kind
    confidence: float
    importance: int = 3
    outsider: str = ""
    firm: bool = True


Verdict = Kept | Literal["asked", "ordered", "refused", "nothing"]
"""Kept; a question, of which a part may be a statement; a command; refused; or nothing to keep."""


@dataclass(frozen=True, slots=True)
class _Said:
    """Bare words and what the vocabulary makes of them."""

    words: str
    named: bool
    """Names any value of the vocabulary."""
    thing: bool
    """Names one of an open key: a thing, where closed keys only say of which sort."""
    fleeting: bool
    """Is of the day only: nothing of lasting effect was done."""


def judge(text: str, rules: LanguageRules, vocabulary: Vocabulary) -> Verdict:
    """What to do with a sentence of that language."""
    words = bare(text, rules)
    if not words:
        return "nothing"
    given = rules.remember.match(words)
    if given:
        words = bare(words[given.end() :], rules)
    if answer := _asked(words, rules, given=bool(given)):
        return answer
    mentions = vocabulary.mentions(text)
    said = _Said(
        words,
        named=bool(mentions),
        thing=any(not vocabulary[key_id].closed for key_id in mentions),
        fleeting=bool(rules.passing.search(words)) and not rules.lasting.search(words),
    )
    verdict = _stated(said, rules)
    if given and words and verdict == "nothing":
        return Kept("fact", 0.8, 4)
    return verdict


def _asked(words: str, rules: LanguageRules, *, given: bool) -> Verdict | None:
    """A question, a command, or a standing wish, which is a command worth keeping."""
    if rules.rule.search(words):
        return Kept("rule", 0.9, 5)
    question = words.rstrip(" .!)\"'\u201d\u2026~").endswith("?")
    if question or rules.question.search(words):
        return "asked"
    if not given and rules.command.match(words) and not rules.identity.match(words):
        return "ordered"
    return None


def _stated(said: _Said, rules: LanguageRules) -> Verdict:
    words = said.words
    if rules.imagined.search(words):
        return "refused"
    wondering = rules.wondering.search(words)
    if wondering and not (said.named and (wondering.start() or rules.possessive.search(words))):
        return "refused"
    if heard := rules.hearsay.search(words):
        return _heard(words[: heard.start()], words[heard.end() :], rules)
    personal = any(p.search(words) for p in (rules.personal, rules.identity, rules.preference))
    others = rules.others.match(words)
    if others and (personal or said.named):
        subject = next((group for group in others.groups() if group), "")
        return _about_others(said, subject, rules)
    return _about_them(said, rules) if personal else _described(said, rules)


def _heard(before: str, after: str, rules: LanguageRules) -> Verdict:
    """Hearsay: kept as a fact when it is about what is theirs, never as their preference."""
    if rules.own.search(after) or rules.possessive.search(before):
        return Kept("fact", 0.6)
    return "refused"


def _about_others(said: _Said, subject: str, rules: LanguageRules) -> Verdict:
    """Somebody else is the subject: a fact, whatever that person likes."""
    of_the_day = said.fleeting or rules.chatter.search(said.words)
    if not said.thing and of_the_day and not names_an_end(said.words):
        return "refused"
    return Kept("fact", 0.6, 2, subject if rules.outsiders.search(subject) else "")


def _about_them(said: _Said, rules: LanguageRules) -> Verdict:
    """The person speaks of themselves or of what is theirs."""
    words = said.words
    lasting = bool(rules.lasting.search(words))
    for_good = lasting or bool(rules.habitual.search(words))
    if rules.identity.search(words):
        return Kept("fact", 0.9, 4)
    owned = bool(rules.possessive.search(words))
    telling = said.thing or (said.named and owned and not said.fleeting)
    if rules.chatter.search(words) and not for_good and not telling:
        # What holds until a day that is named is worth knowing until then, and goes by itself.
        return Kept("fact", 0.6) if names_an_end(words) else "refused"
    if rules.preference.search(words) or rules.fragment_preference.match(words):
        return Kept("preference", 0.9, 4)
    if rules.decision.search(words):
        return Kept("decision", 0.9, 4)
    if rules.other_sense.search(words) and not lasting:
        return "refused"
    if said.fleeting and not said.thing and not names_an_end(words):
        return "refused"
    firm = owned or said.named
    return Kept("fact", 0.8 if firm else 0.6, firm=firm)


def _described(said: _Said, rules: LanguageRules) -> Verdict:
    """Nobody is named as its owner: kept when it describes something that lasts."""
    words = said.words
    described = bool(rules.stative.match(words))
    of_the_day = rules.weather.search(words) and not rules.habitual.search(words)
    if of_the_day and not (described and said.thing):
        return "refused"
    if rules.other_sense.search(words) and not rules.lasting.search(words):
        return "refused"
    if not said.thing and (said.fleeting or rules.chatter.search(words)):
        return "refused"
    if rules.fragment_preference.match(words):
        return Kept("preference", 0.8, 4)
    if said.named:
        return Kept("fact", 0.8 if described else 0.7, firm=described)
    if described or rules.measure.search(words):
        return Kept("fact", 0.5, firm=False)
    return "nothing"
