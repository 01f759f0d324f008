"""What is told of turns: logs with ids, spans, metrics; no words, no secrets."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, Status, TraceFlags

from cloche.errors import MemoryUnavailableError
from cloche.log_ids import ids_now, logged
from cloche.runtime.session import runtime_session_id
from cloche.tracing import collect_no_spans, collect_spans, leaf, span

if TYPE_CHECKING:
    from conftest import Runtime


COUNTED = {"Turns", "Failures", "MemoryAway", "RecallHits", "ToolCalls", "ModelCalls"}
TOKENS = {"TokensIn", "TokensOut", "TokensCached", "CostUSD"}
STEPS = {"Recall", "Prompt", "Model", "Turn", "Send", "Afterwards"}
NAMES = COUNTED | TOKENS | {f"{step}Latency" for step in STEPS}
"""What docs/runtime.md says that a turn's line of metrics holds."""


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


async def test_a_turns_line_has_its_ids_and_no_words(runtime: Runtime, log: io.StringIO) -> None:
    await runtime.invoke(
        {
            "kind": "channel",
            "channel": "posted",
            "requests": [runtime.forwarded("r", "a pot of oolong", id_="1")],
        },
        session=runtime_session_id("posted", "r"),
        headers={"X-Amzn-Bedrock-AgentCore-Runtime-Request-Id": "req-1"},
    )
    await runtime.until_idle()
    (line,) = [one for one in lines(log) if one["message"] == "a turn is over"]
    assert line["request"] == "req-1"
    assert line["conversation"] == "posted_-r"
    assert len(line["turn"]) == 32
    assert line["tokens"] == [100, 60, 10]
    assert {"recall", "model", "turn", "afterwards"} <= set(line["milliseconds"])
    assert "oolong" not in log.getvalue()


async def test_a_second_request_of_a_busy_conversation_has_its_own_id(
    runtime: Runtime, log: io.StringIO
) -> None:
    import asyncio

    def post(number: int) -> asyncio.Task[dict[str, Any]]:
        request = runtime.forwarded("r", "/help" if number == 1 else "wait", id_=f"{number}")
        return asyncio.create_task(
            runtime.invoke(
                {"kind": "channel", "channel": "posted", "requests": [request]},
                session=runtime_session_id("posted", "r"),
                headers={"X-Amzn-Bedrock-AgentCore-Runtime-Request-Id": f"req-{number}"},
            )
        )

    first = post(0)
    await runtime.until(lambda: runtime.agent.asked)
    second = post(1)
    await runtime.until(lambda: len(runtime.invoked) == 2)
    runtime.agent.let.set()
    await asyncio.gather(first, second)
    told = [one["request"] for one in lines(log) if one["message"] == "a turn is over"]
    assert told == ["req-0", "req-1"]


async def test_no_exceptions_text_and_no_secret_is_logged(
    runtime: Runtime, log: io.StringIO
) -> None:
    await runtime.said("crash with hunter2")
    await runtime.until_idle()
    with logged(request="r"):
        logging.getLogger("cloche.x").error("sent with %s", "correct horse battery")
    text = log.getvalue()
    assert "RuntimeError" in text
    assert "hunter2" not in text
    assert "correct horse battery" not in text
    (line,) = [one for one in lines(log) if one.get("error") == "RuntimeError"]
    assert any("conftest.py" in place for place in line["at"])
    assert line["turn"]


def test_an_id_that_is_not_known_is_none_and_not_that_of_another() -> None:
    with logged(request="r", turn="t"), logged(request="", turn="u"):
        assert ids_now() == {"turn": "u"}
    assert ids_now() == {}


async def test_a_turn_is_one_line_of_metrics(runtime: Runtime) -> None:
    await runtime.said("a pot of oolong")
    await runtime.said("crash")
    await runtime.until_idle()
    good, bad = map(json.loads, runtime.lines)
    (directive,) = good["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == "Cloche"
    assert directive["Dimensions"] == [["Assistant"]]
    assert good["Assistant"] == "tea"
    for metric in directive["Metrics"]:
        assert isinstance(good[metric["Name"]], int | float)
        assert metric["Unit"] in ("Count", "Milliseconds", "None")
    assert len(directive["Metrics"]) <= 100
    assert good["Turns"] == 1
    assert (good["TokensIn"], good["TokensCached"], good["TokensOut"]) == (100, 60, 10)
    assert good["CostUSD"] == 0.25
    assert good["Failures"] == 0
    assert bad["Failures"] == 1
    assert {metric["Name"] for metric in directive["Metrics"]} == NAMES
    assert set(good) == NAMES | {"_aws", "Assistant"}
    assert good["ModelCalls"] == 1
    assert good["MemoryAway"] == good["RecallHits"] == good["ToolCalls"] == 0
    assert "oolong" not in "".join(runtime.lines)


async def test_metrics_tell_what_was_recalled_and_that_memory_is_away(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise MemoryUnavailableError("gone", cause="io")

    await runtime.said("I drink oolong every morning.")
    await runtime.until_idle()
    await runtime.said("/new")
    await runtime.said("Which tea do I drink, oolong?")
    await runtime.until_idle()
    with monkeypatch.context() as patch:
        patch.setattr("cloche.memory.pipeline.Sessions.part", away)
        await runtime.said("And which one today?")
        await runtime.until_idle()
    told = [json.loads(line) for line in runtime.lines]
    assert told[2]["RecallHits"] >= 1
    assert [one["MemoryAway"] for one in told] == [0, 0, 0, 1]


class Kept(NonRecordingSpan):
    def __init__(self, name: str, attributes: Mapping[str, Any], parent: Span | None) -> None:
        super().__init__(SpanContext(1, id(self) & 0xFFFF or 1, False, TraceFlags(1)))
        self.name, self.attributes, self.parent = name, dict(attributes), parent
        self.ended, self.status = False, None

    def is_recording(self) -> bool:
        return not self.ended

    def set_attribute(self, key: str, value: Any) -> None:
        self.attributes[key] = value

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        self.attributes.update(attributes)

    def set_status(self, status: Any, description: str | None = None) -> None:
        self.status = status

    def record_exception(self, *_: Any, **__: Any) -> None:
        raise AssertionError("an exception's text is in no span")

    def end(self, end_time: int | None = None) -> None:
        self.ended = True


class Collected(trace.TracerProvider, trace.Tracer):
    """A provider as an exporter's would be: it keeps every span."""

    def __init__(self) -> None:
        self.spans: list[Kept] = []

    def get_tracer(self, *_: Any, **__: Any) -> trace.Tracer:
        return self

    def start_span(self, name: str, context: Any = None, **more: Any) -> Span:
        parent = trace.get_current_span(context)
        kept = Kept(
            name, more.get("attributes") or {}, parent if isinstance(parent, Kept) else None
        )
        self.spans.append(kept)
        return kept

    @contextmanager
    def start_as_current_span(self, name: str, *_: Any, **more: Any) -> Iterator[Span]:
        raise AssertionError("it would record exceptions")
        yield


@pytest.fixture
def collected(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collected]:
    provider = Collected()
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    assert collect_spans()
    yield provider
    collect_no_spans()


def test_without_a_provider_there_are_no_spans() -> None:
    assert not collect_spans()
    with span("turn") as one, leaf("chat") as other:
        one.note({"a": 1})
        other.note({"a": 1})


async def test_each_step_is_a_span_of_its_turn(collected: Collected, runtime: Runtime) -> None:
    await runtime.said("a pot of oolong")
    await runtime.until_idle()
    by_name = {one.name: one for one in collected.spans}
    assert {"turn", "recall", "prompt", "model", "afterwards"} <= set(by_name)
    for step in ("recall", "prompt", "model"):
        assert by_name[step].parent is by_name["turn"]
    assert all(one.ended for one in collected.spans)
    turn = by_name["turn"].attributes
    assert turn["gen_ai.conversation.id"] == "console_-ana"
    assert len(turn["cloche.turn"]) == 32
    assert "oolong" not in str([one.attributes for one in collected.spans])


def test_a_span_that_fails_says_the_kind_alone(collected: Collected) -> None:
    with pytest.raises(KeyError), span("recall"):
        raise KeyError("hunter2")
    (one,) = collected.spans
    assert one.attributes == {"error.type": "KeyError"}
    assert isinstance(one.status, Status)
    assert not one.status.is_ok
    assert one.status.description is None
