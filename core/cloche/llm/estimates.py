"""What an answer that broke off took, where its provider did not come to say so."""

from __future__ import annotations

import asyncio
import json
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.usage import RunUsage

PICTURE_TOKENS: Final = 1_600
"""Of the largest picture that is sent."""


def at_least(
    response: ModelResponse,
    messages: Sequence[ModelMessage],
    parameters: ModelRequestParameters,
) -> ModelResponse:
    """The answer so far, its usage no less than what was sent and said: money was spent on it.

    Providers tell at the end what an answer took, some its input at the beginning. A token is made
    of four ASCII characters or of one other: of little use for a bill, enough for a day's limit.
    """
    usage = response.usage
    told = json.dumps([tool.parameters_json_schema for tool in parameters.function_tools])
    rules = "".join(part.content for part in parameters.instruction_parts or ())
    sent = _tokens([told, rules]) + sum(_tokens(_texts(message)) for message in messages)
    return replace(
        response,
        usage=replace(
            usage,
            input_tokens=usage.input_tokens or sent,
            output_tokens=max(usage.output_tokens, _tokens(_texts(response))),
        ),
    )


@contextmanager
def counted(spent: RunUsage, *sent: str) -> Iterator[None]:
    """Count a question that is broken off while the block waits, as if all of it had been sent."""
    try:
        yield
    except asyncio.CancelledError:
        spent.requests += 1
        spent.input_tokens += _tokens(sent)
        raise


def _texts(message: ModelMessage) -> Iterable[str]:
    """The words of a message; something as long as it is for whatever has none."""
    for part in message.parts:
        content = getattr(part, "content", None) or getattr(part, "args", None) or ""
        for one in content if isinstance(content, list | tuple) else [content]:
            if isinstance(one, str):
                yield one
            elif isinstance(one, dict):
                yield json.dumps(one, ensure_ascii=False, default=str)
            elif hasattr(one, "media_type"):
                yield " " * 4 * PICTURE_TOKENS


def _tokens(texts: Iterable[str]) -> int:
    plain = other = 0
    for text in texts:
        ascii_only = len(text.encode("ascii", "ignore"))
        plain, other = plain + ascii_only, other + len(text) - ascii_only
    return -(-plain // 4) + other
