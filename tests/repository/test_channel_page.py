"""The channel that docs/channels.md shows is short, and is the one that `cloche new` writes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import pytest

from cloche.channels import Capabilities, Channel, ChannelRequest, Limits
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


@pytest.mark.parametrize("declared", [Limits, Capabilities])
def test_the_page_lists_every_field_as_it_is(declared: type[Limits | Capabilities]) -> None:
    table = PAGE.split(f"| `{declared.__name__}` | as it is | |\n|---|---|---|\n")[1]
    rows = [row.split("|") for row in table.split("\n\n")[0].splitlines()]
    shown = {
        name.strip(" `"): value.strip(" `")
        for _, names, values, *_ in rows
        for name, value in zip(names.split(","), values.split(","), strict=True)
    }
    assert shown == {field.name: str(field.default) for field in fields(declared)}


@pytest.mark.parametrize("name", re.findall(r"^\| `([a-z_]+)", PAGE, re.M))
def test_what_the_page_lists_is_there(name: str) -> None:
    classes = (Channel, Limits, Capabilities)
    assert any(hasattr(one, name) or name in one.__annotations__ for one in classes)


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
