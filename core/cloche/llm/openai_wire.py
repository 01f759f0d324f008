"""OpenAI's chat completions on the wire, as a server sees them: requests in, answers out."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cloche.errors import RequestError
from cloche.llm.usage import Usage
from cloche.state.store import Json

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ToolCallPart

DONE: Final = b"data: [DONE]\n\n"
_STOP: Final[Mapping[str, str]] = {
    "tool_call": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
}
_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool"})


@dataclass(frozen=True, slots=True)
class WireImage:
    """A picture of a message."""

    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class WireCall:
    """A tool call: its id, the tool's name, and the arguments as JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class WireMessage:
    """One message.

    Attributes:
        role: system, user, assistant or tool.
        text: Its text parts, joined.
        images: Its pictures.
        calls: What an assistant called.
        call_id: Which call a tool's message answers.
    """

    role: str
    text: str
    images: tuple[WireImage, ...] = ()
    calls: tuple[WireCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class WireTool:
    """A tool as it is offered."""

    name: str
    description: str
    schema: dict[str, Json]


@dataclass(frozen=True, slots=True)
class WireRequest:
    """One request.

    Attributes:
        model: The model asked for.
        messages: All of them, in order.
        tools: The tools offered.
        stream: True when the answer is to be streamed.
        include_usage: True when a stream shall end with what it used.
        may_call: False when no tool may be called.
    """

    model: str
    messages: tuple[WireMessage, ...]
    tools: tuple[WireTool, ...]
    stream: bool
    include_usage: bool
    may_call: bool


def read_request(body: object) -> WireRequest:
    """A request's body, parsed.

    Raises:
        RequestError: it is none; the message names the field.
    """
    if not isinstance(body, dict):
        raise RequestError("the body is not a JSON object")
    try:
        options = body.get("stream_options") or {}
        return WireRequest(
            model=str(body["model"]),
            messages=tuple(_message(each) for each in body["messages"]),
            tools=tuple(_tool(each["function"]) for each in body.get("tools") or ()),
            stream=bool(body.get("stream")),
            include_usage=bool(options.get("include_usage")),
            may_call=body.get("tool_choice") != "none",
        )
    except KeyError as error:
        raise RequestError(f"{error.args[0]} is missing") from error
    except (TypeError, AttributeError, ValueError) as error:
        raise RequestError("a field is not of its type") from error


def _message(message: Mapping[str, Any]) -> WireMessage:
    role = message["role"]
    if role not in _ROLES:
        raise RequestError("messages: there is no such role")
    content = message.get("content") or ""
    parts: Sequence[Mapping[str, Any]] = (
        [{"type": "text", "text": content}] if isinstance(content, str) else content
    )
    calls = message.get("tool_calls") or ()
    return WireMessage(
        role="system" if role == "developer" else role,
        text="".join(part["text"] for part in parts if part["type"] == "text"),
        images=tuple(_image(p["image_url"]["url"]) for p in parts if p["type"] == "image_url"),
        calls=tuple(
            WireCall(call["id"], call["function"]["name"], call["function"]["arguments"])
            for call in calls
        ),
        call_id=str(message["tool_call_id"]) if role == "tool" else "",
    )


def _image(url: str) -> WireImage:
    head, comma, data = url.partition(";base64,")
    if not comma or not head.startswith("data:image/"):
        raise RequestError("image_url: only data URLs of pictures are taken")
    try:
        return WireImage(head.removeprefix("data:"), base64.b64decode(data, validate=True))
    except binascii.Error as error:
        raise RequestError("image_url: it is not base64") from error


def _tool(function: Mapping[str, Any]) -> WireTool:
    schema = function.get("parameters") or {"type": "object", "properties": {}}
    return WireTool(str(function["name"]), str(function.get("description") or ""), dict(schema))


@dataclass(frozen=True, slots=True)
class WireAnswer:
    """What is sent of an answer whose text has been sent already, or is sent with it.

    Attributes:
        text: The text; "" when it was streamed.
        calls: Tool calls.
        finish: Why the model stopped.
    """

    text: str
    calls: tuple[WireCall, ...]
    finish: str


def finish_of(response: ModelResponse, calls: Sequence[object]) -> str:
    """Why a model stopped, in OpenAI's words."""
    return "tool_calls" if calls else _STOP.get(response.finish_reason or "", "stop")


def as_wire_call(call: ToolCallPart) -> WireCall:
    """A call as it is."""
    return WireCall(call.tool_call_id, call.tool_name, call.args_as_json_str())


def completion(head: Mapping[str, Json], answer: WireAnswer, usage: Usage) -> dict[str, Json]:
    """The body of a whole answer."""
    message: dict[str, Json] = {"role": "assistant", "content": answer.text or None}
    if answer.calls:
        message["tool_calls"] = [_call_to_json(call) for call in answer.calls]
    choice: dict[str, Json] = {"index": 0, "message": message, "finish_reason": answer.finish}
    return {**head, "object": "chat.completion", "choices": [choice], "usage": usage_json(usage)}


def piece(head: Mapping[str, Json], text: str, *, first: bool) -> bytes:
    """A piece of a streamed answer's text."""
    delta: dict[str, Json] = {"role": "assistant"} if first else {}
    return _chunk(head, {**delta, "content": text})


def ending(
    head: Mapping[str, Json], answer: WireAnswer, usage: Usage, *, with_usage: bool
) -> Iterator[bytes]:
    """What ends a streamed answer: its calls, why it ended, what it used."""
    if answer.calls:
        calls: list[Json] = [
            {"index": at, **_call_to_json(call)} for at, call in enumerate(answer.calls)
        ]
        yield _chunk(head, {"tool_calls": calls})
    yield _chunk(head, {}, answer.finish)
    if with_usage:
        yield event({**_chunked(head), "choices": [], "usage": usage_json(usage)})
    yield DONE


def event(data: Mapping[str, Json]) -> bytes:
    """A server-sent event."""
    return f"data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()


def refusal(message: str, code: str) -> dict[str, Json]:
    """The body of an error."""
    kind = "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def usage_json(usage: Usage) -> dict[str, Json]:
    """What a call used, in OpenAI's words."""
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read_tokens},
    }


def _call_to_json(call: WireCall) -> dict[str, Json]:
    function: dict[str, Json] = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _chunked(head: Mapping[str, Json]) -> dict[str, Json]:
    return {**head, "object": "chat.completion.chunk"}


def _chunk(head: Mapping[str, Json], delta: dict[str, Json], finish: str | None = None) -> bytes:
    choice: dict[str, Json] = {"index": 0, "delta": delta, "finish_reason": finish}
    return event({**_chunked(head), "choices": [choice]})
