"""The channel that docs/channels.md shows is short, and is the one that `cloche new` writes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import ClassVar

from cloche.channels import Channel, ChannelRequest
from cloche.scaffolds import channel_files
from cloche.testing import ChannelConformance

PAGE = (Path(__file__).parents[2] / "docs" / "channels.md").read_text("utf-8")
MOST_LINES = 40
(CODE,) = (
    block
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
    if "hookimpl" in block
)


def shown() -> type[Channel]:
    module = ModuleType("shown")
    exec(CODE, module.__dict__)
    (channel,) = module.provide_channels()
    return channel


def test_a_channel_takes_at_most_forty_lines() -> None:
    assert len(CODE.splitlines()) <= MOST_LINES


def test_the_page_shows_what_cloche_new_writes() -> None:
    assert channel_files("chime")["cloche_chime/__init__.py"] == CODE


class TestShownChannel(ChannelConformance):
    """What the page shows, with everything a channel must do."""

    channel = shown()
    settings: ClassVar[Mapping[str, str]] = {"url": "https://chat.example.org/replies"}
    samples = (
        ChannelRequest(
            '{"id": "1", "room": "cocina", "from": "ana", "text": "¿Riego hoy? 你好"}'.encode(),
            {"content-type": "application/json"},
        ),
    )
