"""A talk as the page gets it, from what memory has."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from cloche.channels import Past
from cloche.testing import FakeClock
from cloche_channels.web.showing import snapshot
from cloche_channels.web.talks import Talk
from cloche_channels.web.uploads import Uploads

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Remembers:
    def __init__(self, *past: Past) -> None:
        self.past = past

    async def history(self, conversation: str) -> Sequence[Past]:
        return self.past


async def test_a_reminder_that_came_by_itself_answers_no_words() -> None:
    talk = Talk(FakeClock(), Uploads())
    rows = [Past(AT, *one) for one in (("hello", "Hello."), ("", "⏰ post the letters"), ("", ""))]
    shown: Any = await snapshot(talk, Remembers(*rows), "c")  # type: ignore[arg-type]
    assert [(item["own"], item["text"]) for item in shown["items"]] == [
        (True, "hello"),
        (False, ""),
        (False, ""),
        (True, ""),
        (False, ""),
    ]


async def test_what_came_with_words_keeps_its_name() -> None:
    past = Past(AT, "", "A bed.", ("bed.png", ""))
    shown: Any = await snapshot(Talk(FakeClock(), Uploads()), Remembers(past), "c")  # type: ignore[arg-type]
    said, answered = shown["items"]
    assert [(one["name"], one["type"]) for one in said["files"]] == [("bed.png", ""), ("", "")]
    assert (said["own"], answered["state"]) == (True, "done")
