"""The reminders view's requests: what is to come, what waits for an answer, cancelled for good."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import pytest

from cloche.ids import actor_id
from cloche.messages import Address
from cloche.reminders.schedule import Calendar, Once
from cloche.texts import say

Remind: TypeAlias = Callable[..., Coroutine[Any, Any, Any]]

ZONE = "Asia/Shanghai"
WEEKLY = Calendar("FREQ=WEEKLY;BYDAY=SU;BYHOUR=9;BYMINUTE=0", datetime(2026, 11, 1, 9), ZONE)


async def planned(visitor: Any, language: str = "en") -> list[dict[str, Any]]:
    answer = await visitor.get(f"/api/reminders?language={language}")
    assert answer.status == 200
    return list((await answer.json())["reminders"])


@pytest.mark.parametrize("language", ["en", "es", "zh"])
async def test_what_is_to_come_is_shown_in_its_zone_and_how_it_repeats(
    ana: Any, remind: Remind, language: str
) -> None:
    once = Once(datetime(2026, 12, 24, 1, tzinfo=UTC), "UTC")
    await remind("the rent", once)
    await remind("water the fern", WEEKLY)
    fern, rent = await planned(ana, language)
    sunday = say("reminder_weekdays", language).split()[6]
    assert fern["text"] == "water the fern"
    assert [sunday in at and "09:00" in at for at in fern["coming"]] == [True, True]
    assert (fern["zone"], fern["told"], fern["paused"]) == (ZONE, "", False)
    assert fern["rhythm"] == say(
        "rhythm_on", language, every=say("rhythm_week", language), days=sunday
    )
    assert len(rent["coming"]) == 1
    assert "01:00" in rent["coming"][0]
    assert rent["rhythm"] == say("rhythm_once", language)


@pytest.mark.parametrize("outcome", ["done", "skip", "snooze"])
async def test_what_was_told_waits_for_one_answer(
    ana: Any, remind: Remind, clock: Any, outcome: str
) -> None:
    reminder = await remind("water the fern", WEEKLY, told=True)
    (one,) = await planned(ana)
    assert one["told"]
    path, body = f"/api/reminders/{one['id']}/answer", {"outcome": outcome, "language": "es"}
    answer = await ana.post(path, body)
    assert answer.status == 200
    told = (await answer.json())["text"]
    if outcome == "snooze":
        assert told.startswith("⏰")
    else:
        assert told == say(f"reminder_{outcome}_said", "es", text="water the fern")
    again = await ana.post(path, body)
    assert (again.status, await again.json()) == (404, {"error": "reminder"})
    left = await planned(ana)
    assert [bool(each["told"]) for each in left] == [False] * (2 if outcome == "snooze" else 1)
    assert reminder.id in [each["id"] for each in left]


async def test_what_was_told_long_ago_waits_no_more(ana: Any, remind: Remind, clock: Any) -> None:
    await remind("water the fern", WEEKLY, told=True)
    clock.now += timedelta(days=1, seconds=1)
    assert [one["told"] for one in await planned(ana)] == [""]


async def test_a_reminder_is_cancelled_for_good(ana: Any, remind: Remind) -> None:
    await remind("water the fern", WEEKLY)
    (one,) = await planned(ana)
    path = f"/api/reminders/{one['id']}/cancel"
    assert (await ana.post(path, {})).status == 200
    assert await planned(ana) == []
    answer = await ana.post(path, {})
    assert (answer.status, await answer.json()) == (404, {"error": "reminder"})


async def test_nobody_elses_reminders_are_shown_or_cancelled(ana: Any, remind: Remind) -> None:
    ben = await remind("feed the cat", WEEKLY, sender="ben")
    assert await planned(ana) == []
    assert (await ana.post(f"/api/reminders/{ben.id}/cancel", {})).status == 404
    assert await ana.page.assistant.memory.reminders.list(actor_id(Address("web", "ben")))


@pytest.mark.parametrize(
    "body", [{}, {"outcome": "late"}, {"outcome": ["done"]}, {"outcome": None}]
)
async def test_another_answer_is_none(ana: Any, remind: Remind, body: object) -> None:
    reminder = await remind("water the fern", WEEKLY, told=True)
    answer = await ana.post(f"/api/reminders/{reminder.id}/answer", body)
    assert answer.status == 400


@pytest.mark.parametrize(
    ("language", "command"), [("en", "/reminders"), ("es", "/recordatorios"), ("zh", "/提醒")]
)
async def test_a_command_lists_them_and_says_how_to_cancel_one(
    ana: Any, remind: Remind, language: str, command: str
) -> None:
    async def answered() -> str:
        async with ana.follow() as tab:
            await tab.next()
            await ana.say(command)
            return str(await tab.until(lambda item: not item["own"] and item["state"] == "done"))

    assert say("command_reminders_none", language) in await answered()
    reminder = await remind("water the fern", WEEKLY)
    listed = await answered()
    assert say("command_reminders", language, count=1) in listed
    assert reminder.id[:8] in listed
    assert say("command_reminders_how", language, text="water the fern") in listed
