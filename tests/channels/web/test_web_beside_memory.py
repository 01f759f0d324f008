"""The next turn beside what follows the one before: no page loses what memory does not have yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def remembering(page: Any, monkeypatch: pytest.MonkeyPatch) -> list[asyncio.Event]:
    """What is remembered of each turn waits for its event; the next turn waits for none of it."""
    monkeypatch.setattr("cloche.delivery.conversations.FOLLOWS_SECONDS", 0.0)
    memory, held = page.assistant.memory, [asyncio.Event(), asyncio.Event()]
    remember, turn = memory.remember, iter(held)

    async def later(*given: Any) -> Any:
        await next(turn).wait()
        return await remember(*given)

    monkeypatch.setattr(memory, "remember", later)
    return held


async def test_a_turn_that_is_remembered_takes_nothing_of_the_next_one_with_it(
    ana: Any, remembering: list[asyncio.Event], words_of: Callable[..., str]
) -> None:
    first, second = remembering
    go_on = asyncio.Event()
    ana.page.scribe.answers["My kettle is blue."] = ["Noted", go_on, "."]
    async with ana.follow() as tab:
        await ana.say("My tea is oolong.")
        await tab.until(lambda item: words_of(item["body"]) == "Noted: My tea is oolong.")
        await ana.say("My kettle is blue.")
        await tab.until(lambda item: words_of(item["body"]) == "Noted")
        talk = ana.page.channel.talk(ana.conversation)
        first.set()
        while len(talk.turns) == 2:
            await asyncio.sleep(0)
        everything = ["My tea is oolong.", "Noted: My tea is oolong.", "My kettle is blue."]
        assert await ana.said() == [*everything, "Noted"]
        go_on.set()
        await tab.until(lambda item: words_of(item["body"]) == "Noted.")
        assert await ana.said() == [*everything, "Noted."]
        second.set()
        await ana.settled()
    assert await ana.said() == [*everything, "Noted."]
    assert talk.items == []
