from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from cloche.channels import SendError
from cloche.errors import SettingsError
from cloche.testing import FakeClock, TelegramServer
from cloche_channels.telegram import TelegramChannel

UPDATES = ["message", "edited_message", "callback_query", "my_chat_member"]


async def test_polling_confirms_what_was_kept_and_asks_for_what_is_used(
    server: TelegramServer, channel: TelegramChannel
) -> None:
    ana = server.person("Ana")
    ana.writes("one")
    ana.writes("two")
    first = await channel.poll("")
    assert [m.text for r in first.requests for m in channel.parse(r)] == ["one", "two"]
    again = await channel.poll("")  # the process died before it kept them
    assert again == first
    ana.writes("three")
    second = await channel.poll(first.cursor)
    assert [m.text for r in second.requests for m in channel.parse(r)] == ["three"]
    asked = server.calls[-1].arguments.values
    assert (asked["allowed_updates"], asked["timeout"]) == (UPDATES, 25)


async def test_a_poll_waits_for_what_comes(
    server: TelegramServer, channel: TelegramChannel
) -> None:
    waiting = asyncio.create_task(channel.poll(""))
    await server.until(lambda: server.calls[-1].method == "getUpdates")
    server.person("Ana").writes("hello")
    assert len((await waiting).requests) == 1


async def test_numbers_that_start_anew_after_a_quiet_week_are_followed(
    server: TelegramServer, channel: TelegramChannel
) -> None:
    server.person("Ana").writes("hello")
    polled = await channel.poll("2000000000")
    assert polled.cursor == str(server.world.history[0]["update_id"] + 1)


async def test_polling_recovers_from_a_webhook_that_is_set_while_it_runs(
    server: TelegramServer, channel: TelegramChannel, hook: str
) -> None:
    await channel.register(hook)
    with pytest.raises(SendError, match="webhook is active"):
        await channel.poll("")
    server.person("Ana").writes("hello")
    assert len((await channel.poll("")).requests) == 1


@pytest.fixture
async def hook() -> AsyncIterator[str]:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=503)

    app = web.Application()
    app.router.add_post("/channels/telegram", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/channels/telegram"
    await runner.cleanup()


async def test_a_webhook_is_set_with_its_secret_and_what_waits_stays(
    server: TelegramServer, channel: TelegramChannel, hook: str
) -> None:
    server.person("Ana").writes("while it was away")
    await channel.register(hook)
    assert (server.webhook.url, server.webhook.secret) == (hook, "webhook-secret_1")
    assert len(server.world.pending) == 1
    assert server.calls[-1].arguments.values["allowed_updates"] == UPDATES
    await channel.register(hook, drop_pending=True)
    assert server.world.pending == []
    await channel.unregister()
    assert server.webhook.url == ""


@pytest.mark.parametrize("secret", ["", "with space", "s" * 257, "ñ"])
async def test_no_webhook_without_a_secret_that_telegram_takes(
    server: TelegramServer, make: Any, secret: str
) -> None:
    """B-34: forged updates are accepted by whoever checks nothing."""
    with pytest.raises(SettingsError, match="TELEGRAM__SECRET"):
        await make(secret=secret).register("https://example.org/channels/telegram")
    assert server.calls == []


async def test_the_doctor_shows_where_updates_go_and_what_failed(
    server: TelegramServer, channel: TelegramChannel, hook: str, clock: FakeClock
) -> None:
    assert await channel.check() == [
        (True, "the bot is @cloche_test_bot"),
        (True, "no webhook is set: it is polled; 0 waiting"),
    ]
    server.world.bot["can_read_all_group_messages"] = False
    await channel.register(hook)
    server.person("Ana").writes("hello")
    await server.until(lambda: bool(server.webhook.error))
    _, privacy, where, failed = await channel.check()
    assert privacy[0]
    assert "privacy" in privacy[1]
    assert where == (True, "updates go to 127.0.0.1; 1 waiting")
    assert failed == (
        False,
        "last failed 2026-11-30 09:00 UTC: Wrong response from the webhook: "
        "503 Service Unavailable",
    )
