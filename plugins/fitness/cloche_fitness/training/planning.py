"""A week of training from what is known of a person: pure, the same for the same facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final, Literal

from cloche_fitness.training.diary import Entry
from cloche_fitness.training.measures import POUND, Units

Goal = Literal["strength", "muscle", "endurance", "health"]
Pattern = Literal["squat", "hinge", "push", "pull", "core", "endurance", "mobility"]

SPACED: Final[Mapping[int, tuple[int, ...]]] = {
    1: (0,),
    2: (0, 3),
    3: (0, 2, 4),
    4: (0, 1, 3, 4),
    5: (0, 1, 2, 4, 5),
    6: (0, 1, 2, 3, 4, 5),
}
"""Days of a week, counted from its first, for that many sessions."""
LONG_AWAY: Final = timedelta(days=14)
"""After so long a break the load goes down a step instead of up."""
PER_MOVEMENT: Final = 10
"""Minutes that a movement takes with its warm-up and rests."""


@dataclass(frozen=True, slots=True)
class Movement:
    """Something to do.

    Attributes:
        name: A value of the vocabulary's exercises.
        pattern: What it is for.
        needs: Equipment of which any will do; () = none.
        joints: What it loads.
        loaded: Kilos can be added.
        fewest: Repetitions below which it makes no sense.
        timed: It goes by time rather than by repetitions.
        lying: It is done flat on the back.
    """

    name: str
    pattern: Pattern
    needs: tuple[str, ...]
    joints: tuple[str, ...]
    loaded: bool
    fewest: int = 1
    timed: bool = False
    lying: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """A movement of a session.

    Attributes:
        name: The movement's.
        sets: How many.
        reps: How often; None where it goes by time.
        minutes: How long; None where it goes by repetitions.
        seconds: How long a set is held; None else.
        kilos: With how much; None where nothing is known or nothing is added.
    """

    name: str
    sets: int = 1
    reps: int | None = None
    minutes: int | None = None
    seconds: int | None = None
    kilos: float | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """One day's training."""

    day: date
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a week is made for.

    Attributes:
        goal: What they want.
        weekdays: 0 = Monday; the days they named. () = evenly spaced from the first day on.
        days: How many sessions, 1-6.
        minutes: How long one may take.
        equipment: Ids of the vocabulary's equipment.
        aching: Joints to spare.
        careful: Nothing hard: a professional has not said yes yet.
        upright: Nothing flat on the back: they are pregnant, in whatever week.
    """

    goal: Goal = "health"
    weekdays: tuple[int, ...] = ()
    days: int = 3
    minutes: int = 45
    equipment: frozenset[str] = frozenset()
    aching: frozenset[str] = frozenset()
    careful: bool = False
    upright: bool = False


@dataclass(frozen=True, slots=True)
class Past:
    """What the diary tells of before.

    Attributes:
        entries: The diary, oldest first.
        fell_short: Of the last plan, less than half was done.
    """

    entries: Sequence[Entry] = ()
    fell_short: bool = False


@dataclass(frozen=True, slots=True)
class _Dose:
    sets: int
    reps: int


_DOSES: Final[Mapping[Goal, _Dose]] = {
    "strength": _Dose(4, 5),
    "muscle": _Dose(3, 10),
    "endurance": _Dose(2, 12),
    "health": _Dose(2, 12),
}
_CAREFUL: Final = _Dose(2, 10)
_STRENGTH: Final[tuple[tuple[Pattern, ...], ...]] = (
    ("squat", "push", "pull", "core", "hinge"),
    ("hinge", "pull", "push", "core", "squat"),
)
_AEROBIC: Final = ("easy", "intervals", "long")


@dataclass(frozen=True)
class Planner:
    """Makes weeks of the movements there are."""

    movements: tuple[Movement, ...]
    units: Units = "metric"
    _no_past: Past = field(default_factory=Past, repr=False)

    def week(self, wishes: Wishes, first: date, past: Past | None = None) -> tuple[Session, ...]:
        """Sessions of the seven days from ``first`` on."""
        past = past or self._no_past
        days = _days(wishes, first)
        return tuple(
            Session(day, self._session(wishes, number, len(days), past, day))
            for number, day in enumerate(days)
        )

    def _session(
        self, wishes: Wishes, number: int, of: int, past: Past, day: date
    ) -> tuple[Item, ...]:
        aerobic = wishes.goal == "endurance" and (number % 3 != 1 or of < 3)
        if aerobic or (wishes.goal == "health" and number % 2 == 1):
            return self._endurance(wishes, number, of)
        room = max(2, min(5, wishes.minutes // PER_MOVEMENT))
        chosen = [self._choose(one, wishes, number) for one in _STRENGTH[number % 2]]
        able = [movement for movement in chosen if movement][:room]
        return tuple(self._dosed(movement, wishes, past, day) for movement in able)

    def _endurance(self, wishes: Wishes, number: int, of: int) -> tuple[Item, ...]:
        movement = self._choose("endurance", wishes, 0)
        stretch = self._choose("mobility", wishes, 0)
        whole = max(15, wishes.minutes - 5)
        kind = _AEROBIC[0]
        if wishes.goal == "endurance" and not wishes.careful:
            kind = _AEROBIC[2] if number == of - 1 and of > 1 else _AEROBIC[number % 2]
        items = [Item(movement.name, minutes=whole)] if movement else []
        if movement and kind == "intervals":
            # A third of the time at a pace that leaves no breath to talk, in pieces of 2 minutes.
            hard = max(3, whole // 6)
            items = [Item(movement.name, minutes=10), Item(movement.name, sets=hard, minutes=2)]
        elif movement and kind == "long":
            items = [Item(movement.name, minutes=whole + whole // 3)]
        return (*items, *([Item(stretch.name, minutes=5)] if stretch else []))

    def _choose(self, pattern: Pattern, wishes: Wishes, number: int) -> Movement | None:
        """The first that the person can do; every second session the next one, for variety."""
        able = [
            movement
            for movement in self.movements
            if movement.pattern == pattern
            and not wishes.aching & set(movement.joints)
            and (not movement.needs or wishes.equipment & set(movement.needs))
            and not (wishes.careful and movement.name == "running")
            and not (wishes.upright and movement.lying)
        ]
        loaded = [movement for movement in able if movement.needs] or able
        return loaded[(number // 2) % len(loaded)] if loaded else None

    def _dosed(self, movement: Movement, wishes: Wishes, past: Past, day: date) -> Item:
        dose = _CAREFUL if wishes.careful else _DOSES[wishes.goal]
        sets = max(2, dose.sets - 1) if past.fell_short else dose.sets
        if movement.timed:
            return Item(movement.name, sets=sets, seconds=20 if wishes.careful else 30)
        reps = max(dose.reps, movement.fewest)
        kilos = None
        if movement.loaded and not wishes.careful:
            kilos = self._load(movement.name, reps, past.entries, day)
        return Item(movement.name, sets=sets, reps=reps, kilos=kilos)

    def _load(self, name: str, reps: int, entries: Sequence[Entry], day: date) -> float | None:
        """The next load: a step more where every repetition was done, fewer after a break."""
        done = [e for e in entries if e.exercise == name and any(s.kilos for s in e.efforts)]
        if not done:
            return None
        last = done[-1]
        sets = [effort for effort in last.efforts if effort.kilos]
        kilos = max(effort.kilos or 0 for effort in sets)
        step = 5 * POUND if self.units == "imperial" else 2.5
        if day - last.day > LONG_AWAY:
            return _in_steps(kilos * 0.9, step)
        whole = all((effort.reps or 0) >= reps for effort in sets)
        return kilos + step if whole else kilos


def _in_steps(kilos: float, step: float) -> float:
    return max(step, round(kilos / step) * step)


def _days(wishes: Wishes, first: date) -> list[date]:
    week = [first + timedelta(days=number) for number in range(7)]
    if wishes.weekdays:
        return [day for day in week if day.weekday() in wishes.weekdays]
    return [week[number] for number in SPACED[wishes.days]]


@dataclass(frozen=True, slots=True)
class Standing:
    """A session of a plan, and what became of it.

    Attributes:
        session: What was planned.
        state: ``done`` on its day; ``moved`` to ``day``; ``open``; or ``dropped``, because no day
            of the plan's week is left.
        day: The day it is for now.
    """

    session: Session
    state: Literal["done", "moved", "open", "dropped"]
    day: date


def standing(plan: Sequence[Session], entries: Sequence[Entry], today: date) -> list[Standing]:
    """How a plan stands today: what was missed moves to the next free day of its seven.

    Nothing is made up for by two sessions on one day.
    """
    trained = {entry.day for entry in entries}
    end = plan[0].day + timedelta(days=7) if plan else today
    taken = {session.day for session in plan if session.day >= today} | {
        day for day in trained if day >= today
    }
    found = []
    for session in plan:
        if session.day in trained:
            found.append(Standing(session, "done", session.day))
        elif session.day >= today:
            found.append(Standing(session, "open", session.day))
        else:
            found.append(_missed(session, today, end, taken))
    return found


def _missed(session: Session, today: date, end: date, taken: set[date]) -> Standing:
    day = today
    while day < end:
        if day not in taken:
            taken.add(day)
            return Standing(session, "moved", day)
        day += timedelta(days=1)
    return Standing(session, "dropped", session.day)


def fell_short(plan: Sequence[Session], entries: Sequence[Entry], today: date) -> bool:
    """True when of the sessions that are past, less than half were done."""
    past = [session for session in plan if session.day < today]
    trained = {entry.day for entry in entries}
    return 2 * sum(session.day in trained for session in past) < len(past)
