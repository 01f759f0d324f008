"""A talk as the page gets it, from what memory has."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from cloche.testing import FakeClock
from cloche_channels.web.showing import snapshot
from cloche_channels.web.talks import Talk
from cloche_channels.web.uploads import Uploads

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Remembers:
    async def history(self, conversation: str) -> Sequence[tuple[datetime, str, str]]:
        return [(AT, "hello", "Hello."), (AT, "", "⏰ post the letters"), (AT, "", "")]


async def test_a_reminder_that_came_by_itself_answers_no_words() -> None:
    talk = Talk(FakeClock(), Uploads())
    shown: Any = await snapshot(talk, Remembers(), "c")  # type: ignore[arg-type]
    assert [(item["own"], item["text"]) for item in shown["items"]] == [
        (True, "hello"),
        (False, ""),
        (False, ""),
        (True, ""),
        (False, ""),
    ]
