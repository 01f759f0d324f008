"""A loopback OpenAI chat-completions API, for the unmodified SDK and whatever else speaks it."""

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

CACHE_MINIMUM: Final = 1024
"""Prefixes are cached by themselves, without cache points."""
ERRORS: Final = {
    400: "invalid_request_error",
    401: "invalid_request_error",
    404: "invalid_request_error",
    429: "rate_limit_exceeded",
}
_STOP: Final = {
    "end": "stop",
    "tools": "tool_calls",
    "length": "length",
    "filter": "content_filter",
}
_TOOL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_DATA_URL: Final = re.compile(r"data:(image/[a-z]+);base64,(.*)", re.DOTALL)
_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool"})

Body = Mapping[str, Any]


class OpenAIServer(ModelServer):
    """Answers ``POST /v1/chat/completions`` by a script; give ``base_url`` to the SDK.

    Every model id is known. A call without a key is refused as OpenAI does.
    """

    stream_type: ClassVar[str] = "text/event-stream"

    @property
    def base_url(self) -> str:
        """What clients take as base URL."""
        return f"{self.url}/v1"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one call."""
        if request.method != "POST" or request.path != "/v1/chat/completions":
            return self.error(404, "Invalid URL")
        body, headers = await request.json(), headers_of(request)
        recorded = Recorded("chat.completions", body.get("model", ""), body, headers, render(body))
        self.record(recorded)
        if not headers.get("authorization", "").startswith("Bearer "):
            return self.error(401, "You didn't provide an API key.")
        try:
            _check(body)
            images = tuple(_images(body))
        except ValueError as error:
            return self.error(400, str(error))
        accepted = replace(recorded, rendered=render(body, images), images=images)
        asked = _asked(self.calls, accepted)
        return await self.play(request, accepted, asked, cache_minimum=CACHE_MINIMUM)

    def whole(self, reply: Reply, request: Recorded, counted: Counted) -> dict[str, Json]:
        """A completion."""
        message: dict[str, Json] = {"role": "assistant", "content": reply.text or None}
        if reply.calls:
            raws = raw_arguments(reply)
            message["tool_calls"] = [self._call(reply, at, raw) for at, raw in enumerate(raws)]
        choice: Json = {"index": 0, "message": message, "finish_reason": _STOP[reply.stop]}
        usage = _usage(counted, output_tokens(reply))
        return {**self._head(request, "chat.completion"), "choices": [choice], "usage": usage}

    def pieces(self, reply: Reply, request: Recorded, counted: Counted) -> Sequence[bytes]:
        """Server-sent events; usage comes last, when it is asked for."""
        head = self._head(request, "chat.completion.chunk")

        def chunk(delta: Json, finish: str | None = None) -> bytes:
            choice: Json = {"index": 0, "delta": delta, "finish_reason": finish}
            return _event({**head, "choices": [choice]})

        chunks = [chunk({"role": "assistant", "content": ""})]
        chunks += [chunk({"content": piece}) for piece in reply.pieces]
        for at, raw in enumerate(raw_arguments(reply)):
            chunks.append(chunk({"tool_calls": [{"index": at, **self._call(reply, at, "")}]}))
            for part in (raw[: len(raw) // 2], raw[len(raw) // 2 :]):
                delta: Json = {"index": at, "function": {"arguments": part}}
                chunks.append(chunk({"tool_calls": [delta]}))
        chunks.append(chunk({}, _STOP[reply.stop]))
        if (request.body.get("stream_options") or {}).get("include_usage"):
            usage = _usage(counted, output_tokens(reply))
            chunks.append(_event({**head, "choices": [], "usage": usage}))
        return [*chunks, b"data: [DONE]\n\n"]

    def error(self, status: int, message: str) -> web.Response:
        """An error with the service's type for the status."""
        return web.json_response(_error(status, message), status=status)

    def error_piece(self, status: int, message: str) -> bytes:
        """An error inside a stream."""
        return _event(_error(status, message))

    def _head(self, request: Recorded, kind: str) -> dict[str, Json]:
        number = self.calls
        return {"id": f"chatcmpl-{number}", "object": kind, "created": 0, "model": request.model}

    def _call(self, reply: Reply, at: int, arguments: str) -> dict[str, Json]:
        function: Json = {"name": reply.calls[at].tool, "arguments": arguments}
        return {"id": f"call_{self.calls}_{at}", "type": "function", "function": function}


def render(body: Body, images: tuple[Picture, ...] = ()) -> Rendered:
    """A request body as the prompt cache sees it; every border of blocks is a cache point."""
    blocks = [Block.of(tool) for tool in body.get("tools") or []]
    pictures = iter(images)
    for message in body.get("messages") or []:
        head = {key: value for key, value in message.items() if key != "content"}
        blocks.append(Block.of(head))
        for part in _content(message.get("content")):
            block = Block.of(part)
            if part["type"] == "image_url" and (picture := next(pictures, None)):
                block = Block(block.data, image_tokens(picture.width, picture.height))
            blocks.append(block)
    return Rendered(tuple(blocks), tuple(range(1, len(blocks) + 1)))


def _content(content: str | Sequence[Body] | None) -> Sequence[Body]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def _check(body: Body) -> None:
    messages = body.get("messages") or []
    if not messages:
        raise ValueError("Invalid 'messages': empty array. Expected an array with minimum length 1")
    called: set[str] = set()
    for at, message in enumerate(messages):
        if message["role"] not in _ROLES:
            raise ValueError(f"Invalid value: 'messages[{at}].role'.")
        if message["role"] == "tool" and message["tool_call_id"] not in called:
            raise ValueError(
                "messages with role 'tool' must be a response to a preceding message with "
                "'tool_calls'."
            )
        called |= {call["id"] for call in message.get("tool_calls") or []}
    for tool in body.get("tools") or []:
        if not _TOOL_NAME.fullmatch(tool["function"]["name"]):
            raise ValueError("Invalid 'tools[0].function.name': string does not match pattern.")


def _images(body: Body) -> Iterator[Picture]:
    for message in body["messages"]:
        for part in _content(message.get("content")):
            if part["type"] == "image_url":
                url = _DATA_URL.fullmatch(part["image_url"]["url"])
                if url is None:
                    raise ValueError("Invalid image URL.")
                yield read_picture(url[2], url[1])


def _asked(number: int, request: Recorded) -> Asked:
    messages = request.body["messages"]
    said = [_content(m.get("content")) for m in messages if m["role"] == "user"]
    words = said[-1] if said else []
    since = next((at for at in reversed(range(len(messages))) if messages[at]["role"] != "tool"), 0)
    return Asked(
        number=number,
        model=request.model,
        stream=bool(request.body.get("stream")),
        system="\n".join(
            part["text"]
            for message in messages
            if message["role"] in ("system", "developer")
            for part in _content(message.get("content"))
        ),
        words="\n".join(part["text"] for part in words if part["type"] == "text"),
        tools=tuple(tool["function"]["name"] for tool in request.body.get("tools") or []),
        results=tuple(
            "".join(part["text"] for part in _content(message["content"]))
            for message in messages[since + 1 :]
        ),
        images=tuple(picture.media_type for picture in request.images),
    )


def _usage(counted: Counted, output: int) -> dict[str, Json]:
    return {
        "prompt_tokens": counted.all,
        "completion_tokens": output,
        "total_tokens": counted.all + output,
        "prompt_tokens_details": {"cached_tokens": counted.read},
    }


def _event(data: Mapping[str, Json]) -> bytes:
    return b"data: " + canonical(data) + b"\n\n"


def _error(status: int, message: str) -> dict[str, Json]:
    kind = ERRORS.get(status, "server_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}
