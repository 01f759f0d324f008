from __future__ import annotations

from typing import Any

import pytest

from cloche.errors import MemoryUnavailableError
from cloche.slash import NAMES
from cloche.slash.menu import slash_menu
from cloche.testing import FakeClock, TelegramServer, fault
from cloche_channels.telegram.menu import menus


def menu_calls(server: TelegramServer) -> list[str]:
    return [
        str(each.arguments.values["language_code"])
        for each in server.calls
        if each.method == "setMyCommands"
    ]


async def test_the_menu_is_set_once_in_every_language(server: TelegramServer, make: Any) -> None:
    """B-30."""
    await make().open()
    assert menu_calls(server) == ["", "es", "zh"]
    assert server.world.commands["default", ""] == [
        {"command": "help", "description": "what you can ask"},
        {"command": "memory", "description": "what I remember"},
    ]
    assert server.world.commands["default", "zh"][0]["description"] == "可以发出的命令"
    await make().open()
    assert len(menu_calls(server)) == 3


async def test_only_what_changed_is_set_again(
    server: TelegramServer, make: Any, commands: Any
) -> None:
    await make().open()
    commands["es"] = [("ayuda", "otra cosa")]
    await make().open()
    assert menu_calls(server) == ["", "es", "zh", "es"]


async def test_flood_control_of_the_menu_blocks_no_message_and_is_obeyed(
    server: TelegramServer, make: Any, clock: FakeClock
) -> None:
    """B-30: the spiral was made by asking again at every start."""
    server.fails("setMyCommands", fault(429, "Too Many Requests: retry after 600", retry_after=600))
    await make().open()
    await make().open()
    assert menu_calls(server) == [""]
    ana = server.person("Ana")
    ana.writes("hello")
    channel = make()
    await channel.open()
    assert len((await channel.poll("")).requests) == 1
    clock.pass_(seconds=601)
    await make().open()
    assert menu_calls(server) == ["", "", "es", "zh"]


async def test_a_menu_that_fails_is_tried_at_the_next_start(
    server: TelegramServer, make: Any
) -> None:
    server.fails("setMyCommands", fault(502))
    await make().open()
    assert menu_calls(server) == [""]
    await make().open()
    assert menu_calls(server) == ["", "", "es", "zh"]


async def test_nothing_kept_is_no_reason_not_to_start(
    server: TelegramServer, make: Any, keepsakes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise MemoryUnavailableError("the store is away", cause="locked")

    monkeypatch.setattr(keepsakes, "get", away)
    monkeypatch.setattr(keepsakes, "put", away)
    await make().open()
    assert menu_calls(server) == ["", "es", "zh"]


async def test_telegram_away_at_the_start_is_no_reason_either(
    server: TelegramServer, make: Any
) -> None:
    await make().open()
    server.fails("getMe", fault(502))
    channel = make()
    await channel.open()
    ana, group = server.person("Ana"), server.group("Garden")
    ana.writes("@cloche_test_bot hello", to=group)
    (request,) = (await channel.poll("")).requests
    (message,) = channel.parse(request)
    assert message.addressed  # by the name that was kept


def test_each_menu_has_its_languages_own_names_where_telegram_takes_them() -> None:
    names = {
        language: [each["command"] for each in menu]
        for language, menu in menus(slash_menu()).items()
    }
    assert {"memoria", "olvidar", "personas", "hecho"} <= set(names["es"])
    assert "memory" not in names["es"]
    assert names["zh"] == names["en"] == list(NAMES)
