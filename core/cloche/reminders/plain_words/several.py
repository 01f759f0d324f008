"""Several reminders in one sentence: "water at 8 and feed at 9". Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from cloche.reminders.instants import local_of
from cloche.reminders.plain_words.bits import Bits, resolved
from cloche.reminders.plain_words.reading import MAX_CHARS, Told, read_sentence

MOST: Final = 6
"""Nobody says more in one sentence; who does is asked."""
_JOINTS: Final = re.compile(
    r"(?:[,;]|(?<!\s))\s+(?:and(?:\s+then|\s+also)?|then)\s+(?:(?:also\s+)?remind\s+me\s+)?"
    r"(?:(?:to|that|about)\s+)?"
    r"|(?:[,;]|(?<!\s))\s+(?:y(?:\s+luego|\s+también|\s+después)?|e|luego|después)\s+(?:recu[eé]rdame\s+)?"
    r"(?:(?:que|de)\s+)?"
    r"|(?:(?<!\s)\s+)?[,;，；。]\s*(?:(?:and|y)\s+|然后|再|还有|以及|并且)?(?:也?提醒我)?"
    r"|(?:然后|还有|以及|并且)(?:也?提醒我)?"
    # A Chinese sentence needs no joint: the next time of day is one.
    r"|(?<=[\u4e00-\u9fff])(?<![天日晚早上午晨夜周月年末后的在])(?=(?:[今明后][天早晚])?(?:凌晨|早上|上午|中午|下午|傍晚|晚上)?"
    r"[\d零一二两三四五六七八九十]{1,3}[点點:])"
    r"|(?<=[\u4e00-\u9fff])(?=[\d零一二两三四五六七八九十半]{1,3}个?(?:分钟|小时)[之以]?后)",
    re.IGNORECASE,
)
_JOINT_ALONE: Final = re.compile(
    r"(?:or|and|o|u|y|e|或者?|还是|還是|和|与|與|跟|及|以及)", re.IGNORECASE
)
_REMIND: Final = re.compile(r"^(.{1,20}?)(?:请|记得)?提醒我")


def part_each(text: str, *, now: datetime, zone: str) -> tuple[tuple[str, str], ...]:
    """What to do and when, of each reminder that a sentence asks for; () = it asks for one alone.

    Each says a time of its own; a day that is said once holds for all ("tomorrow water at 8 and
    feed at 9"). When is in words, or ISO 8601 or an RRULE where a day was said elsewhere.

    Args:
        text: The words, in any of the languages.
        now: The present instant.
        zone: IANA name of the person's zone.
    """
    local = local_of(now, ZoneInfo(zone))
    told = _each(text, local, MOST) if len(text) <= MAX_CHARS else ()
    if len(told) < 2:
        return ()
    days = next((one.bits for one in told if one.bits.day or _by_day(one.bits)), Bits())
    return tuple((one.what, _when(one, days, local)) for one in told)


def _each(text: str, local: datetime, most: int) -> tuple[Told, ...]:
    for left, right in _halves(text) if most > 1 else ():
        first = _whole(left, local)
        if first is None:
            continue
        if rest := _each(right, local, most - 1):
            return (first, *rest)
    one = _whole(text, local)
    return (one,) if one else ()


def _halves(text: str) -> Iterator[tuple[str, str]]:
    for joint in _JOINTS.finditer(text):
        yield text[: joint.start()], _REMIND.sub(r"\1", text[joint.end() :])


def _whole(text: str, local: datetime) -> Told | None:
    """One with something to do, and a time of its own."""
    told = read_sentence(text, local)
    if told is None or not told.what or _JOINT_ALONE.fullmatch(told.what):
        return None
    bits = told.bits
    timed = bits.clocks or bits.part or bits.delta or (bits.every and not _by_day(bits))
    return told if timed else None


def _by_day(bits: Bits) -> bool:
    """True for a rule of days, which lacks its time."""
    return bool(bits.every) and not re.match("FREQ=(?:HOUR|MINUTE)LY", bits.every)


def _when(one: Told, days: Bits, local: datetime) -> str:
    bits = one.bits
    if bits.day or bits.every or bits.delta or not (days.day or days.every):
        return one.when
    bits = replace(bits, day=days.day, every=days.every)
    if bits.clocks and days.clocks and not bits.part and not bits.clocks[0].half:
        first, (clock, *_) = days.clocks[0], bits.clocks
        if clock.hour % 12 >= first.hour % 12:  # "at 8 pm and feed at 9" goes on with the evening
            bits = replace(bits, part=days.part, clocks=(replace(clock, half=first.half),))
    return resolved(bits, local)
