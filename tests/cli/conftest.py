"""Commands of a host with one assistant, `tea`, and nothing of the machine's own."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from cloche.logs import LogHandler

if TYPE_CHECKING:
    from conftest import Site


@pytest.fixture
def no_log_left() -> Iterator[None]:
    """What a command set up for its log is taken down again."""
    yield
    root = logging.getLogger()
    for handler in [each for each in root.handlers if isinstance(each, LogHandler)]:
        root.removeHandler(handler)


@pytest.fixture
def tea(site: Site, monkeypatch: pytest.MonkeyPatch, no_log_left: None) -> None:
    """Only the assistant `tea` is there, in UTC, and no vectors."""
    site.assistant("tea")
    monkeypatch.setenv("CLOCHE_PLUGINS", "tea")
    monkeypatch.setenv("CLOCHE_TIME_ZONE", "UTC")
    monkeypatch.setenv("CLOCHE_EMBEDDINGS__PROVIDER", "none")
