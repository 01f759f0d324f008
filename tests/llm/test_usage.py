"""Tokens and money."""

from __future__ import annotations

import re
from datetime import date

import pytest
from genai_prices import Usage as Tokens
from genai_prices import calc_price
from hypothesis import given
from hypothesis import strategies as st

from cloche.llm.usage import Usage, cost_usd, price_table

HAIKU = "global.anthropic.claude-haiku-4-5-20251001-v1:0"
LIBRARY = {"bedrock": "aws", "anthropic": "anthropic", "openai": "openai"}


def cost(provider: str, model_id: str) -> float | None:
    return cost_usd(
        provider,
        model_id,
        input=1_000_000,
        output=100_000,
        cache_read=500_000,
        cache_write=300_000,
    )


def test_the_price_table_says_its_date_and_where_it_comes_from():
    table = price_table()
    assert date.fromisoformat(table.date) >= date(2026, 11, 30)
    assert table.source


@pytest.mark.parametrize(
    ("provider", "model_id", "dollars"),
    [
        ("bedrock", HAIKU, 0.2 * 1 + 0.1 * 5 + 0.5 * 0.1 + 0.3 * 1.25),
        ("bedrock", f"eu{HAIKU[6:]}", 0.2 * 1.1 + 0.1 * 5.5 + 0.5 * 0.11 + 0.3 * 1.375),
        (
            "bedrock",
            f"arn:aws:bedrock:eu-west-1:123456789012:inference-profile/{HAIKU}",
            0.2 * 1 + 0.1 * 5 + 0.5 * 0.1 + 0.3 * 1.25,
        ),
        ("anthropic", "claude-haiku-4-5-20251001", 0.2 * 1 + 0.1 * 5 + 0.5 * 0.1 + 0.3 * 1.25),
        ("openai", "gpt-5-mini-2025-08-07", 0.2 * 0.25 + 0.1 * 2 + 0.5 * 0.025 + 0.3 * 0.25),
        ("demo", "demo", 0),
    ],
)  # fmt: skip
def test_what_a_call_costs(provider: str, model_id: str, dollars: float):
    assert cost(provider, model_id) == pytest.approx(dollars)


@pytest.mark.parametrize(
    ("provider", "model_id"),
    [
        ("openai", "gpt-5-mini-but-larger"),
        ("openai", "llama3.2"),
        ("bedrock", "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/ab12"),
        ("", "gpt-5-mini"),
    ],
)
def test_the_price_of_a_model_that_is_not_in_the_table_is_unknown(provider: str, model_id: str):
    assert cost(provider, model_id) is None
    assert "price unknown" in str(Usage(model=model_id, calls=1))


@pytest.mark.parametrize(
    ("provider", "model"),
    [(provider, model) for provider, models in price_table().models.items() for model in models],
)
def test_the_table_agrees_with_the_library_that_keeps_prices(provider: str, model: str):
    # A price that changed there wants a new table here, with a new date.
    versions = {"claude-haiku-4-5": "-20251001-v1:0", "claude-sonnet-4-5": "-20250929-v1:0"}
    versions |= {"claude-opus-4-5": "-20251101-v1:0"}
    full = model
    if provider == "bedrock":
        name = model.rsplit(".", maxsplit=1)[-1]
        full += versions.get(name, "-v1:0" if name.startswith("nova") else "")
        full = full if full.startswith("global.") else f"us.{full}"
    if hears := "transcribe" in model:
        tokens = Tokens(input_tokens=100_000, input_audio_tokens=100_000, output_tokens=10_000)
    else:
        tokens = Tokens(input_tokens=100_000, output_tokens=10_000, cache_read_tokens=50_000)
    theirs = calc_price(tokens, model_ref=full, provider_id=LIBRARY[provider])
    ours = cost_usd(
        provider,
        full,
        input=100_000,
        output=10_000,
        cache_read=0 if hears else 50_000,
        cache_write=0,
    )
    assert ours == pytest.approx(float(theirs.total_price))


def test_usage_adds_up():
    one = Usage("m", 10, 2, 3, 4, 1, 0.5)
    assert one + Usage("m", 1, 1, 1, 1, 1, 0.25) == Usage("m", 11, 3, 4, 5, 2, 0.75)
    assert Usage() + one == one + Usage() == one
    assert (one + Usage("n", calls=1)).cost_usd is None
    assert (one + Usage("n", calls=1)).model == "m, n"


usages = st.builds(
    Usage,
    model=st.sampled_from(["a", "b"]),
    input_tokens=st.integers(0, 10**6),
    output_tokens=st.integers(0, 10**6),
    calls=st.integers(0, 3),
    cost_usd=st.none() | st.integers(0, 8).map(float),
)


@given(st.lists(usages, min_size=3, max_size=3))
def test_the_order_of_adding_changes_no_number(given_usages: list[Usage]):
    one, two, three = given_usages
    left, right = (one + two) + three, one + (two + three)
    assert left == right


def test_a_line_for_verbose_tells_tokens_money_and_the_date_of_the_prices():
    line = str(Usage(HAIKU, 12_345, 67, 10_000, 2_000, 2, 0.01234))
    assert line.startswith(f"{HAIKU}: 2 calls, 12,345 tokens in (10,000 from the cache, 2,000 into")
    assert re.search(r"67 out, \$0\.0123 \(prices of \d{4}-\d\d-\d\d\)$", line)
