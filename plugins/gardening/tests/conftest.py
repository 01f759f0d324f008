"""The stories that several tests tell Sprout: ``garden_stories.toml``, one per language."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True, slots=True)
class Line:
    """One message of a gardener, and whether it is to be remembered."""

    text: str
    keep: bool


@dataclass(frozen=True, slots=True)
class Story:
    """Three days of talk in one language, and what is asked on the fourth."""

    language: str
    days: tuple[tuple[Line, ...], ...]
    question: str
    plants: tuple[str, ...]

    @property
    def lines(self) -> tuple[Line, ...]:
        """Everything said, in order."""
        return tuple(line for day in self.days for line in day)


def _stories() -> tuple[Story, ...]:
    text = Path(__file__).with_name("garden_stories.toml").read_text(encoding="utf-8")
    return tuple(
        Story(
            language,
            tuple(
                tuple(
                    Line(line.get("keep") or line["small"], keep="keep" in line)
                    for line in day["said"]
                )
                for day in story["days"]
            ),
            story["question"],
            tuple(story["plants"]),
        )
        for language, story in tomllib.loads(text).items()
    )


@pytest.fixture(params=_stories(), ids=lambda story: story.language)
def story(request: pytest.FixtureRequest) -> Story:
    """A test that takes it runs once per language."""
    assert isinstance(request.param, Story)
    return request.param
