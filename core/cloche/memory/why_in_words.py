"""The grounds of a record as sentences in the person's language."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from difflib import SequenceMatcher
from typing import Final

from cloche.memory.records import MemoryRecord
from cloche.memory.why import Reasons, Used
from cloche.people import Person
from cloche.texts import say, say_day
from cloche.vocabulary import CJK, fold

NAMED_TURNS: Final = 5
"""Turns that used a record, named one by one: the newest."""
RULES: Final = (
    "liking",
    "negation",
    "former",
    "quantifier",
    "number",
    "date",
    "side",
    "property",
    "place",
    "value",
    "ended",
    "replaced",
    "now",
    "corrected",
    "revived",
    "same_words",
    "same_meaning",
    "model",
    "stated_stands",
    "older",
)
"""Codes that have words of their own."""
UNLIKE: Final = ("stated_stands", "same_words", "same_meaning", "unknown")
"""Of which it explains nothing that a word stands in another's place."""
MOST_WORDS: Final = 5
"""In a stretch that is named."""
ALIKE: Final = 0.3
"""Two sentences with less in common are told apart whole."""
_TOKEN: Final = re.compile(rf"{CJK.pattern}|[^\W_]+(?:[.,:]\d+)*")


def in_words(found: Reasons, person: Person) -> list[str]:
    """The reasons as sentences in the person's language, one a line."""
    language = person.language

    def day(at: datetime) -> str:
        return say_day(at.astimezone(person.zone).date(), language)

    record, source = found.record, found.record.source
    key = "why_said" if source.stated else "why_inferred"
    if source.type != "session":
        key = "why_noted" if source.type == "tool" else "why_brought"
    said = day(record.validity.created_at)
    lines = [say(key, language, day=said, quote=_line(found.quote), name=_line(source.ref))]
    if found.author:
        lines.append(say("why_author", language, name=_line(found.author)))
    elif source.stated and source.type == "session":
        lines.append(say("why_author_you", language))
    again = [day(event.at) for event in found.events if event.id in source.derived_from]
    if again and record.trust.confirmations:
        days = list(dict.fromkeys(again))
        named = ["…"] * (len(days) > NAMED_TURNS) + days[-NAMED_TURNS:]
        lines.append(say("why_again", language, days="; ".join(named)))
    for one in found.replaced:
        text = one.record.text if one.record else ""
        lines.append(
            say(
                "why_replaced" if one.record else "why_replaced_gone",
                language,
                text=_line(text),
                day=day(one.record.validity.created_at) if one.record else "",
                rule=_rule(one.rule, one.record, record, language),
            )
        )
    if found.instead:
        other = found.instead.record
        lines.append(
            say(
                "why_instead",
                language,
                text=_line(other.text if other else found.instead.record_id),
                rule=_rule(found.instead.rule, record, other, language),
            )
        )
    return [*lines, *_uses(found, day, language)]


def _uses(found: Reasons, day: Callable[[datetime], str], language: str) -> list[str]:
    """The turns that asked for it, the newest by name; how often it was at hand besides."""
    lines = list[str]()
    if found.used:
        lines.append(say("why_used", language, count=len(found.used)))
        for use in found.used[:NAMED_TURNS]:
            lines.append(f"- {day(use.at)}: {_line(use.words) or _wordless(use, language)}")
    else:
        lines.append(say("why_unused", language))
    if found.at_hand:
        lines.append(say("why_at_hand", language, count=found.at_hand))
    return lines


def rule_in_words(rule: str, language: str) -> str:
    """What a rule's code means, as a clause."""
    return say(f"why_rule_{rule if rule in RULES else 'unknown'}", language)


def _rule(rule: str, before: MemoryRecord | None, after: MemoryRecord | None, language: str) -> str:
    """What a rule's code means, and where one thing was put for another, which."""
    clause = rule_in_words(rule, language)
    change = what_changed(before.text, after.text) if before and after else None
    if change is None or rule in UNLIKE:
        return clause
    return say("why_change", language, rule=clause, before=change[0], after=change[1])


def what_changed(before: str, after: str) -> tuple[str, str] | None:
    """The one stretch of words that was put for another; None where there is not just one."""
    old, new = ([*_TOKEN.finditer(text)] for text in (before, after))
    compared = SequenceMatcher(
        a=[fold(one[0]) for one in old], b=[fold(one[0]) for one in new], autojunk=False
    )
    changes = [one for one in compared.get_opcodes() if one[0] != "equal"]
    if len(changes) != 1 or changes[0][0] != "replace":
        return None
    _, a, b, c, d = changes[0]
    if max(b - a, d - c) > MOST_WORDS or compared.ratio() < ALIKE:
        return None
    return before[old[a].start() : old[b - 1].end()], after[new[c].start() : new[d - 1].end()]


def _wordless(use: Used, language: str) -> str:
    if use.forgotten:
        return say("why_used_forgotten", language)
    key = "why_used_files" if use.files else "why_used_wordless"
    return say(key, language, count=use.files)


def _line(text: str) -> str:
    return " ".join(text.split())
