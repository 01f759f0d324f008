"""The one place that chooses who answers: Bedrock, Anthropic, OpenAI or the demo stand-in."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from cloche.errors import SettingsError
from cloche.llm.failures import translate
from cloche.llm.outage import Outage
from cloche.settings import ModelSettings, Settings

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings as RequestSettings

__all__ = [
    "ChosenModel",
    "Provider",
    "choose_model",
    "model_line",
    "provider_of",
    "start_line",
    "translate",
]

Provider = Literal["bedrock", "anthropic", "openai", "demo"]

DEFAULTS: Final[dict[Provider, tuple[str, str]]] = {
    "bedrock": (
        "global.anthropic.claude-haiku-4-5-20251001-v1:0",
        "global.anthropic.claude-sonnet-4-5-20250929-v1:0",
    ),
    "anthropic": ("claude-haiku-4-5", "claude-sonnet-4-6"),
}
"""Models for text and for pictures. Bedrock's global inference profiles work from every region and
cost a tenth less; an operator whose data must stay in a geography names its profile (eu., ...)."""

_BEDROCK_VENDORS: Final = (
    "ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot|moonshotai|nvidia"
    "|openai|qwen|writer|xai|zai"
)
_BEDROCK_ID: Final = re.compile(
    rf"arn:aws[\w-]*:bedrock:.+|(?:(?:us|us-gov|eu|apac|jp|au|ca|global)\.)?"
    rf"(?:{_BEDROCK_VENDORS})\.[\w.:-]+"
)
_OPENAI_ID: Final = re.compile(r"(?:gpt-|chatgpt-|o\d).*")


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """A model that answers, and how it is asked.

    Attributes:
        provider: Whose it is.
        model_id: Its id there.
        model: For pydantic-ai; entering it (``async with``) keeps its connections until leaving.
        settings: What every request carries.
        note: Who answers, in one clause for operators.
        own_server: True when ``base_url`` points it to a server with prices of its own.
        fallback: Who is asked when this one is overloaded, down or out of reach; None = nobody.
        outage: Whether it answered nobody lately.
    """

    provider: Provider
    model_id: str
    model: Model
    settings: RequestSettings
    note: str
    own_server: bool = False
    fallback: ChosenModel | None = None
    outage: Outage = field(default_factory=Outage, compare=False, repr=False)

    def aside(self) -> ChosenModel:
        """The same as it is asked beside an answer."""
        from cloche.llm.aside import Aside

        return replace(self, model=Aside(self.model, self.outage))

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[None]:
        """Keep its connections, and its fallback's, until leaving."""
        async with AsyncExitStack() as held:
            await held.enter_async_context(self.model)
            if self.fallback is not None:
                await held.enter_async_context(self.fallback.model)
            yield


def choose_model(
    settings: Settings, *, demo: Callable[[], Model], vision: bool = False
) -> ChosenModel:
    """The model for text, or for turns with pictures; imports the chosen provider's SDK only.

    Args:
        settings: The operator's.
        demo: Makes the stand-in; called when nothing else is chosen. Credentials that lie around
            choose nothing, so that they never start to cost money.
        vision: True for turns with pictures.

    Raises:
        SettingsError: something is missing or contradicts; the message names the setting.
    """
    provider, model_id = _decide(settings, vision=vision)
    if provider == "demo":
        return ChosenModel("demo", "demo", demo(), {}, "the demo stand-in")
    chosen, other = _build(provider, model_id, settings), settings.model.fallback_id
    if other in ("", model_id):
        return chosen
    return replace(chosen, fallback=_build(provider, other, settings))


def provider_of(settings: Settings) -> Provider:
    """Whose model answers text.

    Raises:
        SettingsError: as ``choose_model``, as far as it shows without trying.
    """
    return _decide(settings, vision=False)[0]


def start_line(settings: Settings) -> str:
    """Who answers, who else could and what to set for it; for operators.

    Raises:
        SettingsError: as ``choose_model``, as far as it shows without trying.
    """
    provider, _ = _decide(settings, vision=False)
    others = [f"{name} ({_how(name, settings)})" for name in _HOW if name != provider]
    possible = f"Also possible with CLOCHE_MODEL__PROVIDER: {', '.join(others)}."
    return f"{model_line(settings)} {possible}"


def model_line(settings: Settings) -> str:
    """Who answers, in a few words; for operators.

    Raises:
        SettingsError: as ``choose_model``, as far as it shows without trying.
    """
    provider, text = _decide(settings, vision=False)
    seer, pictures = _decide(settings, vision=True)
    if provider == "demo":
        who = "the demo stand-in answers: no account, no cost, no real model"
    else:
        who = f"{provider} answers with {text}"
    if (seer, pictures) != (provider, text):
        who += f", pictures go to {seer} with {pictures}"
    if settings.model.fallback_id and provider != "demo":
        who += f", {settings.model.fallback_id} where that fails"
    return f"Model: {who}."


def _decide(settings: Settings, *, vision: bool) -> tuple[Provider, str]:
    """Provider and model id; pure."""
    named = (settings.vision_model_id if vision else "") or settings.model_id
    provider = settings.model.provider or _provider_of(named, settings.model.base_url)
    if provider == "demo":
        return "demo", "demo"
    model_id = settings.vision_model_id if vision else settings.model_id
    own_server = bool(settings.model.base_url) and provider != "bedrock"
    if not model_id and provider in DEFAULTS and not own_server:
        model_id = DEFAULTS[provider][1 if vision else 0]
    model_id = model_id or named
    if not model_id:
        raise SettingsError(f"{provider} needs a model: set MODEL_ID to the id of one.")
    return provider, model_id


def _provider_of(model_id: str, base_url: str) -> Provider:
    if not model_id:
        return "demo"
    if _BEDROCK_ID.fullmatch(model_id):
        return "bedrock"
    if model_id.startswith("claude-"):
        return "anthropic"
    if base_url or _OPENAI_ID.fullmatch(model_id):
        return "openai"
    raise SettingsError(
        f"The model {model_id} does not say whose it is: set CLOCHE_MODEL__PROVIDER to bedrock, "
        "anthropic or openai (with CLOCHE_MODEL__BASE_URL for a server of your own)."
    )


def _build(provider: Provider, model_id: str, settings: Settings) -> ChosenModel:
    from cloche.llm.retry import RetryOnce

    model, requests = _builder(provider)(model_id, settings.model)
    own_server = bool(settings.model.base_url) and provider != "bedrock"
    note = f"{provider}, {model_id}"
    return ChosenModel(provider, model_id, RetryOnce(model), requests, note, own_server=own_server)


def _builder(
    provider: Provider,
) -> Callable[[str, ModelSettings], tuple[Model, RequestSettings]]:
    if provider == "bedrock":
        from cloche.llm.bedrock import bedrock_model

        return bedrock_model
    if provider == "anthropic":
        from cloche.llm.anthropic import anthropic_model

        return anthropic_model
    from cloche.llm.openai import openai_model

    return openai_model


_HOW: Final[dict[Provider, tuple[str, ...]]] = {
    "bedrock": (
        "AWS_PROFILE",
        "AWS_ACCESS_KEY_ID",
        "AWS_BEARER_TOKEN_BEDROCK",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    ),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
}
"""The variables whose presence says that a provider could be used."""


def _how(provider: Provider, settings: Settings) -> str:
    found = next((name for name in _HOW[provider] if os.environ.get(name)), "")
    if provider == "bedrock" and not found and _aws_files():
        found = "~/.aws"
    if found:
        return f"{found} is there" + (
            ", MODEL_ID is missing" if _lacks_id(provider, settings) else ""
        )
    return {
        "bedrock": "needs AWS credentials",
        "anthropic": "needs ANTHROPIC_API_KEY",
        "openai": "needs OPENAI_API_KEY, or CLOCHE_MODEL__BASE_URL for a server of your own, and "
        "MODEL_ID",
        "demo": "",
    }[provider]


def _lacks_id(provider: Provider, settings: Settings) -> bool:
    return provider not in DEFAULTS and not settings.model_id


def _aws_files() -> bool:
    file = os.environ.get("AWS_SHARED_CREDENTIALS_FILE", "")
    return Path(file).is_file() if file else (Path.home() / ".aws" / "credentials").is_file()
