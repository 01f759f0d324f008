"""JSON or events, as the header says by RFC 9110: the most specific range counts, then quality."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.runtime.accepting import JSON, LONGEST, SSE, split, wants_stream


@pytest.mark.parametrize(
    ("accept", "streams"),
    [
        ("", False),
        ("*/*", False),
        ("application/json", False),
        ("text/event-stream", True),
        ("text/event-stream, */*", False),
        ("Text/Event-Stream;q=0.9, */*;q=0.1", True),
        ("text/event-stream;q=0.1, */*;q=1", False),
        ("text/event-stream;q=0.1, application/*;q=0.9", False),
        ("text/event-stream;q=0.1, application/*;q=0.9, application/json;q=0", True),
        ("text/*", True),
        ("*/*, application/json;q=0.2", True),
        ("*/*, text/event-stream;q=0", False),
        ("application/json, text/event-stream;q=0.5", False),
        ("text/event-stream;q=0", False),
        ("application/json, text/event-stream", False),
        ("text/event-stream;q=none", True),
        ("text/event-stream;q=nan, application/json;q=0.5", True),
        ("text/event-stream; Q=0.2 , application/json ; q = 0.1", True),
        ("text/event-stream;charset=UTF-8;q=0.9, text/event-stream;q=0.1, */*;q=0.5", True),
        ("text/event-stream;version=2", False),
        ('application/json;of="a, text/event-stream"', False),
        ("image/png", False),
        (",;, ;q=1,,", False),
        ("text/event-stream;;q=0.9;, application/json;q=0.5", True),
        ('text/event-stream;of="a\\", application/json"', False),
        ('application/json;of="a\\"b", text/event-stream', True),
        ('"\\", text/event-stream', False),
        ('text/event-stream, "application/json', True),
    ],
)
def test_what_a_caller_accepts(accept: str, streams: bool) -> None:
    assert wants_stream(accept) is streams


QUALITIES = st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)
RANGES = st.dictionaries(
    st.sampled_from(["*/*", "text/*", "application/*", SSE, JSON, "image/*", "text/html"]),
    QUALITIES,
)


def spelled(ranges: dict[str, float]) -> list[str]:
    return [f"{name};q={quality:.3f}" for name, quality in ranges.items()]


def quality(kind: str, ranges: dict[str, float]) -> float:
    """By the letter: the exact name, else its family, else all."""
    for name in (kind, f"{kind.partition('/')[0]}/*", "*/*"):
        if name in ranges:
            return ranges[name]
    return 0.0


@given(RANGES, st.randoms())
def test_the_more_specific_range_wins_in_whatever_order(
    ranges: dict[str, float], shuffled: object
) -> None:
    expected = quality(SSE, ranges) > quality(JSON, ranges)
    parts = spelled(ranges)
    assert wants_stream(", ".join(parts)) is expected
    shuffled.shuffle(parts)  # type: ignore[attr-defined]
    assert wants_stream(" ,".join(parts).upper()) is expected


@given(st.text(max_size=60))
def test_whatever_is_sent_is_read(accept: str) -> None:
    assert wants_stream(accept) in (True, False)


UNQUOTED = st.text("a;=*/q01.\\ ", max_size=6)
QUOTED = st.text(max_size=6).map(
    lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
)
PIECES = st.lists(st.lists(UNQUOTED | QUOTED, max_size=4).map("".join), min_size=1, max_size=5)


@given(PIECES)
def test_pieces_end_where_a_comma_is_in_no_quotes(pieces: list[str]) -> None:
    assert split(",".join(pieces), ",") == pieces


@given(PIECES, st.text(",;\\a ", max_size=12))
def test_what_no_quote_closes_is_one_piece(pieces: list[str], rest: str) -> None:
    assert split(",".join([*pieces, '"' + rest]), ",") == [*pieces, '"' + rest]


HOSTILE = ['\\"', '"', 'a"', ",", ";", ";q=", ', "', " ", '";="\\', "text/event-stream,"]


def steps(act: Callable[[], object]) -> int:
    """How many lines are run."""
    count = 0

    def trace(_frame: FrameType, what: str, _value: object) -> object:
        nonlocal count
        count += what == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("unit", HOSTILE)
def test_twice_as_much_takes_twice_the_steps(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloche.runtime.accepting.LONGEST", 1_000_000)
    once, twice = ('"' + unit * count for count in (200, 400))
    assert steps(lambda: wants_stream(twice)) <= 2.1 * steps(lambda: wants_stream(once))
    # What a pattern does inside is no step; the same that took minutes takes milliseconds.
    began = time.thread_time()
    wants_stream('"' + unit * 30_000)
    assert time.thread_time() - began < 5


def test_a_header_of_a_book_says_nothing() -> None:
    longest = SSE.ljust(LONGEST)
    assert wants_stream(longest)
    assert not wants_stream(longest + " ")
