"""The loopback Messages API, as the unmodified SDK sees it."""

from __future__ import annotations

import base64
import io

import anthropic
import pytest
from PIL import Image

from cloche.testing.anthropic import AnthropicServer
from cloche.testing.script import call, fault, say

MODEL = "claude-sonnet-4-6"
HELLO = [{"role": "user", "content": "Hello there"}]
NOTE = {"name": "add_note", "description": "Adds a note.", "input_schema": {"type": "object"}}
MARK = {"cache_control": {"type": "ephemeral"}}


@pytest.fixture
def connect():
    made = []

    def client(server: AnthropicServer, **options) -> anthropic.Anthropic:
        options = {"api_key": "any", "max_retries": 0, "timeout": 10, **options}
        made.append(anthropic.Anthropic(base_url=server.url, **options))
        return made[-1]

    yield client
    for each in made:
        each.close()


def ask(client: anthropic.Anthropic, **request):
    return client.messages.create(
        **{"model": MODEL, "max_tokens": 100, "messages": HELLO, **request}
    )


def test_whole_and_streamed_answers_are_the_same(connect):
    words = "Bien, gracias. 我很好。 And you?"
    with AnthropicServer([[say(words), call("add_note", text="你好")]] * 2) as server:
        client = connect(server)
        whole = ask(client, tools=[NOTE])
        with client.messages.stream(
            model=MODEL, max_tokens=100, messages=HELLO, tools=[NOTE]
        ) as stream:
            assert "".join(stream.text_stream) == words
            streamed = stream.get_final_message()
    assert whole.content[0].text == words
    assert streamed.content[1].input == whole.content[1].input == {"text": "你好"}
    assert streamed.stop_reason == whole.stop_reason == "tool_use"
    assert streamed.usage.output_tokens == whole.usage.output_tokens


def test_the_cache_reads_what_it_wrote(connect):
    system = [{"type": "text", "text": "A stable part. " * 700, **MARK}]
    with AnthropicServer() as server:
        client = connect(server)
        first, second = ask(client, system=system).usage, ask(client, system=system).usage
    assert first.cache_creation_input_tokens > 2048
    assert second.cache_read_input_tokens == first.cache_creation_input_tokens
    assert server.requests[0].prefixes == server.requests[1].prefixes


def image(data: bytes, media_type: str = "image/png") -> list[dict]:
    source = {
        "type": "base64",
        "media_type": media_type,
        "data": base64.b64encode(data).decode(),
    }
    return [{"role": "user", "content": [{"type": "image", "source": source}]}]


def png() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (3, 3)).save(buffer, "PNG")
    return buffer.getvalue()


def test_images_arrive(connect):
    with AnthropicServer(lambda asked: say(str(asked.images))) as server:
        answer = ask(connect(server), messages=[*image(png()), *HELLO])
        assert answer.content[0].text == "()"  # the last words came without one
        assert server.requests[0].images[0].data == png()


@pytest.mark.parametrize(
    ("wrong", "kind", "said"),
    [
        ({"model": "claude-0"}, anthropic.NotFoundError, "model: claude-0"),
        (
            {"messages": [{"role": "assistant", "content": "Hi"}]},
            anthropic.BadRequestError,
            "first message",
        ),
        (
            {"messages": [{"role": "user", "content": " "}]},
            anthropic.BadRequestError,
            "non-empty",
        ),
        (
            {"system": [{"type": "text", "text": "x", **MARK}] * 5},
            anthropic.BadRequestError,
            "maximum of 4",
        ),
        ({"tools": [{**NOTE, "name": "a b"}]}, anthropic.BadRequestError, "pattern"),
        ({"messages": image(b"?")}, anthropic.BadRequestError, "Could not process image"),
    ],
)
def test_what_the_service_refuses_is_refused(connect, wrong: dict, kind: type, said: str):
    with AnthropicServer() as server, pytest.raises(kind, match=said):
        ask(connect(server), **wrong)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, anthropic.AuthenticationError),
        (429, anthropic.RateLimitError),
        (500, anthropic.InternalServerError),
        (529, anthropic.OverloadedError),
    ],
)
def test_faults_are_the_service_s_errors(connect, status: int, kind: type):
    with AnthropicServer(faults={1: fault(status)}) as server:
        client = connect(server)
        with pytest.raises(kind):
            ask(client)
        assert ask(client).content[0].text == "All right."


@pytest.mark.parametrize("trouble", ["cut", "slow"])
def test_connections_break_and_wait(connect, trouble: str):
    with AnthropicServer([fault(trouble)]) as server, pytest.raises(anthropic.APIConnectionError):
        ask(connect(server, timeout=0.2))
