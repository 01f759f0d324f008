"""Tokens and money of a turn."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from pydantic_ai.usage import RequestUsage, RunUsage

_VERSION: Final = r"(?:-\d{8}|-\d{4}-\d{2}-\d{2})?(?:-v\d+(?::\d+)?|-latest)?"
_INFERENCE_PROFILE: Final = re.compile(r"^arn:aws[\w-]*:bedrock:.*:inference-profile/")
_GEOGRAPHY: Final = re.compile(r"^(?:us|us-gov|eu|apac|jp|au|ca)\.")


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

    def __add__(self, other: Usage) -> Usage:
        """Both together; a price that is unknown for one is unknown for both."""
        if not self.calls or not other.calls:
            return self if self.calls else other
        known = self.cost_usd is not None and other.cost_usd is not None
        return Usage(
            model=", ".join(dict.fromkeys(f"{self.model}, {other.model}".split(", "))),
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            calls=self.calls + other.calls,
            cost_usd=(self.cost_usd or 0) + (other.cost_usd or 0) if known else None,
        )

    def __str__(self) -> str:
        """One line for ``--verbose``: tokens, and the cost with the date of its prices."""
        tokens = f"{self.input_tokens:,} tokens in"
        if self.cache_read_tokens or self.cache_write_tokens:
            tokens += (
                f" ({self.cache_read_tokens:,} from the cache, {self.cache_write_tokens:,} into it)"
            )
        calls = f"{self.calls} call{'' if self.calls == 1 else 's'}"
        return f"{self.model or 'no model'}: {calls}, {tokens}, {self.output_tokens:,} out, " + (
            "price unknown"
            if self.cost_usd is None
            else f"${self.cost_usd:.4f} (prices of {price_table().date})"
        )


Lost: TypeAlias = Callable[[Usage], None]
"""Takes what model calls used that were broken off: neither an answer nor an error tells of it."""


def uncounted(usage: Usage) -> None:
    """Let it go: nobody counts here what was broken off."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens; input that is neither read from nor written to the cache."""

    input: float
    output: float
    cache_read: float
    cache_write: float


@dataclass(frozen=True)
class PriceTable:
    """The one price table.

    Attributes:
        date: The day its prices were looked up, ISO 8601.
        source: Where they come from.
        models: Prices by provider and model, without version suffixes.
        hours: US dollars per hour of sound, likewise, of models that count so.
    """

    date: str
    source: str
    models: Mapping[str, Mapping[str, Price]]
    hours: Mapping[str, Mapping[str, float]]

    def price(self, provider: str, model_id: str) -> Price | None:
        """What a model costs; None when the table does not have it.

        Bedrock's ``global.`` profiles have prices of their own, every other geography has the
        regional one. Tiers for very long prompts (above 200,000 tokens) are not in the table.
        """
        name = _GEOGRAPHY.sub("", _INFERENCE_PROFILE.sub("", model_id))
        prices = self.models.get(provider, {})
        known = (m for m in prices if re.fullmatch(re.escape(m) + _VERSION, name))
        return next((prices[model] for model in known), None)


@cache
def price_table() -> PriceTable:
    """The table as the package carries it."""
    data = json.loads(files("cloche.llm").joinpath("prices.json").read_text(encoding="utf-8"))
    models = {
        provider: {model: Price(*prices) for model, prices in listed.items()}
        for provider, listed in data["models"].items()
    }
    return PriceTable(data["date"], data["source"], models, data["hours"])


def cost_usd(
    provider: str, model_id: str, *, input: int, output: int, cache_read: int, cache_write: int
) -> float | None:
    """US dollars for the tokens of one call; ``demo`` costs nothing, an unknown model None.

    Args:
        provider: ``bedrock``, ``anthropic``, ``openai`` or ``demo``; any other has no prices.
        model_id: As it was asked for.
        input: All input tokens, cached ones included.
        output: Tokens written.
        cache_read: Of the input, those read from the cache.
        cache_write: Of the input, those written to it.
    """
    if provider == "demo":
        return 0.0
    price = price_table().price(provider, model_id)
    if price is None:
        return None
    fresh = max(input - cache_read - cache_write, 0)
    return (
        fresh * price.input
        + output * price.output
        + cache_read * price.cache_read
        + cache_write * price.cache_write
    ) / 1_000_000


def hours_usd(provider: str, model_id: str, hours: float) -> float | None:
    """US dollars for so many hours of sound; None where the table has no price for them."""
    price = price_table().hours.get(provider, {}).get(model_id)
    return None if price is None else price * hours


def usage_of(
    provider: str, model_id: str, request: RequestUsage | RunUsage, *, calls: int = 1
) -> Usage:
    """What model calls used, from pydantic-ai's count of them."""
    return Usage(
        model=model_id,
        input_tokens=request.input_tokens,
        output_tokens=request.output_tokens,
        cache_read_tokens=request.cache_read_tokens,
        cache_write_tokens=request.cache_write_tokens,
        calls=calls,
        cost_usd=cost_usd(
            provider,
            model_id,
            input=request.input_tokens,
            output=request.output_tokens,
            cache_read=request.cache_read_tokens,
            cache_write=request.cache_write_tokens,
        ),
    )
