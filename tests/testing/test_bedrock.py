"""The loopback Bedrock, as unmodified boto3 sees it."""

from __future__ import annotations

import contextlib
import io
import threading
from datetime import UTC, datetime, timedelta

import boto3
import pytest
from botocore import UNSIGNED
from botocore.config import Config
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    EventStreamError,
    ReadTimeoutError,
    ResponseStreamingError,
)
from PIL import Image
from urllib3.exceptions import ProtocolError

from cloche.testing.bedrock import BedrockEndpoint
from cloche.testing.script import Asked, Call, call, fault, say

HAIKU = "global.anthropic.claude-haiku-4-5-20251001-v1:0"
SONNET = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
HELLO = [{"role": "user", "content": [{"text": "Hello there, how are you?"}]}]
POINT = {"cachePoint": {"type": "default"}}
NOTE = {
    "toolSpec": {
        "name": "add_note",
        "description": "Adds a note.",
        "inputSchema": {"json": {"type": "object", "properties": {"text": {"type": "string"}}}},
    }
}


@pytest.fixture
def client():
    """Makes boto3 clients of an endpoint, and closes them: an open socket fails a test."""
    made = []

    def connect(endpoint: BedrockEndpoint, *, read_timeout: float = 10, **config):
        settings = {"signature_version": "v4", **config}
        retries = {"total_max_attempts": 1}
        made.append(
            boto3.client(
                "bedrock-runtime",
                region_name="eu-central-1",
                endpoint_url=endpoint.url,
                aws_access_key_id="any",
                aws_secret_access_key="any",
                config=Config(retries=retries, read_timeout=read_timeout, **settings),
            )
        )
        return made[-1]

    yield connect
    for each in made:
        each.close()


def text_of(stream) -> str:
    deltas = [e["contentBlockDelta"]["delta"] for e in stream if "contentBlockDelta" in e]
    return "".join(delta.get("text", "") for delta in deltas)


def picture(kind: str = "PNG", size: tuple[int, int] = (30, 20)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, "purple").save(buffer, kind)
    return buffer.getvalue()


def test_a_whole_answer_has_text_usage_and_a_reason_to_stop(client):
    with BedrockEndpoint([say("I am well.")]) as bedrock:
        answer = client(bedrock).converse(
            modelId=HAIKU, messages=HELLO, system=[{"text": "Be kind."}]
        )
    assert answer["output"]["message"] == {"role": "assistant", "content": [{"text": "I am well."}]}
    assert answer["stopReason"] == "end_turn"
    usage = answer["usage"]
    assert usage["totalTokens"] == usage["inputTokens"] + usage["outputTokens"]
    assert (usage["cacheReadInputTokens"], usage["cacheWriteInputTokens"]) == (0, 0)
    assert bedrock.requests[0].operation == "Converse"
    assert bedrock.requests[0].model == HAIKU
    assert bedrock.requests[0].body["messages"] == HELLO


def test_a_streamed_answer_is_the_same_answer(client):
    words = "Bien, gracias. 我很好，谢谢你。 And you?"
    with BedrockEndpoint([say(words)] * 2) as bedrock:
        whole = client(bedrock).converse(modelId=HAIKU, messages=HELLO)
        events = list(client(bedrock).converse_stream(modelId=HAIKU, messages=HELLO)["stream"])
    assert text_of(events) == words == whole["output"]["message"]["content"][0]["text"]
    assert [next(iter(event)) for event in events][-2:] == ["messageStop", "metadata"]
    assert events[-1]["metadata"]["usage"] == whole["usage"]
    assert events[-2]["messageStop"]["stopReason"] == "end_turn"


def test_a_script_of_the_call_sees_what_was_asked(client):
    seen: list[Asked] = []

    def script(asked: Asked):
        seen.append(asked)
        return say("Seen.")

    content = [{"text": "Look"}, {"image": {"format": "png", "source": {"bytes": picture()}}}]
    with BedrockEndpoint(script) as bedrock:
        client(bedrock).converse(
            modelId=SONNET,
            system=[{"text": "You are Ada."}],
            messages=[{"role": "user", "content": content}],
            toolConfig={"tools": [NOTE]},
        )
    assert seen == [
        Asked(1, SONNET, False, "You are Ada.", "Look", ("add_note",), (), ("image/png",))
    ]
    assert bedrock.requests[0].images[0].data == picture()


@pytest.mark.parametrize("streamed", [False, True])
def test_a_tool_is_called_and_its_result_comes_back(streamed: bool, client):
    with BedrockEndpoint([[say("A moment."), call("add_note", text="Grüße 你好")]]) as bedrock:
        if streamed:
            made = client(bedrock).converse_stream(
                modelId=HAIKU, messages=HELLO, toolConfig={"tools": [NOTE]}
            )
            events = list(made["stream"])
            starts = [e["contentBlockStart"] for e in events if "contentBlockStart" in e]
            use = starts[0]["start"]["toolUse"]
            deltas = [e["contentBlockDelta"]["delta"] for e in events if "contentBlockDelta" in e]
            raw = "".join(d["toolUse"]["input"] for d in deltas if "toolUse" in d)
            assert raw == '{"text":"Grüße 你好"}'
            assert events[-2]["messageStop"]["stopReason"] == "tool_use"
        else:
            whole = client(bedrock).converse(
                modelId=HAIKU, messages=HELLO, toolConfig={"tools": [NOTE]}
            )
            use = whole["output"]["message"]["content"][1]["toolUse"]
            assert use["input"] == {"text": "Grüße 你好"}
            assert whole["stopReason"] == "tool_use"
    assert use["name"] == "add_note"


def answered(use_id: str):
    use = {"toolUse": {"toolUseId": "a", "name": "add_note", "input": {}}}
    result = {"toolResult": {"toolUseId": use_id, "content": [{"text": "Noted."}]}}
    return [
        *HELLO,
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
    ]


def test_results_of_tools_reach_the_script(client):
    with BedrockEndpoint(lambda asked: say(f"{asked.results} {asked.words}")) as bedrock:
        answer = client(bedrock).converse(
            modelId=HAIKU, messages=answered("a"), toolConfig={"tools": [NOTE]}
        )
    said = answer["output"]["message"]["content"][0]["text"]
    assert said == "('Noted.',) Hello there, how are you?"


def image_message(data: bytes, kind: str = "png"):
    image = {"image": {"format": kind, "source": {"bytes": data}}}
    return [{"role": "user", "content": [{"text": "Look"}, image]}]


REFUSED = {
    "unknown model": ({"modelId": "global.anthropic.claude-9"}, "model identifier is invalid"),
    "no profile": ({"modelId": HAIKU.removeprefix("global.")}, "on-demand throughput"),
    "assistant first": (
        {"messages": [{"role": "assistant", "content": [{"text": "Hi"}]}]},
        "must start with a user message",
    ),
    "no message": ({"messages": []}, "must start with a user message"),
    "twice the same role": ({"messages": HELLO * 2}, "alternate"),
    "blank text": (
        {"messages": [{"role": "user", "content": [{"text": " \n"}]}]},
        "messages.0.content.0 is blank",
    ),
    "no content": ({"messages": [{"role": "user", "content": []}]}, "messages.0 is empty"),
    "blank system": ({"system": [{"text": " "}]}, "must be non-empty"),
    "bad tool name": (
        {"toolConfig": {"tools": [{"toolSpec": {**NOTE["toolSpec"], "name": "add note"}}]}},
        "regular expression",
    ),
    "same tool twice": ({"toolConfig": {"tools": [NOTE, NOTE]}}, "duplicate"),
    "results of no tool": (
        {"messages": answered("b"), "toolConfig": {"tools": [NOTE]}},
        "exceeds the number of toolUse",
    ),
    "result missing": (
        {
            "messages": [*answered("a")[:2], *HELLO],
            "toolConfig": {"tools": [NOTE]},
        },
        "Expected toolResult blocks at messages.2.content for the following Ids: a",
    ),
    "tools not declared": ({"messages": answered("a")}, "toolConfig field must be defined"),
    "five cache points": (
        {"messages": [{"role": "user", "content": [{"text": "x"}, POINT] * 5}]},
        "maximum of 4",
    ),
    "cache point first": (
        {"messages": [{"role": "user", "content": [POINT, {"text": "x"}]}]},
        "needs content before it",
    ),
    "cache point without a cache": (
        {
            "modelId": "mistral.mistral-large-2407-v1:0",
            "messages": [{"role": "user", "content": [{"text": "x"}, POINT]}],
        },
        "prompt caching",
    ),
    "hot": ({"inferenceConfig": {"temperature": 1.5}}, "temperature"),
    "other format": ({"messages": image_message(picture("GIF"))}, "is image/gif, not image/png"),
    "no picture": ({"messages": image_message(b"nothing")}, "Could not process image"),
    "heavy picture": ({"messages": image_message(b"0" * 3_932_161)}, "exceeds 3.75 MB"),
    "wide picture": ({"messages": image_message(picture(size=(8001, 1)))}, "8000"),
    "text model": (
        {"modelId": "amazon.nova-micro-v1:0", "messages": image_message(picture())},
        "doesn't support the image",
    ),
}


@pytest.mark.parametrize(("wrong", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_what_the_service_refuses_is_refused_with_its_error(wrong: dict, said: str, client):
    with BedrockEndpoint() as bedrock:
        runtime = client(bedrock)
        request = {"modelId": HAIKU, "messages": HELLO, **wrong}
        for operation in (runtime.converse, runtime.converse_stream):
            with pytest.raises(runtime.exceptions.ValidationException, match=said) as refused:
                operation(**request)
            assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert len(bedrock.requests) == 2


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (401, "UnrecognizedClientException"),
        (403, "AccessDeniedException"),
        (429, "ThrottlingException"),
        (500, "InternalServerException"),
        (503, "ServiceUnavailableException"),
    ],
)
def test_errors_have_the_service_s_names(status: int, name: str, client):
    with BedrockEndpoint([say("Fine.")], faults={1: fault(status, "no")}) as bedrock:
        with pytest.raises(ClientError) as failed:
            client(bedrock).converse(modelId=HAIKU, messages=HELLO)
        assert failed.value.response["Error"] == {"Message": "no", "Code": name}
        again = client(bedrock).converse(modelId=HAIKU, messages=HELLO)
    assert again["output"]["message"]["content"][0]["text"] == "Fine."


def test_a_stream_that_is_cut_is_an_error(client):
    with BedrockEndpoint([fault("cut")]) as bedrock:
        stream = client(bedrock).converse_stream(modelId=HAIKU, messages=HELLO)["stream"]
        with (
            contextlib.closing(stream),
            pytest.raises((ProtocolError, ResponseStreamingError)),
        ):
            list(stream)


@pytest.mark.parametrize("trouble", ["cut", "truncated"])
def test_half_a_whole_answer_reaches_boto3_as_one_without_output(trouble: str, client):
    # botocore does not compare lengths and takes what it cannot parse for an empty answer.
    with BedrockEndpoint([fault(trouble)]) as bedrock:
        answer = client(bedrock).converse(modelId=HAIKU, messages=HELLO)
    assert "output" not in answer


def test_a_truncated_stream_ends_without_its_last_events(client):
    with BedrockEndpoint([fault("truncated")]) as bedrock:
        stream = client(bedrock).converse_stream(modelId=HAIKU, messages=HELLO)["stream"]
        kinds = [next(iter(event)) for event in stream]
    assert kinds[0] == "messageStart"
    assert not {"messageStop", "metadata"} & set(kinds)


def test_an_error_inside_a_stream_is_an_event_stream_error(client):
    with BedrockEndpoint([fault(429, "later", midway=True)]) as bedrock:
        stream = client(bedrock).converse_stream(modelId=HAIKU, messages=HELLO)["stream"]
        with contextlib.closing(stream), pytest.raises(EventStreamError, match="later"):
            list(stream)


def test_an_empty_answer_has_no_content(client):
    with BedrockEndpoint([fault("empty"), fault("empty")]) as bedrock:
        whole = client(bedrock).converse(modelId=HAIKU, messages=HELLO)
        stream = client(bedrock).converse_stream(modelId=HAIKU, messages=HELLO)["stream"]
        assert text_of(stream) == ""
    assert whole["output"]["message"]["content"] == []


def test_a_slow_answer_waits_until_the_client_gives_up(client):
    with BedrockEndpoint([fault("slow")]) as bedrock, pytest.raises(ReadTimeoutError):
        client(bedrock, read_timeout=0.05).converse(modelId=HAIKU, messages=HELLO)


def test_stopping_the_endpoint_frees_whoever_waits(client):
    failed: list[Exception] = []

    def wait(bedrock: BedrockEndpoint) -> None:
        try:
            client(bedrock).converse(modelId=HAIKU, messages=HELLO)
        except Exception as error:
            failed.append(error)

    arrived = threading.Event()

    def script(asked: Asked):
        arrived.set()
        return fault("slow")

    with BedrockEndpoint(script) as bedrock:
        waiting = threading.Thread(target=wait, args=(bedrock,))
        waiting.start()
        assert arrived.wait(10)
    waiting.join(10)
    assert not waiting.is_alive()
    assert isinstance(failed[0], ConnectionClosedError | ReadTimeoutError)


def test_a_request_without_credentials_is_refused(client):
    with BedrockEndpoint() as bedrock:
        unsigned = client(bedrock, signature_version=UNSIGNED)
        with pytest.raises(ClientError, match="MissingAuthenticationToken"):
            unsigned.converse(modelId=HAIKU, messages=HELLO)


def test_an_inference_profile_s_arn_works(client):
    arn = f"arn:aws:bedrock:eu-central-1:123456789012:inference-profile/{HAIKU}"
    with BedrockEndpoint() as bedrock:
        client(bedrock).converse(modelId=arn, messages=HELLO)
    assert bedrock.requests[0].model == arn


async def test_it_works_from_async_tests_too():
    async with BedrockEndpoint() as bedrock:
        assert bedrock.url.startswith("http://127.0.0.1:")


def test_broken_arguments_of_a_tool_call_can_be_streamed(client):
    with BedrockEndpoint([Call("add_note", raw='{"text": ')]) as bedrock:
        events = list(
            client(bedrock).converse_stream(
                modelId=HAIKU, messages=HELLO, toolConfig={"tools": [NOTE]}
            )["stream"]
        )
    deltas = [e["contentBlockDelta"]["delta"] for e in events if "contentBlockDelta" in e]
    assert "".join(d["toolUse"]["input"] for d in deltas) == '{"text": '


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **time: float) -> None:
        self.now += timedelta(**time)


LONG = "A sentence of the stable part. " * 600  # 18,600 bytes, about 4,650 tokens
SHORT = "A sentence of the stable part. " * 200  # about 1,550 tokens


def ask(runtime, system: str, words: str = "Hello", model: str = HAIKU) -> dict:
    return runtime.converse(
        modelId=model,
        system=[{"text": system}, POINT],
        messages=[{"role": "user", "content": [{"text": words}]}],
    )["usage"]


def test_a_prefix_is_written_once_and_read_after(client):
    with BedrockEndpoint() as bedrock:
        runtime = client(bedrock)
        first, second = ask(runtime, LONG), ask(runtime, LONG, "Something else")
    assert first["cacheWriteInputTokens"] > 4_600
    assert first["cacheReadInputTokens"] == 0
    assert second["cacheReadInputTokens"] == first["cacheWriteInputTokens"]
    assert second["cacheWriteInputTokens"] == 0
    assert second["inputTokens"] < 20
    assert len(bedrock.cache) == 1


def test_one_changed_byte_before_the_point_reads_nothing(client):
    with BedrockEndpoint() as bedrock:
        runtime = client(bedrock)
        ask(runtime, LONG)
        assert ask(runtime, LONG + ".")["cacheReadInputTokens"] == 0


def test_a_prefix_below_the_model_s_minimum_is_not_cached(client):
    with BedrockEndpoint() as bedrock:
        runtime = client(bedrock)
        for _ in range(2):
            assert ask(runtime, SHORT)["cacheWriteInputTokens"] == 0
            assert ask(runtime, SHORT)["cacheReadInputTokens"] == 0
        assert ask(runtime, SHORT, model=SONNET)["cacheWriteInputTokens"] > 1_500
        assert ask(runtime, SHORT, model=SONNET)["cacheReadInputTokens"] > 1_500


def test_an_entry_lives_five_minutes_from_its_last_read(client):
    clock = Clock()
    with BedrockEndpoint(clock=clock) as bedrock:
        runtime = client(bedrock)
        ask(runtime, LONG)
        for _ in range(3):
            clock.pass_(minutes=4, seconds=59)
            assert ask(runtime, LONG)["cacheReadInputTokens"] > 0
        clock.pass_(minutes=5)
        assert ask(runtime, LONG)["cacheReadInputTokens"] == 0


def test_entries_belong_to_one_model(client):
    with BedrockEndpoint() as bedrock:
        runtime = client(bedrock)
        ask(runtime, LONG)
        assert ask(runtime, LONG, model=SONNET)["cacheReadInputTokens"] == 0


def grown(turns: int) -> list[dict]:
    messages = [{"role": "user", "content": [{"text": "Question 0"}]}]
    for turn in range(1, turns):
        messages.append({"role": "assistant", "content": [{"text": f"Answer {turn}"}]})
        messages.append({"role": "user", "content": [{"text": f"Question {turn}"}]})
    return messages


@pytest.mark.parametrize(("turns", "found"), [(10, True), (11, False)])
def test_a_point_finds_an_entry_at_most_twenty_blocks_before_it(turns: int, found: bool, client):
    with BedrockEndpoint() as bedrock:
        runtime = client(bedrock)
        ask(runtime, LONG)
        messages = grown(turns)
        messages[-1]["content"].append(POINT)
        messages[-1]["content"].append({"text": "and now?"})
        usage = runtime.converse(modelId=HAIKU, system=[{"text": LONG}], messages=messages)["usage"]
    # 19 blocks of history lie between the entry and the point with 10 turns, 21 with 11.
    assert (usage["cacheReadInputTokens"] > 0) is found


def test_the_bytes_before_each_point_can_be_compared(client):
    with BedrockEndpoint() as bedrock:
        runtime = client(bedrock)
        for words in ("one", "two"):
            ask(runtime, LONG, words)
    one, two = bedrock.requests
    assert one.prefixes == two.prefixes
    assert LONG.encode() in one.prefixes[0]
    assert one.rendered.data != two.rendered.data


def test_pictures_count_by_their_pixels(client):
    with BedrockEndpoint() as bedrock:
        runtime = client(bedrock)
        small = runtime.converse(modelId=HAIKU, messages=image_message(picture()))
        large = runtime.converse(modelId=HAIKU, messages=image_message(picture(size=(750, 1000))))
    assert large["usage"]["inputTokens"] - small["usage"]["inputTokens"] == 999
