"""Unmodified boto3 invokes the runtime through an endpoint that stands where the service does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import aiohttp
import boto3
import pytest
from aiohttp import web
from botocore.config import Config
from botocore.exceptions import ClientError

from cloche.runtime.session import runtime_session_id
from cloche.testing.loopback import LoopbackServer

if TYPE_CHECKING:
    from conftest import Runtime

ARN = "arn:aws:bedrock-agentcore:eu-west-1:123456789012:runtime/tea-AbCdEfGhIj"
SESSION = "x-amzn-bedrock-agentcore-runtime-session-id"


class AgentCore(LoopbackServer):
    """Hands invocations on to one container, and its answers back as the service does."""

    def __init__(self, container: str) -> None:
        super().__init__()
        self._container = container

    async def handle(self, request: web.Request) -> web.StreamResponse:
        parts = [unquote(part) for part in request.raw_path.partition("?")[0].split("/")]
        assert parts == ["", "runtimes", ARN, "invocations"]
        passed = {"accept", "content-type", SESSION}
        headers = {k: v for k, v in request.headers.items() if k.lower() in passed}
        async with (
            aiohttp.ClientSession() as http,
            http.post(
                f"{self._container}/invocations", data=await request.read(), headers=headers
            ) as answer,
        ):
            if answer.status >= HTTPStatus.BAD_REQUEST:
                return web.json_response(
                    {"message": (await answer.json())["error"]},
                    status=HTTPStatus.FAILED_DEPENDENCY,
                    headers={"x-amzn-errortype": "RuntimeClientError"},
                )
            response = web.StreamResponse(
                headers={
                    "Content-Type": answer.headers["Content-Type"],
                    SESSION: request.headers[SESSION],
                }
            )
            await response.prepare(request)
            async for piece in answer.content.iter_any():
                await response.write(piece)
            await response.write_eof()
            return response


@pytest.fixture
async def client(runtime: Runtime) -> AsyncIterator[Any]:
    with AgentCore(runtime.url) as service:
        made = boto3.client(
            "bedrock-agentcore",
            endpoint_url=service.url,
            region_name="eu-west-1",
            aws_access_key_id="x",
            aws_secret_access_key="x",
            config=Config(retries={"total_max_attempts": 1}, read_timeout=20),
        )
        yield made
        made.close()


async def test_whole(client: Any, runtime: Runtime) -> None:
    def invoke() -> dict[str, Any]:
        answer = client.invoke_agent_runtime(
            agentRuntimeArn=ARN,
            payload=json.dumps({"kind": "message", "text": "a pot of tea"}).encode(),
        )
        assert answer["statusCode"] == 200
        assert answer["contentType"] == "application/json"
        return dict(json.loads(answer["response"].read()))

    assert (await asyncio.to_thread(invoke))["text"] == "You said: a pot of tea"


async def test_streamed(client: Any, runtime: Runtime) -> None:
    def invoke() -> list[dict[str, Any]]:
        answer = client.invoke_agent_runtime(
            agentRuntimeArn=ARN,
            accept="text/event-stream",
            payload=json.dumps({"kind": "message", "text": "a pot of tea"}).encode(),
        )
        assert answer["contentType"].startswith("text/event-stream")
        return [
            json.loads(line.removeprefix(b"data: "))
            for line in answer["response"].iter_lines()
            if line
        ]

    told = await asyncio.to_thread(invoke)
    assert told[0] == {"accepted": 1}
    assert "".join(one.get("delta", "") for one in told) == "You said: a pot of tea"
    assert told[-1]["text"] == "You said: a pot of tea"


async def test_a_conversations_session(client: Any, runtime: Runtime) -> None:
    payload = {
        "kind": "channel",
        "channel": "posted",
        "requests": [runtime.forwarded("r", "hello", id_="1")],
    }

    def invoke(session: str) -> dict[str, Any]:
        answer = client.invoke_agent_runtime(
            agentRuntimeArn=ARN, runtimeSessionId=session, payload=json.dumps(payload).encode()
        )
        assert answer["runtimeSessionId"] == session
        return dict(json.loads(answer["response"].read()))

    with pytest.raises(ClientError, match="wrong_session") as caught:
        await asyncio.to_thread(invoke, runtime_session_id("posted", "other"))
    assert caught.value.response["Error"]["Code"] == "RuntimeClientError"
    told = await asyncio.to_thread(invoke, runtime_session_id("posted", "r"))
    assert told == {"accepted": 1, "done": True}
    assert runtime.sent == [("r", "You said: hello")]
