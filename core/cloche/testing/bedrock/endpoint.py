"""A loopback Bedrock runtime for unmodified boto3: Converse and ConverseStream."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import ClassVar, Final
from urllib.parse import unquote

from aiohttp import web

from cloche.state.store import Json
from cloche.testing.bedrock.answers import events, whole
from cloche.testing.bedrock.frames import exception_frame
from cloche.testing.bedrock.limits import Body, RefusedError, check, content_blocks
from cloche.testing.bedrock.models import MODELS, UnknownModelError, base_model
from cloche.testing.loopback import headers_of
from cloche.testing.model_server import ModelServer
from cloche.testing.pictures import Picture
from cloche.testing.prompt_cache import Block, Counted, Rendered, image_tokens
from cloche.testing.recorded import Recorded
from cloche.testing.script import Asked, Reply

OPERATIONS: Final = {"converse": "Converse", "converse-stream": "ConverseStream"}
ERRORS: Final = {
    400: "ValidationException",
    401: "UnrecognizedClientException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    424: "ModelErrorException",
    429: "ThrottlingException",
    500: "InternalServerException",
    503: "ServiceUnavailableException",
}


class BedrockEndpoint(ModelServer):
    """Answers boto3's ``bedrock-runtime`` client by a script.

    Give ``url`` to boto3 as ``endpoint_url`` or as ``AWS_ENDPOINT_URL_BEDROCK_RUNTIME``; any
    credentials do. What the service documents as refused is refused with its errors.
    """

    stream_type: ClassVar[str] = "application/vnd.amazon.eventstream"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer ``POST /model/<id>/converse`` and ``/converse-stream``."""
        # An ARN's slash arrives as %2F: split the raw path, then decode.
        parts = [unquote(part) for part in request.raw_path.split("?")[0].strip("/").split("/")]
        if request.method != "POST" or len(parts) != 3 or parts[2] not in OPERATIONS:
            return _error(404, "UnknownOperationException", "no such operation")
        body, headers = await request.json(), headers_of(request)
        recorded = Recorded(OPERATIONS[parts[2]], parts[1], body, headers, render(body))
        self.record(recorded)
        if not headers.get("authorization", "").startswith(("AWS4-HMAC-SHA256 ", "Bearer ")):
            return _error(403, "MissingAuthenticationTokenException", "Missing credentials")
        try:
            model = MODELS[base_model(recorded.model)]
            images = check(body, model)
        except (UnknownModelError, RefusedError) as error:
            return self.error(400, str(error))
        accepted = Recorded(
            recorded.operation, recorded.model, body, headers, render(body, images), images
        )
        asked = _asked(self.calls, accepted)
        return await self.play(request, accepted, asked, cache_minimum=model.cache_minimum)

    def whole(self, reply: Reply, request: Recorded, counted: Counted) -> dict[str, Json]:
        """The body of a Converse answer."""
        return whole(reply, self.calls, counted)

    def pieces(self, reply: Reply, request: Recorded, counted: Counted) -> Sequence[bytes]:
        """The frames of a ConverseStream answer."""
        return events(reply, self.calls, counted)

    def error(self, status: int, message: str) -> web.Response:
        """An error with the service's name for the status."""
        return _error(status, ERRORS.get(status, ERRORS[500]), message)

    def error_piece(self, status: int, message: str) -> bytes:
        """An exception event."""
        name = ERRORS.get(status, ERRORS[500])
        return exception_frame(name[0].lower() + name[1:], message)


def render(body: Body, images: tuple[Picture, ...] = ()) -> Rendered:
    """A request body as the prompt cache sees it: no cache points, a role before each message."""
    blocks: list[Block] = []
    points: list[int] = []
    pictures = iter(images)
    roles = {
        f"messages.{at}.content.0": message["role"]
        for at, message in enumerate(body.get("messages") or [])
    }
    for where, value in content_blocks(body):
        if "cachePoint" in value:
            points.append(len(blocks))
            continue
        block = Block.of({"role": roles[where], **value} if where in roles else value)
        if "image" in value and (picture := next(pictures, None)):
            block = Block(block.data, image_tokens(picture.width, picture.height))
        blocks.append(block)
    return Rendered(tuple(blocks), tuple(points))


def _asked(number: int, request: Recorded) -> Asked:
    last = request.body["messages"][-1]["content"]
    results = [block["toolResult"]["content"] for block in last if "toolResult" in block]
    said = [m["content"] for m in request.body["messages"] if m["role"] == "user"]
    words: Sequence[Body] = next((c for c in reversed(said) if any("text" in b for b in c)), [])
    tools = (request.body.get("toolConfig") or {}).get("tools") or []
    return Asked(
        number=number,
        model=request.model,
        stream=request.operation == "ConverseStream",
        system="\n".join(b["text"] for b in request.body.get("system") or [] if "text" in b),
        words="\n".join(block["text"] for block in words if "text" in block),
        tools=tuple(tool["toolSpec"]["name"] for tool in tools if "toolSpec" in tool),
        results=tuple("".join(b.get("text", json.dumps(b)) for b in parts) for parts in results),
        images=tuple(f"image/{b['image']['format']}" for b in words if "image" in b),
    )


def _error(status: int, name: str, message: str) -> web.Response:
    headers = {"x-amzn-errortype": f"{name}:http://internal.amazon.com/coral/"}
    return web.json_response({"message": message}, status=status, headers=headers)
