"""Take the pictures of the web page that README shows: a real talk with the stand-in model.

Needs the development environment, an installed assistant and Debian's chromium:
``python docs/pictures/take.py gardening``.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, sync_playwright

FOLDER: Final = Path(__file__).parent
TALK: Final = (
    "We have Mexican petunias in a Corten steel bed.",
    "I never use chemical pesticides.",
    "The bed in the yard drains fast, and the petunias wilted in the heat wave last July.",
    "Do you remember the plants in my garden?",
)
SEEN: Final = "Mexican petunias"
ARGUMENTS: Final = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]


def main(assistant: str) -> None:
    """Serve the assistant in an empty home, talk to it, and look at both views."""
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {
            "CLOCHE_HOME": home,
            "CLOCHE_CHANNELS__WEB__PORT": "0",
            "CLOCHE_MODEL__PROVIDER": "demo",
            "LANG": "C.UTF-8",
        }
        command = ["cloche", "serve", assistant, "--channel", "web", "--as", "Ana"]
        served = subprocess.Popen(  # noqa: S603 (our own command, from this environment)
            command, env=environment, cwd=home, stdout=subprocess.PIPE, text=True
        )
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=shutil.which("chromium"), args=ARGUMENTS
                )
                page = browser.new_page(viewport={"width": 960, "height": 720}, locale="en-GB")
                page.goto(link_of(served))
                look(page)
                browser.close()
        finally:
            served.send_signal(signal.SIGINT)
            served.wait(timeout=30)


def link_of(served: subprocess.Popen[str]) -> str:
    """The link it prints."""
    for line in served.stdout or ():
        if found := re.search(r"http://\S+#enter=\S+", line):
            return found[0]
    raise SystemExit("no link was printed")


def look(page: Page) -> None:
    """Talk, then take both pictures."""
    for number, words in enumerate(TALK):
        page.locator("#words").fill(words)
        page.locator("#words").press("Enter")
        page.locator(".theirs[data-state=done]").nth(number).wait_for()
    page.locator(".theirs", has_text=SEEN).last.wait_for()
    page.screenshot(path=FOLDER / "web-chat.png")
    page.locator("[data-view=memory]").click()
    page.locator(".record").first.wait_for()
    page.locator(".record").first.get_by_role("button", name="Why").click()
    page.locator(".why").first.wait_for()
    page.screenshot(path=FOLDER / "web-memory.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
