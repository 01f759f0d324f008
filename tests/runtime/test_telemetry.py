"""What is told of turns with real model calls and tools: spans, metrics, logs; no words."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from aiohttp import web
from jsonschema import Draft202012Validator
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from cloche.channels import Part, SendRefusedError
from cloche.errors import MemoryUnavailableError
from cloche.memory.pipeline import Memory
from cloche.runtime.server import REQUEST_HEADER
from cloche.runtime.session import runtime_session_id
from cloche.settings import ModelSettings
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.bedrock import BedrockEndpoint
from cloche.testing.loopback import LoopbackServer
from cloche.testing.script import Answer, Asked, call, fault, say
from cloche.tracing import collect_no_spans, collect_spans, span

if TYPE_CHECKING:
    from conftest import Opened, Runtime, Site

    from cloche.settings import Settings

HAIKU = "global.anthropic.claude-haiku-4-5-20251001-v1:0"
TOOLS = '''
from cloche import ToolContext, tool

@tool
async def brew(ctx: ToolContext, leaf: str) -> str:
    """Note what was brewed."""
    if "broken" in leaf:
        raise RuntimeError("no pot for " + leaf)
    return f"Noted: {leaf}"
'''


class Collector(LoopbackServer):
    """Where an exporter sends its spans (OTLP over HTTP)."""

    def __init__(self) -> None:
        super().__init__()
        self.bodies: list[bytes] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        assert request.path == "/v1/traces"
        self.bodies.append(await request.read())
        return web.Response(content_type="application/x-protobuf")

    @property
    def spans(self) -> list[Any]:
        found = []
        for body in self.bodies:
            request = ExportTraceServiceRequest.FromString(body)
            for resource in request.resource_spans:
                found += [span for scope in resource.scope_spans for span in scope.spans]
        return found


def script(asked: Asked) -> Answer:
    """Brews what it is told, fails as it is told; learns nothing."""
    if "brew" not in asked.tools:
        return say("{}")
    if asked.results:
        return say(f"Done: {asked.words[-20:]}")
    if "refuse" in asked.words:
        return fault(400, message=f"cannot read: {asked.words}")
    if "fall" in asked.words:
        return fault(500, message=f"fell over: {asked.words}")
    if "cut" in asked.words:
        return fault("cut")
    return call("brew", leaf=asked.words[-30:])


@pytest.fixture
def bedrock(site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[BedrockEndpoint]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "loopback")
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    with BedrockEndpoint(script) as endpoint:
        yield endpoint


@pytest.fixture
def real(settings: Settings, site: Site, bedrock: BedrockEndpoint) -> Settings:
    """Settings with a model behind a wire, and a tool that can break."""
    (site.folder / "cloche_tea/skills/brewing/tools.py").write_text(TOOLS)
    model = ModelSettings(provider="bedrock", base_url=bedrock.url, region="eu-west-1")
    return settings.model_copy(update={"model": model, "model_id": HAIKU, "agent": "embedded"})


def value(attribute: Any) -> object:
    return getattr(attribute.value, attribute.value.WhichOneof("value"))


async def test_a_collector_gets_each_step_of_a_turn(
    running: Opened, real: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Collector() as collector:
        provider = TracerProvider()
        exporter = OTLPSpanExporter(endpoint=f"{collector.url}/v1/traces")
        provider.add_span_processor(BatchSpanProcessor(exporter))
        monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
        assert collect_spans()
        try:
            async with running(commanded=False, chosen=real) as runtime:
                await runtime.post("r", "a pot of oolong", id_="1")
                await runtime.until_idle()
        finally:
            collect_no_spans()
            await asyncio.to_thread(provider.shutdown)
        spans = collector.spans
    names = {span.span_id: span.name for span in spans}
    (turn,) = [span for span in spans if span.name == "turn"]
    parents = {span.name: names.get(span.parent_span_id) for span in spans}
    assert {span.trace_id for span in spans} == {turn.trace_id}
    for step in ("recall", "prompt", "model", "send", "afterwards"):
        assert parents[step] == "turn"
    assert parents["execute_tool"] == "model"
    chats = [span for span in spans if span.name == "chat"]
    assert len(chats) >= 2
    told = [{each.key: value(each) for each in span.attributes} for span in chats]
    for attributes in told:
        assert attributes["gen_ai.operation.name"] == "chat"
        assert attributes["gen_ai.provider.name"] == "aws.bedrock"
        assert attributes["gen_ai.request.model"] == HAIKU
        assert attributes["gen_ai.usage.input_tokens"] > 0
        assert attributes["gen_ai.usage.output_tokens"] > 0
        assert attributes["gen_ai.response.model"] == HAIKU
        assert "gen_ai.usage.cache_read.input_tokens" in attributes
        assert "gen_ai.usage.cache_creation.input_tokens" in attributes
    (tool,) = [span for span in spans if span.name == "execute_tool"]
    assert {each.key: value(each) for each in tool.attributes} == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "brew",
        "gen_ai.tool.type": "function",
    }
    assert {span.kind for span in chats} == {Span.SPAN_KIND_CLIENT}
    assert {span.kind for span in spans if span.name != "chat"} == {Span.SPAN_KIND_INTERNAL}
    assert all(span.start_time_unix_nano <= span.end_time_unix_nano for span in spans)
    (send,) = [span for span in spans if span.name == "send"]
    assert send.start_time_unix_nano >= turn.end_time_unix_nano - 5_000_000
    assert not [event for span in spans for event in span.events]
    assert "oolong" not in str(spans)


async def test_each_turn_s_lines_and_spans_are_its_own_though_one_task_sends_for_all(
    running: Opened, real: Settings, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What asks twice in one conversation, the second time while the first is being sent."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    assert collect_spans()
    seen, go_on = [], asyncio.Event()

    async def send(self: object, part: Part) -> None:
        with span("sent"):
            logging.getLogger("cloche.x").warning("sending %s", part.text[-3:])
        seen.append(part)
        while len(seen) == 1 and not go_on.is_set():
            await asyncio.sleep(0.01)

    try:
        async with running(commanded=False, chosen=real) as runtime:
            monkeypatch.setattr("cloche_posted.Posted.send", send)
            asking = []
            for number in (1, 2):
                request = runtime.forwarded("r", f"a pot of tea {number}", id_=f"{number}")
                asking.append(
                    asyncio.create_task(
                        runtime.invoke(
                            {"kind": "channel", "channel": "posted", "requests": [request]},
                            session=runtime_session_id("posted", "r"),
                            headers={REQUEST_HEADER: f"req-{number}"},
                        )
                    )
                )
                await runtime.until(lambda: seen)
            go_on.set()
            await asyncio.gather(*asking)
            await runtime.until_idle()
    finally:
        collect_no_spans()
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    over = {line["turn"]: line["request"] for line in lines if line["message"] == "a turn is over"}
    assert list(over.values()) == ["req-1", "req-2"]
    sent = [line for line in lines if line["message"].startswith("sending")]
    assert [line["request"] for line in sent] == ["req-1", "req-2"]
    assert [line["turn"] for line in sent] == list(over)
    assert {line["conversation"] for line in sent} == {"posted_-r"}
    traces: dict[str, list[int]] = {}
    for one in exporter.get_finished_spans():
        assert one.context
        traces.setdefault(one.name, []).append(one.context.trace_id)
    assert len(set(traces["turn"])) == 2
    assert traces["sent"] == traces["turn"]


async def test_what_another_process_left_is_sent_under_its_own_ids_and_no_request_s(
    running: Opened, real: Settings, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def send(self: object, part: Part) -> None:
        logging.getLogger("cloche.x").warning("sending %s", part.text[-3:])

    blocked = {"r"}
    async with running(commanded=False, chosen=real) as runtime:
        runtime.blocked.update(blocked)
        await runtime.post("r", "a pot of tea", id_="1")
        await runtime.until_idle()
        runtime.blocked.clear()
    (first,) = [
        line for line in map(json.loads, log.getvalue().splitlines())
        if line["message"] == "a turn is over"
    ]  # fmt: skip
    async with running(commanded=False, chosen=real) as runtime:
        monkeypatch.setattr("cloche_posted.Posted.send", send)
        await runtime.post("r", "and another", id_="2")
        await runtime.until_idle()
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    sent = [line for line in lines if line["message"].startswith("sending")]
    over = [line for line in lines if line["message"] == "a turn is over"]
    assert [line["turn"] for line in sent] == [first["turn"], over[-1]["turn"]]
    assert "request" not in sent[0]
    assert sent[1]["request"] == over[-1]["request"]


async def test_metrics_are_what_cloudwatch_documents(running: Opened, real: Settings) -> None:
    schema = json.loads((Path(__file__).parent / "emf.schema.json").read_text())
    validator = Draft202012Validator(schema)
    async with running(commanded=False, chosen=real) as runtime:
        await runtime.post("r", "a pot of oolong", id_="1")
        await runtime.post("r", "refuse this", id_="2")
        await runtime.post("r", "/help", id_="3")
        await runtime.until_idle()
        documents = [json.loads(line) for line in runtime.lines]
    assert len(documents) == 3
    for document in documents:
        validator.validate(document)
        (directive,) = document["_aws"]["CloudWatchMetrics"]
        assert len(directive["Metrics"]) <= 100
        for metric in directive["Metrics"]:
            assert isinstance(document[metric["Name"]], int | float)
        assert all(isinstance(document[one], str) for one in directive["Dimensions"][0])
        assert {"TurnLatency", "SendLatency", "AfterwardsLatency"} <= set(document)
        assert len(json.dumps(document)) < 256_000
    assert [one["Failures"] for one in documents] == [0, 1, 0]
    assert documents[0]["ToolCalls"] == 1
    assert documents[0]["TokensIn"] > 0


@pytest.mark.parametrize("planted", ["quixotry", "ñandúes", "榕树秘密"])
async def test_no_word_of_anybody_and_no_secret_is_in_the_log(
    running: Opened,
    real: Settings,
    log: io.StringIO,
    monkeypatch: pytest.MonkeyPatch,
    planted: str,
) -> None:
    """A word is put into all that comes, and into all that fails: it is in no line."""
    async with running(commanded=False, chosen=real) as runtime:
        for number, words in enumerate(["hello", "broken", "refuse", "fall", "cut", "/forget"]):
            await runtime.post("r", f"{words} {planted}", id_=f"{number}", who=planted)
        await runtime.said(f"hello {planted}")
        await plant_in_payloads(runtime, planted)
        await plant_in_failures(runtime, planted, monkeypatch)
        await runtime.until_idle()
    told, spelled = log.getvalue(), json.dumps(planted)[1:-1]
    assert told.count("a turn is over") >= 8
    assert told.count("an invocation is refused") >= 5
    for word in (planted, spelled, quote(planted), "correct horse battery", "loopback"):
        places = [line for line in told.splitlines() if word in line]
        assert not places, places[0]
    for line in told.splitlines():
        json.loads(line)


async def plant_in_payloads(runtime: Runtime, planted: str) -> None:
    for payload in (
        {"kind": planted},
        {"kind": "message", "text": [planted]},
        {"kind": "channel", "channel": "posted", "requests": [{"headers": {"a": [planted]}}]},
        {"kind": "reminder", "reminder": planted, "at": planted},
        {"kind": "register", "channel": "posted", "address": planted},
    ):
        await runtime.invoke(payload, status=400)
    refused = f"https://a.example/refused/{quote(planted)}"
    await runtime.invoke({"kind": "register", "channel": "posted", "address": refused}, status=502)
    async with runtime.http.post(f"{runtime.url}/invocations", data=f"{planted}{{") as response:
        assert response.status == 400
    await runtime.post("r", planted, id_="w", secret=f"wrong {planted}".encode().hex(), status=401)


async def plant_in_failures(
    runtime: Runtime, planted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(self: object, part: object) -> None:
        raise SendRefusedError(f'unsupported start tag "{planted} and" in {planted}, it says')

    async def broken(self: object, *_: object, **__: object) -> None:
        raise RuntimeError(f"broken by {planted}")

    async def gone(self: object, key: str) -> None:
        raise MemoryUnavailableError(f"away with {key}", cause="io") from OSError(planted)

    logging.getLogger("cloche.x").warning("it was %s", ValueError(planted))

    def unread(self: object, request: object) -> None:
        raise RuntimeError(f"cannot parse {planted}")

    for where, how in [
        ("cloche_posted.Posted.send", refused),
        ("cloche_posted.Posted.check", broken),
        ("cloche_posted.Posted.parse", unread),
    ]:
        with monkeypatch.context() as patch:
            patch.setattr(where, how)
            await runtime.invoke({"kind": "check"})
            session = runtime_session_id("posted", "r")
            request = runtime.forwarded("r", f"hello {planted}", id_=f"{planted}{where}")
            payload = {"kind": "channel", "channel": "posted", "requests": [request]}
            await runtime.invoke(payload, session=session)
    with monkeypatch.context() as patch:
        patch.setattr(SqliteStateStore, "get", gone)
        told = await runtime.invoke({"kind": "health"})
        assert told["state"] == "io"
    for name in ("recall", "remember"):
        with monkeypatch.context() as patch:
            patch.setattr(Memory, name, broken)
            await runtime.post("r", f"hello {planted}", id_=f"{planted}{name}")


async def test_whatever_is_refused_has_a_line_with_its_code(
    running: Opened, real: Settings, log: io.StringIO
) -> None:
    async with running(commanded=False, chosen=real) as runtime:
        for method, path, body in (
            ("POST", "/invocations", b"{no json"),
            ("POST", "/invocations", b"[" * 500 + b"]" * 500),
            ("GET", "/nowhere", b""),
            ("GET", "/invocations", b""),
        ):
            async with runtime.http.request(method, f"{runtime.url}{path}", data=body) as answer:
                assert answer.status >= 400
    codes = [json.loads(line).get("error") for line in log.getvalue().splitlines()]
    assert [code for code in codes if code] == [
        "not_json", "invalid_payload", "unknown_path", "unknown_path",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("0Aa-b_c.d:e", True),
        ("x" * 128, True),
        ("x" * 129, False),
        ("two words", False),
        ("id;more", False),
        ('id","level":"x', False),
        ("\u00f1and\u00fa", False),
        ("\u540d\u5b57", False),
        ("", False),
    ],
)
async def test_a_request_is_called_as_its_caller_says_only_by_what_can_be_an_id(
    runtime: Runtime, log: io.StringIO, given: str, taken: bool
) -> None:
    await runtime.invoke({"kind": "talk"}, status=400, headers={REQUEST_HEADER: given})
    (request,) = [json.loads(line)["request"] for line in log.getvalue().splitlines()]
    assert (request == given) is taken
    assert taken or str(uuid.UUID(request)) == request
