"""What somebody did, from their own words: "squat 3x8 at 60 kg", "5 km en 27:30", "深蹲3组8次".

Every word must be understood: as a number, a unit, a day, the exercise's name, or one of the words
of ``reading.toml`` that say nothing. What is left over is refused by name rather than guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from cloche_fitness.training.dating import Day
from cloche_fitness.training.grouping import Group, groups_of
from cloche_fitness.training.limits import LIMITS, is_too_fast
from cloche_fitness.training.measures import POUND, Units
from cloche_fitness.training.scanning import Token, UnreadableError, denied_in, scan

__all__ = ["Effort", "Told", "UnreadableError", "read_work"]


@dataclass(frozen=True, slots=True)
class Effort:
    """One set, run or hold.

    Attributes:
        reps: How often; None where it is not counted.
        kilos: The load in kilograms; None without one.
        seconds: How long it took.
        metres: How far.
    """

    reps: int | None = None
    kilos: float | None = None
    seconds: float | None = None
    metres: float | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """One exercise as it was told.

    Attributes:
        name: The exercise in the person's own words; "" when there are none.
        efforts: The sets, in order; at least one.
        text: All the words of it, as they were written.
        day: The day that was named; None when none was.
        exercise: What it is counted under: an id of the vocabulary; "" when it is not known.
        unknown: How many words of the name are no exercise's.
    """

    name: str
    efforts: tuple[Effort, ...]
    text: str = ""
    day: Day | None = None
    exercise: str = ""
    unknown: int = 0


def read_work(text: str, units: Units = "metric") -> tuple[Told, ...]:
    """Everything told, one entry per line or per part between semicolons.

    Args:
        text: The person's words.
        units: What a load without a unit is in: kilograms or pounds.

    Raises:
        UnreadableError: a part cannot be read; nothing of the text counts then.
    """
    parts = [part for part in re.split(r"[;；\n]+", text) if part.strip()]
    if not parts:
        raise UnreadableError("amount")
    return tuple(told for part in parts for told in _all_of(part.strip(), units))


_SENTENCE_ENDS: Final = re.compile(r"[.。!！](?:\s+|$)|。")


def _all_of(part: str, units: Units) -> tuple[Told, ...]:
    """One exercise, or several where each has its name and its numbers.

    Raises:
        UnreadableError: as ``read_work`` has it.
    """
    try:
        return (_read(part, units),)
    except UnreadableError:
        sentences = [one.strip() for one in _SENTENCE_ENDS.split(part) if one.strip()]
        pieces = sentences if len(sentences) > 1 else _pieces(part)
        if len(pieces) < 2:
            raise
        try:
            told = [one for piece in pieces for one in _all_of(piece, units)]
        except UnreadableError:
            told = []
        if not told or not all(one.name for one in told):
            raise
        return tuple(told)


def _pieces(part: str) -> list[str]:
    """The parts between what may part two exercises; a part begins where a name or number does.

    Of "8, 8, 6 at 60 kg, plank 45 s" the first three stay together: only one of them is named.
    """
    tokens = list(scan(part))
    cuts = [token for token in tokens if token.kind == "then"]
    bounds = [0, *(place for cut in cuts for place in (cut.start, cut.end)), len(part)]
    pieces: list[tuple[int, int]] = []
    for start, end in zip(bounds[::2], bounds[1::2], strict=True):
        inside = [token for token in tokens if start <= token.start < end]
        named = any(token.kind in ("exercise", "word") for token in inside)
        if pieces and not named:
            pieces[-1] = (pieces[-1][0], end)
        else:
            pieces.append((start, end))
    return [part[start:end].strip() for start, end in pieces if part[start:end].strip()]


def _read(part: str, units: Units) -> Told:
    if denied := denied_in(part):
        raise UnreadableError("words", denied)
    tokens = list(scan(part))
    named = _named(tokens, part)
    days = [token.named for token in tokens if token.named]
    groups = groups_of([token for token in tokens if token.kind not in _NO_MEASURE])
    efforts = tuple(effort for group in groups for effort in _efforts(group, units, part))
    if not efforts or not all(e.reps or e.seconds or e.metres for e in efforts):
        raise UnreadableError("amount", part)
    exercises = [token.unit for token in named if token.kind == "exercise"]
    exercise = exercises[0] if len(set(exercises)) == 1 else ""
    if any(e.metres and e.seconds and is_too_fast(exercise, e.metres, e.seconds) for e in efforts):
        raise UnreadableError("limit", part)
    return Told(
        name=part[named[0].start : named[-1].end] if named else "",
        efforts=_loaded_alike(efforts),
        text=part,
        day=_one_of(days),
        exercise=exercise,
        unknown=sum(token.kind == "word" for token in named),
    )


_NO_MEASURE: Final = frozenset({"word", "exercise", "filler", "day", "weekday"})


def _one_of(days: Sequence[Day]) -> Day | None:
    """The day that all of it names: "today, Monday" is one, and a date counts before its name."""
    if not days:
        return None
    exact = next((day for day in days if day.month or day.of_last_week), None)
    weekday = next((day for day in days if day.weekday is not None), None)
    ago = next((day for day in days if day.ago is not None), None)
    if weekday and ago:
        return replace(weekday, ago=ago.ago)
    return exact or weekday or ago


def _named(tokens: Sequence[Token], part: str) -> Sequence[Token]:
    """The one run of words that nothing else explains; words between them belong to it.

    A verb before the numbers and a name behind them ("rode 20 km on my bike") are one exercise.
    """
    runs: list[list[Token]] = []
    last = -2
    for index, token in enumerate(tokens):
        if token.kind not in ("word", "exercise"):
            continue
        between = tokens[last + 1 : index]
        if runs and all(one.kind == "filler" for one in between):
            runs[-1].append(token)
        else:
            runs.append([token])
        last = index
    if len(runs) > 1:
        of = [{token.unit for token in run if token.kind == "exercise"} for run in runs]
        sure = all(token.kind == "exercise" for run in runs for token in run)
        if not sure or any(one != of[0] for one in of):
            at, end = runs[1][0].start, runs[-1][-1].end
            raise UnreadableError("words", part[at:end])
        return runs[-1]
    return runs[0] if runs else ()


def _efforts(group: Group, units: Units, part: str) -> list[Effort]:
    amounts, bare = dict(group.amounts), list(group.bare)
    if group.times and bare:
        first = bare.pop(1 if group.load_first and len(bare) > 1 else 0)
        counted = bool(bare) or "reps" in amounts
        # "3x45 s" and "6x400 m" are sets; "5x60 kg" is five times sixty.
        held = "seconds" in amounts or "metres" in amounts
        amounts.setdefault("sets" if counted or held else "reps", first)
    if bare and "reps" not in amounts and not (group.amounts.keys() & {"seconds", "metres"}):
        amounts["reps"] = bare.pop(0)
    if bare and "kilos" not in amounts and "reps" in amounts:
        amounts["kilos"] = bare.pop(0) * (POUND if units == "imperial" else 1)
    if bare:
        raise UnreadableError("words", f"{bare[0]:g}")
    for kind, value in amounts.items():
        countable = kind in ("sets", "reps")
        if not 0 < value <= LIMITS[kind] or (countable and value != int(value)):
            raise UnreadableError("limit", part)
    effort = Effort(
        reps=int(amounts["reps"]) if "reps" in amounts else None,
        kilos=amounts.get("kilos"),
        seconds=amounts.get("seconds"),
        metres=amounts.get("metres"),
    )
    return [effort] * int(amounts.get("sets", 1))


def _loaded_alike(efforts: tuple[Effort, ...]) -> tuple[Effort, ...]:
    """A load that is said once, before or behind the sets, is that of all: "60 kg 5, 5, 5"."""
    loads = [at for at, effort in enumerate(efforts) if effort.kilos is not None]
    uncounted = any(effort.reps is None for effort in efforts)
    if len(efforts) < 2 or uncounted or loads not in ([0], [len(efforts) - 1]):
        return efforts
    load = efforts[loads[0]].kilos
    return tuple(Effort(e.reps, load, e.seconds, e.metres) for e in efforts)
