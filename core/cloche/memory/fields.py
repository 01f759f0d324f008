"""Reading a JSON object field by field: strict, and every error names the field."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeVar

from cloche.state.store import Json

Word = TypeVar("Word", bound=str)


def finite(number: float, name: str) -> float:
    """The number as a float.

    Raises:
        ValueError: it is infinite, not a number or too large for a float.
    """
    try:
        if math.isfinite(number):
            return float(number)
    except OverflowError as error:
        raise ValueError(f"{name} is too large a number") from error
    raise ValueError(f"{name} is not a finite number")


def one_of(word: str, allowed: tuple[Word, ...], name: str) -> Word:
    """The word, as the type of the allowed ones.

    Raises:
        ValueError: it is not among them.
    """
    for one in allowed:
        if one == word:
            return one
    raise ValueError(f"{name} is {word!r}, not one of {', '.join(allowed)}")


class Fields:
    """The fields of one object, read one by one.

    Every method that takes a name raises ``ValueError`` when that field is missing or of another
    type; the message names it by its whole path.
    """

    def __init__(self, document: Mapping[str, Json], path: str = "") -> None:
        """Take the object and where it stands: "" or a path that ends with a dot."""
        self.document, self._path = document, path
        self._read: set[str] = set()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the fields that are there."""
        return tuple(self.document)

    def text(self, name: str) -> str:
        """A text."""
        value = self._take(name)
        if not isinstance(value, str):
            raise self._wrong(name, "a text")
        return value

    def text_or_none(self, name: str) -> str | None:
        """A text or null."""
        return None if self._take(name) is None else self.text(name)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self._take(name)
        texts = [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
        if not isinstance(value, list) or len(texts) != len(value):
            raise self._wrong(name, "a list of texts")
        return tuple(texts)

    def one_of(self, name: str, allowed: tuple[Word, ...]) -> Word:
        """One of the words allowed."""
        return one_of(self.text(name), allowed, self._path + name)

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._take(name)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def whole(self, name: str) -> int:
        """A whole number."""
        value = self._take(name)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(name, "a whole number")
        return value

    def number(self, name: str) -> float:
        """A finite number."""
        value = self._take(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(name, "a number")
        return finite(value, self._path + name)

    def instant(self, name: str) -> datetime:
        """An ISO 8601 instant with an offset, in UTC."""
        text = self.text(name)
        try:
            at = datetime.fromisoformat(text)
            if at.utcoffset() is not None:
                return at.astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise self._wrong(name, "an ISO 8601 instant") from error
        raise self._wrong(name, "an instant with a time zone")

    def instant_or_none(self, name: str) -> datetime | None:
        """An instant or null."""
        return None if self._take(name) is None else self.instant(name)

    def object(self, name: str) -> Fields:
        """The fields of an object inside this one."""
        value = self._take(name)
        if not isinstance(value, dict):
            raise self._wrong(name, "an object")
        return Fields(value, f"{self._path}{name}.")

    def objects(self, name: str) -> list[Fields]:
        """The fields of every object of a list."""
        value = self._take(name)
        if not isinstance(value, list):
            raise self._wrong(name, "a list of objects")
        found = []
        for index, one in enumerate(value):
            if not isinstance(one, dict):
                raise self._wrong(f"{name}.{index}", "an object")
            found.append(Fields(one, f"{self._path}{name}.{index}."))
        return found

    def refuse_others(self) -> None:
        """Refuse the document when it has a field that was not read."""
        if len(self._read) < len(self.document):
            others = sorted(set(self.document) - self._read)
            raise ValueError(f"unknown field {self._path}{others[0]}")

    def _take(self, name: str) -> Json:
        if name not in self.document:
            raise ValueError(f"{self._path}{name} is missing")
        self._read.add(name)
        return self.document[name]

    def _wrong(self, name: str, wanted: str) -> ValueError:
        return ValueError(f"{self._path}{name} is not {wanted}")
