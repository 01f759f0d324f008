"""Sprout's persona says what a gardener must be able to rely on."""

from __future__ import annotations

import pytest

from cloche import Persona
from cloche_gardening import provide_persona, provide_skills


@pytest.fixture(scope="module")
def persona() -> Persona:
    return provide_persona()


def section(persona: Persona, name: str) -> str:
    return " ".join(dict(persona.sections)[name].casefold().split())


def test_it_is_sprout_and_the_sections_come_in_order(persona: Persona) -> None:
    assert persona.name == "Sprout"
    assert [name for name, _ in persona.sections] == ["identity", "voice", "what-it-does", "safety"]


@pytest.mark.parametrize(
    "rule",
    [
        "never guess a plant from a photo",
        "compare it first with what you remember",
        "call it *likely*, and give the reasons",
        "organic first",
        "only if the gardener has said that they use them",
        "poisonous to a pet or child",
        "lilies for cats",
        "frost",
        "never call a wild plant, berry or mushroom safe to eat",
    ],
)
def test_the_safety_rules_are_there(persona: Persona, rule: str) -> None:
    assert rule in section(persona, "safety")


def test_it_answers_in_the_gardeners_language(persona: Persona) -> None:
    assert "answer in the language the gardener writes in" in section(persona, "voice")


def test_it_says_what_is_not_available_and_the_index_says_which(persona: Persona) -> None:
    assert "weather or reminders are not available, say so" in section(persona, "what-it-does")
    index = provide_skills().index().splitlines()
    assert index[0].startswith("- plant-notes: Keeps the gardener's own notes")
    assert index[1].startswith("- memory: Looks up, keeps, corrects and forgets")
    assert index[2].startswith("- weather: Looks up the weather")
    assert index[3].startswith("- reminders: ")
    assert index[4].startswith("- watering-plan: Plans a week of watering")


def test_it_looks_the_weather_up_and_sets_reminders_only_on_a_yes(persona: Persona) -> None:
    does = section(persona, "what-it-does")
    assert "look it up with the skill weather before you advise" in does
    assert "offer reminders once, and set them only on a yes" in does
    assert "never make up a forecast" in does
