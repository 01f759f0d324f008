"""A week of watering: how dry each place gets day by day, and what to do about it. Pure.

Each place is a store of water. Every day it loses what a lawn would lose there (the forecast's
reference evapotranspiration, FAO Irrigation and Drainage Paper 56), times how much the plant
drinks and how much sun it gets, and gains what rain reaches it. Before the store is empty, it is
watered. The numbers are a gardener's rules of thumb, not a measurement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final, Literal, TypeAlias

from cloche import Day
from cloche_gardening.watering.garden import Spot

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
ReasonKind = Literal["heat", "pot", "thirsty", "sand", "covered", "dry_spell", "season"]

HOT: Final = 30.0
RAINY: Final = 5.0
"""So much rain in mm makes watering on that day needless."""
LIKELY: Final = 60
"""Percent: rain less likely than that is not counted on."""
DRINKS: Final[Mapping[str, float]] = {"thirsty": 1.0, "ordinary": 0.8, "dry": 0.4, "deep": 0.7}
SUN: Final[Mapping[str, float]] = {"full": 1.0, "": 0.9, "half": 0.7, "shade": 0.5}
STORE: Final[Mapping[str, float]] = {"sand": 12.0, "": 20.0, "clay": 30.0}
"""What roots can use before a plant suffers, in mm."""
POT: Final = 6.0
DEEP: Final = 60.0
MULCH: Final = 0.8
LONGER: Final = 1.5
"""So many times its store a place can lack for one day, when rain follows."""
LEAST: Final = 3.0
"""Less than that in mm does not reach the roots."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is watered.

    Attributes:
        kind: What it is about.
        amount: Degrees of heat, or days without rain; 0 = none is told.
    """

    kind: ReasonKind
    amount: float = 0.0


@dataclass(frozen=True, slots=True)
class Watering:
    """One plant on one day.

    Attributes:
        spot: The plant and its place.
        litres: A square metre; in a pot it is watered until it runs out below.
        reasons: Why.
    """

    spot: Spot
    litres: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Past:
    """What is known of the days before a plan.

    Attributes:
        watered: When what was watered last, by ``Spot.key``; "" = everything.
        rain: Rain in mm, by day; what is missing counts as dry.
        first: The day of the first plan; None = this is it.
    """

    watered: Mapping[str, date] = field(default_factory=dict)
    rain: Mapping[date, float] = field(default_factory=dict)
    first: date | None = None


NOTHING_PAST: Final = Past()


@dataclass(frozen=True, slots=True)
class Plan:
    """A week.

    Attributes:
        days: Each day with what is watered on it; () = nothing.
        rain: Rain in mm that is counted on, by day.
    """

    days: Mapping[date, tuple[Watering, ...]]
    rain: Mapping[date, float]

    def to_json(self, name: Callable[[Spot], str]) -> dict[str, Json]:
        """As it is kept: what is watered when, with its name, without the reasons."""
        return {
            day.isoformat(): [[one.spot.key, name(one.spot)] for one in waterings]
            for day, waterings in self.days.items()
        }


def plan_from_json(document: Json) -> dict[date, dict[str, str]]:
    """What a kept plan waters on each day: name by spot. What cannot be read is no plan."""
    kept: dict[date, dict[str, str]] = {}
    for written, waterings in (document if isinstance(document, dict) else {}).items():
        try:
            day = date.fromisoformat(written)
        except ValueError:
            continue
        pairs = (
            [one for one in waterings if isinstance(one, list)]
            if (isinstance(waterings, list))
            else []
        )
        kept[day] = {str(one[0]): str(one[1]) for one in pairs if len(one) == 2}
    return kept


def make_plan(
    spots: Sequence[Spot],
    days: Sequence[Day],
    *,
    fallen: float | None,
    past: Past = NOTHING_PAST,
) -> Plan:
    """The plan of these days.

    Args:
        spots: What grows where.
        days: Forecasts, today first.
        fallen: Rain of the last 24 hours in mm; None = not known.
        past: What is known of the days before.
    """
    made: dict[date, list[Watering]] = {day.date: [] for day in days}
    for spot in spots:
        for day, watering in _of_spot(spot, days, fallen or 0.0, past):
            made[day].append(watering)
    rain = {day.date: _counted(day) for day in days}
    return Plan({day: tuple(found) for day, found in made.items()}, rain)


def _of_spot(
    spot: Spot, days: Sequence[Day], fallen: float, past: Past
) -> list[tuple[date, Watering]]:
    if not days:
        return []
    store, found = _store(spot), []
    missing = _missing_today(spot, days[0], store, fallen, past)
    dry_days = 0 if fallen >= RAINY else 1
    for number, day in enumerate(days):
        rain = _reaching(spot, _counted(day))
        use = _use(spot, day)
        follows = days[number + 1 : number + 2]
        soon = sum(_reaching(spot, _counted(each)) for each in follows)
        waits = rain >= min(missing, RAINY) or (soon >= RAINY and missing + use <= store * LONGER)
        if missing + use >= store and missing >= LEAST and not waits:
            reasons = _reasons(spot, day, dry_days)
            found.append((day.date, _watering(spot, missing, reasons)))
            missing = 0.0
        missing = max(0.0, missing + use - rain)
        dry_days = 0 if rain >= RAINY else dry_days + 1
    return found


def _missing_today(spot: Spot, today: Day, store: float, fallen: float, past: Past) -> float:
    """How much the place lacks this morning.

    It is counted from when it was last watered, else from the first plan, when it may have
    lacked half of what it holds. Past days are taken to have been like today, but for their rain.
    """
    watered = [day for key in (spot.key, "") if (day := past.watered.get(key))]
    missing, since = (0.0, max(watered)) if watered else (store / 2, past.first or today.date)
    if since >= today.date:
        return missing if watered else max(0.0, missing - _reaching(spot, fallen))
    for number in range((today.date - since).days):
        rain = past.rain.get(since + timedelta(days=number), 0.0)
        missing = min(max(0.0, missing + _use(spot, today) - _reaching(spot, rain)), store)
    return missing


def _store(spot: Spot) -> float:
    if spot.pot:
        return POT * (2 if spot.need in ("dry", "deep") else 1)
    return DEEP if spot.need == "deep" else STORE[spot.soil]


def _use(spot: Spot, day: Day) -> float:
    lost = day.evaporation
    if lost is None:  # about right for a clear day in summer, and little in the cold
        lost = max(0.5, 0.2 * (day.low + day.high) / 2)
    lost *= DRINKS[spot.need] * SUN[spot.sun]
    if spot.mulch:
        lost *= MULCH
    if spot.pot:
        lost *= 1.3
    return lost * (1.2 if day.high >= HOT else 1.0)


def _counted(day: Day) -> float:
    """Rain that can be counted on."""
    if day.rain is None or (day.chance is not None and day.chance < LIKELY):
        return 0.0
    return day.rain


def _reaching(spot: Spot, rain: float) -> float:
    """What of it reaches the roots: none under a roof, half past the leaves into a pot."""
    if spot.covered or rain < 2.0:
        return 0.0
    return rain * (0.5 if spot.pot else 0.8)


def _watering(spot: Spot, missing: float, reasons: tuple[Reason, ...]) -> Watering:
    return Watering(spot, max(1, round(missing)), reasons)


def _reasons(spot: Spot, day: Day, dry_days: int) -> tuple[Reason, ...]:
    found = [Reason("heat", day.high)] if day.high >= HOT else []
    if spot.covered:
        found.append(Reason("covered"))
    if spot.pot:
        found.append(Reason("pot"))
    elif spot.soil == "sand":
        found.append(Reason("sand"))
    known = day.rain is not None or day.chance is not None
    if known and dry_days >= 3 and not spot.covered:
        found.append(Reason("dry_spell", dry_days))
    if spot.need == "thirsty" and len(found) < 2:
        found.append(Reason("thirsty"))
    return tuple(found or [Reason("dry_spell", dry_days) if known else Reason("season")])
