"""Tokens and money of a turn."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """What model calls used; tokens as the provider counts them.

    Attributes:
        model: Id of the model, "" when none was asked.
        input_tokens: All input tokens, cached ones included.
        output_tokens: Tokens the model wrote.
        cache_read_tokens: Input tokens read from the provider's prompt cache.
        cache_write_tokens: Input tokens written to it.
        calls: Model calls made.
        cost_usd: US dollars by the dated price table; None when the model is not in it.
    """

    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    calls: int = 0
    cost_usd: float | None = None
