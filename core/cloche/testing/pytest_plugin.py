"""Pytest fixtures for authors of plugins; pytest finds them through the entry point.

Nothing here is active until a test asks for a fixture by name, and ``cloche`` is imported only
then: a suite that does not use the fixtures runs as if this plugin were not installed, and what
coverage measures is not imported before it measures. ``-p no:cloche`` switches it off.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cloche.plugins import Host
    from cloche.settings import Settings
    from cloche.testing.clock import FakeClock


@pytest.fixture
def cloche_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own, and no setting of the person who runs it.

    The environment has no ``CLOCHE_*``, ``MODEL_ID``, ``VISION_MODEL_ID`` or ``MEMORY_ID`` but
    ``CLOCHE_HOME``; the working folder has neither ``.env`` nor ``cloche.toml``.
    """
    for name in list(os.environ):
        if name.startswith("CLOCHE_") or name in ("MODEL_ID", "VISION_MODEL_ID", "MEMORY_ID"):
            monkeypatch.delenv(name)
    home, folder = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    folder.mkdir()
    monkeypatch.setenv("CLOCHE_HOME", str(home))
    monkeypatch.chdir(folder)
    return home


@pytest.fixture
def cloche_settings(cloche_home: Path) -> Settings:
    """The default settings with ``cloche_home``: no account, no network."""
    from cloche.settings import load_settings

    return load_settings()


@pytest.fixture
def cloche_host(cloche_settings: Settings) -> Host:
    """What is installed, as ``cloche`` sees it."""
    from cloche.plugins import load_host

    return load_host(cloche_settings)


@pytest.fixture
def cloche_clock() -> FakeClock:
    """A clock that stands still until it is moved."""
    from cloche.testing.clock import FakeClock

    return FakeClock()
