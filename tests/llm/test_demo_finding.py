"""What the stand-in quotes of what memory gave it."""

from datetime import date

import pytest

from cloche.llm.demo.finding import everything, fitting, of_then
from cloche.prompt import RecalledLine
from cloche.vocabulary import Vocabulary

SUMMARY = "Told: a photo, una foto, 照片. Asked: the photo? " * 20


@pytest.mark.parametrize(
    "words", ["Give me the photo of yesterday", "Dame la foto de ayer", "把我昨天发的照片给我"]
)
def test_a_long_summary_is_never_shown_as_an_answer(words: str) -> None:
    lines = [RecalledLine("summary", date(2026, 3, 1), False, "fits", SUMMARY)]
    nothing = Vocabulary()
    assert of_then(words, lines, nothing, decisions=False) == ()
    assert fitting(words, lines, nothing) == ()
    assert everything(words, lines, nothing) == ()


def told(*texts: str) -> list[RecalledLine]:
    return [RecalledLine("fact", None, True, "fits", text) for text in texts]


@pytest.mark.parametrize(
    ("question", "own"),
    [
        ("What is the name of Jon's cat?", "My name is Marta and I live in Bergen."),
        ("What is my dog's name?", "My name is Marta"),
        ("What is my sister called?", "I'm called Marta"),
        ("¿Cómo se llama mi perro?", "Me llamo Lucía."),
        ("¿Cuál es el nombre de mi gata?", "Mi nombre es Lucía."),
        ("我的狗叫什么名字？", "我叫李明"),
        ("我妹妹叫什么？", "我的名字是李明"),
        ("What is my dog's name?", "Me llamo Lucía."),
    ],
)
def test_ones_own_name_answers_no_question_for_anothers(question: str, own: str) -> None:
    for find in (fitting, everything):
        assert find(question, told(own), Vocabulary()) == ()


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What is my dog's name?", "My name is Marta and my dog is called Rex."),
        ("What is my name?", "My name is Marta"),
        ("¿Cómo se llama mi perro?", "Me llamo Lucía y mi perro se llama Rex."),
        ("¿Cómo me llamo?", "Me llamo Lucía."),
        ("我的狗叫什么名字？", "我叫李明，我的狗叫旺财。"),
        ("我叫什么名字？", "我叫李明"),
    ],
)
def test_a_name_that_is_told_is_found(question: str, line: str) -> None:
    assert [one.text for one in fitting(question, told(line), Vocabulary())] == [line]


def test_a_word_that_says_nothing_in_another_language_says_something_in_ones_own() -> None:
    lines = told("My son Leo plays.", "Mis gatos son negros.", "I store hay in the barn.")
    found = fitting("Where is my son?", lines, Vocabulary())
    assert [one.text for one in found] == ["My son Leo plays."]
    found = fitting("Where do I keep the hay?", lines, Vocabulary())
    assert [one.text for one in found] == ["I store hay in the barn."]
    assert not fitting("¿Son las seis?", told("My son Leo plays."), Vocabulary())


def test_what_was_told_since_of_somebody_who_is_named_is_told_too() -> None:
    lines = told("My son Leo is 7.", "Leo is 8 now.", "The door is red.")
    found = [one.text for one in fitting("How old is my son?", lines, Vocabulary())]
    assert found == ["My son Leo is 7.", "Leo is 8 now."]
