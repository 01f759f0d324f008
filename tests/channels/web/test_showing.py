"""A talk as the page gets it, from what memory has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cloche.channels import Past
from cloche.testing import FakeClock
from cloche_channels.web.items import Item
from cloche_channels.web.routes import LEAST_SECONDS, MOST_SECONDS, rest_after
from cloche_channels.web.showing import changes, set_out, snapshot
from cloche_channels.web.talks import Talk
from cloche_channels.web.uploads import Uploads

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Remembers:
    def __init__(self, *past: Past) -> None:
        self.past = past

    async def history(self, conversation: str) -> Sequence[Past]:
        return self.past


async def told(talk: Talk, desk: Any) -> list[dict[str, Any]]:
    """The items of a whole talk, as a page reads them."""
    line, _ = set_out(await snapshot(talk, desk, "c"))
    items: list[dict[str, Any]] = json.loads(line)["items"]
    return items


async def test_a_reminder_that_came_by_itself_answers_no_words() -> None:
    talk = Talk(FakeClock(), Uploads())
    rows = [Past(AT, *one) for one in (("hello", "Hello."), ("", "⏰ post the letters"), ("", ""))]
    shown = await told(talk, Remembers(*rows))
    assert [(item["own"], item["text"]) for item in shown] == [
        (True, "hello"),
        (False, ""),
        (False, ""),
        (True, ""),
        (False, ""),
    ]


async def test_what_came_with_words_keeps_its_name() -> None:
    past = Past(AT, "", "A bed.", ("bed.png", ""))
    said, answered = await told(Talk(FakeClock(), Uploads()), Remembers(past))
    assert [(one["name"], one["type"]) for one in said["files"]] == [("bed.png", ""), ("", "")]
    assert (said["own"], answered["state"]) == (True, "done")


async def test_a_turn_that_ends_while_memory_is_read_is_shown() -> None:
    """What the page lets go of then, this reading of memory does not have yet."""
    talk = Talk(FakeClock(), Uploads())
    talk.items += [
        Item("said", True, AT, "My tea is oolong."),
        Item("answer", False, AT, "Noted."),
    ]

    class Late(Remembers):
        async def history(self, conversation: str) -> Sequence[Past]:
            before = self.past
            self.past = (Past(AT, "My tea is oolong.", "Noted."),)
            talk.drop([*talk.items])
            self.history = super().history  # type: ignore[method-assign]
            return before

    own, answer = await told(talk, Late())
    assert (own["text"], answer["body"]) == ("My tea is oolong.", [["p", {}, "Noted."]])


@given(st.floats(0, 1e6))
def test_a_page_is_never_kept_waiting_for_long(seconds: float) -> None:
    assert LEAST_SECONDS <= rest_after(seconds) <= MOST_SECONDS


def test_the_more_work_an_answer_is_the_less_often_it_is_shown() -> None:
    assert rest_after(0.0001) == LEAST_SECONDS < rest_after(0.02) < rest_after(0.05) < MOST_SECONDS


def test_a_longer_answer_counts_as_more_work() -> None:
    item = Item("answer", False, AT, "Water the **bed**.\n\n" * 2_000)
    short = Item("answer", False, AT, "Water the **bed**.")
    assert (
        set_out(changes(Talk(FakeClock(), Uploads()), [item]))[1]
        > 5 * set_out(changes(Talk(FakeClock(), Uploads()), [short]))[1]
    )
