"""The web page as a channel: what it declares, where it listens, what an operator did wrong."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from pydantic import SecretStr

from cloche.channels import ChannelRequest, OwnerOptions
from cloche.errors import RequestError, SettingsError
from cloche.texts import languages
from cloche_channels.web import WebChannel
from cloche_channels.web.routes import STATIC
from cloche_channels.web.wording import SENTENCES, page_texts


def test_importing_the_channel_loads_no_server() -> None:
    code = "import cloche_channels.web, sys; print({'aiohttp', 'markdown_it'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


async def test_it_listens_on_loopback_alone(page: Any) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", page.port)
    writer.close()
    # All of 127/8 is this machine's; whatever listens everywhere would answer here, too.
    with pytest.raises(ConnectionError):
        await asyncio.open_connection("127.0.0.2", page.port)


@pytest.mark.parametrize("port", ["x", "-1", "65536", "80.0", "８０８０", " 80"])
def test_a_port_that_is_none_is_refused_by_its_setting(page: Any, port: str) -> None:
    context = replace(page.channel.context, settings={"port": SecretStr(port)})
    with pytest.raises(SettingsError, match=r"^CLOCHE_CHANNELS__WEB__PORT="):
        WebChannel(context)


def test_without_a_setting_the_port_is_always_the_same(page: Any) -> None:
    assert WebChannel(replace(page.channel.context, settings={})).port == 8790


async def test_a_port_that_is_taken_is_said_to_be(page: Any) -> None:
    settings = {"port": SecretStr(str(page.port))}
    second = WebChannel(replace(page.channel.context, settings=settings))
    with pytest.raises(SettingsError, match=f"PORT={page.port}: another program listens there"):
        await second.run(page.delivery)


@pytest.mark.parametrize("owner", [None, OwnerOptions(owner="")])
async def test_nobody_is_served_where_nobody_is_the_owner(page: Any, owner: Any) -> None:
    channel = WebChannel(replace(page.channel.context, owner=owner))
    with pytest.raises(RequestError, match="nobody is named"):
        await channel.run(page.delivery)


def test_a_platforms_request_is_none_of_its_own(page: Any) -> None:
    with pytest.raises(RequestError):
        page.channel.parse(ChannelRequest(b"{}"))
    assert not WebChannel.takes_requests()
    assert not WebChannel.polls()


def test_every_part_of_the_page_is_in_the_package_and_served() -> None:
    there = {path.name for path in files("cloche_channels.web").joinpath("static").iterdir()}
    assert there == {name for name, _ in STATIC.values()}


@pytest.mark.parametrize("language", languages())
def test_the_page_has_all_its_words_in_every_language(language: str) -> None:
    texts, english = page_texts(language), page_texts("en")
    assert set(texts) == set(SENTENCES) == set(english)
    same = {key for key in texts if texts[key] == english[key]}
    assert language == "en" or same <= {"chat", "scope_personal", "error_file"}


def test_every_word_the_page_asks_for_is_there_and_every_word_there_is_asked_for() -> None:
    static = files("cloche_channels.web").joinpath("static")
    source = "\n".join(path.read_text("utf-8") for path in static.iterdir())
    made_up = ("theme_", "error_", "scope_", "kind_", "reminder_", "reminders_")  # by the page
    unused = [key for key in SENTENCES if not key.startswith(made_up) and f'"{key}"' not in source]
    assert unused == []
