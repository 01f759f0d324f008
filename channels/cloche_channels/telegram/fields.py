"""Reading objects of the Bot API: what must be there is checked, the rest may be missing."""

from __future__ import annotations

import math
from collections.abc import Iterator

from cloche.channels import Document
from cloche.errors import RequestError
from cloche.messages import without_surrogates


class Fields:
    """An object of an update, and where it stands in it."""

    def __init__(self, document: Document, path: str = "") -> None:
        """Take an object.

        Raises:
            RequestError: it is none; says where.
        """
        if not isinstance(document, dict):
            raise RequestError(f"{path or 'body'}: is not an object")
        self._values, self._path = document, path

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def object(self, name: str) -> Fields | None:
        """An object in it, None when there is none."""
        value = self._values.get(name)
        return Fields(value, f"{self._path}/{name}") if isinstance(value, dict) else None

    def needed(self, name: str) -> Fields:
        """An object that must be there.

        Raises:
            RequestError: it is not.
        """
        return Fields(self._values.get(name), f"{self._path}/{name}")

    def objects(self, name: str) -> Iterator[Fields]:
        """The objects of a list in it."""
        value = self._values.get(name)
        for number, each in enumerate(value if isinstance(value, list) else ()):
            if isinstance(each, dict):
                yield Fields(each, f"{self._path}/{name}/{number}")

    def text(self, name: str) -> str:
        """A string, "" when there is none."""
        value = self._values.get(name)
        return without_surrogates(value) if isinstance(value, str) else ""

    def integer(self, name: str) -> int | None:
        """A whole number, None when there is none."""
        value = self._values.get(name)
        return value if type(value) is int else None

    def number(self, name: str) -> float | None:
        """A number, None when there is none: JSON has some that no place or amount can have."""
        value = self._values.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None

    def id(self, name: str) -> str:
        """An identifier as its decimal digits.

        Raises:
            RequestError: there is none.
        """
        value = self.integer(name)
        if value is None:
            raise RequestError(f"{self._path}/{name}: is not a whole number")
        return str(value)

    def flag(self, name: str) -> bool:
        """Whether it says True."""
        return self._values.get(name) is True
