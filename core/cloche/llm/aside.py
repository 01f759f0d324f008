"""A model as it is asked beside an answer: what is worth remembering, whether two things agree.

The next turn of the conversation waits for that, rules stand in where there is no answer, and a
turn asks several times. So it has little time, and once it gave nothing it is left alone for long.
"""

from __future__ import annotations

import asyncio

from pydantic_ai.exceptions import ModelRequestTimeout
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from cloche.llm import limits
from cloche.llm.failures import translate
from cloche.llm.outage import Outage


class Aside(WrapperModel):
    """Asks the wrapped model for a short time, and not while it answers nobody."""

    def __init__(self, wrapped: Model, outage: Outage) -> None:
        """Take the model, and what is known of how it answers."""
        super().__init__(wrapped)
        self._outage = outage

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The answer, if it is there soon."""
        seconds = limits.ASIDE_SECONDS
        if self._outage.is_on:
            raise ModelRequestTimeout(self.model_name, seconds)
        try:
            async with asyncio.timeout(seconds):
                return await self.wrapped.request(
                    messages, model_settings, model_request_parameters
                )
        except TimeoutError as error:
            failed = ModelRequestTimeout(self.model_name, seconds)
            self._outage.note(translate(failed))
            raise failed from error
        except Exception as error:
            self._outage.note(translate(error))
            raise
