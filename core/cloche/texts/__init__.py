"""What the host itself says, one TOML file per language; others can be added beside them."""

from __future__ import annotations

import tomllib
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Final

FALLBACK: Final = "en"


def say(key: str, language: str = FALLBACK, **slots: object) -> str:
    """The host's sentence for ``key`` in the person's language, else in English.

    Raises:
        KeyError: no such sentence, or a slot of it was not given.
    """
    primary = known_language(language)
    sentences = _sentences(primary) if primary else {}
    return (sentences.get(key) or _sentences(FALLBACK)[key]).format(**slots)


def say_day(day: date, language: str = FALLBACK) -> str:
    """A day as people write it in that language."""
    month = say("months", language).split()[day.month - 1]
    return say("day", language, day=day.day, month=month, year=day.year)


def known_language(tag: str) -> str:
    """The language of the host that a tag stands for (BCP 47, also ``es_MX``), "" = none."""
    primary = tag.replace("_", "-").split("-", maxsplit=1)[0].lower()
    return primary if primary in languages() else ""


@cache
def languages() -> tuple[str, ...]:
    """Languages the host can speak, by primary subtag."""
    names = (path.name for path in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@cache
def _sentences(language: str) -> dict[str, str]:
    text = files(__name__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    return {key: str(value) for key, value in tomllib.loads(text).items()}
