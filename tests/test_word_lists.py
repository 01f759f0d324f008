"""Words for a vocabulary's values, kept in TOML: read whole, or refused with the file and place."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cloche import ManifestError, MetadataKey, Tag, Value, WordLists

WORDS = """
[instruments.violin]
en = "violins, fiddle,"
es = "violín, violines"
zh = "小提琴"

[instruments."Glass Harp"]
en = "glass harps"

[none]
instruments = "fiddle about, second violin"
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    name = f"words_{abs(hash(request.node.name))}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, name, raising=False)
    return name


def written(tmp_path: Path, package: str, text: str) -> WordLists:
    (tmp_path / package / "vocabulary.toml").write_text(text, "utf-8")
    return WordLists.from_package(package)


def test_each_table_is_a_value_with_its_words_of_all_languages(
    tmp_path: Path, package: str
) -> None:
    words = written(tmp_path, package, WORDS)
    assert words.values("instruments") == (
        Value("violin", "violin", ("violins", "fiddle", "violín", "violines", "小提琴")),
        Value("glass-harp", "Glass Harp", ("glass harps",)),
    )
    assert words.other_words("instruments") == ("fiddle about", "second violin")
    assert words.other_words("materials") == ()
    with pytest.raises(KeyError):
        words.values("materials")


def test_a_value_is_shown_by_its_first_word_or_as_its_labels_say(
    tmp_path: Path, package: str
) -> None:
    labels = """
[labels.instruments]
en = "instrument"
es = "instrumento"

[labels.instruments.violin]
es = "el violín"
"""
    words = written(tmp_path, package, WORDS + labels)
    violin, harp = words.values("instruments")
    shown = [violin.shown(language) for language in ("en", "es", "zh")]
    assert shown == ["violin", "el violín", "小提琴"]
    assert [harp.shown(language) for language in ("en", "es", "fr")] == ["Glass Harp"] * 3
    assert words.labels("instruments") == {"en": "instrument", "es": "instrumento"}
    assert words.labels("materials") == {}
    key = MetadataKey(
        "instruments", "Which.", values=(violin, harp), labels=words.labels("instruments")
    )
    assert [key.shown(language) for language in ("es", "zh")] == ["instrumento", "instrument"]
    assert key.value_shown(Tag("violin", "fiddle"), "zh") == "小提琴"
    assert key.value_shown(Tag("lira", "la lira"), "zh") == "la lira"
    assert MetadataKey("made_of", "What of.").shown("es") == "made of"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[instruments.violin\n", r"vocabulary\.toml: it is no TOML: .*line 1"),
        ('[instruments.violin]\nen = ["violins"]\n', "at /instruments/violin/en: words must be"),
        ('instruments = "violin"\n', "at /instruments: words must be"),
        ("[labels.instruments]\nen = 3\n", "at /labels/instruments/en: words must be"),
        ("[none]\ninstruments = 3\n", "at /none/instruments: words must be"),
    ],
)
def test_what_is_no_word_list_is_refused_with_its_place(
    tmp_path: Path, package: str, text: str, told: str
) -> None:
    with pytest.raises(ManifestError, match=told):
        written(tmp_path, package, text)


def test_a_missing_file_is_named(package: str) -> None:
    with pytest.raises(ManifestError, match=r"vocabulary\.toml.*cannot be read"):
        WordLists.from_package(package)
