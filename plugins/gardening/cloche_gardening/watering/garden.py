"""The garden that memories tell of: which plant stands where, and how fast it dries there."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final, Literal

from cloche import MemoryRecord, MetadataKey, Vocabulary

Sun = Literal["full", "half", "shade", ""]
Soil = Literal["sand", "clay", ""]
Need = Literal["thirsty", "ordinary", "dry", "deep"]

_HERE: Final = files(__package__)
_WORDS: Final = tomllib.loads(_HERE.joinpath("words.toml").read_text(encoding="utf-8"))
_NEEDS: Final = tomllib.loads(_HERE.joinpath("needs.toml").read_text(encoding="utf-8"))
_TELLS: Final = frozenset({"fact", "decision"})
"""Kinds of memories that say what grows where; a wish, a rule or a note does not."""
_OTHER_THINGS: Final = frozenset({"problem", "harvest", "household", "tool", "method"})
_POTS: Final = frozenset({"pots", "window-box"})
_CJK: Final = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Spot:
    """One plant in one place.

    Attributes:
        plant: Its id in the vocabulary.
        name: As the gardener calls it.
        section: The place's id; "" = not told.
        place: As the gardener calls it.
        need: How much it drinks.
        sun: How much sun falls there; "" = not told.
        soil: What soil there is; "" = not told.
        pot: True in a pot or box.
        covered: True where no rain falls.
        mulch: True where the ground is covered.
    """

    plant: str
    name: str
    section: str = ""
    place: str = ""
    need: Need = "ordinary"
    sun: Sun = ""
    soil: Soil = ""
    pot: bool = False
    covered: bool = False
    mulch: bool = False

    @property
    def key(self) -> str:
        """Names it in what is kept of the plan."""
        return f"{self.plant}@{self.section}"


def read_garden(records: Iterable[MemoryRecord], vocabulary: Vocabulary) -> tuple[Spot, ...]:
    """What grows where, in the order it was told.

    A later memory that says that a plant is gone removes it. What is told of a place holds for
    all that stands there, what is told of no place and no plant for the whole garden.
    """
    told = sorted(
        (record for record in records if record.kind in _TELLS),
        key=lambda record: record.validity.created_at,
    )
    standing: dict[tuple[str, str], MemoryRecord] = {}
    for record in told:
        places = _places(record) or ("",)
        for plant in _ids(record, "plants"):
            for place in places:
                _stand(standing, record, plant, place)
    plants, sections = vocabulary["plants"], vocabulary["section"]
    return tuple(
        _spot(plant, place, record, _about(told, plant, place), plants, sections)
        for (plant, place), record in standing.items()
    )


def _stand(
    standing: dict[tuple[str, str], MemoryRecord], record: MemoryRecord, plant: str, place: str
) -> None:
    if _says(record.text, "gone"):
        for key in [k for k in standing if k[0] == plant and place in ("", k[1])]:
            del standing[key]
        return
    if set(_ids(record, "type")) and set(_ids(record, "type")) <= _OTHER_THINGS:
        return  # aphids on the roses say nothing new of where roses stand
    if place:
        standing.pop((plant, ""), None)  # now it is known where
    elif any(key[0] == plant for key in standing):
        return
    standing.setdefault((plant, place), record)


def _about(told: Sequence[MemoryRecord], plant: str, place: str) -> list[MemoryRecord]:
    """What is told of the plant there, of the place, and of the garden as a whole; newest first."""
    found = []
    for record in reversed(told):
        plants, places = _ids(record, "plants"), _places(record)
        if (plant in plants and (not places or place in places)) or (
            not plants and (place in places if places else True)
        ):
            found.append((bool(plants), bool(places), record))
    found.sort(
        key=lambda one: (not one[0], not one[1])
    )  # the nearer it is to the plant, the better
    return [record for _, _, record in found]


def _spot(
    plant: str,
    place: str,
    record: MemoryRecord,
    about: Sequence[MemoryRecord],
    plants: MetadataKey,
    sections: MetadataKey,
) -> Spot:
    near = [r for r in about if _ids(r, "plants") or _ids(r, "section")]
    return Spot(
        plant=plant,
        name=_called(plants, plant, record),
        section=place,
        place=_called(sections, place, record) if place else "",
        need=_need(plant),
        sun=_sun(near),
        soil=_soil(about),
        pot=place in _POTS or any(_says(r.text, "pot") for r in near),
        covered=any(_says(r.text, "covered") for r in near),
        mulch=any(_says(r.text, "mulch") for r in near),
    )


def _sun(near: Sequence[MemoryRecord]) -> Sun:
    """Of the place or the plant: a corner's shade says nothing of the rest of the garden."""
    for record in near:
        if _says(record.text, "full_sun"):
            return "full"
        if _says(record.text, "half_shade"):
            return "half"
        if _says(record.text, "shade"):
            return "shade"
    return ""


def _soil(about: Sequence[MemoryRecord]) -> Soil:
    """Of the place, else of the garden."""
    for record in about:
        if _says(record.text, "sand"):
            return "sand"
        if _says(record.text, "clay"):
            return "clay"
    return ""


def _need(plant: str) -> Need:
    if plant in _NEEDS["thirsty"]:
        return "thirsty"
    if plant in _NEEDS["dry"]:
        return "dry"
    return "deep" if plant in _NEEDS["deep"] else "ordinary"


def _places(record: MemoryRecord) -> tuple[str, ...]:
    """Where it is: "in pots on the balcony" is one place, not two."""
    places = _ids(record, "section")
    return tuple(place for place in places if place not in _POTS) or places


def _ids(record: MemoryRecord, key: str) -> tuple[str, ...]:
    tags = record.metadata.get(key, ())
    return tuple(tag.id for tag in tags) if isinstance(tags, tuple) else ()


def _called(key: MetadataKey, id_: str, record: MemoryRecord) -> str:
    """The gardener's own word for a value, as the memory has it."""
    text = _fold(record.text)
    for value in key.values:
        if value.id == id_:
            for spelling in sorted(value.spellings, key=len, reverse=True):
                if _stands_in(_fold(spelling), text):
                    return spelling.lower()
    tags = record.metadata.get(key.id, ())
    labels = [tag.label for tag in tags if tag.id == id_] if isinstance(tags, tuple) else []
    return labels[0] if labels else id_


def _says(text: str, group: str) -> bool:
    folded = _fold(text)
    return any(
        _stands_in(_fold(word.strip()), folded)
        for row in _WORDS[group].values()
        for word in row.split(",")
    )


def _stands_in(word: str, text: str) -> bool:
    if _CJK.search(word):
        return word in text
    return re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", text) is not None


def _fold(text: str) -> str:
    parted = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in parted if not unicodedata.combining(char))
