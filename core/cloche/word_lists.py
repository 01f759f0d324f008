"""What people write for the values of a vocabulary, kept in TOML, for non-programmers too."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Final

from pydantic import TypeAdapter, ValidationError

from cloche.documents import read_text
from cloche.errors import ManifestError
from cloche.vocabulary import Value

NONE: Final = "none"
"""Table of words that only hold a value's name, by key."""
LABELS: Final = "labels"
"""Table of what is shown for keys and values, by language."""


@dataclass(frozen=True)
class WordLists:
    """A package's ``vocabulary.toml``.

    A table ``[key.value]`` is one value: its name, and per language the words for it, commas
    between. ``[none]`` has, per key, words that hold a value's name and name none. ``[labels.key]``
    has what is shown for a key, per language, and ``[labels.key.value]`` for a value whose first
    word in a language would not do.

    Attributes:
        spoken: Key -> value's name -> language -> words.
        misleading: Key -> words that name none.
        shown: Key -> language -> what is shown for the key, or value's name -> language -> what is
            shown for the value.
    """

    spoken: Mapping[str, Mapping[str, Mapping[str, str]]]
    misleading: Mapping[str, str]
    shown: Mapping[str, Mapping[str, str | Mapping[str, str]]] = field(default_factory=dict)

    @classmethod
    def from_package(cls, package: str, file: str = "vocabulary.toml") -> WordLists:
        """Read a package's file.

        Raises:
            ManifestError: it is missing or is not of that form: which file, and where.
        """
        path = files(package).joinpath(file)
        try:
            document = tomllib.loads(read_text(path))
        except tomllib.TOMLDecodeError as error:
            raise ManifestError(str(path), f"it is no TOML: {error}.") from error
        try:
            misleading = _MISLEADING.validate_python({NONE: document.get(NONE, {})})[NONE]
            shown = _SHOWN.validate_python({LABELS: document.get(LABELS, {})})[LABELS]
            spoken = {key: table for key, table in document.items() if key not in (NONE, LABELS)}
            return cls(_SPOKEN.validate_python(spoken), misleading, shown)
        except ValidationError as error:
            where = "".join(f"/{part}" for part in error.errors()[0]["loc"] if part not in _KINDS)
            raise ManifestError(
                str(path), "words must be one text, commas between.", pointer=where
            ) from error

    def values(self, key: str) -> tuple[Value, ...]:
        """The values of a key, in the file's order; KeyError when it has none."""
        return tuple(
            Value(
                name.lower().replace(" ", "-"),
                name,
                tuple(_all(by_language.values())),
                self._labels_of(key, name, by_language),
            )
            for name, by_language in self.spoken[key].items()
        )

    def labels(self, key: str) -> Mapping[str, str]:
        """What is shown for a key, by language; empty when nothing is said of it."""
        shown = self.shown.get(key, {})
        return {language: text for language, text in shown.items() if isinstance(text, str)}

    def _labels_of(self, key: str, name: str, spoken: Mapping[str, str]) -> Mapping[str, str]:
        """The first word of each language stands for a value, in English its name."""
        first = {language: words[0] for language, row in spoken.items() if (words := _all([row]))}
        own = self.shown.get(key, {}).get(name, {})
        return {**first, "en": name, **({} if isinstance(own, str) else own)}

    def other_words(self, key: str) -> tuple[str, ...]:
        """Words that hold the name of one of the key's values and name none."""
        return tuple(_all([self.misleading.get(key, "")]))


_SPOKEN: Final = TypeAdapter(dict[str, dict[str, dict[str, str]]])
_SHOWN: Final = TypeAdapter(dict[str, dict[str, dict[str, str | dict[str, str]]]])
_KINDS: Final = ("str", "dict[str,str]")
"""What pydantic adds to a place, where either may stand there."""
_MISLEADING: Final = TypeAdapter(dict[str, dict[str, str]])


def _all(rows: Iterable[str]) -> list[str]:
    return [word.strip() for row in rows for word in row.split(",") if word.strip()]
