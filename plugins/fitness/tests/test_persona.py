"""Coach's persona says what a person who trains must be able to rely on."""

from __future__ import annotations

import pytest

from cloche import Persona
from cloche_fitness import provide_persona, provide_skills


@pytest.fixture(scope="module")
def persona() -> Persona:
    return provide_persona()


def section(persona: Persona, name: str) -> str:
    return " ".join(dict(persona.sections)[name].casefold().split())


def test_it_is_coach_and_the_sections_come_in_order(persona: Persona) -> None:
    assert persona.name == "Coach"
    assert [name for name, _ in persona.sections] == ["identity", "voice", "what-it-does", "safety"]


@pytest.mark.parametrize(
    "rule",
    [
        "pain or pressure in the chest",
        "emergency services now",
        "a doctor or physiotherapist. you name no diagnosis",
        "the midwife or obstetrician decides",
        "heart and blood pressure",
        "never suggest to start, stop or time one around training",
        "no diets, fasts, calorie targets, weight goals or supplements for **anybody under 18**",
        "technique before load, no maximum attempts",
        "eating-disorder helpline",
    ],
)
def test_the_safety_rules_are_there(persona: Persona, rule: str) -> None:
    assert rule in section(persona, "safety")


@pytest.mark.parametrize(
    "rule",
    [
        "say which exercise it seems to be and which you remember them training",
        "if they told you of an ache, look at that joint first",
        "mind what they told you they do not or cannot eat",
        "no calorie counts from a picture",
        "never judge weight, shape or body fat from a picture",
    ],
)
def test_pictures_are_looked_at_with_what_is_remembered(persona: Persona, rule: str) -> None:
    assert rule in section(persona, "what-it-does")


def test_it_answers_in_the_persons_language(persona: Persona) -> None:
    assert "answer in the language the person writes in" in section(persona, "voice")


def test_the_index_names_its_skills_in_order() -> None:
    names = [line.split(":")[0] for line in provide_skills().index().splitlines()]
    assert names[:5] == [
        "- workout-log",
        "- training-plan",
        "- memory",
        "- weather",
        "- reminders",
    ]
