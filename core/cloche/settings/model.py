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
    Field,
    PrivateAttr,
    SecretStr,
    field_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from cloche.errors import SettingsError
from cloche.settings.files import variable
from cloche.settings.groups import (
    AccessSettings,
    DeliverySettings,
    EmbeddingSettings,
    FileSettings,
    MemorySettings,
    ModelSettings,
    OpenClawSettings,
    ReminderSettings,
    RuntimeSettings,
    ServeSettings,
    SettingsGroup,
    StateSettings,
    TranscriptionSettings,
)
from cloche.settings.messages import nearest

DEFAULT: Final = "default"
CHANNELS: Final = "channels"


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
    """Which agent answers: auto (openclaw where `make openclaw` put it and a model is set, else
    embedded), embedded, openclaw, or the name of one that a plugin provides."""
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
    files: FileSettings = FileSettings()
    reminders: ReminderSettings = ReminderSettings()
    access: AccessSettings = AccessSettings()
    delivery: DeliverySettings = DeliverySettings()
    serve: ServeSettings = ServeSettings()
    runtime: RuntimeSettings = RuntimeSettings()
    transcription: TranscriptionSettings = TranscriptionSettings()
    openclaw: OpenClawSettings = OpenClawSettings()
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
