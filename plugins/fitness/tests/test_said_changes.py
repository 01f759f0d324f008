"""Reminders cancelled, moved and put off, and two requests at once, as people say it each day."""

from __future__ import annotations

import tomllib
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.messages import Address, Message
from cloche.plugins import Host
from cloche.reminders.reminder import Place, Reminder
from cloche.reminders.schedule import Calendar, Once
from cloche.settings import EmbeddingSettings, Settings

SAID = tomllib.loads(Path(__file__).with_name("said_changes.toml").read_text(encoding="utf-8"))
OSLO = ZoneInfo("Europe/Oslo")
NOW = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)  # a Wednesday, ten in Oslo
ONCE = {
    "tomatoes": datetime(2026, 3, 7, 9, 0, tzinfo=OSLO),
    "plumber": datetime(2026, 3, 5, 17, 0, tzinfo=OSLO),
    "stretch": datetime(2026, 3, 6, 20, 0, tzinfo=OSLO),
}
WEEKLY = Calendar("FREQ=WEEKLY;BYDAY=MO;BYHOUR=7;BYMINUTE=30", datetime(2026, 3, 2), "Europe/Oslo")
_NUMBERS = count()


@pytest.fixture
async def coach(tmp_path: Path, installed: Host) -> AsyncIterator[Assistant]:
    settings = Settings(
        home=tmp_path, time_zone="Europe/Oslo", embeddings=EmbeddingSettings(provider="none")
    )
    one = await open_assistant(installed, "fitness", settings, clock=lambda: NOW)
    yield one
    await one.close()


def kinds() -> Iterator[tuple[str, str]]:
    for language, said in SAID.items():
        for kind in said:
            if kind != "standing":
                yield language, kind


async def come_of(coach: Assistant, language: str, kind: str, said: str) -> tuple[list[str], str]:
    """What a person's words did, and what was answered."""
    sender = f"p{next(_NUMBERS)}"
    address = Address("console", sender)
    actor = f"console_-{sender}"
    store = coach.memory.reminders
    await coach.handle(Message(f"{next(_NUMBERS)}", address, sender, "/timezone Europe/Oslo"))
    names = SAID[language]["standing"]
    before = {}
    for at, (name, text) in enumerate(names.items()):
        schedule = Once(ONCE[name].astimezone(UTC), "Europe/Oslo") if name in ONCE else WEEKLY
        place = Place("console", sender, sender)
        one = Reminder(f"{at:06x}", actor, place, text, language, schedule, NOW)
        await store.put(one)
        before[one.id] = (name, one)
    turn = await coach.handle(Message(f"{next(_NUMBERS)}", address, sender, said))
    await turn.afterwards()
    after = {one.id: one for one in await store.list(actor)}
    done = []
    for id_, (name, one) in before.items():
        if id_ not in after:
            done.append(f"cancelled {name}")
        elif after[id_].schedule != one.schedule:
            done.append(f"moved {name} {first(after[id_])}")
    done += [f"set {one.text} {first(one)}" for id_, one in after.items() if id_ not in before]
    logged = [use.ok for use in turn.report.tool_uses if use.tool == "log_workout"]
    done += ["logged"] * (True in logged)
    if kind == "two_requests":  # what a tool keeps is not remembered as a fact as well
        records = await coach.memory.store.iterate(actor)
        done += ["noted"] * any(one.kind not in ("summary", "task_state") for one in records)
    return done, turn.reply.text


def first(one: Reminder) -> str:
    return f"{one.coming(1)[0].astimezone(OSLO):%Y-%m-%dT%H:%M}"


def same(done: list[str], expected: list[str]) -> bool:
    """Whether it is what was to come of it; of a reminder's text, the words that tell it."""
    if len(done) != len(expected):
        return False
    return all(any(_fits(one, wanted) for one in done) for wanted in expected)


def _fits(one: str, wanted: str) -> bool:
    deed, _, rest = wanted.partition(" ")
    text, _, at = rest.rpartition(" ")
    return one == wanted or (
        deed == "set" and one.startswith("set ") and text in one and one.endswith(at)
    )


@pytest.mark.parametrize(("language", "kind"), list(kinds()))
async def test_what_is_said_is_done_or_asked_about(
    coach: Assistant, language: str, kind: str
) -> None:
    wrong = {}
    for said, expected in SAID[language][kind].items():
        done, answer = await come_of(coach, language, kind, said)
        if not same(done, expected):
            wrong[said] = (done, answer)
    assert wrong == {}


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [
        ("en", "cancel the plumber reminder and blorp the frobnicator", "“blorp the frobnicator”"),
        ("en", "move the tomatoes to Sunday and blorp the frobnicator", "“blorp the frobnicator”"),
        ("en", "Push the plumber back an hour. Can you blorp it?", "“Can you blorp it?”"),
        ("en", "my dog is Rex and remind me at 8 pm to walk him", "I'll remember: “my dog is Rex”"),
        ("es", "cancela el recordatorio del fontanero y blorpea el bidón", "«blorpea el bidón»"),
        ("zh", "取消水管工的提醒，还有布洛普一下弗罗布", "“布洛普一下弗罗布”"),
    ],
)
async def test_what_was_not_understood_beside_a_request_is_said(
    coach: Assistant, language: str, said: str, told: str
) -> None:
    done, answer = await come_of(coach, language, "said", said)
    assert len(done) == 1
    assert told in answer


@pytest.mark.parametrize("language", list(SAID))
def test_there_are_forty_of_them_in_each_language(language: str) -> None:
    kinds = ("by_time", "by_amount", "without_the_word", "two_requests")
    assert sum(len(SAID[language][kind]) for kind in kinds) >= 40
