"""The page in a real browser: what a person sees, hears and does with the keyboard."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ROOT = Path(__file__).parents[3]
ARTEFACTS = ROOT / ".cache" / "web-pictures"
CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.skipif(
        CHROMIUM is None and os.environ.get("CI", "") != "true",
        reason="there is no chromium here (Debian: apt install chromium)",
    ),
]


@pytest.fixture
async def chromium() -> AsyncIterator[Any]:
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        await browser.close()


@pytest.fixture
async def open_window(chromium: Any, page: Any) -> AsyncIterator[Callable[..., Any]]:
    """Opens the page in a browser of its own, let in by the link; no fault may be reported there."""
    faults: list[str] = []
    contexts = []

    async def open_(entering: bool = True, **options: Any) -> Any:
        options = {"locale": "en-GB", "viewport": {"width": 1100, "height": 760}} | options
        context = await chromium.new_context(timezone_id="UTC", **options)
        contexts.append(context)
        context.set_default_timeout(10_000)
        window = await context.new_page()
        window.on("pageerror", lambda error: faults.append(str(error)))
        window.on(
            "console", lambda said: faults.append(said.text) if said.type == "error" else None
        )
        await window.goto(page.link if entering else page.address)
        if entering:
            await window.locator("#words").wait_for()
        return window

    yield open_
    for context in contexts:
        await context.close()
    assert faults == []


async def picture(window: Any, name: str) -> None:
    """Keep what is seen, for whoever wants to look."""
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    await window.screenshot(path=ARTEFACTS / f"{name}.png")


async def say(window: Any, text: str) -> None:
    await window.locator("#words").fill(text)
    await window.locator("#words").press("Enter")


async def test_looks(open_window: Any, page: Any) -> None:
    window = await open_window()
    await picture(window, "hello")
    page.scribe.answers["What do you know about my bed?"] = [
        "You told me about it **on 4 March**:\n\n- It is made of Corten steel and drains fast.\n"
        "- Mexican petunias grow there.\n\nIn the last heat wave they suffered, so I would water "
        "in the *early morning* and mulch with straw. See https://example.org/mulch for how.\n\n"
        "| Plant | Water |\n|---|---:|\n| Petunia | 2 l |\n| Fig | 5 l |\n\n```sh\necho hi\n```\n\n> quote"
    ]
    await say(window, "We have Mexican petunias in a Corten steel bed.")
    await window.locator(".theirs .body").first.wait_for()
    await say(window, "What do you know about my bed?")
    await window.locator(".theirs table").wait_for()
    await picture(window, "chat-light")
    await window.emulate_media(color_scheme="dark")
    await picture(window, "chat-dark")
    await window.locator("[data-view=memory]").click()
    await window.locator(".record").first.wait_for()
    await picture(window, "memory-dark")
    await window.emulate_media(color_scheme="light")
    await picture(window, "memory-light")
    await window.set_viewport_size({"width": 390, "height": 780})
    await picture(window, "memory-phone")
    await window.locator("[data-view=chat]").click()
    await picture(window, "chat-phone")
