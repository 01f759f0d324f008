"""Parts of statements that can be held against each other: numbers, times, properties. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cloche.memory.truth.claims import Reading, Token
from cloche.memory.truth.figures import follows, is_year, of_one_among_others
from cloche.memory.truth.lexicon import lexicon, phrases_of

TIME_SORTS: Final[Mapping[str, str]] = {
    value: sort
    for sort, several in {
        "weekday": "monday tuesday wednesday thursday friday saturday sunday weekend weekday",
        "month": "january february march april may june july august september october november"
        " december",
        "season": "spring summer autumn winter",
        "hour": "morning noon afternoon evening night midnight",
        "rate": "day week month year",
    }.items()
    for value in several.split()
}
"""Times of one sort, of which a statement names one: a correction exchanges it for another."""

_RATES: Final = frozenset(value for value, sort in TIME_SORTS.items() if sort == "rate")


def values(reading: Reading, kind: str) -> tuple[str, ...]:
    """The values of one kind, in an order of their own."""
    return tuple(sorted(reading.of(kind)))


def same_numbers(new: Reading, old: Reading) -> bool:
    """True when their numbers agree; one without a unit agrees with any unit ("41", "41 years").

    Only where there is one number: of several it cannot be told which is of what.
    """
    a, b = values(new, "number"), values(old, "number")
    if len(a) == len(b) == 1 and (" " in a[0]) != (" " in b[0]):
        return a[0].partition(" ")[0] == b[0].partition(" ")[0]
    return a == b


def named_otherwise(new: Reading, old: Reading) -> bool:
    """True when they are about things that numbers tell apart ("pot 3", "pot 4")."""
    return new.numbered != old.numbered


def number_can_change(reading: Reading) -> bool:
    """True when another number takes this one's place, for there is one such thing and state.

    A year, a measure that tells which one of several is meant and what was done once do not.
    """
    numbers = reading.of("number")
    if reading.has("single"):
        return True
    if any(is_year(number) for number in numbers):
        return reading.has("be")
    if of_one_among_others(reading.tokens, spaced=lexicon(reading.language).spaced):
        return False
    if reading.has("be"):
        return not any(token.kind == "indef" for token in reading.split[0])
    told = set(reading.of("time")) & _RATES and "last" not in reading.of("side")
    if told or reading.quantifiers & {"every", "always"}:
        return True
    if "have" in reading.of("known") and not follows(reading.tokens, "have"):
        return not (reading.has("indef") or reading.past)
    return "have" in reading.of("known") or not reading.past


def same_values(new: Reading, old: Reading) -> bool:
    """True when numbers, times, sides, places' relations and properties agree."""
    kinds = ("number", "time", "side", "at")
    agree = all(values(new, kind) == values(old, kind) for kind in kinds)
    return agree and classes(new) == classes(old)


def classes(reading: Reading) -> frozenset[tuple[str, str]]:
    """Properties of classes whose members exclude each other, by class."""
    return frozenset((t.kind, t.value) for t in reading.tokens if is_class(t))


def head_classes(reading: Reading) -> frozenset[tuple[str, str]]:
    """The same in front of the verb, where they tell a thing from others."""
    if not reading.split[1]:
        return frozenset()
    return frozenset((t.kind, t.value) for t in reading.split[0] if is_class(t))


def exclude_each_other(new: Reading, old: Reading) -> bool:
    """True when both say something of the same class of properties (two colours)."""
    kinds = {kind for kind, _ in classes(new)} & {kind for kind, _ in classes(old)}
    return any(
        {v for k, v in classes(new) if k == kind} != {v for k, v in classes(old) if k == kind}
        for kind in kinds
    )


def describes(reading: Reading) -> bool:
    """True when a property is what is said of the thing, not what tells it from others."""
    return reading.has("be") or reading.ends_in_property


def is_class(token: Token) -> bool:
    """True for a property of such a class."""
    return token.kind.startswith("class.") and token.kind != "class.with"


def slots_of(reading: Reading) -> frozenset[str]:
    """Which of the slots that everybody has one of a statement or question is of."""
    found = {f"live {value}" for value in reading.of("live")}
    if "call" in reading.of("known") or set(reading.of("single")) & _NAME:
        found.add("call")
    if any(number.endswith(" year") for number in reading.of("number")):
        found.add("age")
    return frozenset(found)


_NAME: Final = frozenset(("name", "nombre", "名字"))


def asked_by_slot(reading: Reading) -> str:
    """What to search for to find what else was said of the same slot, whatever words it took.

    Where somebody lives or works, what they are called and how old they are: "I moved to Bergen"
    shares no word with "I live in Oslo".
    """
    slots, wanted = slots_of(reading), list[str]()
    if reading.has("live") or reading.moves:
        wanted += [*phrases_of("locate", "live"), *phrases_of("locate", "work")]
        wanted += phrases_of("locate", "move")
    if "call" in slots:
        wanted += phrases_of("known", "call")
    if "age" in slots:
        wanted += phrases_of("unit", "year*1")
    return " ".join(dict.fromkeys(wanted))
