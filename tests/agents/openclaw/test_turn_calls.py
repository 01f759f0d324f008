"""What the gateway asks and calls is the turn's own, on whatever connection it comes."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import aiohttp
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from cloche.agents.openclaw.mcp_server import ToolServer
from cloche.agents.openclaw.turns import MAX_MODEL_CALLS, LiveTurn, LiveTurns
from cloche.agents.speech import Speech
from cloche.errors import ModelError
from cloche.llm.openai_endpoint import OpenAIEndpoint
from cloche.llm.usage import Usage
from cloche.log_ids import logged
from cloche.testing.fake_model import FakeModel
from cloche.testing.script import Script, call, fault, say
from cloche.tools import Tool, ToolContext, tool
from cloche.tracing import span

from .conftest import TOOLS, prompt, tools_for


class Loopback:
    """The model endpoint and the server of tools, as a gateway meets them; and the turns."""

    def __init__(self) -> None:
        self.turns = LiveTurns()
        self.endpoint = OpenAIEndpoint(self.turns.of_model)
        self.tools = ToolServer(lambda: TOOLS, self.turns.call)

    def turn(
        self,
        actor: str,
        script: Script,
        heard: list[str] | None = None,
        tools: tuple[Tool, ...] = TOOLS,
    ) -> LiveTurn:
        async def hear(text: str) -> None:
            if heard is not None:
                heard.append(text)

        speech = Speech(None if heard is None else hear)
        model, bound = FakeModel(script).chosen(), tools_for(actor, actor, tools=tools)
        turn = LiveTurn(model, prompt("Hi"), bound, ("Hi",), speech)
        self.turns.open(turn)
        return turn

    async def ask(self, turn: LiveTurn, **more: Any) -> tuple[int, Any]:
        """One request for an answer, as the gateway makes it."""
        asked: dict[str, Any] = {
            "model": turn.model_id,
            "messages": [{"role": "user", "content": "Hi"}],
            "tools": [
                {"type": "function", "function": {"name": f"cloche__{each.name}"}} for each in TOOLS
            ],
            **more,
        }
        shown = {"Authorization": f"Bearer {self.endpoint.secret}"}
        async with (
            aiohttp.ClientSession() as http,
            http.post(f"{self.endpoint.url}/chat/completions", json=asked, headers=shown) as got,
        ):
            return got.status, await got.json() if not asked.get("stream") else await got.text()

    async def give_up(self, turn: LiveTurn, **more: Any) -> None:
        """Ask, go away while the model is asked, and wait until it is no longer."""
        asking = asyncio.create_task(self.ask(turn, **more))
        async with asyncio.timeout(60):
            while not turn.busy:
                await asyncio.sleep(0.001)
            asking.cancel()
            with suppress(asyncio.CancelledError):
                await asking
            while turn.busy:
                await asyncio.sleep(0.001)

    async def converse(self, turn: LiveTurn) -> None:
        """Ask, make the calls that the answer asks for, and ask again."""
        _, answer = await self.ask(turn)
        async with self.session() as session:
            for made in answer["choices"][0]["message"]["tool_calls"]:
                name = made["function"]["name"].removeprefix("cloche__")
                await session.call_tool(name, json.loads(made["function"]["arguments"]))
        await self.ask(turn)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Any]:
        import httpx2
        from mcp import ClientSession
        from mcp.client.streamable_http import streamable_http_client

        headers = {"Authorization": f"Bearer {self.tools.secret}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            streamable_http_client(self.tools.url, http_client=http) as streams,
            ClientSession(streams[0], streams[1]) as session,
        ):
            await session.initialize()
            yield session


@pytest.fixture
async def loopback() -> AsyncIterator[Loopback]:
    loopback = Loopback()
    # The gateway's own start is part of nobody's turn, and must not look so.
    with logged(turn="of whoever came first"):
        await loopback.endpoint.start()
        await loopback.tools.start()
    yield loopback
    await loopback.tools.close()
    await loopback.endpoint.close()


async def test_model_and_tools_are_parts_of_the_turn_that_asks(
    loopback: Loopback, spans: InMemorySpanExporter
) -> None:
    """Also when two turns go on at once."""

    async def converse(actor: str) -> int:
        with span("model", {"who": actor}):
            trace_id = trace.get_current_span().get_span_context().trace_id
            turn = loopback.turn(actor, [[call("look_up", word="sun")], say("Light.")])
        await loopback.converse(turn)
        return trace_id

    traces = await asyncio.gather(converse("ann"), converse("ben"))
    made = spans.get_finished_spans()
    assert not [each.name for each in made if each.kind is SpanKind.SERVER]
    for actor, trace_id in zip(("ann", "ben"), traces, strict=True):
        (model,) = [each for each in made if (each.attributes or {}).get("who") == actor]
        parts = [each for each in made if parent_of(each) == model.context.span_id]
        assert sorted(each.name for each in parts) == ["chat", "chat", "execute_tool"]
        assert {each.context.trace_id for each in parts} == {trace_id}


def parent_of(made: ReadableSpan) -> int | None:
    return made.parent.span_id if made.parent else None


async def test_log_lines_of_its_model_and_tools_carry_its_ids(
    loopback: Loopback, log: io.StringIO
) -> None:

    async def converse(actor: str) -> None:
        async def fails(_: str) -> None:
            raise RuntimeError("gone")

        with logged(turn=f"turn of {actor}"):
            turn = loopback.turn(actor, [[call("crash")], say("It broke.")])
            broken = loopback.turn(actor, lambda _: say("Hello"))
        await loopback.converse(turn)
        broken.said = fails  # type: ignore[method-assign]
        await loopback.ask(broken)

    await asyncio.gather(converse("ann"), converse("ben"))
    told = [json.loads(line) for line in log.getvalue().splitlines()]
    for logger in ("cloche.tools.bound", "cloche.llm.openai_endpoint"):
        ids = sorted(each["turn"] for each in told if each["logger"] == logger)
        assert ids == ["turn of ann", "turn of ben"]


@pytest.mark.parametrize("heard", [True, False], ids=["heard", "unheard"])
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
async def test_a_gateway_that_gives_its_question_up_is_waited_for_no_longer(
    loopback: Loopback, heard: bool, stream: bool
) -> None:
    turn = loopback.turn("ann", lambda _: fault("slow"), [] if heard else None)
    await loopback.give_up(turn, stream=stream)
    assert not turn.failure.done()
    # What it asked is paid for all the same.
    assert turn.usage.calls == 1
    assert turn.usage.input_tokens > 0


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
async def test_a_model_that_is_still_asked_when_its_turn_ends_is_asked_no_longer(
    loopback: Loopback, stream: bool
) -> None:
    heard: list[str] = []
    speaks = say("word " * 500, pause=0.02) if stream else fault("slow")
    turn = loopback.turn("ann", lambda _: speaks, heard)
    asking = asyncio.create_task(loopback.ask(turn, stream=stream))
    async with asyncio.timeout(10):
        while not (heard if stream else turn.busy):
            await asyncio.sleep(0.001)
    await loopback.turns.close(turn)
    assert not turn.busy
    assert turn.usage.calls == 1
    assert turn.usage.input_tokens > 0
    with suppress(aiohttp.ClientError):
        await asking


async def test_what_a_model_took_after_its_turn_was_told_is_told_apart(loopback: Loopback) -> None:
    turn = loopback.turn("ann", [say("Light.")])
    lost: list[Usage] = []
    turn._prompt = replace(turn._prompt, lost=lost.append)
    await loopback.turns.close(turn)
    turn.took(Usage("m", calls=1))
    turn.failed(ModelError("no.", cause="server", usage=Usage("m", calls=2)))
    assert [one.calls for one in lost] == [1, 2]
    assert turn.usage == Usage()


async def test_nothing_is_asked_after_the_answer(loopback: Loopback) -> None:
    turn = loopback.turn("ann", [say("Light."), say("And more.")])
    assert (await loopback.ask(turn))[0] == 200
    assert turn.is_answered
    assert (await loopback.ask(turn))[0] == 400
    assert turn.usage.calls == 1
    assert turn.speech.text == "Light."
    assert not turn.failure.done()  # the person has the answer
    assert not turn.busy


async def test_calls_of_one_turn_run_one_after_another_and_of_two_turns_side_by_side(
    loopback: Loopback,
) -> None:
    """As the embedded agent makes them: a tool may build on what the one before it has kept."""
    running: list[str] = []
    seen: list[tuple[str, ...]] = []

    @tool
    async def note_down(ctx: ToolContext, number: int) -> str:
        """Note a number down."""
        running.append(ctx.actor)
        await asyncio.sleep(0.1)
        seen.append(tuple(sorted(running)))
        running.remove(ctx.actor)
        return f"{number} for {ctx.actor}"

    async def make(actor: str) -> list[str]:
        calls = [call("note_down", number=number) for number in range(3)]
        turn = loopback.turn(actor, [calls, say("Done.")], tools=(note_down,))
        offered = [{"type": "function", "function": {"name": "cloche__note_down"}}]
        _, answer = await loopback.ask(turn, tools=offered)
        made = [each["function"] for each in answer["choices"][0]["message"]["tool_calls"]]
        async with loopback.session() as session:
            results = await asyncio.gather(
                *(session.call_tool("note_down", json.loads(each["arguments"])) for each in made)
            )
        return [result.content[0].text for result in results]

    told = await asyncio.gather(make("ann"), make("ben"))
    assert told == [[f"{number} for {who}" for number in range(3)] for who in ("ann", "ben")]
    assert len(seen) == 6
    assert set(seen) <= {("ann",), ("ben",), ("ann", "ben")}
    assert ("ann", "ben") in seen


async def test_the_last_question_may_call_no_tool(loopback: Loopback) -> None:
    """Should the model call one all the same, what it said beside it is the answer."""
    turn = loopback.turn("ann", lambda _: [say("Hm."), call("look_up", word="sun")])
    for number in range(MAX_MODEL_CALLS):
        status, answer = await loopback.ask(turn)
        assert status == 200
        calls = answer["choices"][0]["message"].get("tool_calls") or []
        assert bool(calls) == (number < MAX_MODEL_CALLS - 1)
    assert turn.is_answered


async def test_a_gateway_that_asks_without_end_is_answered_no_more(loopback: Loopback) -> None:
    """One that gives up each of its questions and asks anew."""
    script = [fault("slow")] * MAX_MODEL_CALLS + [say("Light.")]
    turn = loopback.turn("ann", script)
    for _ in range(MAX_MODEL_CALLS):
        await loopback.give_up(turn)
    assert (await loopback.ask(turn))[0] == 400
    assert turn.failure.result().cause == "refused"
    assert not turn.speech.text
