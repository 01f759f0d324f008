"""One call of a chosen model, whole or streamed; what fails is a ``ModelError``.

A model that is overloaded, down or out of reach has been asked twice by then (``llm.retry``): its
fallback, where there is one, is asked instead, as long as nothing of an answer has been given.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, cast

from cloche.errors import ModelError
from cloche.llm.estimates import at_least
from cloche.llm.failures import translate
from cloche.llm.growing import Growing
from cloche.llm.providers import ChosenModel
from cloche.llm.usage import Lost, Usage, uncounted, usage_of
from cloche.patience import ANSWER, Patience
from cloche.tracing import Attributes, leaf

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import ModelRequestParameters, StreamedResponse
    from pydantic_ai.settings import ModelSettings as RequestSettings
    from pydantic_ai.usage import RunUsage

ANSWERED_BY: Final = "answered_by"
"""In a response's metadata, which no model is sent: the id of the model that gave it."""
_THE_MODEL_S_OWN: Final = frozenset({"throttled", "server", "unreachable"})
"""Causes that another model may not have; a request that is refused is refused by all."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """A request as it goes to a model, how long its answer is waited for, and who counts.

    What a call took is told by its answer or its ``ModelError``; ``lost`` takes what neither tells:
    of a call that was broken off, or that the fallback's was made instead of.
    """

    messages: Sequence[ModelMessage]
    parameters: ModelRequestParameters
    settings: RequestSettings
    patience: Patience = field(default_factory=Patience)
    lost: Lost = uncounted


async def whole_answer(chosen: ChosenModel, question: Question) -> ModelResponse:
    """The whole of an answer; ``usage_of_call`` knows who gave it.

    It is streamed, too, though nobody watches: so a model that hangs is told from one that is slow.

    Raises:
        ModelError: there is none, or it was cut or filtered.
    """
    async with aclosing(_answered(chosen, question, heard=False)) as pieces:
        async for piece in pieces:
            if not isinstance(piece, str):
                return piece
    raise ModelError(f"{chosen.note}: the answer never ended.", cause="cut")


def streamed_answer(chosen: ChosenModel, question: Question) -> AsyncGenerator[str | ModelResponse]:
    """The text piece by piece, then the whole answer; ``usage_of_call`` knows who gave it.

    Raises:
        ModelError: as ``whole_answer``; pieces may have been given before.
    """
    return _answered(chosen, question, heard=True)


async def _answered(
    chosen: ChosenModel, question: Question, *, heard: bool
) -> AsyncGenerator[str | ModelResponse]:
    """The answer of the model, or of its fallback as long as no piece has been handed out."""
    asked, begun = chosen, False
    while True:
        ask = _at_once if chosen.provider == "demo" and not heard else _streamed
        try:
            async with aclosing(ask(asked, question)) as pieces:
                async for piece in pieces:
                    if heard or not isinstance(piece, str):
                        begun = True
                        yield piece
            return
        except ModelError as error:
            other = None if begun else _instead_of(asked, error)
            if other is None:
                raise
            question.lost(error.usage)
        question = replace(question, settings=_settings_of(other, asked, question.settings))
        asked = other


async def _at_once(chosen: ChosenModel, question: Question) -> AsyncGenerator[str | ModelResponse]:
    """The answer of a model in this process."""
    from pydantic_ai.direct import model_request

    with leaf("chat", _about(chosen)) as traced:
        try:
            async with asyncio.timeout(question.patience.left(ANSWER)):
                response = await model_request(
                    chosen.model,
                    question.messages,
                    model_settings=question.settings,
                    model_request_parameters=question.parameters,
                )
        except Exception as error:
            raise translate(error) from error
        except BaseException:
            question.lost(_broken_off(chosen, question, None))
            raise
        traced.note(_took(response))
    yield _complete(chosen, question, response)


async def _streamed(chosen: ChosenModel, question: Question) -> AsyncGenerator[str | ModelResponse]:
    from pydantic_ai.direct import model_request_stream

    begun: StreamedResponse | None = None
    with leaf("chat", _about(chosen)) as traced:
        try:
            async with model_request_stream(
                chosen.model,
                question.messages,
                model_settings=_begun_in_time(question),
                model_request_parameters=question.parameters,
            ) as stream:
                begun = stream
                growing = Growing(stream, question.patience, chosen.note)
                async with aclosing(growing.events()) as events:
                    async for event in events:
                        if piece := _text_of(event):
                            yield piece
                response = growing.response()
                if growing.is_over:
                    response = _at_least(response, question)
        except Exception as error:
            failed = translate(error)
            failed.usage = _usage_so_far(chosen, question, begun)
            chosen.outage.note(failed)
            raise failed from (error.__cause__ if failed is error else error)
        except BaseException:  # cancelled, or closed by whoever takes the pieces
            question.lost(_broken_off(chosen, question, begun))
            raise
        traced.note(_took(response))
    yield _complete(chosen, question, response)


def _begun_in_time(question: Question) -> RequestSettings:
    """A request's settings: its answer has to begin while somebody waits for it."""
    left = question.patience.left(ANSWER)
    first = min(question.settings.get("first_event_timeout", left), left)
    return {**question.settings, "first_event_timeout": first}


def _instead_of(chosen: ChosenModel, error: ModelError) -> ChosenModel | None:
    """Who is asked after this failure; a slow model has taken the time there is."""
    if chosen.fallback is None or error.cause not in _THE_MODEL_S_OWN:
        return None
    _log.warning(
        "cause=model_%s | %s answers instead: %s", error.cause, chosen.fallback.note, error
    )
    return chosen.fallback


def _settings_of(
    other: ChosenModel, chosen: ChosenModel, settings: RequestSettings
) -> RequestSettings:
    """Another model's settings, with what this one request has beside those of its model."""
    own = cast(Mapping[str, object], chosen.settings)
    beside = {name: value for name, value in settings.items() if name not in own}
    return cast("RequestSettings", {**other.settings, **beside})


def usage_of_run(chosen: ChosenModel, spent: RunUsage) -> Usage:
    """What a run of several calls used, with its price."""
    provider = "" if chosen.own_server else chosen.provider
    return usage_of(provider, chosen.model_id, spent, calls=spent.requests)


def usage_of_call(chosen: ChosenModel, response: ModelResponse) -> Usage:
    """What a call used, with its price; a server of one's own has prices we do not know."""
    provider = "" if chosen.own_server else chosen.provider
    model_id = str((response.metadata or {}).get(ANSWERED_BY, chosen.model_id))
    return usage_of(provider, model_id, response.usage)


def _usage_so_far(
    chosen: ChosenModel, question: Question, stream: StreamedResponse | None
) -> Usage:
    """What a stream that broke off took; nothing where nothing had come of it."""
    response = stream.get() if stream is not None else None
    if response is None or not (response.parts or response.usage.has_values()):
        return Usage()
    return usage_of_call(chosen, _at_least(response, question))


def _broken_off(chosen: ChosenModel, question: Question, stream: StreamedResponse | None) -> Usage:
    """What a call took that nobody waits for any more: the provider had the question by then."""
    from pydantic_ai.messages import ModelResponse

    response = stream.get() if stream is not None else ModelResponse(parts=[])
    return usage_of_call(chosen, _at_least(response, question))


def _at_least(response: ModelResponse, question: Question) -> ModelResponse:
    return at_least(response, question.messages, question.parameters)


def _complete(chosen: ChosenModel, question: Question, response: ModelResponse) -> ModelResponse:
    """Every real model says why it stopped; a stream that ends without a reason was cut."""
    if response.finish_reason == "content_filter":
        raise ModelError(
            f"{chosen.note}: the answer was filtered.",
            cause="refused",
            usage=usage_of_call(chosen, response),
        )
    reason = response.finish_reason or (response.provider_details or {}).get("finish_reason")
    if chosen.provider != "demo" and not reason:
        raise ModelError(
            f"{chosen.note}: the answer broke off.",
            cause="cut",
            usage=usage_of_call(chosen, _at_least(response, question)),
        )
    return replace(response, metadata={**(response.metadata or {}), ANSWERED_BY: chosen.model_id})


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
