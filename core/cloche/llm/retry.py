"""One more try after 429 and 5xx, and none after anything else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import RunContext

from cloche.llm.failures import is_passing

PAUSE_SECONDS: Final = 1.0
MAX_PAUSE_SECONDS: Final = 5.0
"""A provider that asks for a longer pause is not asked again: a person is waiting."""


class RetryOnce(WrapperModel):
    """Asks the wrapped model a second time when the first failure is likely to pass.

    A stream is begun again only when it could not be begun: nothing of it has been handed out.
    The time limits of a request cover both tries and the pause.
    """

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The answer of the first or the second try."""
        try:
            return await self.wrapped.request(messages, model_settings, model_request_parameters)
        except ModelAPIError as error:
            await _pause_or_raise(error)
        return await self.wrapped.request(messages, model_settings, model_request_parameters)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """The stream of the first or the second try."""

        async def begin() -> StreamedResponse:
            return await stack.enter_async_context(
                self.wrapped.request_stream(
                    messages, model_settings, model_request_parameters, run_context
                )
            )

        async with AsyncExitStack() as stack:
            try:
                stream = await begin()
            except ModelAPIError as error:
                await _pause_or_raise(error)
                stream = await begin()
            yield stream


async def _pause_or_raise(error: ModelAPIError) -> None:
    pause = PAUSE_SECONDS if error.retry_after is None else error.retry_after
    if not is_passing(error) or pause > MAX_PAUSE_SECONDS:
        raise error
    await asyncio.sleep(pause)
