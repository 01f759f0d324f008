"""A talk through the page: sent, shown while it is written, reloaded, stopped, in two tabs."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from typing import Any

import pytest

SAID = {
    "en": "My tea is oolong.",
    "es": "Mi té favorito es el verde.",
    "zh": "我喜欢喝乌龙茶。",
    "rtl": "أحب الشاي الأخضر",
}


def done(item: dict[str, Any]) -> bool:
    return not item["own"] and item["state"] == "done"


@pytest.mark.parametrize("language", SAID)
async def test_words_are_answered_and_shown_as_they_are_written(
    ana: Any, words_of: Callable[..., str], language: str
) -> None:
    go_on = asyncio.Event()
    ana.page.scribe.answers[SAID[language]] = ["**I** ", go_on, "know."]
    async with ana.follow() as tab:
        assert (await tab.next())["items"] == []
        assert (await ana.say(SAID[language])).status == 200
        own = await tab.until(lambda item: item["own"] and item["state"] == "done")
        assert own["text"] == SAID[language]
        half = await tab.until(lambda item: item["body"] and item["state"] == "writing")
        assert words_of(half["body"]) == "I"
        go_on.set()
        whole = await tab.until(done)
        assert whole["body"] == [["p", {}, ["strong", {}, "I"], " know."]]
