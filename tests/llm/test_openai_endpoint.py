"""The loopback endpoint, asked by the unmodified OpenAI client and by hand."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, nullcontext
from contextvars import Context, copy_context
from typing import Any

import aiohttp
import pytest
from openai import AsyncOpenAI, BadRequestError

from cloche.errors import ModelError
from cloche.llm import openai_wire as wire
from cloche.llm.calls import Question
from cloche.llm.openai_endpoint import OpenAIEndpoint
from cloche.llm.providers import ChosenModel
from cloche.llm.usage import Usage
from cloche.testing.fake_model import FakeModel
from cloche.testing.script import Script, call, fault, say


class Turn:
    """A turn that asks what it is asked."""

    def __init__(self, script: Script, *, heard: bool = True) -> None:
        self.fake = FakeModel(script)
        self.model: ChosenModel = self.fake.chosen()
        self.is_heard = heard
        self.text = ""
        self.usage = Usage()
        self.error: ModelError | None = None
        self.requests: list[wire.WireRequest] = []

    @property
    def context(self) -> Context:
        return copy_context()

    def under_way(self) -> AbstractContextManager[None]:
        return nullcontext()

    def question(self, request: wire.WireRequest) -> Question:
        from pydantic_ai.messages import BinaryContent, ModelRequest, UserPromptPart
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.tools import ToolDefinition

        self.requests.append(request)
        last = request.messages[-1]
        pictures = [BinaryContent(image.data, media_type=image.media_type) for image in last.images]
        tools = [
            ToolDefinition(name=t.name, description=t.description, parameters_json_schema=t.schema)
            for t in request.tools
        ]
        message = ModelRequest(parts=[UserPromptPart([last.text, *pictures])])
        return Question([message], ModelRequestParameters(function_tools=tools), {})

    async def said(self, piece: str) -> None:
        self.text += piece

    def hand_out(self, call: Any) -> wire.WireCall:
        return wire.as_wire_call(call)

    def took(self, usage: Usage) -> None:
        self.usage += usage

    async def answered(self, response: Any) -> None:
        """Taken note of."""

    def failed(self, error: ModelError) -> None:
        self.error = error


class Door:
    """An endpoint and whoever asks there."""

    def __init__(self) -> None:
        self.turns: dict[str, Turn] = {}
        self.endpoint = OpenAIEndpoint(self.turns.get)

    def client(self) -> AsyncOpenAI:
        return AsyncOpenAI(base_url=self.endpoint.url, api_key=self.endpoint.secret, max_retries=0)


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    door = Door()
    await door.endpoint.start()
    yield door
    await door.endpoint.close()


ASKED: list[Any] = [{"role": "user", "content": "Hello"}]
TOOLS: list[Any] = [
    {
        "type": "function",
        "function": {
            "name": "look_up",
            "description": "Look up.",
            "parameters": {"type": "object", "properties": {"word": {"type": "string"}}},
        },
    }
]


@pytest.mark.parametrize("heard", [True, False], ids=["heard", "unheard"])
async def test_whole_and_streamed_answers_are_the_same(door: Door, heard: bool) -> None:
    turn = door.turns["turn-1"] = Turn(lambda _: say("It is light. 光 más."), heard=heard)
    async with door.client() as client:
        whole = await client.chat.completions.create(model="turn-1", messages=ASKED)
        stream = await client.chat.completions.create(
            model="turn-1",
            messages=ASKED,
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = [chunk async for chunk in stream]
    said = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert said == whole.choices[0].message.content == "It is light. 光 más."
    assert turn.text == said * 2
    assert chunks[-1].usage
    assert whole.usage
    counted = chunks[-1].usage.prompt_tokens + whole.usage.prompt_tokens
    assert turn.usage.input_tokens == counted > 0
    assert chunks[-2].choices[0].finish_reason == whole.choices[0].finish_reason == "stop"
    assert turn.usage.calls == 2
    assert len([c for c in chunks if c.choices and c.choices[0].delta.content]) > (
        2 if heard else 0
    )


@pytest.mark.parametrize("stream", [False, True])
async def test_tool_calls_keep_their_ids_and_arguments(door: Door, stream: bool) -> None:
    turn = door.turns["t"] = Turn([[say("Hm."), call("look_up", word="太阳"), call("look_up")]])
    async with door.client() as client:
        if stream:
            calls = []
            async for chunk in await client.chat.completions.create(
                model="t", messages=ASKED, tools=TOOLS, stream=True
            ):
                calls += chunk.choices[0].delta.tool_calls or []
        else:
            answer = await client.chat.completions.create(model="t", messages=ASKED, tools=TOOLS)
            calls = list(answer.choices[0].message.tool_calls or [])
            assert answer.choices[0].finish_reason == "tool_calls"
    assert [one.id for one in calls] == ["call_1_0", "call_1_1"]
    assert [json.loads(one.function.arguments) for one in calls] == [{"word": "太阳"}, {}]
    assert turn.fake.asked[0].tools == ("look_up",)


async def test_pictures_tools_and_results_arrive(door: Door) -> None:
    turn = door.turns["t"] = Turn(lambda _: say("Seen."))
    picture = base64.b64encode(b"\x89PNG").decode()
    messages: list[Any] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "Look it up"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "x", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "a star"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "And this?"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}},
            ],
        },
    ]
    async with door.client() as client:
        await client.chat.completions.create(model="t", messages=messages, tool_choice="none")
    (request,) = turn.requests
    assert [m.role for m in request.messages] == ["system", "user", "assistant", "tool", "user"]
    assert request.messages[2].calls == (wire.WireCall("c1", "x", "{}"),)
    assert request.messages[3].call_id == "c1"
    assert request.messages[4].images == (wire.WireImage("image/png", b"\x89PNG"),)
    assert not request.may_call
    assert turn.fake.asked[0].images == ("image/png",)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("trouble", "cause"),
    [
        (fault(401, "key sk-1234 is bad"), "auth"),
        (fault(429), "throttled"),
        (fault(500), "server"),
        (fault(400), "refused"),
    ],
)
async def test_a_failure_is_a_final_answer_that_says_nothing(
    door: Door, trouble: Any, cause: str, stream: bool
) -> None:
    turn = door.turns["t"] = Turn(lambda _: trouble)
    async with door.client() as client:
        with pytest.raises(BadRequestError) as raised:
            await client.chat.completions.create(model="t", messages=ASKED, stream=stream)
    assert "sk-1234" not in str(raised.value)
    assert raised.value.code == cause
    assert turn.error
    assert turn.error.cause == cause


async def test_a_stream_that_breaks_off_ends_with_an_error(door: Door) -> None:
    turn = door.turns["t"] = Turn(lambda _: fault("cut"))
    async with aiohttp.ClientSession() as http:
        response = await http.post(
            f"{door.endpoint.url}/chat/completions",
            json={"model": "t", "messages": ASKED, "stream": True},
            headers={"Authorization": f"Bearer {door.endpoint.secret}"},
        )
        text = await response.text()
    assert response.status == 200
    assert '"error"' in text
    assert "[DONE]" not in text
    assert turn.error
    assert turn.error.cause == "cut"


async def test_a_listener_that_fails_is_no_reason_to_ask_again(door: Door) -> None:
    turn = door.turns["t"] = Turn(lambda _: say("Hello"))

    async def said(_: str) -> None:
        raise RuntimeError("the chat is gone: secret")

    turn.said = said  # type: ignore[method-assign]
    async with door.client() as client:
        with pytest.raises(BadRequestError) as raised:
            await client.chat.completions.create(model="t", messages=ASKED)
    assert "secret" not in str(raised.value)


async def test_an_answer_that_was_cut_for_its_length_shows_it(door: Door) -> None:
    turn = door.turns["t"] = Turn(lambda _: say("It is", stop="length"), heard=False)
    async with door.client() as client:
        answer = await client.chat.completions.create(
            model="t", messages=ASKED, stream=True, stream_options={"include_usage": True}
        )
        said = [chunk.choices[0].delta.content or "" async for chunk in answer if chunk.choices]
    assert "".join(said) == turn.text == "It is …"


async def test_only_live_turns_and_who_knows_the_secret_are_answered(door: Door) -> None:
    door.turns["turn-live"] = Turn(lambda _: say("Hello"))
    url = f"{door.endpoint.url}/chat/completions"
    known = {"Authorization": f"Bearer {door.endpoint.secret}"}
    body = {"model": "turn-live", "messages": ASKED}
    async with aiohttp.ClientSession() as http:

        async def status(json: Any, headers: Any = known) -> int:
            async with http.post(url, json=json, headers=headers) as response:
                return response.status

        assert await status(body) == 200
        assert await status(body, {}) == 401
        assert await status(body, {"Authorization": "Bearer ä"}) == 401
        assert await status({**body, "model": "turn-over"}) == 400
        assert await status({"messages": ASKED}) == 400
        assert await status({**body, "messages": 5}) == 400
        assert await status({**body, "messages": [{"role": "emperor"}]}) == 400
        assert await status([1]) == 400
        bad = {"type": "image_url", "image_url": {"url": "http://elsewhere/x.png"}}
        assert await status({**body, "messages": [{"role": "user", "content": [bad]}]}) == 400
        for bad_body in (b"{", *(b"[" * deep + b"]" * deep for deep in (900, 1_000, 100_000))):
            async with http.post(url, data=bad_body, headers=known) as response:
                assert response.status == 400
                assert (await response.json())["error"]["code"] == "invalid_request"
    assert len(door.turns["turn-live"].requests) == 1


async def test_who_goes_away_gives_the_question_up(door: Door) -> None:
    door.turns["t"] = Turn(lambda _: fault("slow"), heard=False)
    async with aiohttp.ClientSession() as http:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await http.post(
                    f"{door.endpoint.url}/chat/completions",
                    json={"model": "t", "messages": ASKED},
                    headers={"Authorization": f"Bearer {door.endpoint.secret}"},
                )
    async with asyncio.timeout(30):  # closing waits for nobody
        await door.endpoint.close()
