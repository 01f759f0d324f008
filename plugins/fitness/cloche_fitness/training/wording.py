"""Efforts, bests and days in a person's language and units."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from cloche_fitness.training.diary import Best
from cloche_fitness.training.measures import Units, Writing, distance, duration, mass, number, pace
from cloche_fitness.training.reading import Effort

Table = Mapping[str, str | list[str]]


@lru_cache(maxsize=8)
def _tables(path: Path) -> Mapping[str, Table]:
    tables: Mapping[str, Table] = tomllib.loads(path.read_text(encoding="utf-8"))
    return tables


@dataclass(frozen=True, slots=True)
class Wording:
    """The sentences of one skill, in one language and system of units.

    Attributes:
        table: Sentences by key; with months, and how numbers are written.
        units: What loads and distances are told in.
        today: The person's own day.
    """

    table: Table
    units: Units
    today: date

    @classmethod
    def of(cls, path: Path, language: str, units: Units, today: date) -> Wording:
        """The sentences of a ``sentences.toml``; English where the language is not in it."""
        tables = _tables(path)
        return cls(tables.get(language.partition("-")[0].lower(), tables["en"]), units, today)

    def say(self, key: str, **slots: object) -> str:
        """A sentence."""
        return str(self.table[key]).format(**slots)

    def number(self, value: float) -> str:
        """A number as the language writes it."""
        return number(value, self._writing)

    def mass(self, kilos: float) -> str:
        """A load."""
        return mass(kilos, self.units, self._writing)

    def distance(self, metres: float) -> str:
        """A distance."""
        return distance(metres, self.units, self._writing)

    def work(self, efforts: Sequence[Effort]) -> str:
        """``3 × 8 · 60 kg``; what repeats is said once: ``5 · 60 kg, 3 · 65 kg``."""
        return ", ".join(self._effort(effort, len(list(same))) for effort, same in groupby(efforts))

    def best(self, best: Best) -> str:
        """The value of a best."""
        if best.kind in ("load", "one_rep"):
            return self.mass(best.value)
        if best.kind == "reps":
            return self.number(best.value)
        if best.kind == "pace":
            return pace(best.value, 1, self.units)
        return self.distance(best.value) if best.kind == "distance" else duration(best.value)

    def day(self, day: date) -> str:
        """``today``, ``yesterday`` or the date."""
        if day == self.today:
            return self.say("today")
        if day == self.today - timedelta(days=1):
            return self.say("yesterday")
        return self.full_day(day)

    def full_day(self, day: date) -> str:
        """The whole date."""
        return self._date("date", "months", day)

    def short_day(self, day: date) -> str:
        """The date without its year."""
        return self._date("short_date", "short_months", day)

    def _date(self, key: str, months: str, day: date) -> str:
        month = self.table[months][day.month - 1]
        return self.say(key, day=day.day, month=month, year=day.year)

    def _effort(self, effort: Effort, times: int) -> str:
        parts = [str(effort.reps)] if effort.reps else []
        if effort.metres:
            parts.append(self.distance(effort.metres))
        if effort.seconds:
            parts.append(duration(effort.seconds))
        if effort.kilos:
            parts.append(self.mass(effort.kilos))
        if effort.metres and effort.seconds and effort.metres >= 1000:
            parts.append(pace(effort.seconds, effort.metres, self.units))
        first = f"{times} × {parts[0]}" if times > 1 else parts[0]
        return " · ".join([first, *parts[1:]])

    @property
    def _writing(self) -> Writing:
        return Writing(str(self.table["decimal"]), str(self.table["thousands"]))
