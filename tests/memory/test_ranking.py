"""Which memories a turn gets: stated before inferred, within its limits, the same every time."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from cloche.ids import record_id
from cloche.memory.ranking import LINE_TOKENS, estimate_tokens, rank
from cloche.memory.recall import Recalled
from cloche.memory.records import KINDS, Kind, MemoryRecord, Source, Trust, Validity
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


@given(st.lists(found, max_size=20), st.integers(1, 10), st.integers(0, 300), st.randoms())
def test_ranking_is_capped_and_does_not_depend_on_the_order_given(
    candidates: list[Recalled], limit: int, tokens: int, random: object
) -> None:
    ranked = rank(candidates, now=NOW, limit=limit, tokens=tokens)
    shuffled = list(reversed(candidates))
    assert rank(shuffled, now=NOW, limit=limit, tokens=tokens) == ranked
    assert len(ranked) <= limit
    assert sum(estimate_tokens(r.record.text) + LINE_TOKENS for r in ranked) <= tokens
    assert len({r.record.id for r in ranked}) == len(ranked)


@given(st.lists(found, max_size=20))
def test_what_was_stated_comes_before_what_was_inferred(candidates: list[Recalled]) -> None:
    ranked = [r for r in rank(candidates, now=NOW, limit=50, tokens=9999) if r.why != "other"]
    stated = [r.record.source.stated for r in ranked]
    assert stated == sorted(stated, reverse=True)


def test_expired_and_superseded_records_never_enter() -> None:
    record = a_record("On holiday")
    over = replace(record.validity, expires_at=NOW)
    gone = replace(record.validity, archived_at=NOW)
    for validity in (over, gone):
        assert not rank([Recalled(replace(record, validity=validity), "fits")], now=NOW, limit=9,
                        tokens=999)  # fmt: skip


def test_the_same_statement_enters_once_and_its_best_reason_counts() -> None:
    one = a_record("I only use peat-free compost", kind="preference")
    twice = replace(one, id=record_id("other"), text="I ONLY use peat-free  compost")
    ranked = rank(
        [Recalled(one, "other"), Recalled(one, "fits", 2.0), Recalled(twice, "listed")],
        now=NOW,
        limit=9,
        tokens=999,
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
    assert [r.record.text for r in rank(hits, now=NOW, limit=9, tokens=999)] == [
        "rule", "high", "low", "important", "newer", "older", "guess", "merely recent",
    ]  # fmt: skip


def test_what_does_not_fit_is_left_out_and_shorter_ones_follow() -> None:
    long = Recalled(a_record("长" * 200), "fits", 9.0)
    short = Recalled(a_record("short"), "fits", 1.0)
    assert rank([long, short], now=NOW, limit=9, tokens=100) == (short,)
    assert estimate_tokens("abcd") == 1
    assert estimate_tokens("阳台") == 2
