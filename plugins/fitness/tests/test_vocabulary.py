"""What Coach takes people's words for, in English, Spanish and Chinese."""

from __future__ import annotations

import pytest

from cloche import Vocabulary
from cloche_fitness import provide_namespaces, provide_vocabulary


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return provide_vocabulary()


def named(vocabulary: Vocabulary, key: str, text: str) -> list[str]:
    return [tag.id for tag in vocabulary[key].mentions(text)]


@pytest.mark.parametrize(
    ("text", "exercises"),
    [
        ("Squats, then a few PULL-UPS", ["squat", "pull-up"]),
        ("sentadillas y dominadas", ["squat", "pull-up"]),
        ("深蹲和引体向上", ["squat", "pull-up"]),
        ("front squats are no squats", ["squat", "front-squat"]),
        ("romanian deadlifts", ["romanian-deadlift"]),
        ("peso muerto rumano", ["romanian-deadlift"]),
        ("罗马尼亚硬拉", ["romanian-deadlift"]),
        ("press de banca", ["bench-press"]),
        ("I ran along the river", ["running"]),
        ("salí a correr", ["running"]),
        ("昨天跑了五公里", ["running"]),
        ("three weeks in a row", []),
        ("we ran out of milk", []),
        ("paseo marítimo", []),
        ("We have the same bank", []),
        ("walking lunges", ["lunge"]),
        ("划船机", ["rowing"]),
        ("哑铃划船", ["row"]),
    ],
)
def test_exercises_are_known_by_plural_accent_and_script(
    vocabulary: Vocabulary, text: str, exercises: list[str]
) -> None:
    assert sorted(named(vocabulary, "exercises", text)) == sorted(exercises)


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("my knee hurts", ["injury"]),
        ("me duele el tobillo", ["injury"]),
        ("膝盖有点痛", ["injury"]),
        ("I take medication for my heart", ["health"]),
        ("estoy embarazada", ["health"]),
        ("我在吃降压药", ["health"]),
        ("my goal is a marathon", ["goal"]),
        ("mi objetivo", ["goal"]),
        ("我的目标", ["goal"]),
        ("three days a week", ["availability"]),
        ("tres días a la semana", ["availability"]),
        ("我是素食者，吃素", ["nutrition"]),
        ("I'm vegan", ["nutrition"]),
        ("the best time to call", []),
        ("mi mejor marca", ["achievement"]),
        ("I weigh 70 kilos", ["measurement"]),
        ("duermo poco", ["recovery"]),
    ],
)
def test_the_type_of_a_statement_shows_in_its_words(
    vocabulary: Vocabulary, text: str, types: list[str]
) -> None:
    assert named(vocabulary, "type", text) == types


def test_the_vocabulary_is_four_keys_and_what_one_has_is_the_inventory(
    vocabulary: Vocabulary,
) -> None:
    assert [key.id for key in vocabulary.keys] == ["type", "focus", "exercises", "equipment"]
    assert [key.id for key in vocabulary.inventory] == ["exercises", "equipment"]
    assert vocabulary["type"].closed
    assert len(vocabulary["type"].values) <= 10
    assert len(vocabulary["exercises"].values) >= 60


@pytest.mark.parametrize("text", ["my other exercises", "los otros ejercicios", "其他的动作"])
def test_a_question_names_the_inventory_in_three_languages(
    vocabulary: Vocabulary, text: str
) -> None:
    assert vocabulary["exercises"].named_in(text)


def test_every_value_has_words_in_all_three_languages(vocabulary: Vocabulary) -> None:
    for key in vocabulary.keys:
        for value in key.values:
            words = value.spellings
            assert any("\u4e00" <= char <= "\u9fff" for word in words for char in word), value.id
            assert len(words) >= 3, value.id


def test_the_namespaces_are_the_agreed_ones() -> None:
    templates = [scope.template for scope in provide_namespaces().all_scopes]
    assert templates == [
        "coach/{actorId}/long_term/",
        "coach/{actorId}/episodic/{sessionId}/",
    ]
