"""The reminders in a real browser: looked at, answered, cancelled, in three languages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from cloche.channels import Part
from cloche.messages import Button
from cloche.reminders.schedule import Calendar, Once
from cloche.texts import say
from cloche_channels.web.wording import page_texts

ZONE = "Asia/Shanghai"
WEEKLY = Calendar("FREQ=WEEKLY;BYDAY=SU;BYHOUR=9;BYMINUTE=0", datetime(2026, 11, 1, 9), ZONE)
ONCE = Once(datetime(2026, 12, 24, 9, tzinfo=UTC), "UTC")


@pytest.mark.parametrize("language", ["en", "es", "zh"])
async def test_reminders_are_listed_answered_and_cancelled(
    page: Any, open_window: Any, remind: Any, language: str
) -> None:
    texts = page_texts(language)
    window = await open_window(locale=language)
    tab = window.tab
    await tab.get_by_role("link", name=texts["reminders"]).click()
    await tab.get_by_role("status").filter(has_text=texts["reminders_empty"]).wait_for()
    assert await window.runs("document.activeElement.id") == "reminders-title"
    await remind("water the fern", WEEKLY, told=True)
    await remind("the rent", ONCE)
    await window.runs("window.dispatchEvent(new Event('focus'))")
    fern = tab.locator("#reminders .record", has_text="water the fern")
    await fern.wait_for()
    headings = await tab.locator("#reminders h3").all_inner_texts()
    assert headings == [texts["reminders_told"], texts["reminders_coming"]]
    facts = await fern.locator(".facts").inner_text()
    assert ZONE in facts
    assert facts.count("09:00") == 2
    sunday = say("reminder_weekdays", language).split()[6]
    every = say("rhythm_week", language)
    assert say("rhythm_on", language, every=every, days=sunday) in facts
    await window.picture(f"reminders-{language}")

    done = fern.get_by_role("button", name=texts["reminder_done"])
    await done.focus()
    await tab.keyboard.press("Enter")
    told = say("reminder_done_said", language, text="water the fern")
    await tab.locator("#spoken", has_text=told).wait_for(state="attached")
    assert await tab.locator("#reminders h3").all_inner_texts() == [texts["reminders_coming"]]

    cancel = fern.get_by_role("button", name=texts["reminder_cancel"])
    await cancel.click()
    dialog = tab.get_by_role("dialog")
    assert "water the fern" in await dialog.inner_text()
    await window.picture(f"reminder-cancel-{language}")
    await tab.keyboard.press("Enter")  # the careful button has the focus
    await dialog.wait_for(state="hidden")
    assert await cancel.evaluate("(node) => node === document.activeElement")
    await cancel.click()
    await dialog.get_by_role("button", name=texts["reminder_cancel"], exact=True).click()
    await fern.wait_for(state="hidden")
    await tab.locator("#spoken", has_text=texts["reminder_cancelled"]).wait_for(state="attached")
    assert await tab.locator("#reminders .record").count() == 1


async def test_an_answer_that_comes_too_late_is_said_to(
    page: Any, open_window: Any, remind: Any
) -> None:
    reminder = await remind("water the fern", WEEKLY)
    window = await open_window(expected="404")
    await window.tab.locator("[data-view=reminders]").click()
    cancel = window.tab.get_by_role("button", name="Cancel reminder: water the fern")
    await cancel.wait_for()
    await page.delivery.desk.cancel_reminder(reminder.id)
    await cancel.click()
    await window.tab.locator("#confirm-yes").click()
    trouble = window.tab.locator("#reminders-trouble", has_text="not there any more")
    await trouble.wait_for()
    assert await window.tab.locator("#reminders .record").count() == 0


async def test_the_page_in_another_language_says_reminders_in_it(
    page: Any, open_window: Any, remind: Any
) -> None:
    await remind("water the fern", WEEKLY)
    window = await open_window()
    await window.tab.locator("[data-view=reminders]").click()
    await window.tab.locator(".facts", has_text="Sunday").wait_for()
    await window.tab.locator("#language").select_option("zh")
    await window.tab.locator(".facts", has_text="每周").wait_for()
    await window.tab.locator("[data-view=chat]").click()
    await window.say("/xyzzyplugh")
    await window.answer(say("command_unknown", "zh", name="xyzzyplugh"))


async def test_a_pressed_button_stands_in_the_talk_as_it_was_called(
    page: Any, open_window: Any, remind: Any
) -> None:
    reminder = await remind("water the fern", WEEKLY, told=True)
    window = await open_window()
    await window.say("Hello.")
    await window.answer("Noted: Hello.")
    (conversation,) = page.channel._talks
    buttons = (Button("In 10 minutes", f"/snooze {reminder.id[:8]}"),)
    await page.channel.send(Part(conversation, "⏰ water the fern", buttons=buttons, key="k-0"))
    await window.tab.get_by_role("button", name="In 10 minutes").click()
    await window.tab.locator(".own .body", has_text="In 10 minutes").wait_for()
    await window.answer("water the fern")
    assert "snooze" not in await window.tab.locator("#log").inner_text()
