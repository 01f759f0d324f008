"""A model call is a span with what the conventions for generative AI name, and no words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, SpanKind, TraceFlags

from cloche.llm.calls import Question, streamed_answer, whole_answer
from cloche.llm.providers import choose_model
from cloche.settings import ModelSettings, Settings
from cloche.testing import BedrockEndpoint
from cloche.tracing import collect_no_spans, collect_spans


class Noted(NonRecordingSpan):
    def __init__(self, name: str, attributes: Mapping[str, Any]) -> None:
        super().__init__(SpanContext(1, 1, False, TraceFlags(1)))
        self.name, self.noted, self.ended = name, dict(attributes), False
        self.kind: SpanKind | None = None

    def set_attribute(self, key: str, value: Any) -> None:
        self.noted[key] = value

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        self.noted.update(attributes)

    def end(self, end_time: int | None = None) -> None:
        self.ended = True


class Provider(trace.NoOpTracer, trace.TracerProvider):
    def __init__(self) -> None:
        self.spans: list[Noted] = []

    def get_tracer(self, *_: Any, **__: Any) -> trace.Tracer:
        return self

    def start_span(self, name: str, *_: Any, **more: Any) -> Span:
        self.spans.append(Noted(name, more.get("attributes") or {}))
        self.spans[-1].kind = more.get("kind")
        return self.spans[-1]


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_call_s_span(streamed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from pydantic_ai.messages import InstructionPart, ModelRequest, UserPromptPart
    from pydantic_ai.models import ModelRequestParameters

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    provider = Provider()
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    assert collect_spans()
    try:
        with BedrockEndpoint() as server:
            monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url)
            settings = Settings(model=ModelSettings(provider="bedrock", region="eu-west-1"))
            chosen = choose_model(settings, demo=lambda: pytest.fail("no demo here"))
            asked = [ModelRequest(parts=[UserPromptPart("a pot of oolong")])]
            stable = InstructionPart("You know teas. " * 2_000, dynamic=False)
            question = Question(
                asked, ModelRequestParameters(instruction_parts=[stable]), chosen.settings
            )
            async with chosen.model:
                for _ in range(2):  # the second reads from the cache
                    if streamed:
                        assert [each async for each in streamed_answer(chosen, question)]
                    else:
                        await whole_answer(chosen, question)
    finally:
        collect_no_spans()
    ours = [each for each in provider.spans if each.name == "chat"]
    assert len(ours) == 2
    noted = ours[0].noted
    assert ours[0].ended
    assert noted["gen_ai.operation.name"] == "chat"
    assert noted["gen_ai.provider.name"] == "aws.bedrock"
    assert noted["gen_ai.request.model"] == chosen.model_id
    assert ours[0].kind is SpanKind.CLIENT
    assert noted["gen_ai.response.model"] == chosen.model_id
    counted = server.requests[0].counted
    assert counted
    assert counted.written > 4096
    assert noted["gen_ai.usage.input_tokens"] == counted.all
    assert noted["gen_ai.usage.output_tokens"] > 0
    assert noted["gen_ai.usage.cache_creation.input_tokens"] == counted.written
    assert noted["gen_ai.usage.cache_read.input_tokens"] == 0
    again = ours[1].noted
    assert again["gen_ai.usage.cache_read.input_tokens"] == counted.written
    assert again["gen_ai.usage.cache_creation.input_tokens"] == 0
    assert "oolong" not in str(noted)
