"""A real gateway per module, on unmodified boto3 and with tools of the test's own."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from cloche.agents.embedded import EmbeddedAgent
from cloche.agents.openclaw.agent import OpenClawAgent
from cloche.agents.openclaw.installation import Installation, find_installation, installation_folder
from cloche.llm.providers import choose_model
from cloche.logs import OWN_LOGGERS, LogHandler
from cloche.patience import Patience
from cloche.persona import Persona
from cloche.prompt import Exchange, Prompt
from cloche.runtime.json_logs import set_up_json_logs
from cloche.settings import ModelSettings, OpenClawSettings, Settings
from cloche.skills import Skill, SkillsManifest
from cloche.testing.bedrock import BedrockEndpoint
from cloche.testing.fake_model import FakeModel
from cloche.testing.script import Answer, Asked, Script, say
from cloche.testing.tool_fakes import tool_context
from cloche.tools import BoundTool, Tool, ToolContext, tool
from cloche.tracing import collect_no_spans, collect_spans

BOOT_SECONDS = 180  # 15 where nobody else needs the processor
PATIENT_SECONDS = 30.0
SONNET = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
INSTALLATION = find_installation(
    OpenClawSettings(folder=str(installation_folder(OpenClawSettings())))
)
PERSONA = Persona(
    "Ada",
    (
        ("identity", "# Ada\nYou are Ada, who explains words."),
        ("voice", "Speak plainly."),
        ("safety", "Never shout."),
    ),
)


@tool
async def look_up(ctx: ToolContext, word: str, limit: int = 3) -> str:
    """Look a word up.

    Args:
        word: The word.
        limit: How many meanings at most.
    """
    return f"{word} means light ({limit}, for {ctx.actor})"


@tool
async def crash(ctx: ToolContext) -> str:
    """Break."""
    raise RuntimeError("secret inside")


@tool(timeout_seconds=1)
async def hang(ctx: ToolContext) -> str:
    """Never come back."""
    await asyncio.sleep(3600)
    return "never"


@tool(max_result_chars=8_000_000)
async def flood(ctx: ToolContext) -> str:
    """Say five million letters."""
    return "x" * 5_000_000


TOOLS = (look_up, crash, hang, flood)
SKILLS = SkillsManifest(
    (
        Skill(
            name="weather",  # as one that OpenClaw brings is called
            description="Explains words. Use it for meanings.",
            body="Look the word up.",
            tools=TOOLS,
        ),
    )
)


def tools_for(
    actor: str,
    turn: str = "t1",
    called: list[str] | None = None,
    tools: tuple[Tool, ...] = TOOLS,
) -> tuple[BoundTool, ...]:
    """The tools, acting for somebody; ``called`` gets the ids of the calls."""

    def context(call_id: str) -> ToolContext:
        if called is not None:
            called.append(call_id)
        return replace(tool_context(call_id=call_id), actor=actor)

    return tuple(BoundTool(each, turn_id=turn, context=context) for each in tools)


def prompt(
    words: str, thread: str = "ann/s1", history: Sequence[Exchange] = (), **parts: Any
) -> Prompt:
    """A prompt of a session; the turn part is another one each time."""
    given = {
        "stable": "You are Ada, who explains words.",
        "session": f"<profile>\nThis is {thread}.\n</profile>",
        "turn": f"<now>{time.monotonic_ns()}</now>",
        # A machine that is busy with other tests is slow, and nobody waits here.
        "patience": Patience(BOOT_SECONDS),
        **parts,
    }
    return Prompt(words=words, thread=thread, history=tuple(history), **given)


def system_of(body: Mapping[str, Any]) -> str:
    """The instructions of a request to Converse."""
    return "".join(block.get("text", "") for block in body["system"])


def tools_of(body: Mapping[str, Any]) -> list[str]:
    """Names of the tools that a request offers, in order."""
    tools = body["toolConfig"]["tools"]
    return [tool["toolSpec"]["name"] for tool in tools if "toolSpec" in tool]


def talk(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages, without the cache points, which move on from turn to turn."""
    return [
        {**message, "content": [block for block in message["content"] if "cachePoint" not in block]}
        for message in body["messages"]
    ]


class Model:
    """The model's server, whose script a test may change."""

    def __init__(self, server: BedrockEndpoint) -> None:
        self.server = server
        self.script: Script = lambda _: say("All right.")

    def answer(self, asked: Asked) -> Answer:
        assert callable(self.script)
        return self.script(asked)

    @property
    def bodies(self) -> list[Mapping[str, Any]]:
        return [request.body for request in self.server.requests]


class Chat:
    """One person's session, kept as the host keeps it."""

    def __init__(self, agent: Any, thread: str) -> None:
        self.agent, self.thread = agent, thread
        self.actor = thread.partition("/")[0]
        self.history: list[Exchange] = []

    async def say(self, words: str, on_delta: Any = None, **parts: Any) -> Any:
        asked = prompt(words, self.thread, self.history, **parts)
        answer = await self.agent.ask(asked, tools_for(self.actor, words), on_delta)
        self.history.append(Exchange(words, answer.text))
        return answer


@contextmanager
def credentials() -> Iterator[None]:
    """What boto3 finds: keys that open nothing."""
    with pytest.MonkeyPatch.context() as environment:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            environment.delenv(name)
        environment.setenv("AWS_ACCESS_KEY_ID", "loopback")
        environment.setenv("AWS_SECRET_ACCESS_KEY", "loopback")
        yield


@asynccontextmanager
async def opened(
    folder: Path, installation: Installation, script: Any, **options: Any
) -> AsyncIterator[tuple[OpenClawAgent, BedrockEndpoint, EmbeddedAgent]]:
    """A gateway's agent (not started), the model's server, and an embedded agent on it."""
    async with BedrockEndpoint(script) as server:
        settings = Settings(
            model_id=SONNET,
            model=ModelSettings(
                provider="bedrock",
                base_url=server.url,
                region="eu-north-1",
                timeout_seconds=options.pop("timeout", 5),
            ),
        )
        with credentials():
            chosen, same = (choose_model(settings, demo=FakeModel) for _ in range(2))
        agent = OpenClawAgent(
            chosen,
            installation,
            persona=PERSONA,
            skills=options.pop("skills", lambda: SKILLS),
            folder=folder,
            **options,
        )
        embedded = EmbeddedAgent(same)
        try:
            yield agent, server, embedded
        finally:
            await agent.close()
            await embedded.close()


def processes_of(group: int) -> list[int]:
    """Processes of a group that are not only waiting to be reaped."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(folder.name))
    return found


async def until_ready(agent: OpenClawAgent, *, starts: int = 0) -> None:
    """Wait until the gateway takes turns; with ``starts``, the one that was started so often."""
    async with asyncio.timeout(60):
        while agent.supervisor.starts < starts:
            await asyncio.sleep(0.01)
    async with asyncio.timeout(BOOT_SECONDS):
        while await agent.supervisor.ensure_ready() is None:
            await asyncio.sleep(0.1)


def there() -> Installation:
    """The installation; a test is skipped without."""
    if INSTALLATION is None:
        pytest.skip("OpenClaw (make openclaw)")
    return INSTALLATION


class World:
    """A gateway that is ready, with its model; a test may change its skills."""

    def __init__(self) -> None:
        self.skills = SKILLS

    agent: OpenClawAgent
    model: Model
    embedded: EmbeddedAgent

    def chat(self, thread: str, agent: Any = None) -> Chat:
        return Chat(agent or self.agent, thread)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """One gateway for a module's tests."""
    installation = there()
    world = World()
    folder = tmp_path_factory.mktemp("assistant")
    # A machine that is busy with other tests is slow, and a slow gateway has lost nothing.
    patient = pytest.MonkeyPatch()
    patient.setattr("cloche.agents.openclaw.agent.STUCK_SECONDS", PATIENT_SECONDS)

    def script(asked: Asked) -> Answer:
        return world.model.answer(asked)

    async with opened(folder, installation, script, skills=lambda: world.skills) as (
        world.agent,
        server,
        world.embedded,
    ):
        world.model = Model(server)
        world.agent.start()
        await until_ready(world.agent)
        yield world
    patient.undo()


@pytest_asyncio.fixture(loop_scope="module")
async def world(running: World) -> AsyncIterator[World]:
    """The module's gateway, with a model that has been asked nothing."""
    running.model.script = lambda _: say("All right.")
    running.model.server.requests.clear()
    await until_ready(running.agent)
    yield running


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """All spans that end, those of the protocol's library too."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    monkeypatch.setattr("mcp.shared._otel._tracer", provider.get_tracer("mcp"))
    assert collect_spans()
    yield exporter
    collect_no_spans()


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What the host writes to its log, one JSON object a line."""
    stream = io.StringIO()
    loggers = [logging.getLogger(name) for name in (None, *OWN_LOGGERS)]
    before = [each.level for each in loggers]
    set_up_json_logs(Settings(), stream)
    yield stream
    for handler in [each for each in loggers[0].handlers if isinstance(each, LogHandler)]:
        loggers[0].removeHandler(handler)
    for each, level in zip(loggers, before, strict=True):
        each.setLevel(level)
