"""The loopback chat completions, as the unmodified SDK sees them."""

from __future__ import annotations

import base64
import io

import openai
import pytest
from PIL import Image

from cloche.testing.openai import OpenAIServer
from cloche.testing.script import call, fault, say

HELLO = [{"role": "user", "content": "Hello there"}]
NOTE = {"type": "function", "function": {"name": "add_note", "parameters": {"type": "object"}}}


@pytest.fixture
def connect():
    made = []

    def client(server: OpenAIServer, **options) -> openai.OpenAI:
        options = {"api_key": "any", "max_retries": 0, "timeout": 10, **options}
        made.append(openai.OpenAI(base_url=server.base_url, **options))
        return made[-1]

    yield client
    for each in made:
        each.close()


def ask(client: openai.OpenAI, **request):
    return client.chat.completions.create(**{"model": "any", "messages": HELLO, **request})


def test_whole_and_streamed_answers_are_the_same(connect):
    words = "Bien, gracias. 我很好。 And you?"
    with OpenAIServer([[say(words), call("add_note", text="你好")]] * 2) as server:
        client = connect(server)
        whole = ask(client, tools=[NOTE])
        chunks = list(
            ask(client, tools=[NOTE], stream=True, stream_options={"include_usage": True})
        )
    message = whole.choices[0].message
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert "".join(delta.content or "" for delta in deltas) == message.content == words
    parts = [part.function for delta in deltas for part in delta.tool_calls or []]
    assert "".join(part.arguments for part in parts) == '{"text":"你好"}'
    assert message.tool_calls[0].function.arguments == '{"text":"你好"}'
    assert whole.choices[0].finish_reason == "tool_calls"
    assert chunks[-1].usage == whole.usage


def test_long_prefixes_are_cached_without_being_marked(connect):
    system = {"role": "system", "content": "A stable part. " * 400}
    with OpenAIServer() as server:
        client = connect(server)
        first = ask(client, messages=[system, *HELLO]).usage
        second = ask(client, messages=[system, {"role": "user", "content": "Other"}]).usage
    assert first.prompt_tokens_details.cached_tokens == 0
    assert second.prompt_tokens_details.cached_tokens > 1024
    assert second.prompt_tokens > second.prompt_tokens_details.cached_tokens


def image(data: bytes) -> list[dict]:
    url = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    return [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}]


def test_images_arrive(connect):
    buffer = io.BytesIO()
    Image.new("RGB", (3, 3)).save(buffer, "PNG")
    with OpenAIServer(lambda asked: say(str(asked.images))) as server:
        answer = ask(connect(server), messages=image(buffer.getvalue()))
    assert answer.choices[0].message.content == "('image/png',)"
    assert server.requests[0].images[0].data == buffer.getvalue()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"messages": []}, "empty array"),
        ({"messages": [{"role": "tool", "tool_call_id": "x", "content": "y"}]}, "preceding"),
        ({"messages": image(b"?")}, "Could not process image"),
        (
            {"tools": [{"type": "function", "function": {"name": "a b"}}]},
            "pattern",
        ),
    ],
)
def test_what_the_service_refuses_is_refused(connect, wrong: dict, said: str):
    with OpenAIServer() as server, pytest.raises(openai.BadRequestError, match=said):
        ask(connect(server), **wrong)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, openai.AuthenticationError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
    ],
)
def test_faults_are_the_service_s_errors(connect, status: int, kind: type):
    with OpenAIServer(faults={1: fault(status)}) as server:
        client = connect(server)
        with pytest.raises(kind):
            ask(client)
        assert ask(client).choices[0].message.content == "All right."


@pytest.mark.parametrize("trouble", ["cut", "slow"])
def test_connections_break_and_wait(connect, trouble: str):
    with OpenAIServer([fault(trouble)]) as server, pytest.raises(openai.APIConnectionError):
        ask(connect(server, timeout=0.2))
