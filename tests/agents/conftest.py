"""What the tests of agents share: prompts, tools bound to a turn, listeners."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from cloche.agents.embedded import EmbeddedAgent
from cloche.errors import ToolError
from cloche.llm.providers import choose_model
from cloche.prompt import Exchange, Prompt
from cloche.settings import ModelSettings, Settings
from cloche.testing.anthropic import AnthropicServer
from cloche.testing.bedrock import BedrockEndpoint
from cloche.testing.fake_model import FakeModel
from cloche.testing.model_server import ModelServer
from cloche.testing.openai import OpenAIServer
from cloche.testing.script import Script
from cloche.testing.tool_fakes import tool_context
from cloche.tools import BoundTool, Tool, ToolContext, tool


class Listener:
    """Takes what is handed out."""

    def __init__(self) -> None:
        self.pieces: list[str] = []

    async def __call__(self, piece: str) -> None:
        self.pieces.append(piece)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@tool
async def look_up(ctx: ToolContext, word: str, limit: int = 3) -> str:
    """Look a word up.

    Args:
        word: The word.
        limit: How many meanings at most.
    """
    return f"{word} means light ({limit}, {ctx.actor})"


@tool
async def fail(ctx: ToolContext, word: str) -> str:
    """Fails whatever it is given."""
    raise ToolError("The dictionary is closed today.")


def bound_for_a_turn(*tools: Tool) -> tuple[BoundTool, ...]:
    def context(call_id: str) -> ToolContext:
        return replace(tool_context(call_id=call_id), actor="console-_ann")

    return tuple(BoundTool(each, turn_id="t1", context=context) for each in tools)


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """What boto3 finds: keys that open nothing."""
    for name in list(os.environ):
        if name.startswith(("AWS_", "ANTHROPIC_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def tools() -> tuple[BoundTool, ...]:
    return bound_for_a_turn(look_up, fail)


@pytest.fixture
def bound() -> Callable[..., tuple[BoundTool, ...]]:
    """Binds tools of a test's own to a turn."""
    return bound_for_a_turn


@pytest.fixture
def prompt_of() -> Callable[..., Prompt]:
    """Makes a prompt: ``prompt_of("words", history=..., turn=...)``."""

    def make(words: str = "What is the sun?", **parts: object) -> Prompt:
        given: dict = {
            "stable": "You are Ada, who explains words.",
            "session": "<profile>\n- [fact; 3 March 2026; said; profile] I am Ann.\n</profile>",
            "history": (Exchange("Hello", "Good morning."),),
            "turn": "<now>Monday 30 November 2026, 09:12, Europe/Oslo</now>",
            **parts,
        }
        return Prompt(words=words, **given)

    return make


SECRET = "very-secret-key-1234567890"
SERVERS = {"bedrock": BedrockEndpoint, "anthropic": AnthropicServer, "openai": OpenAIServer}


@asynccontextmanager
async def opened(
    provider: str,
    script: Script,
    *,
    timeout: float = 10,
    model_id: str = "",
    fallback_id: str = "",
    **options: Any,
) -> AsyncIterator[tuple[EmbeddedAgent, ModelServer]]:
    """An agent on a provider's unmodified client, and the server it talks to."""
    async with SERVERS[provider](script, **options) as server:
        settings = Settings(
            model_id=model_id or ("any-model" if provider == "openai" else ""),
            model=ModelSettings(
                provider=provider,
                base_url=server.base_url if isinstance(server, OpenAIServer) else server.url,
                api_key=SecretStr("" if provider == "bedrock" else SECRET),
                region="eu-central-1",
                timeout_seconds=timeout,
                fallback_id=fallback_id,
            ),
        )
        if provider == "anthropic" and not model_id:
            settings = settings.model_copy(update={"model_id": "claude-haiku-4-5"})
        agent = EmbeddedAgent(choose_model(settings, demo=FakeModel))
        try:
            yield agent, server
        finally:
            await agent.close()


@pytest.fixture(params=["bedrock", "anthropic", "openai"])
def provider(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def streamed(request: pytest.FixtureRequest) -> bool:
    return request.param


@pytest.fixture
def open_agent() -> Callable[..., Any]:
    return opened
