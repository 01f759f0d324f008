"""The grounds of a record as sentences in the person's language."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from cloche.memory.why import Reasons, Used
from cloche.people import Person
from cloche.texts import say, say_day

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
    "same_words",
    "same_meaning",
    "model",
    "stated_stands",
    "older",
)
"""Codes that have words of their own."""


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
        lines.append(say("why_again", language, days="; ".join(dict.fromkeys(again))))
    for one in found.replaced:
        text = one.record.text if one.record else ""
        lines.append(
            say(
                "why_replaced" if one.record else "why_replaced_gone",
                language,
                text=_line(text),
                day=day(one.record.validity.created_at) if one.record else "",
                rule=rule_in_words(one.rule, language),
            )
        )
    if found.instead:
        other = found.instead.record
        lines.append(
            say(
                "why_instead",
                language,
                text=_line(other.text if other else found.instead.record_id),
                rule=rule_in_words(found.instead.rule, language),
            )
        )
    if found.used:
        lines.append(say("why_used", language, count=len(found.used)))
        for use in found.used[:NAMED_TURNS]:
            lines.append(f"- {day(use.at)}: {_line(use.words) or _wordless(use, language)}")
    else:
        lines.append(say("why_unused", language))
    return lines


def rule_in_words(rule: str, language: str) -> str:
    """What a rule's code means, as a clause."""
    return say(f"why_rule_{rule if rule in RULES else 'unknown'}", language)


def _wordless(use: Used, language: str) -> str:
    if use.forgotten:
        return say("why_used_forgotten", language)
    key = "why_used_files" if use.files else "why_used_wordless"
    return say(key, language, count=use.files)


def _line(text: str) -> str:
    return " ".join(text.split())
