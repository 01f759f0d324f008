"""The memory in a real browser: looked at, searched, explained, mended, forgotten, carried away."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cloche import MetadataKey, Value, Vocabulary
from cloche_channels.web.wording import page_texts

SAID = {
    "en": ("My tea is oolong.", "I prefer a warm room."),
    "es": ("Mi té favorito es el verde.", "Prefiero una habitación cálida."),
    "zh": ("我喜欢喝乌龙茶。", "我的茶壶是紫砂的。"),
}
NASTY = 'My tea is <img src=x onerror="window.hacked=1"> <script>window.hacked=1</script> green.'


async def told(page: Any, window: Any, *words: str) -> None:
    for text in words:
        await window.say(text)
        await window.answer(f"Noted: {text}")
        await page.delivery.idle()


@pytest.mark.parametrize("language", SAID)
async def test_a_memory_is_explained_corrected_and_forgotten(
    page: Any, open_window: Any, language: str
) -> None:
    texts = page_texts(language)
    window = await open_window(expected="422", locale=language)
    await told(page, window, *SAID[language])
    await window.to_memory()
    record = window.tab.locator(".record", has_text=SAID[language][0].rstrip(".。"))
    await record.wait_for()

    await record.get_by_role("button", name=texts["why"]).click()
    await record.locator(".why", has_text=SAID[language][0].rstrip(".。")).wait_for()
    await window.picture(f"memory-why-{language}")

    await record.get_by_role("button", name=texts["correct"]).click()
    field = window.tab.get_by_label(texts["correct_text"])
    await field.fill("  ")
    await window.tab.get_by_role("button", name=texts["correct_save"]).click()
    await window.tab.locator(".edit .trouble", has_text=texts["error_unkept_empty"]).wait_for()
    await field.fill("My tea is sencha.")
    await window.picture(f"memory-edit-{language}")
    await window.tab.get_by_role("button", name=texts["correct_save"]).click()
    changed = window.tab.locator(".record", has_text="My tea is sencha.")
    await changed.wait_for()
    await window.tab.locator("#spoken", has_text=texts["corrected"]).wait_for(state="attached")
    await window.tab.get_by_label(texts["past"]).check()
    await window.tab.locator(".record.past").wait_for()
    await window.picture(f"memory-past-{language}")

    forget = changed.get_by_role("button", name=texts["forget"])
    dialog = window.tab.get_by_role("dialog")
    for leave in ("Escape", "Enter"):  # Enter: the careful button has the focus
        await forget.click()
        await dialog.wait_for()
        assert "My tea is sencha." in await dialog.inner_text()
        await window.tab.keyboard.press(leave)
        await dialog.wait_for(state="hidden")
        assert await forget.evaluate("(node) => node === document.activeElement")
    await forget.click()
    await window.picture(f"memory-forget-{language}")
    await dialog.get_by_role("button", name=texts["forget"], exact=True).click()
    await changed.wait_for(state="hidden")
    await window.tab.locator("#spoken", has_text=texts["forgotten"]).wait_for(state="attached")
    assert await window.runs("document.activeElement.id") == "memory-title"
    assert await window.tab.locator(".record.past").count() == 0
    await window.tab.locator("[data-view=chat]").click()
    await window.tab.locator(".own", has_text=SAID[language][1]).wait_for()
    assert await window.tab.locator(".own", has_text=SAID[language][0]).count() == 0


async def test_a_search_shows_what_fits_and_says_when_nothing_does(
    page: Any, open_window: Any
) -> None:
    window = await open_window()
    await window.to_memory()
    await window.tab.locator("#memory-empty", has_text="Nothing is remembered yet.").wait_for()
    await window.tab.locator("[data-view=chat]").click()
    await told(page, window, *SAID["en"])
    await window.to_memory()
    await window.tab.locator(".record").nth(1).wait_for()
    find = window.tab.get_by_role("searchbox")
    await find.press_sequentially("oolong")
    await window.tab.locator(".record", has_text="warm room").wait_for(state="hidden")
    assert "oolong" in await window.tab.locator(".record").first.inner_text()
    assert await window.tab.locator("#count").inner_text() == "Found: 1 of 2"
    await find.fill("zzz")
    await window.tab.locator("#memory-empty", has_text="Nothing remembered fits “zzz”").wait_for()
    await find.fill("")
    await window.tab.locator(".record").nth(1).wait_for()


async def test_memories_stand_under_their_place_and_what_they_are_about(
    page: Any, open_window: Any
) -> None:
    window = await open_window()
    await told(page, window, "I have green tea in the kitchen.", "I prefer a warm room.")
    await window.to_memory()
    await window.tab.locator(".record").nth(1).wait_for()
    headings = await window.tab.locator("#records :is(h3, h4)").all_inner_texts()
    assert [one.casefold() for one in headings] == ["about you", "type", "other"]
    tagged = window.tab.locator(".record", has_text="green tea")
    assert "tea" in await tagged.locator(".tags").inner_text()
    assert "30 November 2026" in await tagged.locator(".facts").inner_text()


async def test_markup_in_a_memory_stays_text(page: Any, open_window: Any) -> None:
    window = await open_window()
    await told(page, window, "My tea is oolong.")
    (known,) = await page.delivery.desk.known()
    assert await page.delivery.desk.correct(known.id, NASTY)
    await window.to_memory()
    record = window.tab.locator(".record", has_text="green.")
    assert await record.locator(".statement").inner_text() == NASTY
    await record.get_by_role("button", name="Why").click()
    await record.locator(".why").wait_for()
    await record.get_by_role("button", name="Forget").click()
    assert await window.tab.locator("#confirm-what").inner_text() == NASTY
    assert await window.tab.locator("#records :is(img, script)").count() == 0
    assert await window.runs("window.hacked") is None


async def test_everything_can_be_carried_away(page: Any, open_window: Any, tmp_path: Path) -> None:
    window = await open_window()
    await told(page, window, "My tea is oolong.")
    await window.to_memory()
    async with window.tab.expect_download() as downloading:
        await window.tab.get_by_role("button", name="Export everything").click()
    download = await downloading.value
    assert download.suggested_filename.startswith("memory-")
    assert download.suggested_filename.endswith(".jsonl")
    await download.save_as(tmp_path / "memory.jsonl")
    lines = (tmp_path / "memory.jsonl").read_text("utf-8").splitlines()
    assert json.loads(lines[0])["format"] == "cloche-memory"


async def test_a_memory_that_is_away_is_said_to_be(
    page: Any, open_window: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cloche.errors import MemoryUnavailableError

    async def away(**_: object) -> None:
        raise MemoryUnavailableError("no", cause="locked")

    monkeypatch.setattr(page.delivery.desk, "known", away)
    window = await open_window(expected="503")
    await window.to_memory()
    await window.tab.locator("#memory-trouble", has_text="cannot be reached").wait_for()


async def test_a_correction_that_is_open_stays_whatever_is_looked_for_meanwhile(
    page: Any, open_window: Any
) -> None:
    window = await open_window()
    await told(page, window, *SAID["en"])
    await window.to_memory()
    record = window.tab.locator(".record", has_text="oolong")
    await record.get_by_role("button", name="Correct").click()
    field = window.tab.get_by_label("What it should say")
    await field.fill("My tea is se")
    await window.tab.get_by_label("Show what no longer holds").check()
    await window.tab.get_by_role("searchbox").fill("warm room")
    await window.tab.locator("#count", has_text="Found:").wait_for()
    assert await field.input_value() == "My tea is se"
    await window.tab.locator("#language").select_option("es")
    field = window.tab.get_by_label(page_texts("es")["correct_text"])
    await field.wait_for()
    assert await field.input_value() == "My tea is se"
    await field.press("Escape")
    await field.wait_for(state="hidden")


async def test_what_was_told_elsewhere_appears_when_the_memory_is_looked_at_again(
    page: Any, open_window: Any
) -> None:
    one = await open_window()
    two = await open_window(page.address, context=one.tab.context)
    await two.tab.locator("#words").wait_for()
    await two.to_memory()
    await two.tab.locator("#memory-empty", has_text="Nothing is remembered yet.").wait_for()
    await told(page, one, "My tea is oolong.")
    await two.runs("window.dispatchEvent(new Event('focus'))")
    record = two.tab.locator(".record", has_text="oolong")
    await record.wait_for()
    why = record.get_by_role("button", name="Why")
    await why.focus()
    async with two.tab.expect_response("**/api/memory?*"):
        await two.runs("window.dispatchEvent(new Event('focus'))")
    await two.tab.wait_for_timeout(50)
    assert await why.evaluate("(node) => node === document.activeElement")
    await two.tab.locator("[data-view=chat]").click()
    await told(page, one, "I prefer a warm room.")
    await two.to_memory()
    await two.tab.locator(".record", has_text="warm room").wait_for()


async def test_a_search_without_hits_is_heard(page: Any, open_window: Any) -> None:
    window = await open_window()
    await told(page, window, "My tea is oolong.")
    await window.to_memory()
    await window.tab.locator(".record").wait_for()
    await window.tab.get_by_role("searchbox").fill("zzz")
    heard = window.tab.get_by_role("status").filter(has_text="Nothing remembered fits “zzz”")
    await heard.wait_for()


async def test_keys_and_values_are_called_as_the_page_speaks(
    page: Any, open_window: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = (Value("tea", labels={"es": "té", "zh": "茶"}),)
    names = {"en": "topic", "es": "tema", "zh": "主题"}
    key = MetadataKey("type", "What it is about.", values=values, labels=names)
    spec = replace(page.assistant.spec, vocabulary=Vocabulary((key,)))
    monkeypatch.setattr(page.assistant, "spec", spec)
    window = await open_window()
    await told(page, window, "I have green tea in the kitchen.")
    await window.to_memory()
    shown = (("en", "topic", "tea"), ("es", "tema", "té"), ("zh", "主题", "茶"))
    for language, named, value in shown:
        await window.tab.locator("#language").select_option(language)
        await window.tab.locator("#records h4", has_text=named).wait_for()
        await window.tab.locator(".tags li", has_text=value).wait_for()
        await window.picture(f"memory-labels-{language}")
