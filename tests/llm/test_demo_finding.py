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
