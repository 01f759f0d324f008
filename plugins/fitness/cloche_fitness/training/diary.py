"""The training diary: what was done on which day, the bests in it, its weeks and streaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal

from pydantic import TypeAdapter, ValidationError

from cloche_fitness.training.reading import Effort

BestKind = Literal["load", "one_rep", "reps", "hold", "distance", "pace"]
BEST_KINDS: Final[tuple[BestKind, ...]] = (
    "load",
    "one_rep",
    "reps",
    "hold",
    "distance",
    "pace",
)
EPLEY_REPS: Final = 12
"""Sets of more repetitions say little of a single one."""
PACE_METRES: Final = 1_000
"""A pace over less is a sprint's."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One exercise of one day.

    Attributes:
        id: Unique within the diary.
        day: The person's own calendar day.
        exercise: What it is counted under: a slug.
        name: How the person called it.
        efforts: The sets, in order.
        logged_at: When it was told.
    """

    id: str
    day: date
    exercise: str
    name: str
    efforts: tuple[Effort, ...]
    logged_at: datetime

    @property
    def lifted(self) -> float:
        """Kilograms moved: repetitions times load."""
        return sum((effort.reps or 0) * (effort.kilos or 0) for effort in self.efforts)

    @property
    def metres(self) -> float:
        """How far in all."""
        return sum(effort.metres or 0 for effort in self.efforts)

    @property
    def seconds(self) -> float:
        """How long in all, where it was told."""
        return sum(effort.seconds or 0 for effort in self.efforts)


_ENTRY: Final = TypeAdapter(Entry)


def entry_to_json(entry: Entry) -> dict[str, object]:
    """An entry as it is kept."""
    made: dict[str, object] = _ENTRY.dump_python(entry, mode="json")
    return made


def entries_of(documents: Mapping[str, object]) -> tuple[Entry, ...]:
    """The entries among kept documents, the oldest first; what is none of ours is left out."""
    found = []
    for document in documents.values():
        try:
            found.append(_ENTRY.validate_python(document))
        except ValidationError:
            continue
    return tuple(sorted(found, key=lambda entry: (entry.day, entry.logged_at, entry.id)))


@dataclass(frozen=True, slots=True)
class Best:
    """The best of one kind.

    Attributes:
        kind: Of what.
        value: Kilograms, repetitions, seconds, metres, or seconds per metre: the less the better.
        effort: The set it was done in.
        day: When, the first time.
    """

    kind: BestKind
    value: float
    effort: Effort
    day: date


def bests(entries: Iterable[Entry]) -> dict[BestKind, Best]:
    """The bests of one exercise's entries, by kind."""
    found: dict[BestKind, Best] = {}
    for entry in entries:
        for effort in entry.efforts:
            for kind, value in _values(effort):
                known = found.get(kind)
                if known is None or _better(kind, value, known.value):
                    found[kind] = Best(kind, value, effort, entry.day)
    return {kind: found[kind] for kind in BEST_KINDS if kind in found}


def beaten(before: Iterable[Entry], entry: Entry) -> tuple[tuple[Best, Best], ...]:
    """What an entry does better than everything before it: the old best and the new one.

    An estimate is told only where nothing measured was beaten.
    """
    old, new = bests(before), bests((entry,))
    pairs = tuple(
        (old[kind], best)
        for kind, best in new.items()
        if kind in old and _better(kind, best.value, old[kind].value)
    )
    measured = tuple(pair for pair in pairs if pair[1].kind != "one_rep")
    return measured or pairs


def _values(effort: Effort) -> Iterable[tuple[BestKind, float]]:
    """What one set counts as."""
    if effort.kilos and effort.reps:
        yield "load", effort.kilos
        if effort.reps <= EPLEY_REPS:
            yield "one_rep", one_rep_max(effort.kilos, effort.reps)
    elif effort.reps:
        yield "reps", effort.reps
    elif effort.metres:
        yield "distance", effort.metres
        if effort.seconds and effort.metres >= PACE_METRES:
            yield "pace", effort.seconds / effort.metres
    elif effort.seconds:
        yield "hold", effort.seconds


def _better(kind: BestKind, value: float, than: float) -> bool:
    return value < than - 1e-9 if kind == "pace" else value > than + 1e-9


def one_rep_max(kilos: float, reps: int) -> float:
    """The load that could be lifted once, as Epley (1985) estimates: ``w (1 + r / 30)``."""
    return kilos if reps == 1 else kilos * (1 + reps / 30)


@dataclass(frozen=True, slots=True)
class Week:
    """What one week held.

    Attributes:
        monday: Its first day.
        days: Days with training.
        sets: Sets of everything.
        lifted: Kilograms.
        metres: Of what goes by distance.
        seconds: Of what goes by time.
    """

    monday: date
    days: int = 0
    sets: int = 0
    lifted: float = 0.0
    metres: float = 0.0
    seconds: float = 0.0


def monday_of(day: date) -> date:
    """The Monday of a day's week (ISO 8601)."""
    return day - timedelta(days=day.weekday())


def weeks(entries: Sequence[Entry], today: date, count: int) -> tuple[Week, ...]:
    """The last ``count`` weeks with this one, the oldest first; empty ones too."""
    mondays = [monday_of(today) - timedelta(weeks=back) for back in range(count - 1, -1, -1)]
    return tuple(
        _week(monday, [e for e in entries if monday_of(e.day) == monday]) for monday in mondays
    )


def _week(monday: date, entries: Sequence[Entry]) -> Week:
    return Week(
        monday,
        days=len({entry.day for entry in entries}),
        sets=sum(len(entry.efforts) for entry in entries),
        lifted=sum(entry.lifted for entry in entries),
        metres=sum(entry.metres for entry in entries),
        seconds=sum(entry.seconds for entry in entries),
    )


def weeks_in_a_row(entries: Iterable[Entry], today: date) -> int:
    """Weeks without a gap up to now; this one counts once it has training, and never against.

    Weeks and not days: whoever rests between sessions has done nothing wrong.
    """
    trained = {monday_of(entry.day) for entry in entries if entry.day <= today}
    monday, count = monday_of(today), 0
    if monday not in trained:
        monday -= timedelta(weeks=1)
    while monday in trained:
        monday, count = monday - timedelta(weeks=1), count + 1
    return count


def bar(value: float, most: float, width: int = 10) -> str:
    """A bar of at most ``width`` characters; anything above nothing shows."""
    if value <= 0 or most <= 0:
        return ""
    return "█" * max(1, round(width * value / most))


def chart(names: Sequence[str], values: Sequence[float], told: Sequence[str]) -> list[str]:
    """A block, so that every channel shows it in letters of one width.

    Args:
        names: What each row is called.
        values: How long its bar is, none below 0, one above.
        told: What stands behind the bar.
    """
    wide, most = max(map(len, names)), max(values)
    rows = [
        f"{name:>{wide}} {bar(value, most):<10} {text if value else '-'}"
        for name, value, text in zip(names, values, told, strict=True)
    ]
    return ["```", *rows, "```"]
