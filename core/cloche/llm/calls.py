"""One call of a chosen model, whole or streamed; what fails is a ``ModelError``."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING

from cloche.errors import ModelError
from cloche.llm.failures import translate
from cloche.llm.providers import ChosenModel
from cloche.llm.usage import Usage, usage_of
from cloche.tracing import Attributes, leaf

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings as RequestSettings
    from pydantic_ai.usage import RunUsage


async def whole_answer(
    chosen: ChosenModel,
    messages: Sequence[ModelMessage],
    parameters: ModelRequestParameters,
    settings: RequestSettings,
) -> ModelResponse:
    """The whole of an answer.

    Raises:
        ModelError: there is none, or it was cut or filtered.
    """
    from pydantic_ai.direct import model_request

    with leaf("chat", _about(chosen)) as traced:
        try:
            response = await model_request(
                chosen.model,
                messages,
                model_settings=settings,
                model_request_parameters=parameters,
            )
        except Exception as error:
            raise translate(error) from error
        traced.note(_took(response))
        return _complete(chosen, response)


async def streamed_answer(
    chosen: ChosenModel,
    messages: Sequence[ModelMessage],
    parameters: ModelRequestParameters,
    settings: RequestSettings,
) -> AsyncGenerator[str | ModelResponse]:
    """The text piece by piece, then the whole answer.

    Raises:
        ModelError: as ``whole_answer``; pieces may have been given before.
    """
    from pydantic_ai.direct import model_request_stream

    with leaf("chat", _about(chosen)) as traced:
        try:
            async with model_request_stream(
                chosen.model,
                messages,
                model_settings=settings,
                model_request_parameters=parameters,
            ) as stream:
                async for event in stream:
                    if piece := _text_of(event):
                        yield piece
                response = stream.get()
        except Exception as error:
            raise translate(error) from error
        traced.note(_took(response))
    yield _complete(chosen, response)


def usage_of_run(chosen: ChosenModel, spent: RunUsage) -> Usage:
    """What a run of several calls used, with its price."""
    provider = "" if chosen.own_server else chosen.provider
    return usage_of(provider, chosen.model_id, spent, calls=spent.requests)


def usage_of_call(chosen: ChosenModel, response: ModelResponse) -> Usage:
    """What a call used, with its price; a server of one's own has prices we do not know."""
    provider = "" if chosen.own_server else chosen.provider
    return usage_of(provider, chosen.model_id, response.usage)


def _complete(chosen: ChosenModel, response: ModelResponse) -> ModelResponse:
    """Every real model says why it stopped; a stream that ends without a reason was cut."""
    if response.finish_reason == "content_filter":
        raise ModelError(f"{chosen.note}: the answer was filtered.", cause="refused")
    reason = response.finish_reason or (response.provider_details or {}).get("finish_reason")
    if chosen.provider != "demo" and not reason:
        raise ModelError(f"{chosen.note}: the answer broke off.", cause="cut")
    return response


def _about(chosen: ChosenModel) -> Attributes:
    """What OpenTelemetry's conventions for generative AI call a model call."""
    provider = {"bedrock": "aws.bedrock"}.get(chosen.provider, chosen.provider)
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": chosen.model_id,
    }


def _took(response: ModelResponse) -> Attributes:
    usage = response.usage
    return {
        "gen_ai.response.model": response.model_name or "",
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens,
    }


def _text_of(event: ModelResponseStreamEvent) -> str:
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""
