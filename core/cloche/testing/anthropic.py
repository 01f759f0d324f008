"""A loopback Anthropic Messages API for the unmodified SDK."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from aiohttp import web

from cloche.state.store import Json
from cloche.testing.loopback import headers_of
from cloche.testing.model_server import ModelServer, output_tokens, raw_arguments
from cloche.testing.pictures import Picture, read_picture
from cloche.testing.prompt_cache import Block, Counted, Rendered, canonical, image_tokens
from cloche.testing.recorded import Recorded
from cloche.testing.script import Asked, Reply

CACHE_MINIMUMS: Final = {
    "claude-haiku-4-5": 4096,
    "claude-sonnet-4-5": 1024,
    "claude-sonnet-4-6": 2048,  # documented as 1,024, measured by users as 2,048
}
MAX_CACHE_POINTS: Final = 4
ERRORS: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}
_STOP: Final = {
    "end": "end_turn",
    "tools": "tool_use",
    "length": "max_tokens",
    "filter": "refusal",
}
_TOOL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}")

Body = Mapping[str, Any]


class AnthropicServer(ModelServer):
    """Answers ``POST /v1/messages`` by a script; give ``url`` to the SDK as ``base_url``."""

    stream_type: ClassVar[str] = "text/event-stream"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one call."""
        if request.method != "POST" or request.path != "/v1/messages":
            return self.error(404, "Not found")
        body, headers = await request.json(), headers_of(request)
        recorded = Recorded("messages", body.get("model", ""), body, headers, render(body))
        self.record(recorded)
        # The SDK has sent keys in both ways.
        if not headers.get("x-api-key") and not headers.get("authorization"):
            return self.error(401, "x-api-key header is required")
        model = re.sub(r"-\d{8}$", "", recorded.model)
        if model not in CACHE_MINIMUMS:
            return self.error(404, f"model: {recorded.model}")
        try:
            _check(body, recorded.rendered)
            images = tuple(_images(body))
        except ValueError as error:
            return self.error(400, str(error))
        accepted = replace(recorded, rendered=render(body, images), images=images)
        asked = _asked(self.calls, accepted)
        return await self.play(request, accepted, asked, cache_minimum=CACHE_MINIMUMS[model])

    def whole(self, reply: Reply, request: Recorded, counted: Counted) -> dict[str, Json]:
        """A message."""
        content: list[Json] = [{"type": "text", "text": reply.text}] if reply.text else []
        for at, call in enumerate(reply.calls):
            content.append({**self._use(at, call.tool), "input": dict(call.arguments)})
        message = self._message(request, counted)
        message["content"] = content
        message["stop_reason"] = _STOP[reply.stop]
        message["usage"] = _usage(counted, output_tokens(reply))
        return message

    def pieces(self, reply: Reply, request: Recorded, counted: Counted) -> Sequence[bytes]:
        """Server-sent events, in the documented order."""
        events = [_event("message_start", message=self._message(request, counted))]
        if reply.text:
            deltas = [{"type": "text_delta", "text": piece} for piece in reply.pieces]
            events += _block(0, {"type": "text", "text": ""}, deltas)
        for at, (call, raw) in enumerate(zip(reply.calls, raw_arguments(reply), strict=True)):
            parts = (raw[: len(raw) // 2], raw[len(raw) // 2 :])
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
            start: dict[str, Json] = {**self._use(at, call.tool), "input": {}}
            events += _block(at + bool(reply.text), start, deltas)
        stop: dict[str, Json] = {"stop_reason": _STOP[reply.stop], "stop_sequence": None}
        usage: dict[str, Json] = {"output_tokens": output_tokens(reply)}
        return [*events, _event("message_delta", delta=stop, usage=usage), _event("message_stop")]

    def error(self, status: int, message: str) -> web.Response:
        """An error with the service's type for the status."""
        return web.json_response(_error(status, message), status=status)

    def error_piece(self, status: int, message: str) -> bytes:
        """An error event."""
        return b"event: error\ndata: " + canonical(_error(status, message)) + b"\n\n"

    def _message(self, request: Recorded, counted: Counted) -> dict[str, Json]:
        return {
            "id": f"msg_{self.calls}",
            "type": "message",
            "role": "assistant",
            "model": request.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": _usage(counted, 1),
        }

    def _use(self, at: int, tool: str) -> dict[str, Json]:
        return {"type": "tool_use", "id": f"toolu_{self.calls}_{at}", "name": tool}


def render(body: Body, images: tuple[Picture, ...] = ()) -> Rendered:
    """A request body as the prompt cache sees it: without marks, a role before each message."""
    blocks: list[Block] = []
    points: list[int] = []
    pictures = iter(images)
    for role, value in _blocks(body):
        bare = {key: each for key, each in value.items() if key != "cache_control"}
        block = Block.of({"role": role, **bare} if role else bare)
        if value.get("type") == "image" and (picture := next(pictures, None)):
            block = Block(block.data, image_tokens(picture.width, picture.height))
        blocks.append(block)
        if "cache_control" in value:
            points.append(len(blocks))
    return Rendered(tuple(blocks), tuple(points))


def _blocks(body: Body) -> Iterator[tuple[str, Body]]:
    """Tools, system, messages; with the role where a message begins."""
    yield from (("", tool) for tool in body.get("tools") or [])
    yield from (("", block) for block in _content(body.get("system") or []))
    for message in body.get("messages") or []:
        for at, block in enumerate(_content(message["content"])):
            yield ("" if at else message["role"], block)


def _content(content: str | Sequence[Body]) -> Sequence[Body]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _check(body: Body, rendered: Rendered) -> None:
    messages = body.get("messages") or []
    if not messages or messages[0]["role"] != "user":
        raise ValueError("messages: first message must use the user role")
    for _, block in _blocks(body):
        if block.get("type") == "text" and not block["text"].strip():
            raise ValueError("messages: text content blocks must be non-empty")
    if len(rendered.points) > MAX_CACHE_POINTS:
        raise ValueError(
            f"A maximum of {MAX_CACHE_POINTS} blocks with cache_control may be provided. "
            f"Found {len(rendered.points)}."
        )
    for tool in body.get("tools") or []:
        if not _TOOL_NAME.fullmatch(tool["name"]):
            raise ValueError(f"tools.{tool['name']}: String should match pattern {_TOOL_NAME}")


def _images(body: Body) -> Iterator[Picture]:
    for _, block in _blocks(body):
        if block.get("type") == "image":
            yield read_picture(block["source"]["data"], block["source"]["media_type"])


def _asked(number: int, request: Recorded) -> Asked:
    body = request.body
    said = [_content(m["content"]) for m in body["messages"] if m["role"] == "user"]
    words: Sequence[Body] = next(
        (c for c in reversed(said) if any(b["type"] == "text" for b in c)), []
    )
    return Asked(
        number=number,
        model=request.model,
        stream=bool(body.get("stream")),
        system="\n".join(block["text"] for block in _content(body.get("system") or [])),
        words="\n".join(block["text"] for block in words if block["type"] == "text"),
        tools=tuple(tool["name"] for tool in body.get("tools") or []),
        results=tuple(
            "".join(part.get("text", "") for part in _content(block["content"]))
            for block in said[-1]
            if block["type"] == "tool_result"
        ),
        images=tuple(b["source"]["media_type"] for b in words if b["type"] == "image"),
    )


def _usage(counted: Counted, output: int) -> dict[str, Json]:
    return {
        "input_tokens": counted.fresh,
        "output_tokens": output,
        "cache_read_input_tokens": counted.read,
        "cache_creation_input_tokens": counted.written,
    }


def _block(
    index: int, start: Mapping[str, Json], deltas: Sequence[Mapping[str, Json]]
) -> list[bytes]:
    return [
        _event("content_block_start", index=index, content_block=dict(start)),
        *(_event("content_block_delta", index=index, delta=dict(delta)) for delta in deltas),
        _event("content_block_stop", index=index),
    ]


def _event(kind: str, **data: Json) -> bytes:
    return f"event: {kind}\ndata: ".encode() + canonical({"type": kind, **data}) + b"\n\n"


def _error(status: int, message: str) -> dict[str, Json]:
    kind = ERRORS.get(status, ERRORS[500])
    return {"type": "error", "error": {"type": kind, "message": message}}
