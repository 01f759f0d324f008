"""Open values: one slug per label, and never two labels under one slug."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloche.memory.records import Tag
from cloche.memory.truth.labels import Labels
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.clock import FakeClock
from cloche.vocabulary import MetadataKey, Value, Vocabulary, slug

KEY = MetadataKey("things", "Things.", values=(Value("shi", "石", ("stone",)),))
CLOSED = MetadataKey("sort", "Sort.", closed=True, values=(Value("tool"),))


@pytest.fixture
async def labels(tmp_path: Path) -> AsyncIterator[Labels]:
    state = SqliteStateStore(tmp_path / "state.db", FakeClock())
    yield Labels(state, Vocabulary((KEY, CLOSED)))
    await state.close()


def made(label: str) -> Tag:
    return Tag(slug(label), label)


async def test_two_labels_of_one_slug_stay_two(labels: Labels) -> None:
    persimmon, lion = made("柿子"), made("狮子")
    assert persimmon.id == lion.id == "shizi"
    assert await labels.tag("ana", KEY, persimmon) == Tag("shizi", "柿子")
    assert await labels.tag("ana", KEY, lion) == Tag("shizi-2", "狮子")
    assert await labels.tag("ana", KEY, persimmon) == Tag("shizi", "柿子")
    assert await labels.tag("ana", KEY, lion) == Tag("shizi-2", "狮子")
    assert await labels.tag("ben", KEY, lion) == Tag("shizi", "狮子")


@pytest.mark.parametrize(
    "other", ["jardin SUR", "Jardín-sur", "  Jardín sur ", "ＪＡＲＤＩＮ ＳＵＲ"]
)
async def test_spellings_of_one_label_are_one_and_each_is_kept(labels: Labels, other: str) -> None:
    assert await labels.tag("ana", KEY, made("Jardín sur")) == Tag("jardin-sur", "Jardín sur")
    assert await labels.tag("ana", KEY, made(other)) == Tag("jardin-sur", other)


async def test_a_value_of_the_vocabulary_is_not_taken_by_what_sounds_like_it(
    labels: Labels,
) -> None:
    assert await labels.tag("ana", KEY, Tag("shi", "石")) == Tag("shi", "石")
    assert await labels.tag("ana", KEY, made("诗")) == Tag("shi-2", "诗")
    assert await labels.tag("ana", CLOSED, Tag("tool", "tool")) == Tag("tool", "tool")


async def test_a_search_finds_the_known_and_notes_nothing(labels: Labels) -> None:
    assert (await labels.tag("ana", KEY, made("狮子"), asking=True)).id == "shizi"
    await labels.tag("ana", KEY, made("柿子"))
    assert (await labels.tag("ana", KEY, made("狮子"), asking=True)).id == "shizi-2"
    assert (await labels.tag("ana", KEY, made("师资"))).id == "shizi-2"


@pytest.mark.parametrize(
    "told",
    [
        ["柿子", "狮子", "Shizi 2", "shizi-3", "师资"],
        ["Shizi 2", "柿子", "狮子", "师资"],
        ["Shizi 2", "Shizi 2 2", "柿子", "狮子", "shizi.2.2"],
        ["C", "C++", "C#", "C 2", "C*"],
        ["Niño 2", "Niño", "niño+"],
        ["🌹", "rose", "Rose 2", "€", "EUR"],
        ["x" * 64 + " a", "x" * 64 + " b", "x" * 62 + " 2"],
        ["shi", "诗", "狮", "Shi 2"],
    ],
)
async def test_what_looks_like_a_number_of_another_is_a_label_of_its_own(
    labels: Labels, told: list[str]
) -> None:
    """In whichever order they come; asked for, each is found as it was noted."""
    first = [(await labels.tag("ana", KEY, made(one))).id for one in told]
    again = [(await labels.tag("ana", KEY, made(one))).id for one in reversed(told)]
    assert again[::-1] == first
    asked = [(await labels.tag("ana", KEY, made(one), asking=True)).id for one in told]
    assert asked == first
    spelled = ["".join(c for c in one.casefold() if c not in " .-") for one in told]
    assert len(set(first)) == len(set(spelled))
    assert all(len(one) <= 64 for one in first)


async def test_what_was_numbered_before_keeps_its_number(tmp_path: Path) -> None:
    state = SqliteStateStore(tmp_path / "state.db", FakeClock())
    await state.put("person/ana/labels/things/shizi", {"labels": ["柿子", "狮子"]})
    labels = Labels(state, Vocabulary((KEY, CLOSED)))
    assert (await labels.tag("ana", KEY, made("狮子"))).id == "shizi-2"
    assert (await labels.tag("ana", KEY, made("师资"))).id == "shizi-3"
    assert (await labels.tag("ana", KEY, made("狮子"))).id == "shizi-2"
    await state.close()


async def test_metadata_is_settled_key_by_key(labels: Labels) -> None:
    await labels.tag("ana", KEY, made("柿子"))
    settled = await labels.settle(
        "ana",
        {"things": (made("狮子"), made("柿子")), "sort": (Tag("tool", "tool"),), "weight": 2.0},
    )
    assert settled == {
        "things": (Tag("shizi-2", "狮子"), Tag("shizi", "柿子")),
        "sort": (Tag("tool", "tool"),),
        "weight": 2.0,
    }


@settings(max_examples=20)
@given(st.lists(st.text("师狮是十hi", min_size=1, max_size=3), max_size=6))
async def test_whatever_the_order_labels_and_ids_stand_one_to_one(names: list[str]) -> None:
    with TemporaryDirectory() as folder:
        state = SqliteStateStore(Path(folder) / "state.db", FakeClock())
        labels = Labels(state, Vocabulary((KEY,)))
        ids: dict[str, str] = {}
        for name in names:
            given_id = (await labels.tag("ana", KEY, made(name))).id
            assert ids.setdefault(name, given_id) == given_id
        await state.close()
    assert len(set(ids.values())) == len(ids)
