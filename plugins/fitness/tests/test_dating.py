"""The day somebody trained on, said in words, is found from the day it is said on."""

from __future__ import annotations

from datetime import date

import pytest

from cloche_fitness.training.reading import read_work

MONDAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("last Tuesday I ran 7 km", date(2026, 11, 24)),
        ("El martes pasado corrí 7 km", date(2026, 11, 24)),
        ("上周二跑了7公里", date(2026, 11, 24)),
        ("上周日跑了7公里", date(2026, 11, 29)),
        ("on Monday I ran 7 km", date(2026, 11, 23)),
        ("two weeks ago I ran 8 km in 44 min", date(2026, 11, 16)),
        ("hace dos semanas corrí 8 km en 44 min", date(2026, 11, 16)),
        ("两周前跑了8公里，44分钟", date(2026, 11, 16)),
        ("three days ago I ran 8 km", date(2026, 11, 27)),
        ("hace tres días corrí 8 km", date(2026, 11, 27)),
        ("三天前跑了8公里", date(2026, 11, 27)),
        ("12 Nov: ran 9 km in 50 min", date(2026, 11, 12)),
        ("On November 20 I squatted 90 kg 5x5", date(2026, 11, 20)),
        ("on Dec 24th I ran 5 km", date(2025, 12, 24)),
        ("el 12 de noviembre corrí 9 km en 50 min", date(2026, 11, 12)),
        ("11月12日跑了9公里，50分钟", date(2026, 11, 12)),
        ("2026-11-02 ran 5 km", date(2026, 11, 2)),
        ("29 February: ran 5 km", date(2024, 2, 29)),
    ],
)
def test_a_day_in_words_is_the_one_that_was_meant(said: str, day: date) -> None:
    (told,) = read_work(said)
    assert told.day is not None
    assert told.day.before(MONDAY) == day


@pytest.mark.parametrize("said", ["31 Feb: ran 5 km", "on November 31 I ran 5 km"])
def test_a_date_that_there_is_not_is_none(said: str) -> None:
    (told,) = read_work(said)
    assert told.day is not None
    with pytest.raises(ValueError, match="-"):
        told.day.before(MONDAY)
