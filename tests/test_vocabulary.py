"""Vocabulary: what people write, in any language, becomes one value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.errors import PluginError
from cloche.memory.records import Tag
from cloche.vocabulary import MetadataKey, Value, Vocabulary, fold, slug

INSTRUMENT = MetadataKey(
    "instruments",
    "Instruments the person plays.",
    values=(
        Value("violin", "violin", ("violins", "violín", "violines", "小提琴")),
        Value("bass", "bass", ("double bass", "contrabajo", "低音提琴")),
    ),
    aliases=("instrument", "instrumentos", "乐器"),
    inventory=True,
)
LEVEL = MetadataKey("level", "How well.", "string", closed=True, values=(Value("beginner"),))
VOCABULARY = Vocabulary((INSTRUMENT, LEVEL))


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("My VIOLINS are old", ["violin"]),
        ("tengo dos violines y un contrabajo", ["violin", "bass"]),
        ("un violi\u0301n", ["violin"]),
        ("我的小提琴坏了", ["violin"]),
        ("Ｖｉｏｌｉｎ", ["violin"]),
        ("violinist", []),
        ("embassy", []),
        ("", []),
    ],
)
def test_values_are_found_in_three_languages(text: str, ids: list[str]) -> None:
    assert [tag.id for tag in INSTRUMENT.mentions(text)] == ids


def test_the_key_itself_is_named_in_three_languages() -> None:
    assert all(map(INSTRUMENT.named_in, ["my instruments?", "mis instrumentos", "我的乐器"]))
    assert not INSTRUMENT.named_in("instrumental music")


def test_written_values_meet_their_alias_or_get_a_slug() -> None:
    assert INSTRUMENT.tag(" Violín ") == Tag("violin", "violin")
    assert INSTRUMENT.tag("Viola d'amore") == Tag("viola-damore", "Viola d'amore")
    assert INSTRUMENT.tag("二胡") == Tag(slug("二胡"), "二胡")
    assert LEVEL.tag("expert") is None
    assert INSTRUMENT.tag("!!!") is None


@given(st.text())
def test_a_slug_is_short_ascii_and_stays_itself(text: str) -> None:
    made = slug(text)
    assert made.isascii()
    assert len(made) <= 64
    assert slug(made) == made
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ((INSTRUMENT, INSTRUMENT), "declared twice"),
        (tuple(MetadataKey(f"k{n}", "x", indexed=False) for n in range(21)), "at most 20"),
        (tuple(MetadataKey(f"k{n}", "x") for n in range(11)), "at most 10"),
        ((MetadataKey("Upper", "x"),), "must match"),
        ((MetadataKey("k", ""),), "description"),
        ((MetadataKey("k", "x", closed=True),), "has 0 values"),
        ((MetadataKey("k", "x", closed=True, values=tuple(Value(f"v{n}") for n in range(11))),),
         "has 11 values"),
        ((MetadataKey("k", "x", values=(Value("níspero"),)),), "ASCII slug"),
        ((MetadataKey("k", "x", values=(Value("a"), Value("a"))),), "twice"),
        ((MetadataKey("k", "x", values=(Value("a", aliases=("Z",)), Value("b", aliases=("z",)))),),
         "stands for both"),
        ((MetadataKey("k", "x", "number", values=(Value("a"),)),), "cannot list values"),
        ((MetadataKey("k", "x", "number", host_set=True),), "must be indexed and hold strings"),
        ((MetadataKey("k", "x", indexed=False, host_set=True),), "must be indexed"),
        (tuple(MetadataKey(f"k{n}", "x", host_set=True) for n in range(4)), "at most 3"),
    ],
)  # fmt: skip
def test_a_vocabulary_no_store_could_hold_is_refused(
    keys: tuple[MetadataKey, ...], reason: str
) -> None:
    with pytest.raises(PluginError, match=reason):
        Vocabulary(keys)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("A bass guitar and a bass.", ["guitar", "bass"]),
        ("a bass guitar", ["guitar"]),
        ("我买了bass和低音吉他", ["guitar", "bass"]),
        ("bassoon", []),
        ("低音吉他", ["guitar"]),
        ("吉他", ["guitar"]),
    ],
)
def test_the_longest_spelling_counts_and_a_word_ends_where_chinese_begins(
    text: str, named: list[str]
) -> None:
    key = MetadataKey(
        "instrument",
        "What is played.",
        values=(
            Value("guitar", aliases=("bass guitar", "吉他", "低音吉他")),
            Value("bass", aliases=("低音",)),
        ),
    )
    assert [tag.id for tag in key.mentions(text)] == named


def test_no_words_are_no_value() -> None:
    key = MetadataKey("k", "x", closed=True, values=(Value("a", aliases=("", " ")),))
    assert key.tag("") is None
    assert key.tag("  ") is None
    assert key.mentions("") == ()


def test_a_key_without_known_values_names_nothing() -> None:
    assert MetadataKey("k", "x").mentions("anything") == ()


def test_words_that_only_hold_a_value_name_none() -> None:
    key = MetadataKey("food", "What is eaten.", values=(Value("ice"),), other_words=("ice cream",))
    assert key.mentions("Ice cream") == ()
    assert [tag.id for tag in key.mentions("ice cream and ice")] == ["ice"]
