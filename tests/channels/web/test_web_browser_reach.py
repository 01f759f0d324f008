"""The page for everybody: by keyboard alone, by ear, on a phone, in strong enough colours."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest

from cloche.reminders.schedule import Calendar

LONG = "Donaudampfschifffahrtsgesellschaftskapitän" * 6
ANSWER = f"""# Heading
{LONG} `{LONG}` https://example.org/{LONG}

| {LONG} | b | c | d | e | f | g | h |
|---|---|---|---|---|---|---|---|
| 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |

```
{LONG}
```

> quote

1. one
2. two
"""
NAMELESS = """() => [...document.querySelectorAll(
    "button, input, select, textarea, a, [role=region], [role=listbox], img, section, dialog")]
  .filter((one) => one.checkVisibility() || one.tagName === "DIALOG")
  .filter((one) => {
    const by = (one.getAttribute("aria-labelledby") ?? "").split(" ")
      .map((id) => document.getElementById(id));
    const label = one.labels?.[0]?.textContent ?? "";
    const name = [one.getAttribute("aria-label"), one.alt, label,
      ...by.map((each) => each?.textContent),
      ["BUTTON", "A"].includes(one.tagName) ? one.textContent : ""].join("");
    return !name.trim();
  }).map((one) => one.outerHTML.slice(0, 120))"""
FOCUSED = """(({ id, dataset, className, tagName }) =>
  id || dataset.view || className || tagName)(document.activeElement)"""
WIDER = (
    "document.documentElement.scrollWidth > innerWidth || document.body.scrollWidth > innerWidth"
)
CONTRASTS = """() => {
  const parse = (text) => {
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (let one = node; one; one = one.parentElement) {
      const found = parse(getComputedStyle(one).backgroundColor);
      if (found[3] === 255) return found;
    }
    return [255, 255, 255, 255];
  };
  const words = [...document.querySelectorAll("body *")].filter((one) =>
    one.checkVisibility() && !one.closest(".unseen, .skip, svg, option") &&
    [...one.childNodes].some((child) => child.nodeType === 3 && child.data.trim()));
  return words.map((one) => {
    const [a, b] = [light(parse(getComputedStyle(one).color)), light(behind(one))].sort();
    return [Math.min(a, b), Math.max(a, b), one.className || one.tagName];
  }).map(([low, high, name]) => [(high + 0.05) / (low + 0.05), name])
    .filter(([ratio]) => ratio < 4.5);
}"""


WEEKLY = Calendar("FREQ=WEEKLY;BYDAY=SU;BYHOUR=9", datetime(2026, 11, 1, 9), "America/Mexico_City")


async def filled(page: Any, window: Any) -> None:
    page.scribe.answers["Show me."] = [ANSWER]
    await window.say("My tea is oolong.")
    await window.answer("Noted")
    await window.say("Show me.")
    await window.answer("Heading")
    await page.delivery.idle()


async def test_everything_has_a_name_and_its_place(page: Any, open_window: Any) -> None:
    window = await open_window()
    await filled(page, window)
    assert await window.runs(NAMELESS) == []
    for role in ("banner", "navigation", "main", "region"):
        assert await window.tab.get_by_role(role).count() >= 1, role
    await window.to_memory()
    await window.tab.locator(".record").wait_for()
    assert await window.runs(NAMELESS) == []
    for role in ("search", "status"):
        assert await window.tab.get_by_role(role).count() >= 1, role
    levels = await window.runs(
        "[...document.querySelectorAll('h1,h2,h3,h4')].filter((h) => h.checkVisibility())"
        ".map((h) => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


async def test_everything_is_reached_by_the_keyboard(page: Any, open_window: Any) -> None:
    window = await open_window()
    await filled(page, window)
    await window.tab.reload()
    await window.tab.locator("#words").wait_for()
    await window.runs("document.querySelector('.skip').focus()")
    seen = []
    while "send" not in seen:
        seen.append(await window.runs(FOCUSED))
        outline = await window.runs("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none" or seen[-1] == "words", seen[-1]
        await window.tab.keyboard.press("Tab")
    order = "skip chat memory reminders language theme scroll words attach anew send".split()
    assert [one for one in seen if one in order] == order
    await window.runs("document.querySelector('.skip').focus()")
    await window.tab.keyboard.press("Enter")
    assert await window.runs("document.activeElement.id") == "words"
    await window.tab.locator("[data-view=memory]").focus()
    await window.tab.keyboard.press("Enter")
    await window.tab.locator(".record").wait_for()
    assert await window.runs("document.activeElement.id") == "memory-title"
    await window.runs("document.querySelector('.skip').focus()")
    assert await window.runs("document.activeElement.textContent") == "Skip to the content"
    await window.tab.keyboard.press("Enter")
    assert await window.runs("document.activeElement.id") == "memory-title"
    assert await window.tab.locator("#memory").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_words_stand_out_from_what_is_behind_them(
    page: Any, open_window: Any, remind: Any, scheme: str
) -> None:
    await remind(LONG[:60], WEEKLY, told=True)
    window = await open_window(color_scheme=scheme, expected="422")
    await filled(page, window)
    await window.tab.locator("#words").fill("")
    await window.tab.locator("#send").click()
    assert await window.runs(CONTRASTS) == []
    await window.picture(f"chat-{scheme}")
    await window.to_memory()
    await window.tab.locator(".record").wait_for()
    await window.tab.get_by_role("button", name="Why").click()
    await window.tab.locator(".why").wait_for()
    assert await window.runs(CONTRASTS) == []
    await window.picture(f"memory-{scheme}")
    await window.tab.get_by_role("button", name="Forget").click()
    assert await window.runs(CONTRASTS) == []
    await window.tab.keyboard.press("Escape")
    await window.tab.locator("[data-view=reminders]").click()
    await window.tab.locator("#reminders .record").wait_for()
    assert await window.runs(CONTRASTS) == []
    assert await window.runs(NAMELESS) == []
    await window.picture(f"reminders-{scheme}")


@pytest.mark.parametrize("locale", ["en", "es", "zh"])
@pytest.mark.parametrize("width", [320, 390])
async def test_a_phone_shows_all_of_it_without_scrolling_sideways(
    page: Any, open_window: Any, remind: Any, locale: str, width: int
) -> None:
    await remind(LONG, WEEKLY, told=True)
    window = await open_window(
        locale=locale,
        viewport={"width": width, "height": 700},
        is_mobile=True,
        has_touch=True,
        device_scale_factor=2,
    )
    assert not await window.runs(WIDER)
    await filled(page, window)
    assert not await window.runs(WIDER)
    await window.picture(f"phone-chat-{locale}-{width}")
    box = await window.tab.locator("#send").bounding_box()
    assert box["x"] + box["width"] <= width
    assert min(box["width"], box["height"]) >= 40
    await window.tab.locator("[data-view=memory]").tap()
    await window.tab.locator(".record").wait_for()
    assert not await window.runs(WIDER)
    await window.picture(f"phone-memory-{locale}-{width}")
    await window.tab.locator("[data-view=reminders]").tap()
    await window.tab.locator("#reminders .record").wait_for()
    assert not await window.runs(WIDER)
    await window.picture(f"phone-reminders-{locale}-{width}")


async def test_nothing_moves_for_who_does_not_want_it(page: Any, open_window: Any) -> None:
    window = await open_window(reduced_motion="reduce")
    await filled(page, window)
    assert await window.runs("document.getAnimations().length") == 0


async def test_large_letters_and_a_small_window_still_fit(page: Any, open_window: Any) -> None:
    window = await open_window(viewport={"width": 640, "height": 400})
    await window.runs("document.documentElement.style.fontSize = '200%'")
    await filled(page, window)
    assert not await window.runs(WIDER)
    box = await window.tab.locator("#send").bounding_box()
    assert box["y"] + box["height"] <= 400
    await window.picture("large-letters")
