"""A streamed answer while somebody waits for it: it grows, falls silent, or takes too long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import TYPE_CHECKING

from cloche.errors import ModelError
from cloche.llm import limits
from cloche.patience import ANSWER, Patience

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import StreamedResponse


class Growing:
    """One stream, with the limits that ``cloche.llm.limits`` tells of.

    Attributes:
        is_over: True when it was still growing when its time had come.
    """

    def __init__(self, stream: StreamedResponse, patience: Patience, note: str) -> None:
        """Take a stream that was opened, how long it is waited for, and who answers."""
        self._stream, self._patience, self._note = stream, patience, note
        self.is_over = False

    async def events(self) -> AsyncGenerator[ModelResponseStreamEvent]:
        """What it gives, until it has ended or its time is over.

        Raises:
            ModelError: it fell silent.
        """
        events = aiter(self._stream)
        while not self.is_over:
            left = self._patience.left(ANSWER)
            # Till something has come the request's own settings bound the silence.
            quiet = limits.QUIET_SECONDS if self._stream.get().parts else left
            seconds = min(left, quiet)
            try:
                async with asyncio.timeout(seconds):
                    event = await anext(events, None)
            except TimeoutError as error:
                grew = left <= quiet and left < limits.GROWING_SECONDS
                self.is_over = grew and self._is_words
                if not self.is_over:
                    told = f"{self._note}: it fell silent, and was given up after {seconds:.3g} s."
                    raise ModelError(told, cause="timeout") from error
            else:
                if event is None:
                    return
                yield event

    def response(self) -> ModelResponse:
        """The answer as far as it came; one whose time is over ends as if out of tokens."""
        response = self._stream.get()
        if self.is_over:
            return replace(response, finish_reason=response.finish_reason or "length")
        return response

    @property
    def _is_words(self) -> bool:
        """True for an answer that may be given as far as it came."""
        response = self._stream.get()
        said = any(part.part_kind == "text" and part.content.strip() for part in response.parts)
        return said and not response.tool_calls
