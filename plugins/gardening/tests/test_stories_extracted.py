from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cloche.memory.extraction import extract_drafts
from cloche_gardening import provide_vocabulary

if TYPE_CHECKING:
    from conftest import Story

VOCABULARY = provide_vocabulary()


def test_every_statement_of_three_days_is_kept_word_for_word(story: Story) -> None:
    for line in story.lines:
        if line.keep:
            assert [d.text for d in extract_drafts(line.text, VOCABULARY)] == [line.text]


def test_small_talk_of_three_days_leaves_nothing(story: Story) -> None:
    for line in story.lines:
        if not line.keep:
            assert extract_drafts(line.text, VOCABULARY) == (), line.text


def test_a_story_is_long_enough_to_show_something(story: Story) -> None:
    kept = [line.text.casefold() for line in story.lines if line.keep]
    assert len(story.days) == 3
    assert len(kept) >= 12
    assert len(story.lines) - len(kept) >= 6
    assert all(any(plant in text for text in kept) for plant in story.plants)


@pytest.mark.parametrize(
    ("text", "plants", "section"),
    [
        ("Two figs against the south wall.", {"fig"}, False),
        ("Dos higueras junto al muro sur.", {"fig"}, False),
        ("南墙边有两棵无花果。", {"fig"}, False),
        ("Our south bed has lavender in it.", {"lavender"}, True),
        ("En el bancal sur hay lavanda.", {"lavender"}, True),
        ("南边的花坛种了薰衣草。", {"lavender"}, True),
    ],
)
def test_plants_and_beds_are_tagged_alike_in_every_language(
    text: str, plants: set[str], section: bool
) -> None:
    (draft,) = extract_drafts(text, VOCABULARY)
    found = draft.metadata["plants"]
    assert isinstance(found, tuple)
    assert {tag.id for tag in found} == plants
    assert ("section" in draft.metadata) is section


@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_of_many_gardeners_sentences_hardly_any_is_lost_or_kept_in_vain(language: str) -> None:
    file = Path(__file__).with_name("garden_sentences.toml")
    sentences = tomllib.loads(file.read_text(encoding="utf-8"))[language]
    lost = [text for text in sentences["keep"] if not extract_drafts(text, VOCABULARY)]
    in_vain = [text for text in sentences["small"] if extract_drafts(text, VOCABULARY)]
    assert len(sentences["keep"]) >= 200
    assert len(sentences["small"]) >= 100
    assert len(lost) <= 0.03 * len(sentences["keep"]), lost
    assert len(in_vain) <= 0.03 * len(sentences["small"]), in_vain


KINDS = tomllib.loads(Path(__file__).with_name("garden_kinds.toml").read_text(encoding="utf-8"))


def of_kind(kind: str) -> list[str]:
    return [text for by_kind in KINDS.values() for text in by_kind[kind]]


@pytest.mark.parametrize("text", of_kind("rules"))
def test_a_standing_wish_is_kept_as_a_rule(text: str) -> None:
    assert [draft.kind for draft in extract_drafts(text, VOCABULARY)] == ["rule"]


@pytest.mark.parametrize("text", of_kind("hearsay"))
def test_what_others_say_is_at_most_an_unsure_fact(text: str) -> None:
    for draft in extract_drafts(text, VOCABULARY):
        assert draft.kind == "fact"
        assert not draft.stated
        assert draft.confidence <= 0.4


@pytest.mark.parametrize("text", of_kind("requests") + of_kind("small"))
def test_requests_and_small_talk_that_name_plants_leave_nothing(text: str) -> None:
    assert extract_drafts(text, VOCABULARY) == ()


@pytest.mark.parametrize("text", of_kind("theirs"))
def test_what_is_told_in_passing_of_the_garden_is_kept(text: str) -> None:
    (draft,) = extract_drafts(text, VOCABULARY)
    assert draft.text in text
    assert draft.stated


@pytest.mark.parametrize(
    "text",
    [
        "Vinegar for the weeds, never.",
        "By the way, I hate gnomes and yesterday I went to the cinema.",
        "Vinagre para las malas hierbas, jamás.",
        "Por cierto, odio los gnomos y ayer fui al cine.",
        "用醋除草，绝不。",
        "另外我讨厌小矮人，昨天去看了电影。",
    ],
)
def test_a_preference_in_odd_company_is_still_one(text: str) -> None:
    assert [draft.kind for draft in extract_drafts(text, VOCABULARY)] == ["preference"]


@pytest.mark.parametrize(
    "text",
    ["My neighbor gave me a rose bush.", "Mi vecina me regaló un rosal.", "邻居送了我一棵玫瑰。"],
)
def test_a_gift_is_the_gardeners_own(text: str) -> None:
    (draft,) = extract_drafts(text, VOCABULARY)
    assert draft.subject == ""
    assert "plants" in draft.metadata
