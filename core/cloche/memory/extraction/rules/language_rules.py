"""What the rules of one language are made of, and how words are made ready for them.

``en.toml``, ``es.toml`` and ``zh.toml`` hold the patterns: a line is an alternative, a line
indented by four spaces goes on with the one above, ``{name}`` stands for a part. All are written
for *bare* words: NFKC, case folded, without combining marks, straight apostrophes, traditional
Chinese as simplified, longer quotations left out (somebody else may have said them), single
spaces, and greetings and interjections at the start taken off.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Final

from cloche.memory.extraction.chinese import simplified
from cloche.memory.spelling import folded

LANGUAGES: Final = ("en", "es", "zh")


@dataclass(frozen=True, slots=True)
class LanguageRules:
    """The patterns of one language. Those in ``AT_THE_START`` are matched there, others anywhere.

    Attributes:
        lead: Greetings, thanks, interjections at the start, which say nothing.
        trail: The same at the end, and hedges ("..., I think").
        remember: "Remember that ...": what follows was given to be kept.
        question: Asked, with or without a question mark; asking for help is, too.
        interrogative: How questions for something begin ("which ..."), in what ends as a question.
        wondering: Not known to the person ("I don't know whether ...").
        command: Something to do now, once.
        of_memory: Orders about what is remembered ("don't remember that ..."), to carry out.
        imagined: Supposed or wished against the facts.
        idle: Of the talk itself or of a moment, whatever it names: thanks, reproaches, what may
            be done later.
        hearsay: Said by others; what is about the person stands after it.
        own: In hearsay, marks what is about the person or theirs.
        weather: Talk of weather or the day.
        habitual: "When it rains, ...": weather as part of a standing fact.
        chatter: Feelings, plans and doings of the moment.
        ahead: Somebody comes, something begins on a day that is named.
        harm: What does the person harm: allergies and the like.
        other_sense: Eaten, slept in, said as an idiom: words of a field mean something else in it.
        passing: Today, right now, yesterday.
        lasting: Doings that change what there is (bought, moved, built).
        life: Of those, the ones that count however lately (moved, adopted).
        rule: A standing wish about what the assistant does.
        preference: What the person likes, hates, only or never does.
        fragment_preference: The same without a subject ("Only organic.").
        decision: What the person decided.
        identity: Name, home, work, age.
        personal: First person, or something of theirs.
        possessive: "My ...", "our ...": something of theirs as such.
        stative: A thing described as it is ("the ... faces south", "there is a ... behind the").
        measure: Numbers with units, directions: what a described thing has.
        anaphor: Begins by pointing at what the sentence before named ("It gets ...").
        others: The subject is somebody else; group 1 names them.
        outsiders: Of those, people who do not live with the person.
    """

    lead: re.Pattern[str]
    trail: re.Pattern[str]
    remember: re.Pattern[str]
    question: re.Pattern[str]
    interrogative: re.Pattern[str]
    wondering: re.Pattern[str]
    command: re.Pattern[str]
    of_memory: re.Pattern[str]
    imagined: re.Pattern[str]
    idle: re.Pattern[str]
    hearsay: re.Pattern[str]
    own: re.Pattern[str]
    weather: re.Pattern[str]
    habitual: re.Pattern[str]
    chatter: re.Pattern[str]
    ahead: re.Pattern[str]
    harm: re.Pattern[str]
    other_sense: re.Pattern[str]
    passing: re.Pattern[str]
    lasting: re.Pattern[str]
    life: re.Pattern[str]
    rule: re.Pattern[str]
    preference: re.Pattern[str]
    fragment_preference: re.Pattern[str]
    decision: re.Pattern[str]
    identity: re.Pattern[str]
    personal: re.Pattern[str]
    possessive: re.Pattern[str]
    stative: re.Pattern[str]
    measure: re.Pattern[str]
    anaphor: re.Pattern[str]
    others: re.Pattern[str]
    outsiders: re.Pattern[str]


AT_THE_START: Final = frozenset(
    "lead remember command of_memory interrogative fragment_preference stative anaphor"
    " others".split()
)


@cache
def rules_of(language: str) -> LanguageRules:
    """The rules of one of ``LANGUAGES``, read and compiled when first asked for.

    Raises:
        ValueError: the file has other names than ``LanguageRules``, or a pattern is broken.
    """
    text = files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    parts: dict[str, str] = {}
    for name, lines in data["parts"].items():
        parts[name] = f"(?:{_alternatives(lines, parts)})"
    wanted = {field.name for field in fields(LanguageRules)}
    if wanted != set(data["patterns"]):
        raise ValueError(f"{language}.toml: {sorted(wanted ^ set(data['patterns']))}")
    spaced = bool(data["spaced"])
    return LanguageRules(
        **{
            name: re.compile(_bounded(name, _alternatives(lines, parts), spaced=spaced))
            for name, lines in data["patterns"].items()
        }
    )


def _is_name(quoted: str) -> bool:
    """True for a name in quotation marks: few words, and no sentence."""
    few = len(quoted.split()) <= 3 and len(quoted) <= (24 if quoted.isascii() else 12)
    return few and not quoted.rstrip().endswith(tuple(".,!?\u3002\uff0c\uff01\uff1f"))


def _alternatives(lines: str, parts: Mapping[str, str]) -> str:
    joined = re.sub(r"\n {4}", "", lines.strip("\n"))
    return _PART.sub(lambda part: parts[part[1]], joined.replace("\n", "|"))


def _bounded(name: str, alternatives: str, *, spaced: bool) -> str:
    """Whole words in languages with spaces; lead and trail say themselves where they end."""
    if not spaced or name in ("lead", "trail"):
        return alternatives
    before = "" if name in AT_THE_START else r"(?<!\w)"
    return rf"{before}(?:{alternatives})(?!\w)"


def plain(text: str) -> str:
    """Words as the patterns are written, all of them."""
    text = _QUOTED.sub(lambda quote: quote[1] if _is_name(quote[1]) else " ", text)
    return simplified(folded(text))


def bare(text: str, rules: LanguageRules) -> str:
    """Plain words without what only greets or fills at the start."""
    rest = plain(text).lstrip(_EDGES)
    while lead := rules.lead.match(rest):
        if not lead.end():
            break
        rest = rest[lead.end() :].lstrip(_EDGES)
    while trail := rules.trail.search(rest):
        rest = rest[: trail.start()]
    return rest


_PART: Final = re.compile(r"\{([a-z_]+)\}")
_EDGES: Final = " ,.:;!\u00a1\u00bf\u2014\u2013-\u3001\u3002~\u2026*_#"
_QUOTED: Final = re.compile(
    '["\u201c\u201d\u00ab\u300c\u300e]([^"\u201c\u201d\u00ab\u00bb\u300c-\u300f\n]{1,400})'
    '["\u201d\u00bb\u300d\u300f]'
)
