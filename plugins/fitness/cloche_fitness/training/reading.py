"""What somebody did, from their own words: "squat 3x8 at 60 kg", "5 km en 27:30", "深蹲3组8次".

Every word must be understood: as a number, a unit, a day, the exercise's name, or one of the words
of ``reading.toml`` that say nothing. What is left over is refused by name rather than guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from cloche_fitness.training.measures import MILE, POUND, Units
from cloche_fitness.training.scanning import Token, UnreadableError, scan

__all__ = ["Effort", "Told", "UnreadableError", "read_work"]

Kind = Literal["sets", "reps", "kilos", "metres", "seconds"]


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
        days_ago: How long ago, when a day was named; None when not.
        weekday: The day of the week that was named, Monday 0; None when none was.
        exercise: What it is counted under: an id of the vocabulary; "" when it is not known.
        unknown: How many words of the name are no exercise's.
    """

    name: str
    efforts: tuple[Effort, ...]
    text: str = ""
    days_ago: int | None = None
    weekday: int | None = None
    exercise: str = ""
    unknown: int = 0


LIMITS: Final[dict[Kind, float]] = {
    "sets": 50,
    "reps": 2_000,
    "kilos": 1_000,
    "metres": 500_000,
    "seconds": 172_800,
}
"""More than this is a slip of the finger: beyond any record of one day, or of one set."""


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


_KIND_OF: Final[dict[str, tuple[Kind, float]]] = {
    "sets": ("sets", 1),
    "reps": ("reps", 1),
    "kilo": ("kilos", 1),
    "jin": ("kilos", 0.5),
    "pound": ("kilos", POUND),
    "kilometre": ("metres", 1000),
    "mile": ("metres", MILE),
    "metre": ("metres", 1),
    "hour": ("seconds", 3600),
    "minute": ("seconds", 60),
    "second": ("seconds", 1),
}


def _read(part: str, units: Units) -> Told:
    tokens = list(scan(part))
    named = _named(tokens, part)
    ago = next((int(token.value) for token in tokens if token.kind == "day"), None)
    weekday = next((int(token.value) for token in tokens if token.kind == "weekday"), None)
    groups = _groups([token for token in tokens if token.kind not in _NO_MEASURE])
    efforts = tuple(effort for group in groups for effort in _efforts(group, units, part))
    if not efforts or not all(e.reps or e.seconds or e.metres for e in efforts):
        raise UnreadableError("amount", part)
    exercises = [token.unit for token in named if token.kind == "exercise"]
    return Told(
        name=part[named[0].start : named[-1].end] if named else "",
        efforts=_loaded_alike(efforts),
        text=part,
        days_ago=ago,
        weekday=weekday,
        exercise=exercises[0] if len(set(exercises)) == 1 else "",
        unknown=sum(token.kind == "word" for token in named),
    )


_NO_MEASURE: Final = frozenset({"word", "exercise", "filler", "day", "weekday"})


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


@dataclass(slots=True)
class _Group:
    """The numbers of one part, before what they mean is settled."""

    bare: list[float]
    amounts: dict[Kind, float]
    times: bool = False


def _groups(tokens: Sequence[Token]) -> list[_Group]:
    groups, group, at = [], _Group([], {}), 0
    while at < len(tokens):
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if token.kind == "then":
            groups.append(group)
            group = _Group([], {})
        elif token.kind == "time":
            _add(group, "seconds", token.value)
        elif token.kind == "times":
            group.times = True
        elif token.kind == "number" and following and following.kind == "unit":
            kind, factor = _KIND_OF[following.unit]
            half = at + 2 < len(tokens) and tokens[at + 2].kind == "half"
            _add(group, kind, (token.value + (0.5 if half else 0)) * factor)
            at += 2 if half else 1
        elif token.kind == "number":
            group.bare.append(token.value)
        at += 1
    return _joined([*groups, group])


def _joined(groups: Sequence[_Group]) -> list[_Group]:
    """A part that only tells more of the one before it belongs to it: "5 km, 28 min"."""
    joined: list[_Group] = []
    for group in groups:
        more = not group.bare and not group.times and "sets" not in group.amounts
        if joined and more and not _counted(joined[-1]) & group.amounts.keys():
            joined[-1].amounts |= group.amounts
        elif joined and _only_load(joined[-1]) and "kilos" not in group.amounts:
            group.amounts |= joined[-1].amounts  # "60 kg, 3 sets of 8"
            joined[-1] = group
        elif group.bare or group.amounts:
            joined.append(group)
    return joined


def _only_load(group: _Group) -> bool:
    return not group.bare and group.amounts.keys() == {"kilos"}


def _counted(group: _Group) -> set[Kind]:
    """What a part says already; a bare number in it may be its repetitions."""
    return {*group.amounts, *(("reps",) if group.bare else ())}


def _add(group: _Group, kind: Kind, value: float) -> None:
    """1 h 20 min are one time; two loads or two distances in one part are a riddle."""
    if kind in group.amounts and kind != "seconds":
        raise UnreadableError("amount", f"{value:g}")
    group.amounts[kind] = group.amounts.get(kind, 0) + value


def _efforts(group: _Group, units: Units, part: str) -> list[Effort]:
    amounts, bare = dict(group.amounts), list(group.bare)
    if group.times and bare:
        first = bare.pop(0)
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
        whole = kind not in ("sets", "reps") or value == int(value)
        if not 0 < value <= LIMITS[kind] or not whole:
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
