"""One call of a tool: whom it acts for, how often, within which limits, and what is told."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.errors import MemoryUnavailableError, ToolError
from cloche.state.store import Json
from cloche.testing.tool_fakes import tool_context
from cloche.texts import say
from cloche.tools import BoundTool, Tool, ToolContext, tool


@tool(max_result_chars=100)
async def serve(ctx: ToolContext, leaf: str, cups: int = 1, hot: bool = True) -> str:
    """Serve tea."""
    if leaf == "slow":
        await asyncio.sleep(30)
    if leaf == "its own timeout":
        raise TimeoutError("the kettle's clock")
    if leaf == "out":
        raise ToolError("There is no such leaf.")
    if leaf == "broken":
        raise RuntimeError(f"secret {leaf} of the guest")
    if leaf == "no memory":
        raise MemoryUnavailableError("disk", cause="disk_full")
    if leaf == "number":
        return 7  # type: ignore[return-value]
    return "" if leaf == "nothing" else f"{cups} x {leaf}, {ctx.call_id}"


SLOW = replace(serve, timeout_seconds=0.05)


def bound(one: Tool = serve, *, turn: str = "turn-1", language: str = "en") -> BoundTool:
    return BoundTool(
        one,
        turn_id=turn,
        context=lambda call_id: tool_context(call_id=call_id, language=language),
        language=language,
    )


async def call_ids(*calls: dict[str, Json], turn: str = "turn-1", one: Tool = serve) -> list[str]:
    target, ids = bound(one, turn=turn), []
    for arguments in calls:
        result = await target.call(arguments)
        assert result.ok, result.text
        ids.append(result.text.rsplit(" ", 1)[-1])
    return ids


async def test_a_turn_run_again_gives_the_same_call_ids() -> None:
    calls: list[dict[str, Json]] = [{"leaf": "a"}, {"leaf": "a"}, {"leaf": "b"}]
    first = await call_ids(*calls)
    assert first == await call_ids(*calls)
    assert len(set(first)) == 3
    assert all(len(one) == 64 for one in first)


async def test_order_of_arguments_and_spelled_out_defaults_do_not_change_the_id() -> None:
    written = await call_ids({"cups": 1, "leaf": "a", "hot": True})
    assert written == await call_ids({"leaf": "a"})
    assert written == await call_ids({"leaf": "a", "cups": "1"})


async def test_other_turns_tools_and_arguments_give_other_ids() -> None:
    @tool(max_result_chars=100)
    async def pour(ctx: ToolContext, leaf: str, cups: int = 1, hot: bool = True) -> str:
        """Pour tea."""
        return f"- {ctx.call_id}"

    ids = [
        *await call_ids({"leaf": "a"}),
        *await call_ids({"leaf": "a"}, turn="turn-2"),
        *await call_ids({"leaf": "a"}, one=pour),
        *await call_ids({"leaf": "a", "cups": 2}),
    ]
    assert len(set(ids)) == 4


async def test_calls_at_the_same_time_have_ids_of_their_own() -> None:
    target = bound()
    results = await asyncio.gather(*(target.call({"leaf": "a"}) for _ in range(5)))
    assert len({result.text for result in results}) == 5


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "leaf: field required"),
        ({"leaf": "a", "sugar": 2}, "sugar: extra inputs are not permitted"),
        ({"leaf": "a", "cups": "many"}, "cups: input should be a valid integer"),
        ({"leaf": ["a"]}, "leaf: input should be a valid string"),
    ],
)
async def test_arguments_that_do_not_fit_are_told_in_one_sentence_without_their_values(
    arguments: dict[str, Json], told: str
) -> None:
    result = await bound().call(arguments)
    assert not result.ok
    assert told in result.text
    assert "leaf, cups, hot" in result.text
    assert "many" not in result.text


async def test_a_slow_tool_is_given_up() -> None:
    result = await bound(SLOW).call({"leaf": "slow"})
    assert not result.ok
    assert "0.05 seconds" in result.text


@pytest.mark.parametrize(("at_most", "seconds"), [(0.0123456, "0.012"), (60, "0.05")])
async def test_a_turn_that_has_less_time_than_a_tool_takes_gives_it_less(
    at_most: float, seconds: str
) -> None:
    result = await bound(SLOW).call({"leaf": "slow"}, at_most=at_most)
    assert not result.ok
    assert f"{seconds} seconds" in result.text


async def test_a_timeout_of_the_tools_own_is_a_fault_like_others() -> None:
    result = await bound().call({"leaf": "its own timeout"})
    assert not result.ok
    assert "seconds" not in result.text


async def test_what_a_tool_refuses_reaches_the_model_as_it_is() -> None:
    result = await bound().call({"leaf": "out"})
    assert (result.text, result.ok) == ("There is no such leaf.", False)


@pytest.mark.parametrize("leaf", ["broken", "number"])
@pytest.mark.parametrize(
    ("language", "told"), [("en", "fault on my side"), ("es", "fallo mío"), ("zh", "故障")]
)
async def test_an_unexpected_failure_is_a_neutral_sentence_and_a_log_line_without_arguments(
    leaf: str, language: str, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        result = await bound(language=language).call({"leaf": leaf})
    assert not result.ok
    assert told in result.text
    assert "secret" not in result.text
    assert "serve" in caplog.text
    assert "secret" not in caplog.text
    assert leaf not in caplog.text


async def test_memory_that_is_away_is_said_so(caplog: pytest.LogCaptureFixture) -> None:
    result = await bound().call({"leaf": "no memory"})
    assert not result.ok
    assert "memory" in result.text
    assert "disk_full" in caplog.text


async def test_a_broken_context_is_told_like_a_broken_tool() -> None:
    def context(call_id: str) -> ToolContext:
        raise KeyError(call_id)

    result = await BoundTool(serve, turn_id="t", context=context).call({"leaf": "a"})
    assert not result.ok


async def test_giving_up_the_turn_ends_the_tool() -> None:
    task = asyncio.create_task(bound().call({"leaf": "slow"}))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_an_empty_answer_becomes_a_word_because_models_take_no_empty_ones() -> None:
    assert (await bound().call({"leaf": "nothing"})).text == "Done."
    assert (await bound(language="zh").call({"leaf": "nothing"})).text == "完成了。"


@given(st.text(max_size=400))
async def test_no_answer_is_longer_than_its_limit(words: str) -> None:
    @tool(max_result_chars=120)
    async def echo(ctx: ToolContext, words: str) -> str:
        """Say it again."""
        return words

    result = await bound(echo).call({"words": words})
    assert result.ok
    assert 1 <= len(result.text) <= 120
    assert (len(words) > 120) == ("[cut: " in result.text) or "[cut: " in words


async def test_nested_models_arrive_as_models_and_names_of_pydantic_can_be_arguments() -> None:
    @tool
    async def show(ctx: ToolContext, schema: dict[str, int], copy: str = "no") -> str:
        """Show it."""
        return f"{schema['a']} {copy}"

    assert (await bound(show).call({"schema": {"a": 3}})).text == "3 no"


@tool(
    hears=lambda text: {"leaf": "oolong"} if text in ("drop it", "quítalo", "删掉") else None,
    removes=True,
)
async def drop(ctx: ToolContext, leaf: str) -> str:
    """Drop a leaf."""
    return f"dropped {leaf}"


@pytest.mark.parametrize("words", ["What is this?", "", "¿Qué es?", "这是什么？"])
async def test_beside_a_picture_nothing_is_removed_that_the_words_do_not_ask_for(
    words: str,
) -> None:
    beside = bound(drop).beside_pictures(words)
    for one in (beside, beside.renewed()):
        result = await one.call({"leaf": "oolong"})
        assert (result.ok, result.text) == (False, say("tool_beside_picture", "en"))
    assert (await bound(drop).call({"leaf": "oolong"})).ok


@pytest.mark.parametrize("words", ["drop it", "quítalo", "删掉"])
async def test_beside_a_picture_what_the_words_ask_for_is_removed(words: str) -> None:
    assert (await bound(drop).beside_pictures(words).call({"leaf": "oolong"})).ok
    assert (await bound(serve).beside_pictures("What is this?").call({"leaf": "oolong"})).ok
