"""What an operator sets: environment, then ``.env``, then ``cloche.toml``, then defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


class ModelSettings(BaseModel):
    """Which models answer (``CLOCHE_MODEL__*``)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: Literal["", "bedrock", "anthropic", "openai", "demo"] = ""
    """"" = the provider that MODEL_ID needs, else demo; credentials alone never choose one."""
    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    region: str = ""
    timeout_seconds: float = Field(default=60, gt=0, le=600)
    max_output_tokens: int = Field(default=2048, ge=64, le=64_000)


class MemorySettings(BaseModel):
    """How much is remembered and recalled (``CLOCHE_MEMORY__*``)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: str = "local"
    recall_seconds: float = Field(default=3.0, gt=0, le=30)
    recall_tokens: int = Field(default=1200, ge=100, le=20_000)
    recall_records: int = Field(default=50, ge=1, le=50)


class StateSettings(BaseModel):
    """Where claims, sessions and people's settings are kept (``CLOCHE_STATE__*``)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: Literal["local"] = "local"


class Settings(BaseSettings):
    """Every setting, parsed once at the edge and frozen."""

    model_config = SettingsConfigDict(
        env_prefix="CLOCHE_", env_nested_delimiter="__", frozen=True, extra="forbid"
    )

    home: Path = Path()
    plugins: Annotated[tuple[str, ...] | None, NoDecode] = None
    """Distributions to load, comma-separated; empty = none, unset = all."""
    agent: str = "auto"
    owner: str = ""
    """Name of the person the console acts for when ``--as`` names nobody."""
    time_zone: str = ""
    """IANA name; "" = the system's."""
    model: ModelSettings = ModelSettings()
    memory: MemorySettings = MemorySettings()
    state: StateSettings = StateSettings()
    channels: dict[str, dict[str, str]] = Field(default_factory=dict)
    model_id: str = Field(default="", validation_alias=AliasChoices("MODEL_ID"))
    vision_model_id: str = Field(default="", validation_alias=AliasChoices("VISION_MODEL_ID"))
    memory_id: str = Field(default="", validation_alias=AliasChoices("MEMORY_ID"))
