"""``/memory`` and ``/why`` in three languages."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.backup import make_backup, restore_backup, restoring, unfinished
from cloche.language import detect
from cloche.memory.local.schema import MIGRATIONS as MEMORY
from cloche.memory.truth.relations import Rule
from cloche.memory.why_in_words import RULES, rule_in_words
from cloche.messages import Address, Message
from cloche.settings import load_settings
from cloche.state.sqlite import MIGRATIONS as STATE
from cloche.texts import languages, say

if TYPE_CHECKING:
    from conftest import Site

ANA = Address("console", "ana")
NUMBERS = itertools.count()
SIDE_BY_SIDE = {"other_person", "other_value", "other", "unsure"}
"""Codes of two statements that both hold: these replace nothing."""


class Talk:
    """Sends messages on a day."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)
        self.assistant: Assistant | None = None

    def clock(self) -> datetime:
        return self.now

    async def __call__(self, text: str, *, group: bool = False) -> str:
        assert self.assistant is not None
        self.now += timedelta(minutes=1)
        place = "family" if group else "ana"
        turn = await self.assistant.handle(
            Message(str(next(NUMBERS)), ANA, place, text, group=group)
        )
        await turn.afterwards()
        return turn.reply.text


@pytest.fixture
async def talk(site: Site, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Talk]:
    site.assistant("tea")
    monkeypatch.setenv("CLOCHE_TIME_ZONE", "UTC")
    monkeypatch.setenv("CLOCHE_EMBEDDINGS__PROVIDER", "none")
    talk = Talk()
    talk.assistant = await open_assistant(
        site.host(("tea",)), "tea", load_settings(), clock=talk.clock
    )
    yield talk
    await talk.assistant.close()


@pytest.mark.parametrize(
    ("language", "told", "words", "said"),
    [
        (
            "en",
            "My dog is called Trufa.",
            "/why dog",
            ["I have that from 3 March 2026: “My dog is called Trufa.”", "You wrote it."],
        ),
        (
            "es",
            "Mi perro se llama Trufa.",
            "/porqué perro",
            ["Lo sé desde el 3 de marzo de 2026: «Mi perro se llama Trufa.»", "Lo escribiste tú."],
        ),
        (
            "zh",
            "我的狗叫豆豆。",
            "/为什么 狗",
            ["这是你在2026年3月3日说的：“我的狗叫豆豆。”", "是你写的。"],
        ),
    ],
)
async def test_why_says_from_when_and_whom_in_the_persons_language(
    talk: Talk, language: str, told: str, words: str, said: list[str]
) -> None:
    await talk(f"/language {language}")
    await talk(told)
    talk.now += timedelta(days=30)
    answer = await talk(words)
    for one in said:
        assert one in answer
    assert say("why_unused", language) in answer


@pytest.mark.parametrize(
    ("language", "first", "second", "rule"),
    [
        ("en", "I love oolong.", "I hate oolong.", "why_rule_liking"),
        ("es", "Me encanta el té verde.", "Odio el té verde.", "why_rule_liking"),
        ("zh", "我喜欢绿茶。", "我讨厌绿茶。", "why_rule_liking"),
    ],
)
async def test_why_tells_what_was_replaced_and_by_which_rule(
    talk: Talk, language: str, first: str, second: str, rule: str
) -> None:
    await talk(f"/language {language}")
    await talk(first)
    await talk(second)
    listed = await talk("/memory")
    id_ = listed.split("`")[1]
    answer = await talk(f"/why {id_}")
    assert second.rstrip(".。") in answer
    assert first.rstrip(".。") in answer
    assert say(rule, language) in answer
    history = await talk("/memory all")
    assert say("command_memory_was", language) in history
    assert say("command_memory_was", language) not in listed
    assert say("command_memory_ended", language, count=1) in listed


async def test_why_alone_lists_what_the_last_answer_rested_on(talk: Talk) -> None:
    assert await talk("/why") == say("why_last_none", "en")
    await talk("My dog is called Trufa.")
    await talk("What is my dog called?")
    answer = await talk("/why")
    assert "3 March 2026" in answer
    assert "Trufa" in answer
    used = await talk("/why dog")
    assert say("why_used", "en", count=1) in used
    assert "- 3 March 2026: What is my dog called?" in used


@pytest.mark.parametrize(
    ("told", "until"),
    [
        ("I am on holiday until Friday.", "(until 6 March 2026)"),
        ("Estoy de vacaciones hasta el viernes.", "(hasta el 6 de marzo de 2026)"),
        ("我休假到周五为止。", "6日"),
    ],
)
@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"])
async def test_until_names_the_last_day_that_counts(
    talk: Talk, told: str, until: str, zone: str
) -> None:
    await talk(f"/timezone {zone}")
    await talk(told)
    assert until in await talk("/memory")


@pytest.mark.parametrize(
    ("told", "commands"),
    [
        ("Mi perro se llama Trufa.", ["/memory", "/forget all", "/why my dog and the cat", "/new"]),
        ("我的狗叫豆豆。", ["/memory", "/forget all", "/why my dog and the cat", "/new"]),
        ("My dog is called Trufa.", ["/memoria", "/olvidar todo", "/记忆"]),
    ],
)
async def test_a_commands_words_do_not_change_the_language(
    talk: Talk, told: str, commands: list[str]
) -> None:
    """Its name does, when it is in that language; and then for that answer alone."""
    spoke = "es" if told.startswith("Mi") else "en" if told.startswith("My") else "zh"
    await talk(told)
    for command in commands:
        answer = await talk(command)
        name = command.split()[0]
        expected = {"/memoria": "es", "/olvidar": "es", "/记忆": "zh"}.get(name, spoke)
        assert (
            detect(answer.replace("/forget all", "").replace("my dog and the cat", "")) == expected
        )
    assert await talk("/help") == await talk("/help")
    assert say("command_help", spoke) in await talk("/help")


async def test_what_was_merely_at_hand_is_counted_and_not_named(talk: Talk) -> None:
    await talk("My dog is called Trufa.")
    await talk("I play the lute.")
    await talk("What is my dog called?")
    answer = await talk("/why")
    assert "Trufa" in answer
    assert "lute" not in answer
    assert say("why_last_at_hand", "en", count=1) in answer
    lute = await talk("/why lute")
    assert say("why_unused", "en") in lute
    assert say("why_at_hand", "en", count=1) in lute


async def test_what_is_known_in_every_turn_is_named_with_those_that_asked_for_it(
    talk: Talk,
) -> None:
    await talk("I prefer green tea.")
    await talk("/new")
    for _ in range(3):
        await talk("Good morning!")
    await talk("Which tea do I prefer?")
    told = await talk("/why green tea")
    assert say("why_used", "en", count=1) in told
    assert "Which tea do I prefer?" in told
    assert "Good morning!" not in told
    assert say("why_at_hand", "en", count=3) in told


@pytest.mark.parametrize(
    ("language", "first", "second", "before", "after"),
    [
        ("en", "The lamp is in the hall.", "No, the lamp is in the attic.", "hall", "attic"),
        (
            "es",
            "La lámpara está en la sala.",
            "No, la lámpara está en la cocina.",
            "sala",
            "cocina",
        ),
        ("zh", "我的灯在客厅。", "不对，我的灯在厨房。", "客厅", "厨房"),
    ],
)
async def test_why_names_what_was_put_for_what(
    talk: Talk, language: str, first: str, second: str, before: str, after: str
) -> None:
    await talk(first)
    await talk(second)
    id_ = (await talk("/memory")).split("`")[1]
    answer = await talk(f"/why {id_}")
    assert (
        f"{before}” → “{after}" in answer
        or f"{before}» → «{after}" in answer
        or (f"{before}”→“{after}" in answer)
    )


async def test_why_is_private_and_knows_what_it_does_not_know(talk: Talk) -> None:
    await talk("My dog is called Trufa.")
    assert await talk("/why dog", group=True) == say("command_private", "en")
    assert await talk("/why bicycles") == say("why_none", "en", words="bicycles")


async def test_memory_flags_what_ends_what_was_repeated_and_what_was_kept_out(talk: Talk) -> None:
    await talk("My dog is called Trufa.")
    await talk("My dog is called Trufa.")
    await talk("I am on holiday until Friday.")
    await talk("My password is hunter2x.")
    listed = await talk("/memory")
    assert "(said 2 times)" in listed
    assert "(until 6 March 2026)" in listed
    assert "Not kept, as ever: secrets (1)." in listed
    assert "hunter2x" not in listed


@pytest.mark.parametrize("language", languages())
def test_every_rule_has_words_of_its_own_in_every_language(language: str) -> None:
    unknown = say("why_rule_unknown", language)
    said = [rule_in_words(rule, language) for rule in RULES]
    assert len(set(said)) == len(RULES)
    assert unknown not in said
    assert set(get_args(Rule)) - SIDE_BY_SIDE <= set(RULES)
    assert rule_in_words("of-a-later-release", language) == unknown


async def test_a_running_assistant_completes_a_restore_that_was_cut_off(
    talk: Talk, tmp_path: Path
) -> None:
    """What is said next is said to what was restored, and so is not lost with the rest."""
    assert talk.assistant is not None
    folder = talk.assistant.folder
    await talk("I drink oolong.")
    make_backup(folder, "tea", tmp_path / "one.zip", talk.now)
    await talk("My dog is called Trufa.")
    migrations = {"memory.db": MEMORY, "state.db": STATE}
    with pytest.MonkeyPatch.context() as killed:
        killed.setattr(restoring, "_complete", _killed)
        with pytest.raises(KeyboardInterrupt):
            restore_backup(folder, "tea", tmp_path / "one.zip", talk.now, migrations=migrations)
    assert unfinished(folder)
    await talk("I play the lute.")
    assert not unfinished(folder)
    listed = await talk("/memory")
    assert "oolong" in listed
    assert "lute" in listed
    assert "Trufa" not in listed


def _killed(folder: Path) -> None:
    raise KeyboardInterrupt
