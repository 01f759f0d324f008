"""Whether two statements say the same: pairs in three languages, and laws for any text."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.memory.truth.comparing import compare, refers_back
from cloche.memory.truth.lexicon import LANGUAGES, lexicon
from cloche.memory.truth.reading import Reader
from cloche.vocabulary import MetadataKey, Value, Vocabulary

WORDS = Vocabulary(
    (
        MetadataKey(
            "things",
            "What there is.",
            inventory=True,
            values=(
                Value("fig", aliases=("figs", "fig tree", "higuera", "无花果")),
                Value("lemon", aliases=("lemon tree", "limonero", "柠檬树")),
                Value("tomato", aliases=("tomatoes", "tomate", "番茄")),
                Value("cello", aliases=("chelo", "大提琴")),
                Value("violin", aliases=("violín", "小提琴")),
            ),
        ),
        MetadataKey(
            "section",
            "Where it is.",
            values=(
                Value("south-bed", "south bed", ("bancal sur", "南边的花坛", "南侧的花坛")),
                Value("north-bed", "north bed", ("bancal norte", "北边的花坛")),
            ),
        ),
        MetadataKey(
            "sort",
            "Of which sort.",
            closed=True,
            values=(Value("plant", aliases=("fig", "bed")), Value("tool", aliases=("hose",))),
        ),
    )
)


def pairs_of(name: str) -> list[tuple[str, str, str, str]]:
    """Language, old statement, new statement, relation: the lines of a file of pairs."""
    data = tomllib.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))
    return [
        (language, *(part.strip() for part in line.split("|")))  # type: ignore[misc]
        for language, lines in data.items()
        for line in lines.strip().splitlines()
    ]


READER = Reader(WORDS)
ENOUGH = 0.85
"""Share of pairs that the rules were not made for and must judge right."""


@pytest.mark.parametrize(("language", "old", "new", "relation"), pairs_of("pairs.toml"))
def test_pairs_are_judged_as_people_judge_them(
    language: str, old: str, new: str, relation: str
) -> None:
    found = compare(READER.read(new, language), READER.read(old, language))
    assert found.relation == relation, found.rule


@pytest.mark.parametrize("language", LANGUAGES)
def test_at_least_forty_pairs_of_every_language(language: str) -> None:
    assert sum(pair[0] == language for pair in pairs_of("pairs.toml")) >= 40


@pytest.mark.parametrize("language", LANGUAGES)
def test_most_pairs_nobody_tuned_for_are_judged_right_and_none_is_merged_wrongly(
    language: str,
) -> None:
    pairs = [pair for pair in pairs_of("held_out.toml") if pair[0] == language]
    found = [
        (wanted, compare(READER.read(new, language), READER.read(old, language)).relation)
        for _, old, new, wanted in pairs
    ]
    assert sum(wanted == got for wanted, got in found) / len(found) >= ENOUGH
    assert [wanted for wanted, got in found if got == "same" and wanted != "same"] == []


@given(st.text(max_size=80), st.sampled_from(("", *LANGUAGES)))
def test_every_text_says_what_it_says(text: str, language: str) -> None:
    read = READER.read(text, language)
    assert compare(read, read).relation == "same"


TEXTS = sorted({text for _, old, new, _ in pairs_of("pairs.toml") for text in (old, new)})
"""What the laws below are tried on: all statements of all languages against each other."""


@given(st.sampled_from(TEXTS), st.sampled_from(TEXTS))
def test_what_says_the_same_does_so_both_ways(one: str, other: str) -> None:
    a, b = READER.read(one), READER.read(other)
    assert (compare(a, b).relation == "same") == (compare(b, a).relation == "same")


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_get_a_verdict_symmetric_in_sameness(one: str, other: str) -> None:
    a, b = READER.read(one, "en"), READER.read(other, "en")
    assert (compare(a, b).relation == "same") == (compare(b, a).relation == "same")


NEGATED = [
    ("en", "I use the {0} pump", "I don't use the {0} pump"),
    ("en", "I use the {0} pump", "I never use the {0} pump"),
    ("en", "The {0} pump is loud", "The {0} pump isn't loud"),
    ("en", "I like {0}", "I don't like {0}"),
    ("en", "We still have {0}", "We no longer have {0}"),
    ("es", "Uso la bomba {0}", "No uso la bomba {0}"),
    ("es", "Uso la bomba {0}", "Nunca uso la bomba {0}"),
    ("es", "La bomba {0} es ruidosa", "La bomba {0} no es ruidosa"),
    ("es", "Me gusta {0}", "No me gusta {0}"),
    ("es", "Tenemos {0}", "Ya no tenemos {0}"),
    ("zh", "我用{0}泵", "我不用{0}泵"),
    ("zh", "我用{0}泵", "我从不用{0}泵"),
    ("zh", "我喜欢{0}", "我不喜欢{0}"),
    ("zh", "我有{0}", "我没有{0}"),
]
NAMES = st.text("bcdfghjklmnpqrstvwxz", min_size=3, max_size=9)


@given(st.sampled_from(NEGATED), NAMES)
def test_a_no_always_separates(pair: tuple[str, str, str], name: str) -> None:
    language, plain, negated = pair
    a, b = (READER.read(text.format(name), language) for text in (plain, negated))
    assert compare(a, b).relation == "changed"
    assert compare(b, a).relation == "changed"


@given(
    st.sampled_from(
        [
            ("en", "The shelf holds {0} boxes"),
            ("es", "La balda tiene {0} cajas"),
            ("zh", "架子上有{0}盒"),
        ]
    ),
    st.integers(0, 99_999),
    st.integers(0, 99_999),
)
def test_another_number_is_never_the_same(pair: tuple[str, str], one: int, other: int) -> None:
    language, text = pair
    a, b = READER.read(text.format(one), language), READER.read(text.format(other), language)
    assert (compare(a, b).relation == "same") == (one == other)


@pytest.mark.parametrize("language", LANGUAGES)
def test_quantifiers_that_are_not_one_another_never_merge(language: str) -> None:
    frame = {"en": "I {0} use wool", "es": "{0} uso lana", "zh": "我{0}用羊毛"}[language]
    by_value: dict[str, str] = {}
    for phrase, meanings in lexicon(language).meanings.items():
        if len(meanings) == 1 and meanings[0].kind == "quantifier":
            by_value.setdefault(meanings[0].value, phrase)
    found = {
        (one, other)
        for one, a in by_value.items()
        for other, b in by_value.items()
        if compare(
            READER.read(frame.format(a), language), READER.read(frame.format(b), language)
        ).relation
        == "same"
    }
    assert found == {(value, value) for value in by_value}


@pytest.mark.parametrize(
    ("text", "refers"),
    [
        ("I hate it now.", True),
        ("No, it's in the cellar.", True),
        ("I hate rain.", False),
        ("It rains and I love jazz.", False),
        ("Lo odio.", True),
        ("No, está en el sótano.", True),
        ("La llave está en el sótano.", False),
        ("我现在讨厌它了。", True),
        ("不对，在地下室。", True),
        ("钥匙在地下室。", False),
    ],
)
def test_an_it_refers_back_and_a_name_does_not(text: str, refers: bool) -> None:
    assert refers_back(READER.read(text)) is refers


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("I love Chinese food.", "Chinese food"),
        ("Me encanta la Habitación Azul.", "Habitación Azul"),
        ("我喜欢中餐。", "中餐"),
        ("The south gate is by the road.", "south gate"),
        ("No, la llave está en el sótano.", "llave"),
        ("钥匙在地下室。", "钥匙"),
    ],
)
def test_what_a_statement_is_about_is_told_in_its_own_spelling(text: str, thing: str) -> None:
    assert READER.read(text).thing == thing
