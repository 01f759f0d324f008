"""Which memories a turn gets: stated before inferred, within its limits, the same every time."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloche.ids import record_id
from cloche.memory.local import LocalMemoryStore
from cloche.memory.ranking import rank
from cloche.memory.recall import Recalled
from cloche.memory.records import KINDS, Kind, MemoryRecord, Source, Trust, Validity
from cloche.memory.retrieval import names_subject
from cloche.memory.showing import LINE_TOKENS, fit_records, statement_of
from cloche.memory.store import SearchQuery
from cloche.memory.window import estimate_tokens
from cloche.prompt import Why

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def a_record(
    text: str, *, kind: Kind = "fact", stated: bool = True, days: int = 0, importance: int = 3
) -> MemoryRecord:
    then = NOW - timedelta(days=days)
    return MemoryRecord(
        id=record_id(text, kind, str(stated), str(days), str(importance)),
        actor="c_-me",
        scope="long_term",
        kind=kind,
        text=text,
        source=Source(stated=stated),
        validity=Validity(then, then),
        trust=Trust(importance=importance),
    )


found = st.builds(
    Recalled,
    st.builds(
        a_record,
        st.text(min_size=1, max_size=40),
        kind=st.sampled_from(KINDS),
        stated=st.booleans(),
        days=st.integers(0, 500),
        importance=st.integers(1, 5),
    ),
    st.sampled_from(get_args(Why)),
    st.floats(0, 30),
)


@given(st.lists(found, max_size=20), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_order_given(
    candidates: list[Recalled], random: Random
) -> None:
    ranked = rank(candidates, now=NOW)
    shuffled = list(candidates)
    random.shuffle(shuffled)
    assert rank(shuffled, now=NOW) == ranked
    assert rank(ranked, now=NOW) == ranked
    assert len({r.record.id for r in ranked}) == len(ranked)


@given(st.lists(found, max_size=20), st.lists(found, max_size=5))
def test_what_else_is_found_never_turns_two_records_around(
    candidates: list[Recalled], more: list[Recalled]
) -> None:
    before = [r.record.id for r in rank(candidates, now=NOW)]
    others = {r.record.id for r in candidates}
    more = [r for r in more if r.record.id not in others]
    after = [r.record.id for r in rank([*candidates, *more], now=NOW)]
    # A statement found once more may stand for its double; whoever is left keeps the order.
    assert [id_ for id_ in before if id_ in after] == [id_ for id_ in after if id_ in before]


@given(st.lists(found, max_size=20), st.integers(1, 10), st.integers(0, 300))
def test_what_enters_a_prompt_is_capped_and_is_the_beginning_of_the_order(
    candidates: list[Recalled], limit: int, tokens: int
) -> None:
    ranked = rank(candidates, now=NOW)
    shown, trimmed = fit_records(ranked, "memory", limit=limit, tokens=tokens)
    ids = [r.record.id for r in ranked]
    assert [r.record.id for r in shown] == ids[: len(shown)]
    assert len(shown) <= limit
    texts = [r.shown or statement_of(r.record) for r in shown]
    assert sum(estimate_tokens(text) + LINE_TOKENS for text in texts) <= tokens
    assert {t.id for t in trimmed if not t.shortened} == set(ids[len(shown) :])
    assert {t.id for t in trimmed if t.shortened} == {r.record.id for r in shown if r.shown}


@given(st.lists(found, max_size=20))
def test_what_was_stated_comes_before_what_was_inferred(candidates: list[Recalled]) -> None:
    ranked = [r for r in rank(candidates, now=NOW) if r.why != "other"]
    stated = [r.record.source.stated for r in ranked]
    assert stated == sorted(stated, reverse=True)


def test_expired_and_superseded_records_never_enter() -> None:
    record = a_record("On holiday")
    over = replace(record.validity, expires_at=NOW)
    gone = replace(record.validity, archived_at=NOW)
    for validity in (over, gone):
        assert not rank([Recalled(replace(record, validity=validity), "fits")], now=NOW)


def test_the_same_statement_enters_once_and_its_best_reason_counts() -> None:
    one = a_record("I only use peat-free compost", kind="preference")
    twice = replace(one, id=record_id("other"), text="I ONLY use peat-free  compost")
    ranked = rank(
        [Recalled(one, "other"), Recalled(one, "fits", 2.0), Recalled(twice, "listed")],
        now=NOW,
    )
    assert [(r.record.id, r.why) for r in ranked] == [(one.id, "fits")]


def test_better_hits_newer_and_more_important_come_first() -> None:
    hits = [
        Recalled(a_record("low"), "fits", 1.0),
        Recalled(a_record("high"), "fits", 2.0),
        Recalled(a_record("newer", days=1), "listed"),
        Recalled(a_record("older", days=2), "listed"),
        Recalled(a_record("important", days=9, importance=5), "listed"),
        Recalled(a_record("rule", kind="rule", days=400), "listed"),
        Recalled(a_record("guess", stated=False), "fits", 9.0),
        Recalled(a_record("merely recent", kind="rule"), "other"),
    ]
    assert [r.record.text for r in rank(hits, now=NOW)] == [
        "rule", "high", "low", "important", "newer", "older", "guess", "merely recent",
    ]  # fmt: skip


def test_a_preference_they_told_comes_before_a_better_guess_about_it() -> None:
    told = Recalled(a_record("I never eat meat", kind="preference", days=300), "fits", 0.1)
    guess = Recalled(a_record("Eats meat on Sundays", kind="preference", stated=False), "fits", 9.0)
    assert rank([guess, told], now=NOW) == (told, guess)


LONG = "The first thing is this. " + "And then there are many more words to it " * 60


def test_what_is_too_long_is_shortened_and_says_so() -> None:
    one, two = (
        Recalled(a_record(text), "fits", score) for text, score in ((LONG, 9.0), ("b", 1.0))
    )
    shown, trimmed = fit_records([one, two], "memory", limit=9, tokens=1200)
    assert [(t.id, t.shortened, t.reason) for t in trimmed] == [(one.record.id, True, "long")]
    assert shown[0].shown.endswith(" […]")
    assert shown[1] == two
    shown, trimmed = fit_records([one, two], "memory", limit=9, tokens=60)
    assert [(t.shortened, t.reason) for t in trimmed] == [(True, "budget"), (False, "budget")]
    shown, trimmed = fit_records([two, one], "memory", limit=1, tokens=1200)
    assert [(t.id, t.reason) for t in trimmed] == [(one.record.id, "limit")]


words = st.sampled_from(
    ["boat", "boats", "red", "oars", "barco", "remos", "rojo", "船", "桨", "红"]
)
sentences = st.lists(words, min_size=1, max_size=5).map(" ".join)


@given(
    st.lists(sentences, min_size=1, max_size=5),
    st.lists(sentences, min_size=1, max_size=5),
    sentences,
)
@settings(max_examples=15, deadline=None)
def test_what_another_person_tells_changes_nothing(
    mine: list[str], others: list[str], question: str
) -> None:
    """Through the store itself: the same records, in the same order, with the same scores."""

    async def both() -> tuple[object, object]:
        with TemporaryDirectory() as folder:
            store = LocalMemoryStore(Path(folder) / "memory.db", lambda: NOW)
            for text in mine:
                await store.write(a_record(text))
            alone = await found_by(store)
            for text in (*others, *mine):
                await store.write(
                    replace(a_record(text), actor="c_-other", id=record_id("o", text))
                )
            together = await found_by(store)
            await store.close()
            return alone, together

    async def found_by(store: LocalMemoryStore) -> object:
        hits = await store.search("c_-me", SearchQuery(question, NOW))
        newest = await store.search("c_-me", SearchQuery("", NOW))
        candidates = [Recalled(hit.record, "fits", hit.score) for hit in hits]
        candidates += [Recalled(hit.record, "other") for hit in newest]
        return fit_records(rank(candidates, now=NOW), "memory", limit=4, tokens=60)

    alone, together = asyncio.run(both())
    assert together == alone


@pytest.mark.parametrize(
    ("subject", "question"),
    [
        ("Luna", "How is Luna today?"),
        ("Luna", "¿Cómo está Luna hoy?"),
        ("小月", "小月今天怎么样？"),
    ],
)
async def test_what_is_about_whom_the_words_name_comes_first_and_says_so(
    tmp_path: Path, subject: str, question: str
) -> None:
    store = LocalMemoryStore(tmp_path / "memory.db", lambda: NOW)
    about = replace(a_record("x y z"), subject=subject)
    for record in (a_record(f"{subject} {subject} {subject}", days=1), about):
        await store.write(record)
    hits = await store.search("c_-me", SearchQuery(question, NOW))
    await store.close()
    assert hits[0].record == about
    assert names_subject(question, about)
    assert not names_subject(question.replace(subject, "Lunatic"), about)
    one, two = Recalled(about, "about", 1.0), Recalled(about, "fits", 2.0)
    assert rank([two, one], now=NOW) == (Recalled(about, "about", 2.0),)
