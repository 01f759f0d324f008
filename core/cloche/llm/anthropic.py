"""Claude through the Anthropic Messages API, or a server that speaks it."""

from __future__ import annotations

import os

from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.settings import ModelSettings as RequestSettings

from cloche.errors import SettingsError
from cloche.llm.limits import NO_KEY, first_event_seconds
from cloche.settings import ModelSettings


def anthropic_model(model_id: str, settings: ModelSettings) -> tuple[Model, RequestSettings]:
    """The model, and the settings of its requests.

    ``ANTHROPIC_API_KEY`` is for Anthropic itself: it is never sent to a ``base_url``.

    Raises:
        SettingsError: no key; the message says what to set.
    """
    key = settings.api_key.get_secret_value()
    if not key and settings.base_url:
        key = NO_KEY
    key = key or os.environ.get("ANTHROPIC_API_KEY", "")
    if not key:
        raise SettingsError(
            "anthropic needs a key: set CLOCHE_MODEL__API_KEY or ANTHROPIC_API_KEY."
        )
    provider = AnthropicProvider(api_key=key, base_url=settings.base_url or None)
    return AnthropicModel(model_id, provider=provider), AnthropicModelSettings(
        max_tokens=settings.max_output_tokens,
        request_timeout=settings.timeout_seconds,
        first_event_timeout=first_event_seconds(settings),
        timeout=settings.timeout_seconds,
        max_retries=0,
        anthropic_cache_tool_definitions=True,
        anthropic_cache_instructions=True,
    )
