"""Words that a tool understands by itself: held to its arguments, and never a failed turn."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import pytest

from cloche.memory.extraction import Draft, Extracted
from cloche.memory.extraction.data import all_of_it, without_data
from cloche.state.store import Json
from cloche.testing.samples import make_event
from cloche.tools import Tool, ToolContext, tool
from cloche.tools.hearing import MAX_HEARD_CHARS
from cloche.vocabulary import Vocabulary


def heard(text: str) -> Mapping[str, Json] | None:
    if "burst" in text:
        raise ValueError(f"cannot read {text}")
    if "mug" in text:
        return {"mugs": 2}
    return {"cups": len(text.split())} if text.startswith("drank") else None


@tool(hears=heard, keeps=True)
async def drink(ctx: ToolContext, cups: int) -> str:
    """Count cups."""
    return str(cups)


@tool
async def pour(ctx: ToolContext) -> str:
    """Pour a cup."""
    return "poured"


def hear(made: Tool, text: str) -> Mapping[str, Json] | None:
    assert made.hears is not None
    return made.hears(text)


def test_words_become_the_arguments_of_a_call_or_are_not_for_the_tool() -> None:
    assert hear(drink, "drank two") == {"cups": 2}
    assert hear(drink, "poured two") is None
    assert hear(drink, "  ") is None
    assert hear(drink, "drank " * MAX_HEARD_CHARS) is None
    assert (pour.hears, pour.keeps) == (None, False)


def test_arguments_that_the_tool_does_not_take_are_not_heard() -> None:
    assert hear(drink, "drank a mug") is None


def test_a_mistake_in_it_costs_no_turn_and_quotes_nobody(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        assert hear(drink, "drank a burst pipe") is None
    assert "tool drink hears: ValueError" in caplog.text
    assert "pipe" not in caplog.text


def test_only_what_rests_on_nothing_but_data_is_left_out_of_memory() -> None:
    said = "Drank tea. I live by the sea. Drank tea and it rained."
    event = make_event(user_text=said)
    ends = (10, 29, len(said))
    starts = (0, 11, 30)
    drafts = tuple(
        Draft("fact", said[a:b], a, b) for a, b in [*zip(starts, ends, strict=True), (0, 29)]
    )
    found = Extracted(drafts)
    kept = without_data(
        found, event, lambda text: () if text == "Drank tea." else (text,), Vocabulary()
    )
    assert kept.drafts == drafts[1:]
    assert without_data(found, event, all_of_it, Vocabulary()) == found
