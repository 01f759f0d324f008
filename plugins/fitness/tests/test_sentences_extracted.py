"""What people tell in passing of their training is kept; small talk and requests are not."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from cloche.memory.extraction import extract_drafts
from cloche_fitness import provide_vocabulary

VOCABULARY = provide_vocabulary()
SENTENCES = tomllib.loads(
    Path(__file__).with_name("training_sentences.toml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_of_many_peoples_sentences_hardly_any_is_lost_or_kept_in_vain(language: str) -> None:
    sentences = SENTENCES[language]
    lost = [text for text in sentences["keep"] if not extract_drafts(text, VOCABULARY)]
    in_vain = [text for text in sentences["small"] if extract_drafts(text, VOCABULARY)]
    assert len(sentences["keep"]) >= 100
    assert len(sentences["small"]) >= 50
    assert len(lost) <= 0.04 * len(sentences["keep"]), lost
    assert len(in_vain) <= 0.04 * len(sentences["small"]), in_vain


@pytest.mark.parametrize(
    ("text", "types", "exercises", "equipment"),
    [
        ("My left knee hurts when I squat.", {"injury"}, {"squat"}, set()),
        ("Me duele la rodilla cuando hago sentadillas.", {"injury"}, {"squat"}, set()),
        ("我深蹲的时候左膝盖会疼。", {"injury"}, {"squat"}, set()),
        ("I have two dumbbells and a mat.", set(), set(), {"dumbbell", "mat"}),
        ("Tengo dos mancuernas y una esterilla.", set(), set(), {"dumbbell", "mat"}),
        ("我有两个哑铃和一张瑜伽垫。", set(), set(), {"dumbbell", "mat"}),
    ],
)
def test_statements_are_tagged_alike_in_every_language(
    text: str, types: set[str], exercises: set[str], equipment: set[str]
) -> None:
    (draft,) = extract_drafts(text, VOCABULARY)
    found = {key: {tag.id for tag in tags} for key, tags in draft.metadata.items()}  # type: ignore[union-attr]
    assert found.get("type", set()) == types
    assert found.get("exercises", set()) == exercises
    assert found.get("equipment", set()) == equipment


@pytest.mark.parametrize(
    "text",
    ["Don't suggest burpees to me.", "No me propongas burpees.", "不要给我推荐波比跳。",
     "Always use kilometres, please.", "Usa siempre kilómetros, por favor."],
)  # fmt: skip
def test_a_standing_wish_is_kept_as_one(text: str) -> None:
    (draft,) = extract_drafts(text, VOCABULARY)
    assert draft.kind in ("rule", "preference")
