"""The page in a real browser: what a person sees, hears and does there in a talk."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from cloche.channels import Part
from cloche.messages import Button
from cloche_channels.web.wording import page_texts

SAID = {
    "en": "My tea is oolong.",
    "es": "Mi té favorito es el verde.",
    "zh": "我喜欢喝乌龙茶。",
}
NASTY = [
    '<img src=x onerror="window.hacked=1">',
    "<script>window.hacked=1</script>",
    "[tea](javascript:window.hacked=1)",
    "![x](https://evil.example/x.png)",
    "<svg onload=window.hacked=1>",
    "<iframe srcdoc='<script>parent.hacked=1</script>'></iframe>",
    "<form action=https://evil.example><button>OK</button></form>",
    "<a href=javascript:window.hacked=1>x</a>",
    "&lt;img src=x onerror=window.hacked=1&gt;",
    "\u202egnp.exe",
]


async def test_the_link_lets_one_browser_in_and_leaves_the_address(
    page: Any, open_window: Any
) -> None:
    link = page.link
    window = await open_window()
    assert window.tab.url == f"{page.address}/"
    assert "enter=" not in "".join(window.requests)
    assert await window.runs("document.cookie") == ""
    late = await open_window(link, expected="401")
    await late.tab.locator("#locked").wait_for()
    assert "used already" in await late.tab.locator("#locked-error").inner_text()
    assert await late.tab.locator("#chat").is_hidden()
    await late.picture("locked")
    # The next link, opened in another tab of the same browser, lets both in.
    await open_window(page.link, context=late.tab.context)
    await late.tab.locator("#words").wait_for()


async def test_without_the_link_there_is_nothing_to_see(page: Any, open_window: Any) -> None:
    window = await open_window(page.address, expected="401")
    await window.tab.locator("#locked").wait_for()
    assert await window.tab.locator("#words").is_hidden()
    assert await window.tab.locator("#skip").is_hidden()
    assert "Tea" not in await window.tab.locator("body").inner_text()


@pytest.mark.parametrize("language", SAID)
async def test_a_talk_in_each_language_with_the_pages_words_in_it(
    page: Any, open_window: Any, language: str
) -> None:
    texts = page_texts(language)
    page.scribe.answers[SAID[language]] = ["**乌龙** té ", "*oolong*."]
    window = await open_window(locale={"en": "en-GB", "es": "es-MX", "zh": "zh-CN"}[language])
    assert await window.runs("document.documentElement.lang") == language
    assert texts["hello"].format(owner="ana") in await window.tab.locator("#hello").inner_text()
    assert await window.tab.locator("#words").get_attribute("placeholder") == texts["write"].format(
        name="Tea"
    )
    await window.say(SAID[language])
    answer = await window.answer("oolong")
    assert await answer.locator("strong").inner_text() == "乌龙"
    assert await window.tab.locator(".own .body").inner_text() == SAID[language]
    assert await window.tab.locator("#hello").is_hidden()
    await window.picture(f"talk-{language}")
    await window.to_memory()
    await window.tab.locator(".record").wait_for()
    assert texts["scope_long_term"] in await window.tab.locator("#records").inner_text()
    await window.picture(f"memory-{language}")


async def test_the_language_can_be_changed_and_stays(page: Any, open_window: Any) -> None:
    window = await open_window()
    await window.tab.locator("#language").select_option("zh")
    await window.tab.get_by_role("link", name="记忆").wait_for()
    await window.tab.reload()
    await window.tab.get_by_role("link", name="记忆").wait_for()
    assert await window.runs("document.documentElement.lang") == "zh"


async def test_light_and_dark_follow_the_system_until_chosen(open_window: Any) -> None:
    window = await open_window(color_scheme="dark")
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    dark = await window.runs(colour)
    await window.tab.emulate_media(color_scheme="light")
    light = await window.runs(colour)
    assert dark != light
    button = window.tab.locator("#theme")
    for label, seen in (
        ("Light", light),
        ("Dark", dark),
        ("As the system", light),
        ("Light", light),
    ):
        await button.click()
        assert label in str(await button.get_attribute("aria-label"))
        assert await window.runs(colour) == seen
    await window.tab.emulate_media(color_scheme="dark")
    await window.tab.reload()
    await window.tab.locator("#words").wait_for()
    assert await window.runs(colour) == light


async def test_enter_sends_and_shift_enter_begins_a_line_but_not_inside_a_word(
    page: Any, open_window: Any
) -> None:
    window = await open_window()
    words = window.tab.locator("#words")
    assert await window.runs("document.activeElement.id") == "words"
    await words.press_sequentially("One")
    await words.press("Shift+Enter")
    await words.press_sequentially("two")
    assert await words.input_value() == "One\ntwo"
    await window.runs(
        """document.getElementById("words").dispatchEvent(
          new KeyboardEvent("keydown", {key: "Enter", isComposing: true, bubbles: true}))"""
    )
    assert await words.input_value() == "One\ntwo"
    await words.press("Enter")
    await window.answer("Noted: One")
    assert page.scribe.prompts[0].words == "One\ntwo"
    assert await words.input_value() == ""
    assert await window.runs("document.activeElement.id") == "words"
    await words.press("Enter")
    assert await window.tab.locator("#trouble").inner_text() == page_texts("en")["error_empty"]
    assert len(page.scribe.prompts) == 1


async def test_escape_stops_an_answer_and_the_talk_goes_on(page: Any, open_window: Any) -> None:
    page.scribe.answers["Go."] = ["So far", asyncio.Event()]
    window = await open_window()
    assert await window.tab.locator("#stop").is_hidden()
    await window.say("Go.")
    await window.tab.locator(".theirs", has_text="So far").wait_for()
    await window.picture("writing")
    await window.tab.keyboard.press("Escape")
    await window.tab.locator(".theirs[data-state=stopped]", has_text="Stopped.").wait_for()
    assert await window.tab.locator("#stop").is_hidden()
    await window.say("Again.")
    await window.answer("Noted: Again.")


@pytest.mark.parametrize("language", ["en", "es", "zh"])
async def test_what_waits_for_memory_says_so_and_comes_back_with_escape(
    page: Any, open_window: Any, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    go_on, remember = asyncio.Event(), page.assistant.memory.remember

    async def slowly(*given: Any) -> Any:
        await go_on.wait()
        return await remember(*given)

    monkeypatch.setattr(page.assistant.memory, "remember", slowly)
    texts = page_texts(language)
    window = await open_window(locale=language)
    await window.say("One.")
    await window.answer("Noted: One.")
    await window.tab.locator("#pick").set_input_files(
        files=[{"name": "list.txt", "mimeType": "text/plain", "buffer": b"tea"}]
    )
    await window.tab.locator("#files .named").wait_for()
    await window.say("Two.")
    waiting = window.tab.locator(".own[data-state=waiting]", has_text="Two.")
    await waiting.locator(".note", has_text=texts["remembering"]).wait_for()
    await window.picture(f"remembering-{language}")
    words = window.tab.locator("#words")
    await words.press_sequentially("and more")
    await words.press("Escape")
    await waiting.wait_for(state="hidden")
    assert await words.input_value() == "Two.\nand more"
    await window.tab.locator("#files .named", has_text="list.txt").wait_for()
    await window.tab.locator("#spoken", has_text=texts["taken_back"]).wait_for(state="attached")
    assert await window.tab.locator("#stop").is_hidden()
    go_on.set()
    await words.press("Enter")
    await window.answer("and more")
    assert [prompt.words for prompt in page.scribe.prompts] == ["One.", "Two.\nand more"]
    assert "| tea" in page.scribe.prompts[1].turn


async def test_a_reload_in_the_middle_of_an_answer_loses_nothing(
    page: Any, open_window: Any
) -> None:
    go_on = asyncio.Event()
    page.scribe.answers["Tell me."] = ["First half, ", go_on, "second half."]
    window = await open_window()
    await window.say("Hello.")
    await window.answer("Noted: Hello.")
    await window.say("Tell me.")
    await window.tab.locator(".theirs", has_text="First half,").wait_for()
    await window.tab.reload()
    await window.tab.locator(".theirs[data-state=writing]", has_text="First half,").wait_for()
    go_on.set()
    await window.answer("First half, second half.")
    await page.delivery.idle()
    await window.tab.reload()
    await window.answer("First half, second half.")
    assert await window.tab.locator("#log .own, #log .theirs").count() == 4


async def test_two_tabs_go_on_together(page: Any, open_window: Any) -> None:
    one = await open_window()
    two = await open_window(page.address, context=one.tab.context)
    await two.tab.locator("#words").wait_for()
    await one.say("From the first.")
    await two.answer("Noted: From the first.")
    await two.say("From the second.")
    await one.answer("Noted: From the second.")


async def test_a_page_finds_its_server_again(
    page: Any, open_window: Any, serve: Any, drawer: Any
) -> None:
    window = await open_window(expected="net::ERR")
    await window.say("Before.")
    await window.answer("Noted: Before.")
    await page.delivery.idle()
    port = page.port
    await page.delivery.close(seconds=1)
    banner = window.tab.locator("#banner")
    await banner.filter(has_text="cannot be reached").wait_for()
    await window.say("Meanwhile.")
    await window.tab.locator("#trouble", has_text="was not sent").wait_for()
    assert await window.tab.locator("#words").input_value() == "Meanwhile."
    async with serve(page.assistant, page.scribe, page.clock, drawer, str(port)) as again:
        await banner.wait_for(state="hidden")
        await window.answer("Noted: Before.")
        await window.tab.locator("#send").click()
        await window.answer("Noted: Meanwhile.")
        await again.delivery.idle()
        assert [prompt.words for prompt in page.scribe.prompts] == ["Before.", "Meanwhile."]


async def test_no_text_becomes_markup(page: Any, open_window: Any) -> None:
    window = await open_window()
    for text in NASTY:
        page.scribe.answers[text] = [f"{text}\n\n> {text}\n\n- {text}\n\n`{text}`"]
        await window.say(text)
        await window.tab.locator(".theirs[data-state=done]").nth(NASTY.index(text)).wait_for()
    await window.picture("markup")
    await page.delivery.idle()
    await window.tab.reload()
    await window.tab.locator(".theirs[data-state=done]").nth(len(NASTY) - 1).wait_for()
    inside = "#log :is(script, img, iframe, svg, form, input, object, style)"
    assert await window.tab.locator(inside).count() == 0
    assert await window.runs("window.hacked") is None
    links = await window.runs("[...document.querySelectorAll('#log a')].map((a) => a.href)")
    assert set(links) == {"https://evil.example/x.png", "https://evil.example/"}
    for rel in await window.runs("[...document.querySelectorAll('#log a')].map((a) => a.rel)"):
        assert "noopener" in rel
    assert await window.tab.locator(".own .body").all_inner_texts() == NASTY


@pytest.mark.parametrize(
    "script",
    [
        "document.body.innerHTML = '<b>x</b>'",
        "document.write('x')",
        "document.createElement('script').textContent = 'window.hacked = 1'",
        "document.createElement('iframe').srcdoc = '<b>x</b>'",
    ],
)
async def test_the_browser_itself_would_refuse_to_make_markup_of_a_text(
    open_window: Any, script: str
) -> None:
    window = await open_window(expected="Trusted")
    with pytest.raises(Exception, match="requires 'Trusted"):
        await window.runs(script)


async def test_words_of_every_script_run_their_own_way(page: Any, open_window: Any) -> None:
    arabic, mixed = "أحب الشاي الأخضر كثيرا", "Tea: شاي, 茶, 😀 e\u0301 \u200d"
    page.scribe.answers[arabic] = [f"{arabic}\n\n- {arabic}\n- English"]
    window = await open_window()
    await window.say(arabic)
    answer = await window.answer(arabic)
    directions = """(node) => [...node.querySelectorAll("p, li")].map(
      (one) => getComputedStyle(one).direction)"""
    assert await answer.evaluate(directions) == ["rtl", "rtl", "ltr"]
    own = window.tab.locator(".own .body").first
    assert await own.evaluate("(node) => getComputedStyle(node).direction") == "rtl"
    await window.say(mixed)
    await window.answer("Noted: Tea")
    assert await window.tab.locator(".own .body").last.inner_text() == mixed
    await window.picture("scripts")


async def test_buttons_of_a_reply_say_what_they_stand_for(page: Any, open_window: Any) -> None:
    window = await open_window()
    await window.say("Which?")
    await window.answer("Noted: Which?")
    (conversation,) = page.channel._talks
    part = Part(conversation, "Which one?", buttons=(Button("Green", "green tea"),), key="k-0")
    await page.channel.send(part)
    await window.picture("buttons")
    await window.tab.get_by_role("button", name="Green").click()
    await window.answer("Noted: green tea")


async def test_commands_are_offered_while_one_is_written(page: Any, open_window: Any) -> None:
    window = await open_window()
    words, menu = window.tab.locator("#words"), window.tab.locator("#commands")
    await words.press_sequentially("/")
    assert await menu.locator("[role=option]").count() == 2
    await window.picture("commands")
    await words.press("ArrowDown")
    assert "/memory" in await menu.locator("[aria-selected=true]").inner_text()
    field = window.tab.get_by_role("combobox", expanded=True)
    assert await field.get_attribute("id") == "words"
    assert await field.get_attribute("aria-controls") == "commands"
    assert await field.get_attribute("aria-activedescendant") == "command-1"
    await words.press("Tab")
    assert await words.input_value() == "/memory "
    assert await menu.is_hidden()
    await window.tab.locator(
        "textarea#words:not([role], [aria-controls], [aria-expanded])"
    ).wait_for()
    await words.fill("/me")
    await words.press("Escape")
    assert await menu.is_hidden()
    await words.fill("/help")
    await words.press("Enter")
    await window.answer("/memory")
    await words.fill("/etc/hosts is wrong")
    assert await menu.is_hidden()


async def test_a_new_conversation_begins_with_an_empty_page(page: Any, open_window: Any) -> None:
    window = await open_window()
    await window.say("Hello.")
    await window.answer("Noted: Hello.")
    await window.tab.get_by_role("button", name="New conversation").click()
    await window.tab.locator("#hello").wait_for()
    assert await window.tab.locator("#log .own").count() == 0


async def test_an_answer_is_read_aloud_once_it_is_whole(page: Any, open_window: Any) -> None:
    go_on = asyncio.Event()
    page.scribe.answers["Tell me."] = ["One ", go_on, "two."]
    window = await open_window()
    spoken = window.tab.locator("#spoken")
    await window.say("Tell me.")
    await spoken.filter(has_text="Tea is writing").wait_for(state="attached")
    go_on.set()
    await spoken.filter(has_text=re.compile("^Tea: One two.$")).wait_for(state="attached")
    assert await spoken.get_attribute("aria-live") == "polite"
    assert await window.tab.locator("#log").get_attribute("aria-live") == "off"


async def test_who_reads_far_above_is_left_there_and_shown_the_way_down(
    page: Any, open_window: Any
) -> None:
    page.scribe.answers["Long."] = ["\n\n".join(f"Line {n}." for n in range(80))]
    window = await open_window()
    await window.say("Long.")
    await window.answer("Line 79.")
    scroll = window.tab.locator("#scroll")
    at_end = "(node) => node.scrollHeight - node.scrollTop - node.clientHeight < 2"
    assert await scroll.evaluate(at_end)
    await scroll.evaluate("(node) => node.scrollTo(0, 0)")
    await window.tab.get_by_role("button", name="To the latest").wait_for()
    (conversation,) = page.channel._talks
    await page.channel.send(Part(conversation, "News.", key="k-1"))
    await window.answer("News.")
    assert await scroll.evaluate("(node) => node.scrollTop") == 0
    await window.tab.get_by_role("button", name="To the latest").click()
    assert await scroll.evaluate(at_end)


async def turn(window: Any, *, hidden: bool) -> None:
    """Have the browser say that a tab went behind another, or came back."""
    await window.runs(
        f"Object.defineProperty(document, 'hidden', {{value: {str(hidden).lower()}, "
        "configurable: true}); document.dispatchEvent(new Event('visibilitychange'))"
    )


async def test_any_number_of_tabs_may_stand_behind_the_one_in_sight(
    page: Any, open_window: Any
) -> None:
    first = await open_window()
    tabs = [first]
    for _ in range(7):
        await turn(tabs[-1], hidden=True)
        tabs.append(await open_window(page.address, context=first.tab.context))
        await tabs[-1].tab.locator("#words").wait_for()
    await tabs[-1].say("My tea is oolong.")
    await tabs[-1].answer("oolong")
    await turn(first, hidden=False)
    await first.answer("oolong")
