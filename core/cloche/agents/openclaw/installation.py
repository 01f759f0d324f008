"""Where OpenClaw and the Node it runs on are, as ``make openclaw`` left them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

from cloche.settings import OpenClawSettings

VERSION: Final = "2026.9.6"
"""The one that the configuration is written for and the lock in ``requirements/openclaw`` names.

Another one may refuse the configuration, and may have doors that it does not close.
"""
POINTER: Final = "installed.json"
"""Written by ``requirements/openclaw/install.py`` when all is in place, and not before."""


@dataclass(frozen=True, slots=True)
class Installation:
    """A whole installation.

    Attributes:
        node: The program.
        script: What it runs.
        version: OpenClaw's version.
    """

    node: Path
    script: Path
    version: str


def installation_folder(settings: OpenClawSettings) -> Path:
    """Where it is looked for."""
    if settings.folder:
        return Path(settings.folder).expanduser().absolute()
    return Path(platformdirs.user_cache_dir("cloche", False)) / "openclaw"


def find_installation(settings: OpenClawSettings) -> Installation | None:
    """The installation; None when there is none, only a part of one, or one of another version."""
    found = whatever_is_there(settings)
    return found if found is not None and found.version == VERSION else None


def whatever_is_there(settings: OpenClawSettings) -> Installation | None:
    """The installation, whatever its version; None when there is none, or only a part of one."""
    try:
        text = (installation_folder(settings) / POINTER).read_text(encoding="utf-8")
        told = json.loads(text)
        found = Installation(Path(told["node"]), Path(told["openclaw"]), str(told["version"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if found.node.is_file() and found.script.is_file() else None
