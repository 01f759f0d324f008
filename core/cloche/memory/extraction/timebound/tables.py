"""What one language says of time: its names of days, and the words that make a day an end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TimeWords:
    """One language's; all patterns are for *plain* words (folded, single spaces).

    Those that end in ``_before`` must match right up to the day or length of time they belong to,
    those that end in ``_after`` from right behind it on; the rest is searched for anywhere.

    Attributes:
        points: Ways to name a day or a span. Groups: iso; day, month, year; weekday, which;
            relative; unit, which. The longest match counts.
        weekdays: Names to 0 (Monday) - 6.
        months: Names to 1-12.
        relative: "today", "tomorrow", ... to days from today.
        units: Names to minute, hour, day, week, weekend, month, year.
        which: "this", "next", ... to weeks (months, years) ahead; None = whichever comes next.
        numbers: Words to numbers.
        length: A length of time; groups count and unit, and more where it says that it goes on.
        until_before: "until", "by": what holds, holds up to the day.
        until_after: The same behind it.
        back_before: "back on": what holds, ends with the return.
        back_after: The same behind it.
        lasts_before: "for": a length that begins now, if the sentence is about now.
        lasts_after: The same behind it.
        ahead_before: "for the next", "another": a length that begins now in any sentence.
        no_end_before: "since", "from", "every", "last": the day ends nothing.
        no_end_after: The same behind it.
        recurring: What is told happens again and again; no day in it ends it.
        habitual: The same, unless it is a wish about what the assistant does.
        past: Tells of what is over.
        present: Tells of what is so now or will be.
        moment: Tells of this very day: only then does an hour end it ("away until midnight").
        lasting: Was done once and stays true, or was noticed: the day only says when.
        yearly: "There is ... until May" tells of every year's May.
        owning: Says what there is; a day in another clause does not end it.
    """

    points: tuple[re.Pattern[str], ...]
    weekdays: Mapping[str, int]
    months: Mapping[str, int]
    relative: Mapping[str, int]
    units: Mapping[str, str]
    which: Mapping[str, int | None]
    numbers: Mapping[str, float]
    length: re.Pattern[str]
    until_before: re.Pattern[str]
    until_after: re.Pattern[str]
    back_before: re.Pattern[str]
    back_after: re.Pattern[str]
    lasts_before: re.Pattern[str]
    lasts_after: re.Pattern[str]
    ahead_before: re.Pattern[str]
    no_end_before: re.Pattern[str]
    no_end_after: re.Pattern[str]
    recurring: re.Pattern[str]
    habitual: re.Pattern[str]
    past: re.Pattern[str]
    present: re.Pattern[str]
    moment: re.Pattern[str]
    lasting: re.Pattern[str]
    yearly: re.Pattern[str]
    owning: re.Pattern[str]


NEVER = re.compile(r"(?!)")
"""For what a language does not say on that side."""


def one_of(names: Mapping[str, object]) -> str:
    """An alternation of names, the longest first."""
    return "(?:" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + ")"


def before(pattern: str) -> re.Pattern[str]:
    """A pattern that must end where the day begins; whole words."""
    return re.compile(rf"(?<!\w)(?:{pattern})\s*$")


def words(pattern: str) -> re.Pattern[str]:
    """A pattern of whole words, anywhere."""
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)")


def behind(pattern: str) -> re.Pattern[str]:
    """A pattern that must begin where the day ends; whole words."""
    return re.compile(rf"\s*(?:{pattern})(?!\w)")
