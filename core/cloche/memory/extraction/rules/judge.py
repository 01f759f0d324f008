"""Whether one sentence of a person is worth keeping, and as what. Pure; one language at a time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from cloche.memory.extraction.rules.language_rules import LanguageRules, bare
from cloche.memory.extraction.timebound import names_an_end, says_a_day
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
        stated: False when others said it.
    """

    kind: Kind
    confidence: float
    importance: int = 3
    outsider: str = ""
    firm: bool = True
    stated: bool = True


Verdict = Kept | Literal["asked", "idle", "ordered", "refused", "nothing"]
"""Kept; a question, or mere talk, of which a part may be a statement; a command; refused; or
nothing to keep."""


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


HEARD: Final = 0.4
"""Confidence in what others say of the person or theirs."""
_JOINED: Final = re.compile(r"[,;]|\s(?:and|but|y|pero)\s")


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
    if not given and rules.idle.search(words) and not rules.imagined.search(words):
        return "idle"
    mentions = vocabulary.mentions(text)
    if mentions and _only_names(words, vocabulary):
        return "nothing"
    done = bool(rules.life.search(words) or (mentions and rules.lasting.search(words)))
    said = _Said(
        words,
        named=bool(mentions),
        thing=any(not vocabulary[key_id].closed for key_id in mentions),
        fleeting=bool(rules.passing.search(words)) and not (done or rules.habitual.search(words)),
    )
    verdict = _stated(said, rules)
    if given and words and verdict == "nothing":
        return Kept("fact", 0.8, 4)
    return verdict


def _only_names(words: str, vocabulary: Vocabulary) -> bool:
    """True for a name alone ("Harps!"): nothing is said of it."""
    name = words.strip(" .,:;!\u3002~")
    return len(name) <= 40 and any(key.is_spelling(name) for key in vocabulary.keys)


def _asked(words: str, rules: LanguageRules, *, given: bool) -> Verdict | None:
    """A question, a command, or a standing wish, which is a command worth keeping."""
    if not given and rules.of_memory.match(words):
        return "ordered"
    question = words.rstrip(" .!)\"'\u201d\u2026~").endswith("?")
    if question and rules.interrogative.match(words):
        return "asked"
    wish, heard = rules.rule.search(words), rules.hearsay.search(words)
    if wish and not (heard and heard.start() <= wish.start()):
        return Kept("rule", 0.9, 5)
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
    if rules.ahead.search(words):
        return Kept("fact", 0.7)
    personal = any(p.search(words) for p in (rules.personal, rules.identity, rules.preference))
    others = rules.others.match(words)
    if others and (personal or said.named):
        subject = next((group for group in others.groups() if group), "")
        about_us = any(match.end() > others.end() for match in rules.personal.finditer(words))
        return _about_others(said, subject, rules, about_us=about_us)
    return _about_them(said, rules) if personal else _described(said, rules)


def _heard(before: str, after: str, rules: LanguageRules) -> Verdict:
    """Hearsay: a fact that was not stated when it is about what is theirs, never a preference."""
    if rules.own.search(after) or rules.possessive.search(before):
        return Kept("fact", HEARD, stated=False)
    return "refused"


def _about_others(said: _Said, subject: str, rules: LanguageRules, *, about_us: bool) -> Verdict:
    """Somebody else is the subject: a fact, whatever that person likes."""
    of_the_day = said.fleeting or rules.chatter.search(said.words)
    if not said.thing and of_the_day and not names_an_end(said.words):
        return "refused"
    outsider = bool(rules.outsiders.search(subject))
    if outsider and not (said.named or about_us or rules.preference.search(said.words)):
        return "refused"
    return Kept("fact", 0.6, 2, subject if outsider else "")


def _about_them(said: _Said, rules: LanguageRules) -> Verdict:
    """The person speaks of themselves or of what is theirs."""
    words = said.words
    lasting = bool(rules.lasting.search(words))
    for_good = lasting or any(p.search(words) for p in (rules.habitual, rules.life))
    if rules.identity.search(words):
        return Kept("fact", 0.9, 4)
    owned = bool(rules.possessive.search(words))
    telling = said.thing or (said.named and owned and not said.fleeting)
    if rules.chatter.search(words) and not (for_good or telling or _done_today(said)):
        if _likes_beside(words, rules):
            return Kept("preference", 0.8, 4)
        # What holds until a day that is named is worth knowing until then, and goes by itself.
        return Kept("fact", 0.6) if names_an_end(words) else "refused"
    if rules.harm.search(words):
        return Kept("warning", 0.9, 5)
    if rules.preference.search(words) or rules.fragment_preference.match(words):
        return Kept("preference", 0.9, 4)
    if rules.decision.search(words):
        return Kept("decision", 0.9, 4)
    if rules.other_sense.search(words) and not lasting:
        return "refused"
    if said.fleeting and not said.thing and not (names_an_end(words) or _done_today(said)):
        return "refused"
    firm = owned or said.named
    return Kept("fact", 0.8 if firm else 0.6, firm=firm)


def _done_today(said: _Said) -> bool:
    """True for the field's own doings of a day ("watered today"): worth knowing until then."""
    return said.named and said.fleeting and says_a_day(said.words)


def _likes_beside(words: str, rules: LanguageRules) -> bool:
    """True when one part of small talk, by itself, tells a preference that is not of the day."""
    return any(
        rules.preference.search(part)
        and not any(p.search(part) for p in (rules.chatter, rules.passing, rules.weather))
        for part in _JOINED.split(words)
    )


def _described(said: _Said, rules: LanguageRules) -> Verdict:
    """Nobody is named as its owner: kept when it describes something that lasts."""
    words = said.words
    described = bool(rules.stative.match(words))
    of_the_day = rules.weather.search(words) and not rules.habitual.search(words)
    if of_the_day and not (said.thing and (described or rules.lasting.search(words))):
        return "refused"
    if rules.other_sense.search(words) and not rules.lasting.search(words):
        return "refused"
    passing = said.fleeting or rules.chatter.search(words)
    if not said.thing and passing and not _done_today(said):
        return "refused"
    if rules.fragment_preference.match(words):
        return Kept("preference", 0.8, 4)
    if said.named:
        return Kept("fact", 0.8 if described else 0.7, firm=described)
    if described or rules.measure.search(words):
        return Kept("fact", 0.5, firm=False)
    return "nothing"
