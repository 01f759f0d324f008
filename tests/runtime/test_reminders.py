"""Due reminders: told to whom the store says, in their conversation, once."""

from __future__ import annotations

import asyncio
import io
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from cloche.assembly import open_assistant
from cloche.clock import utc_now
from cloche.memory.records import MemoryRecord, Source, Validity
from cloche.plugins import load_host
from cloche.reminders.reminder import Place, Reminder, reminder_id
from cloche.reminders.schedule import Once
from cloche.runtime.session import runtime_session_id
from cloche.settings import ModelSettings
from cloche.testing.bedrock import BedrockEndpoint
from cloche.testing.script import Answer, Asked, fault, say
from cloche.tracing import collect_no_spans, collect_spans

if TYPE_CHECKING:
    from conftest import Opened, Runtime

    from cloche.settings import Settings

SESSION = runtime_session_id("posted", "room")


async def remind(
    settings: Settings, at: datetime, key: str = "k", text: str = "water the tea"
) -> Reminder:
    """Keep a reminder of ben's, as a turn before would have."""
    actor = "posted_-ben"
    reminder = Reminder(
        id=reminder_id(actor, key),
        actor=actor,
        place=Place("posted", "room", "ben"),
        text=text,
        language="en",
        schedule=Once(at, "UTC"),
        created_at=at - timedelta(hours=1),
    )
    assistant = await open_assistant(load_host(settings), "tea", settings)
    try:
        await assistant.memory.reminders.put(reminder)
    finally:
        await assistant.close()
    return reminder


class Later:
    """A clock that is behind until it is moved."""

    def __init__(self, behind: timedelta) -> None:
        self.behind = behind

    def __call__(self) -> datetime:
        return utc_now() - self.behind


async def due(
    runtime: Runtime, reminder: Reminder, at: datetime, **more: object
) -> dict[str, object]:
    payload = {"kind": "reminder", "reminder": reminder.id, "at": at.isoformat()}
    return await runtime.invoke(payload, **{"session": SESSION, **more})  # type: ignore[arg-type]


async def test_what_is_due_is_told_once_where_the_store_says(
    running: Opened, settings: Settings
) -> None:
    at = datetime.now(UTC).replace(microsecond=0)
    reminder = await remind(settings, at)
    # The service's clock is ahead of ours: by ours nothing is due yet, and no timer tells it.
    async with running(clock=Later(timedelta(minutes=2))) as runtime:
        assert await due(runtime, reminder, at) == {"told": True, "done": True}
        assert [room for room, _ in runtime.sent] == ["room"]
        assert "the hour they asked to be reminded at" in runtime.sent[0][1]
        assert await due(runtime, reminder, at) == {"told": False, "done": True}
        await asyncio.sleep(0.1)
        assert len(runtime.sent) == 1


async def test_it_must_come_with_its_conversations_session(
    running: Opened, settings: Settings
) -> None:
    at = datetime.now(UTC).replace(microsecond=0)
    reminder = await remind(settings, at)
    async with running(clock=Later(timedelta(minutes=2))) as runtime:
        other = runtime_session_id("posted", "another")
        told = await due(runtime, reminder, at, session=other, status=409)
        assert told["error"] == "wrong_session"
        assert runtime.sent == []


async def test_one_that_nobody_knows_is_told_to_nobody(runtime: Runtime) -> None:
    payload = {"kind": "reminder", "reminder": "0" * 32, "at": datetime.now(UTC).isoformat()}
    assert await runtime.invoke(payload) == {"told": False, "done": True}


async def test_an_instant_to_come_is_refused(running: Opened, settings: Settings) -> None:
    at = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
    reminder = await remind(settings, at)
    async with running() as runtime:
        told = await due(runtime, reminder, at, status=400)
        assert told["field"] == "at"
        assert await due(runtime, reminder, datetime.now(UTC)) == {"told": False, "done": True}
        assert runtime.sent == []


async def test_without_a_service_the_process_watches_the_clock(
    running: Opened, settings: Settings
) -> None:
    await remind(settings, datetime.now(UTC) - timedelta(seconds=1))
    async with running() as runtime:
        await runtime.until(lambda: runtime.sent)
        assert "the hour they asked to be reminded at" in runtime.sent[0][1]


@pytest.mark.parametrize("breaks", [False, True], ids=["good", "refused"])
async def test_a_reminder_s_turn_is_told_as_any_other(
    running: Opened, settings: Settings, log: io.StringIO, monkeypatch: pytest.MonkeyPatch,
    breaks: bool,
) -> None:  # fmt: skip
    """Its agent, its failure, what was recalled, and how long each step took."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "loopback")
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    at = utc_now().replace(microsecond=0) - timedelta(seconds=1)

    def script(asked: Asked) -> Answer:
        return fault(401) if breaks and "Nobody wrote" in asked.words else say("Water the tea.")

    with BedrockEndpoint(script) as model:
        by_wire = ModelSettings(provider="bedrock", base_url=model.url, region="eu-west-1")
        haiku = "global.anthropic.claude-haiku-4-5-20251001-v1:0"
        update = {"model": by_wire, "model_id": haiku, "agent": "embedded"}
        chosen = settings.model_copy(update=update)
        reminder = await remind(chosen, at)
        assistant = await open_assistant(load_host(chosen), "tea", chosen)
        await assistant.memory.writer.write(remembered("I water the tea with rain water."))
        await assistant.close()
        monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
        assert collect_spans()
        try:
            async with running(commanded=False, chosen=chosen) as runtime:
                await due(runtime, reminder, at)
                await runtime.until_idle()
                (metrics,) = [json.loads(line) for line in runtime.lines]
        finally:
            collect_no_spans()
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    (told,) = [line for line in lines if line["message"] == "a turn is over"]
    assert told["agent"] == "embedded"
    assert told["failure"] == ("auth" if breaks else "")
    assert metrics["Failures"] == int(breaks)
    assert metrics["RecallHits"] >= 1
    steps = {"RecallLatency", "PromptLatency", "ModelLatency", "TurnLatency", "SendLatency"}
    assert steps <= set(metrics)
    assert {"recall", "prompt", "model"} <= set(told["milliseconds"])
    assert {"turn", "recall", "prompt", "model", "send", "afterwards"} <= {
        span.name for span in exporter.get_finished_spans()
    }


def remembered(text: str) -> MemoryRecord:
    """A fact of ben's."""
    now = utc_now()
    source, validity = Source(), Validity(now, now)
    return MemoryRecord("m1", "posted_-ben", "long_term", "fact", text, source, validity)
