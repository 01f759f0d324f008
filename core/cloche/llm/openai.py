"""GPT through the OpenAI API, or any server that speaks its chat completions."""

from __future__ import annotations

import os

from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIChatModelSettings
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings as RequestSettings

from cloche.errors import SettingsError
from cloche.llm.limits import NO_KEY, first_event_seconds
from cloche.settings import ModelSettings


def openai_model(model_id: str, settings: ModelSettings) -> tuple[Model, RequestSettings]:
    """The model, and the settings of its requests.

    ``OPENAI_API_KEY`` is for OpenAI itself: it is never sent to a ``base_url``.

    Raises:
        SettingsError: no key; the message says what to set.
    """
    key = settings.api_key.get_secret_value()
    # A stream that ends without saying why was cut; the library takes it for complete otherwise.
    profile = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    if settings.base_url:
        key = key or NO_KEY
        # Every compatible server takes max_tokens, not every one its newer name.
        profile["openai_chat_supports_max_completion_tokens"] = False
    key = key or os.environ.get("OPENAI_API_KEY", "")
    if not key:
        raise SettingsError(
            "openai needs a key: set CLOCHE_MODEL__API_KEY or OPENAI_API_KEY, or "
            "CLOCHE_MODEL__BASE_URL for a server of your own."
        )
    provider = OpenAIProvider(api_key=key, base_url=settings.base_url or None)
    return OpenAIChatModel(model_id, provider=provider, profile=profile), OpenAIChatModelSettings(
        max_tokens=settings.max_output_tokens,
        request_timeout=settings.timeout_seconds,
        first_event_timeout=first_event_seconds(settings),
        timeout=settings.timeout_seconds,
        max_retries=0,
    )
