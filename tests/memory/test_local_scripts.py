from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloche.memory.local.questions import about_events, about_records
from cloche.memory.local.scripts import (
    LONGEST,
    asks,
    length,
    named,
    names_of,
    says_i,
    without_names,
)

PEOPLE = ("Ana García", "Luis", "小梅", "Jo")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("When did Ana García move?", "When did move?"),
        ("When did Ana's sister call LUIS?", "When did sister call ?"),
        ("¿Cuándo se mudó Luis?", "¿Cuándo se mudó ?"),
        ("Luis什么时候搬家的?", "什么时候搬家的?"),
        ("小梅什么时候搬家的?", "什么时候搬家的?"),
        ("Anabel and John met Luisa", "Anabel and John met Luisa"),
        ("Luis?", "Luis?"),
        ("", ""),
    ],
)
def test_names_are_no_part_of_what_is_searched_for(text: str, left: str) -> None:
    assert without_names(text, PEOPLE) == left


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("What did Ana say?", "Ana García"),
        ("¿Qué dijo garcía? Ana García", "Ana García"),
        ("LUIS said what?", "Luis"),
        ("小梅说了什么?", "小梅"),
        ("What did Ana tell Luis?", None),
        ("What did Luisa say?", None),
        ("", None),
    ],
)
def test_the_only_person_named_is_meant(text: str, who: str | None) -> None:
    assert named(text, {person: names_of(person) for person in PEOPLE}) == who


@pytest.mark.parametrize("text", ["What did I say?", "¿Qué dije yo de mi casa?", "我说了什么?"])
def test_who_asks_about_themselves_means_what_they_said(text: str) -> None:
    assert says_i(text)
    assert about_events(text, (), ("", "Luis")).asked.who == ""
    assert about_events(f"{text} Luis", (), ("", "Luis")).asked.who == "Luis"
    assert about_events(f"{text} Luis, Ana", (), ("", "Luis", "Ana")).asked.who is None


@pytest.mark.parametrize("text", ["What is in it?", "En el medio", "我们说了什么?", ""])
def test_who_asks_about_others_does_not(text: str) -> None:
    assert not says_i(text)
    assert about_events(text, (), ("", "Luis")).asked.who is None


def test_the_name_of_a_subject_stays_a_word_to_search_for() -> None:
    question = about_records("When is Luis at home?", (), ("", "Luis"))
    assert (question.words, question.asked.who) == ("When is Luis at home?", "Luis")


@pytest.mark.parametrize(
    "text", ["Why?", "¿Por qué?", "为什么？", "لماذا؟", '"Really?" ', "(why?)"]
)
def test_a_question_is_one_by_its_end(text: str) -> None:
    assert asks(text)
    assert not asks(f"{text} Because.")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("two words", 2),
        ("阳台上的灯", 3),
        ("WiFi路由器", 3),
        ("?!", 0),
        ("a " * 99, LONGEST),
    ],
)
def test_length_is_counted_in_words_of_any_script(text: str, words: int) -> None:
    assert length(text) == words


@settings(deadline=None)
@given(st.text(max_size=60), st.lists(st.text(max_size=8), max_size=4))
def test_any_names_leave_something_of_any_text(text: str, people: list[str]) -> None:
    left = without_names(text, people)
    assert bool(left.strip()) == bool(text.strip()) or not length(text)
    assert without_names(text, people) == without_names(text, reversed(people))
    named(text, {person: names_of(person) for person in people})
