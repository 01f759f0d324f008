"""The loopback server of tools, asked by the unmodified MCP client."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from pydantic_ai.messages import ToolCallPart

from cloche.agents.openclaw.mcp_server import ToolServer
from cloche.agents.openclaw.turns import LiveTurn, LiveTurns
from cloche.agents.speech import Speech
from cloche.testing.fake_model import FakeModel
from cloche.testing.script import say
from cloche.tools import Tool, ToolContext, tool

from .conftest import TOOLS, prompt, tools_for


class Desk:
    """A server of tools and the turns that may use it."""

    def __init__(self) -> None:
        self.turns = LiveTurns()
        self.server = ToolServer(lambda: TOOLS, self.turns.call)

    def turn(
        self, actor: str, called: list[str] | None = None, more: tuple[Tool, ...] = ()
    ) -> LiveTurn:
        model = FakeModel(lambda _: say("Hm.")).chosen()
        tools = tools_for(actor, "t", called, (*TOOLS, *more))
        turn = LiveTurn(model, prompt("Hi"), tools, ("Hi",), Speech(None))
        self.turns.open(turn)
        return turn

    @asynccontextmanager
    async def session(self, secret: str = "") -> AsyncIterator[Any]:
        import httpx2
        from mcp import ClientSession
        from mcp.client.streamable_http import streamable_http_client

        headers = {"Authorization": f"Bearer {secret or self.server.secret}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            streamable_http_client(self.server.url, http_client=http) as streams,
            ClientSession(streams[0], streams[1]) as session,
        ):
            await session.initialize()
            yield session


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    await desk.server.start()
    yield desk
    await desk.server.close()


def handed(turn: LiveTurn, tool: str, **arguments: Any) -> dict[str, Any]:
    made = turn.hand_out(ToolCallPart(tool, arguments))
    assert made.name == f"cloche__{tool}"
    return dict(json.loads(made.arguments))


async def test_tools_are_listed_so_that_no_gateway_judges_their_arguments(desk: Desk) -> None:
    async with desk.session() as session:
        listed = (await session.list_tools()).tools
    assert [one.name for one in listed] == [one.name for one in TOOLS]
    for one in listed:
        assert one.input_schema == {"type": "object", "additionalProperties": True}


@pytest.mark.parametrize("name", ["look_up", "cloche__look_up"])
async def test_a_tool_named_as_the_gateway_names_it_is_the_tool(desk: Desk, name: str) -> None:
    turn = desk.turn("ann")
    made = turn.hand_out(ToolCallPart(name, {"_turn": "mine", "word": "sun"}))
    assert made.name == "cloche__look_up"
    assert list(json.loads(made.arguments)) == ["word", "_turn"]
    async with desk.session() as session:
        result = await session.call_tool("look_up", json.loads(made.arguments))
    assert result.content[0].text == "sun means light (3, for ann)"
    assert [use.tool for use in turn.tool_uses] == ["look_up"]


async def test_a_call_acts_for_the_turn_whose_mark_it_carries(desk: Desk) -> None:
    ann, ben = desk.turn("ann"), desk.turn("ben")
    async with desk.session() as session:
        for turn, name in ((ben, "ben"), (ann, "ann")):
            result = await session.call_tool("look_up", handed(turn, "look_up", word="sun"))
            assert result.content[0].text == f"sun means light (3, for {name})"
            assert not result.is_error


async def test_the_same_call_again_gives_the_same_and_runs_once(desk: Desk) -> None:
    called: list[str] = []
    arguments = handed(desk.turn("ann", called), "look_up", word="sun")
    async with desk.session() as session:
        results = await asyncio.gather(*(session.call_tool("look_up", arguments) for _ in range(3)))
    assert len({result.content[0].text for result in results}) == 1
    assert len(called) == 1


@pytest.mark.parametrize(
    "mark", ["", "x", "x.0", None, 5, "{nonce}", "{nonce}.1", "{nonce}.0.0"], ids=repr
)
async def test_a_call_without_a_mark_of_a_live_turn_is_refused(desk: Desk, mark: Any) -> None:
    turn = desk.turn("ann")
    arguments = handed(turn, "look_up", word="sun")
    nonce = arguments["_turn"].partition(".")[0]
    shown = mark.format(nonce=nonce) if isinstance(mark, str) else mark
    result = await desk.turns.call("look_up", {"word": "sun", "_turn": shown})
    assert not result.ok
    assert "no turn" in result.text


async def test_a_mark_is_good_for_its_own_tool_and_while_the_turn_lasts(desk: Desk) -> None:
    turn = desk.turn("ann")
    arguments = handed(turn, "look_up", word="sun")
    async with desk.session() as session:
        assert (await session.call_tool("crash", arguments)).is_error
        assert not (await session.call_tool("look_up", arguments)).is_error
        await desk.turns.close(turn)
        assert (await session.call_tool("look_up", arguments)).is_error


async def test_a_turn_that_ends_gives_up_its_calls(desk: Desk) -> None:
    turn = desk.turn("ann")
    arguments = handed(turn, "hang")
    running = asyncio.create_task(desk.turns.call("hang", arguments))
    async with asyncio.timeout(60):
        while not turn.busy:
            await asyncio.sleep(0.001)
    assert turn.busy == 1
    await desk.turns.close(turn)
    assert not (await running).ok


async def test_a_tool_that_blocks_holds_up_no_other_turn(desk: Desk) -> None:
    boiling, let = threading.Event(), threading.Event()

    @tool
    async def block(ctx: ToolContext) -> str:
        """Block."""
        boiling.set()
        assert let.wait(60)
        return "at last"

    slow, quick = desk.turn("ann", more=(block,)), desk.turn("bob")
    async with desk.session() as session, desk.session() as other:
        blocked = asyncio.create_task(session.call_tool("block", handed(slow, "block")))
        try:
            assert await asyncio.to_thread(boiling.wait, 60)
            result = await other.call_tool("look_up", handed(quick, "look_up", word="sun"))
            assert result.content[0].text == "sun means light (3, for bob)"
            assert not blocked.done()
        finally:
            let.set()
        assert (await blocked).content[0].text == "at last"


async def test_who_does_not_know_the_secret_is_not_let_in(desk: Desk) -> None:
    async with aiohttp.ClientSession() as http:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "wrong"}):
            for method in ("GET", "POST", "DELETE"):
                async with http.request(method, desk.server.url, headers=headers) as response:
                    assert response.status == 401


async def test_calls_of_different_turns_run_side_by_side(desk: Desk) -> None:
    turns = [desk.turn(f"p{number}") for number in range(5)]
    started = asyncio.get_running_loop().time()
    await asyncio.gather(*(desk.turns.call("hang", handed(turn, "hang")) for turn in turns))
    assert asyncio.get_running_loop().time() - started < 3
