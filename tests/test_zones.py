"""Time zones by the cities that people name."""

from __future__ import annotations

import re
from zoneinfo import available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.zones import zones_like


@pytest.mark.parametrize(
    ("written", "zone"),
    [
        ("Europe/Oslo", "Europe/Oslo"),
        ("mexico city", "America/Mexico_City"),
        ("Lima, Perú", "America/Lima"),
        ("Nueva York", "America/New_York"),
        ("Ciudad de México", "America/Mexico_City"),
        ("Bogota", "America/Bogota"),
        ("Lisboa", "Europe/Lisbon"),
        ("Pekín", "Asia/Shanghai"),
        ("上海", "Asia/Shanghai"),
        ("北京", "Asia/Shanghai"),
        ("纽约", "America/New_York"),
        ("马德里", "Europe/Madrid"),
        ("Kiev", "Europe/Kyiv"),
    ],
)
@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_a_city_is_known_by_its_name_in_any_of_the_languages(
    written: str, zone: str, language: str
) -> None:
    assert zones_like(written, language) == ([zone], [])


def test_a_slip_gets_cities_that_are_nearly_called_so() -> None:
    assert zones_like("Europe/Osla", "en")[1][0] == "Europe/Oslo"
    assert "America/New_York" in zones_like("Nueba York", "es")[1]
    assert zones_like("???", "en") == ([], [])


@given(st.one_of(st.text(), st.sampled_from(sorted(available_timezones()))), st.text())
def test_whatever_is_written_zones_that_exist_are_found(text: str, language: str) -> None:
    found, near = zones_like(text, language)
    assert {*found, *near} <= available_timezones()
    if text in available_timezones() and re.match(r"\w", text):
        assert found
