"""The words for movements, joints, goals and days, as a table of ours has them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from cloche import MetadataKey, Value
from cloche_fitness.training.planning import Movement


@dataclass(frozen=True)
class Words:
    """The tables of ``movements.toml``.

    Attributes:
        movements: What a week is made of.
        names: What a movement is called, by its name and the language.
        keys: Words for joints, goals and days, as a vocabulary reads them.
    """

    movements: tuple[Movement, ...]
    names: Mapping[str, Mapping[str, str]]
    keys: Mapping[str, MetadataKey]

    def named(self, key: str, text: str) -> tuple[str, ...]:
        """The values that a text names."""
        return tuple(tag.id for tag in self.keys[key].mentions(text))

    def spoken(self, key: str) -> tuple[str, ...]:
        """All words of a key."""
        return tuple(alias for value in self.keys[key].values for alias in value.aliases)


@lru_cache(maxsize=2)
def read_words(path: Path) -> Words:
    """Read the tables."""
    tables: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    movements = [
        Movement(
            name=row["name"],
            pattern=row["pattern"],
            needs=tuple(row["needs"]),
            joints=tuple(row["joints"]),
            loaded=row["loaded"],
            fewest=row.get("fewest", 1 if row["loaded"] else 8),
            timed=row.get("timed", False),
            lying=row.get("lying", False),
        )
        for row in tables["movement"]
    ]
    names = {
        row["name"]: {one: row[one] for one in ("en", "es", "zh")} for row in tables["movement"]
    }
    keys = {
        key: MetadataKey(key, f"Words for a {key}.", values=tuple(_values(table)))
        for key, table in tables.items()
        if key != "movement"
    }
    return Words(tuple(movements), names, keys)


def _values(table: Mapping[str, Mapping[str, str]]) -> Iterable[Value]:
    for name, by_language in table.items():
        words = [word.strip() for row in by_language.values() for word in row.split(",")]
        # The id alone would be a spelling, too; "v-" keeps it out of people's words.
        yield Value(f"v-{name}", aliases=tuple(words))
