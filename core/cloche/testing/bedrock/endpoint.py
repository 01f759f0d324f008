"""A loopback Bedrock runtime for unmodified boto3: Converse and ConverseStream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from aiohttp import web

from cloche.clock import Clock, utc_now
from cloche.testing.bedrock.answers import events, whole
from cloche.testing.bedrock.frames import exception_frame
from cloche.testing.bedrock.limits import Body, RefusedError, check, content_blocks
from cloche.testing.bedrock.models import MODELS, UnknownModelError, base_model
from cloche.testing.loopback import LoopbackServer
from cloche.testing.pictures import Picture
from cloche.testing.prompt_cache import (
    Block,
    Counted,
    PromptCache,
    Rendered,
    canonical,
    image_tokens,
)
from cloche.testing.script import Asked, Fault, Player, Reply, Script, say

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


@dataclass(frozen=True)
class BedrockRequest:
    """One request as it arrived, and what it counted.

    Attributes:
        operation: ``Converse`` or ``ConverseStream``.
        model: The model id of the path, decoded.
        body: The JSON body.
        headers: HTTP headers, lower case.
        rendered: The request as the prompt cache sees it.
        images: Its pictures, decoded.
        counted: Input tokens by the cache; None when it was refused or failed.
    """

    operation: str
    model: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    rendered: Rendered
    images: tuple[Picture, ...] = ()
    counted: Counted | None = None

    @property
    def prefixes(self) -> tuple[bytes, ...]:
        """The rendered bytes up to each cache point."""
        return self.rendered.prefixes


class BedrockEndpoint(LoopbackServer):
    """Answers boto3's ``bedrock-runtime`` client by a script.

    Use it as ``with`` or ``async with``; give ``url`` to boto3 as ``endpoint_url`` or as
    ``AWS_ENDPOINT_URL_BEDROCK_RUNTIME``; any credentials do. Output tokens are counted by the
    tokenizer that ``cloche.testing.prompt_cache`` states.

    Args:
        script: The answers.
        faults: Faults by call number, from 1.
        clock: The present instant, for the prompt cache's five minutes.

    Attributes:
        requests: Every request, refused and failed ones too.
        cache: The prompt cache.
    """

    def __init__(
        self,
        script: Script = lambda _: say("All right."),
        *,
        faults: Mapping[int, Fault] | None = None,
        clock: Clock = utc_now,
    ) -> None:
        """Take the script; nothing listens yet."""
        super().__init__()
        self.requests: list[BedrockRequest] = []
        self.cache = PromptCache(clock, {m: known.cache_minimum for m, known in MODELS.items()})
        self._player = Player(script, faults)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer ``POST /model/<id>/converse`` and ``/converse-stream``."""
        # An ARN's slash arrives as %2F: split the raw path, then decode.
        parts = [unquote(part) for part in request.raw_path.split("?")[0].strip("/").split("/")]
        if request.method != "POST" or len(parts) != 3 or parts[2] not in OPERATIONS:
            return _error(404, "UnknownOperationException", "no such operation")
        body = await request.json()
        headers = {name.lower(): value for name, value in request.headers.items()}
        known = BedrockRequest(OPERATIONS[parts[2]], parts[1], body, headers, render(body))
        self.requests.append(known)
        number = len(self.requests)
        if not headers.get("authorization", "").startswith(("AWS4-HMAC-SHA256 ", "Bearer ")):
            return _error(
                403, "MissingAuthenticationTokenException", "Missing Authentication Token"
            )
        try:
            base = base_model(known.model)
            images = check(body, MODELS[base])
        except (UnknownModelError, RefusedError) as error:
            return _error(400, ERRORS[400], str(error))
        answer = self._player.answer(_asked(number, known))
        streamed = known.operation == "ConverseStream"
        if isinstance(answer, Fault):
            return await self._fail(request, answer, streamed=streamed)
        counted = self.cache.count(base, render(body, images))
        self.requests[number - 1] = BedrockRequest(
            known.operation, known.model, body, headers, render(body, images), images, counted
        )
        if streamed:
            return await _stream(request, events(answer, number, counted))
        return web.json_response(whole(answer, number, counted))

    async def _fail(
        self, request: web.Request, fault: Fault, *, streamed: bool
    ) -> web.StreamResponse:
        some = Reply("I was just about to say something.", (), "end")
        counted = Counted(0, 0, 0)
        frames = events(some, 0, counted)
        half = frames[: len(frames) // 2]
        if fault.trouble == "slow":
            return await self.hang(request)
        if fault.trouble == "empty":
            nothing = Reply("", (), "end")
            if streamed:
                return await _stream(request, events(nothing, 0, counted))
            return web.json_response(whole(nothing, 0, counted))
        if streamed and fault.midway:
            name = ERRORS[fault.status]
            half.append(exception_frame(name[0].lower() + name[1:], fault.message))
            return await _stream(request, half)
        if fault.status:
            return _error(
                fault.status,
                ERRORS.get(fault.status, "InternalServerException"),
                fault.message,
                retry_after=fault.retry_after,
            )
        if streamed:
            response = await _stream(request, half, end=fault.trouble == "truncated")
        else:
            response = await _half_of(
                request, canonical(whole(some, 0, counted)), honest=fault.trouble == "truncated"
            )
        return await self.drop(request) if fault.trouble == "cut" else response


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


def _asked(number: int, request: BedrockRequest) -> Asked:
    last = request.body["messages"][-1]["content"]
    results = [block["toolResult"]["content"] for block in last if "toolResult" in block]
    said = [m["content"] for m in request.body["messages"] if m["role"] == "user"]
    words: Sequence[Body] = next(
        (c for c in reversed(said) if any("text" in block for block in c)), []
    )
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


async def _stream(
    request: web.Request, frames: list[bytes], *, end: bool = True
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/vnd.amazon.eventstream"})
    await response.prepare(request)
    for frame in frames:
        await response.write(frame)
        await asyncio.sleep(0)  # each frame leaves on its own, as it would from a model
    if end:
        await response.write_eof()
    return response


async def _half_of(request: web.Request, data: bytes, *, honest: bool) -> web.StreamResponse:
    """Send half of a body: saying so, or having promised the whole of it."""
    half = data[: len(data) // 2]
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.content_length = len(half) if honest else len(data)
    await response.prepare(request)
    await response.write(half)
    return response


def _error(
    status: int, name: str, message: str, *, retry_after: float | None = None
) -> web.Response:
    headers = {"x-amzn-errortype": f"{name}:http://internal.amazon.com/coral/"}
    if retry_after is not None:
        headers["Retry-After"] = f"{retry_after:g}"
    return web.json_response({"message": message}, status=status, headers=headers)
