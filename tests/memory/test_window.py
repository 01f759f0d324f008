"""What fits into a prompt: never too much, in order, more room never shows less, in any script."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloche.memory.window import MARK, MIN_TOKENS, Item, build_window, estimate_tokens, shorten

words = st.sampled_from(
    ["The", "boat", "is red.", "Está bien.", "¿Sí?", "年年", "船很大。", "好！", "(a)", "\n",
     "👨‍👩‍👧", "é́",     "extraordinarily-long-word-without-any-end", "「好」", "3.5", "…", "，"]
)  # fmt: skip
texts = st.one_of(
    st.lists(words, max_size=60).map(" ".join), st.lists(words, max_size=60).map("".join)
)
items = st.lists(
    st.builds(Item, st.just("?"), texts, st.integers(0, 20), st.integers(0, 120)), max_size=8
).map(
    lambda found: [
        Item(str(number), one.text, one.beside, one.share) for number, one in enumerate(found)
    ]
)
budgets = st.integers(0, 400)
limits = st.one_of(st.none(), st.integers(0, 6))


@given(items, budgets, limits)
def test_it_never_takes_more_than_the_budget_and_accounts_for_everything(
    offered: list[Item], budget: int, limit: int | None
) -> None:
    window = build_window(offered, budget, limit=limit)
    by_id = {item.id: item for item in offered}
    took = sum(estimate_tokens(text) + by_id[id_].beside for id_, text in window.texts.items())
    assert took == window.tokens <= budget
    assert limit is None or len(window.texts) <= limit
    left_out = [one.item.id for one in window.left_out]
    assert sorted([*window.texts, *left_out]) == sorted(by_id)
    assert all(estimate_tokens(text) <= by_id[id_].share for id_, text in window.texts.items())


@given(items, budgets, limits)
def test_order_is_kept_and_nothing_stands_in_the_place_of_what_is_worth_more(
    offered: list[Item], budget: int, limit: int | None
) -> None:
    window = build_window(offered, budget, limit=limit)
    for part in (window.kept, window.shortened, window.left_out):
        ids = [int(one.id if isinstance(one, Item) else one.item.id) for one in part]
        assert ids == sorted(ids)
    short_of_room = [int(one.item.id) for one in (*window.shortened, *window.left_out)
                     if one.reason == "budget"]  # fmt: skip
    if short_of_room:
        assert all(int(id_) <= min(short_of_room) for id_ in window.texts)
    assert build_window(offered, budget, limit=limit) == window


@given(items, budgets, st.integers(0, 200), limits)
@settings(max_examples=300)
def test_more_budget_never_shows_less_of_anything(
    offered: list[Item], budget: int, more: int, limit: int | None
) -> None:
    less = build_window(offered, budget, limit=limit).texts
    wider = build_window(offered, budget + more, limit=limit).texts
    for id_, text in less.items():
        assert wider[id_].removesuffix(MARK).startswith(text.removesuffix(MARK))


@given(texts, st.integers(-5, 200))
def test_a_shortened_text_is_a_beginning_that_ends_with_a_word(text: str, tokens: int) -> None:
    short = shorten(text, tokens)
    assert estimate_tokens(short) <= max(tokens, 0)
    if short in ("", text):
        return
    beginning = short.removesuffix(MARK)
    assert short == beginning + MARK
    assert text.startswith(beginning)
    assert estimate_tokens(beginning) >= MIN_TOKENS
    for whole in (
        "extraordinarily-long-word-without-any-end",
        "boat",
        "👨‍👩‍👧",
        "é́",
        "bien",
        "3.5",
    ):
        for at in _places(text, whole):
            assert not at < len(beginning) < at + len(whole)


def _places(text: str, word: str) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(word, at)]


@pytest.mark.parametrize(
    ("text", "tokens", "short"),
    [
        ("The kiln is in the shed. It was made by my aunt in 1970 and still works.", 12,
         "The kiln is in the shed. It was made by […]"),
        ("The kiln that my aunt made is in the shed. It still works rather well.", 15,
         "The kiln that my aunt made is in the shed. […]"),
        ("El horno de mi tía está en el cobertizo. Todavía funciona bastante bien.", 16,
         "El horno de mi tía está en el cobertizo. […]"),
        ("窑在棚子里，是我姑姑做的。它现在还能用，只是有点慢。", 17,
         "窑在棚子里，是我姑姑做的。 […]"),
        ("窑在棚子里，是我姑姑很多年以前用旧砖头自己一个人做的", 14,
         "窑在棚子里，是我姑姑很多 […]"),
        ("extraordinarily-long-word-without-any-end", 10, ""),
        ("one two three four five six seven eight", 3, ""),
    ],
)  # fmt: skip
def test_a_text_is_cut_where_a_sentence_or_a_word_ends(text: str, tokens: int, short: str) -> None:
    assert shorten(text, tokens) == short


def test_each_reason_is_told() -> None:
    long = "many words and more of them " * 40
    offered = [Item("a", "short"), Item("b", long, share=50), Item("c", long), Item("d", "short")]
    window = build_window(offered, 200)
    assert [one.id for one in window.kept] == ["a"]
    assert [(one.item.id, one.reason) for one in window.shortened] == [
        ("b", "long"),
        ("c", "budget"),
    ]
    assert [(one.item.id, one.reason) for one in window.left_out] == [("d", "budget")]
    assert [o.reason for o in build_window(offered, 2000, limit=1).left_out] == ["limit"] * 3


def test_the_estimate_counts_letters_by_four_and_other_characters_one_by_one() -> None:
    assert estimate_tokens("abcd") == 1
    assert estimate_tokens("abcde") == 2
    assert estimate_tokens("阳台") == 2
