"""Slash commands: answered without a model, in three languages, for the person who asks."""

from __future__ import annotations

import itertools
import platform
import re
import stat
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.chat_commands import NAMES, Command, parse_command
from cloche.errors import MemoryUnavailableError
from cloche.ids import actor_id
from cloche.memory.records import Event, MemoryRecord, Source, Validity
from cloche.messages import Address, Message
from cloche.settings import load_settings
from cloche.texts import languages, say

if TYPE_CHECKING:
    from conftest import Site

ANA, BEN = Address("console", "ana"), Address("console", "ben")
UPDATES = itertools.count()


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 3, 22, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class Talk:
    """Sends messages to an assistant, and answers with its text."""

    def __init__(self, assistant: Assistant, clock: Clock) -> None:
        self.assistant, self.clock = assistant, clock
        self.memory = assistant.memory

    async def __call__(self, text: str, address: Address = ANA, *, group: bool = False) -> str:
        conversation = "family" if group else address.sender
        message = Message(str(next(UPDATES)), address, conversation, text, group=group)
        turn = await self.assistant.handle(message)
        await turn.afterwards()
        assert turn.report.usage.calls == 0, "a command asks no model"
        return turn.reply.text

    async def session(self) -> str:
        return (await self.assistant.people.of(Message("m", ANA, "ana", ""))).session

    async def keep(self, number: int, text: str, address: Address = ANA, **changes: object) -> str:
        """Store a record; its short id."""
        actor, now = actor_id(address), self.clock()
        record = MemoryRecord(
            f"mem-{number:08x}-0000", actor, "long_term", "fact", text, Source(), Validity(now, now)
        )
        await self.memory.store.write(replace(record, **changes))  # type: ignore[arg-type]
        return f"{number:08x}"

    async def texts(self, address: Address = ANA) -> set[str]:
        return {record.text for record in await self.memory.store.iterate(actor_id(address))}


@pytest.fixture
async def talk(site: Site, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Talk]:
    site.assistant("tea")
    monkeypatch.setenv("CLOCHE_TIME_ZONE", "UTC")
    clock = Clock()
    assistant = await open_assistant(site.host(("tea",)), "tea", load_settings(), clock=clock)
    yield Talk(assistant, clock)
    await assistant.close()


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/help", Command("help")),
        (" /HELP ", Command("help")),
        ("／help", Command("help")),
        ("／ＭＥＭＯＲＹ", Command("memory")),
        ("/memoria", Command("memory", language="es")),
        ("/记忆", Command("memory", language="zh")),
        ("/Forget  all abc", Command("forget", "all abc")),
        ("/help@my_bot", Command("help")),
        ("/timezone\nEurope/Oslo", Command("timezone", "Europe/Oslo")),
        ("/hepl", Command("hepl")),
        ("/forget all `k3mf9x`", Command("forget", "all k3mf9x")),
        ("/olvidar `todo` ``k3mf9x``", Command("forget", "todo k3mf9x", "es")),
        ("/忘记 `k3mf9x`", Command("forget", "k3mf9x", "zh")),
        ("/forget the a`b and `two words`", Command("forget", "the a`b and `two words`")),
    ],
)
def test_a_slash_and_a_word_is_a_command(text: str, command: Command) -> None:
    assert parse_command(text) == command


@pytest.mark.parametrize(
    "text",
    ["", "/", "help", "/etc/hosts is wrong", "/ help", "//help", "a /help", "/help_me", "/!"],
)
def test_other_words_are_no_command(text: str) -> None:
    assert parse_command(text) is None


@given(st.text(st.characters(exclude_characters="`")))
def test_no_text_breaks_the_parser(text: str) -> None:
    parse_command(text)
    parsed = parse_command(f"/help {text}")
    assert parsed == Command("help", text.strip())


@pytest.mark.parametrize(
    ("said", "near"), [("/hepl", "help"), ("/memorai", "memory"), ("/olvdar", "forget")]
)
async def test_an_unknown_command_gets_the_nearest_name(talk: Talk, said: str, near: str) -> None:
    assert f"/{near}?" in await talk(said)


@pytest.mark.parametrize("said", ["xyzzyplugh", "bogus", "nada", "hola"])
async def test_a_command_near_nothing_gets_a_pointer_to_help(talk: Talk, said: str) -> None:
    assert await talk(f"/{said}") == say("command_unknown", "en", name=said)


@pytest.mark.parametrize(
    ("language", "said", "near"), [("es", "/olvdar", "olvidar"), ("zh", "/帮住", "帮助")]
)
async def test_the_nearest_name_is_told_in_the_persons_language(
    talk: Talk, language: str, said: str, near: str
) -> None:
    await talk(f"/language {language}")
    assert f"/{near}" in await talk(said)


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "in your own words"), ("es", "con tus palabras"), ("zh", "自己的话")],
)
async def test_forget_says_that_one_can_say_it_in_words(
    talk: Talk, language: str, words: str
) -> None:
    await talk(f"/language {language}")
    assert words in await talk("/forget")
    assert words in await talk("/help")


async def test_the_consoles_own_commands_are_on_its_list(talk: Talk) -> None:
    assert ANA.channel == "console"
    told = await talk("/help")
    assert "`/quit`" in told
    assert "`/image FILE`" in told


async def test_help_lists_every_command_in_the_persons_language(talk: Talk) -> None:
    english = await talk("/help")
    for name in NAMES:
        assert f"`/{name}" in english
    await talk("/language español")
    assert say("command_help", "es") in await talk("/help")
    await talk("/language 中文")
    assert say("command_help", "zh") in await talk("/帮助")


async def test_memory_shows_what_is_remembered_by_kind_with_day_and_id(talk: Talk) -> None:
    await talk("/timezone Asia/Shanghai")
    fact = await talk.keep(1, "Tengo un bonsái\nviejo", subject="bonsái")
    rule = await talk.keep(2, "只喝绿茶", kind="rule", source=Source(stated=False))
    gone = await talk.keep(3, "archived")
    await talk.memory.store.archive(actor_id(ANA), "mem-00000003-0000", talk.clock())
    await talk.keep(4, "expired", validity=Validity(talk.clock(), talk.clock(), talk.clock()))
    await talk.keep(5, "Ben's own", BEN)
    shown = await talk("/memory")
    # 22:30 in UTC is the day after in Shanghai.
    assert f"- `{fact}` 2026-03-04 bonsái: Tengo un bonsái viejo" in shown
    assert f"- `{rule}` 2026-03-04 只喝绿茶 (inferred)" in shown
    assert say("command_memory_count", "en", count=2) in shown
    assert shown.index("**Rules** (1)") < shown.index("**Facts** (1)")
    assert gone not in shown
    assert "expired" not in shown
    assert "Ben" not in shown


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "Good morning to you"), ("es", "Buenos días a todos"), ("zh", "早上好")],
)
async def test_a_command_is_answered_in_the_language_last_spoken(
    talk: Talk, language: str, words: str
) -> None:
    message = Message("m", ANA, "ana", words)
    await talk.assistant.people.heard(await talk.assistant.people.of(message), message)
    assert await talk("/memory") == say("command_memory_empty", language)
    assert await talk("/memory", BEN) == say("command_memory_empty", "en")


async def test_memory_of_nobody_known_is_empty(talk: Talk) -> None:
    assert await talk("/memory") == say("command_memory_empty", "en")


async def test_memory_shows_the_newest_hundred_and_counts_the_others(talk: Talk) -> None:
    for number in range(103):
        at = talk.clock() + timedelta(minutes=number)
        await talk.keep(number, f"note {number:03}", validity=Validity(at, at))
    shown = await talk("/memory")
    assert "note 102" in shown
    assert "note 003" in shown
    assert "note 002" not in shown
    assert say("command_memory_more", "en", count=3) in shown


async def test_memory_tells_what_waits_to_be_written(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def down(event: Event) -> None:
        raise MemoryUnavailableError("down", cause="io")

    monkeypatch.setattr(talk.memory.store, "add_event", down)
    event = Event("t1", actor_id(ANA), "s", "c", talk.clock(), "hi", None)
    await talk.memory.writer.add_event(event)
    assert say("command_memory_waiting", "en", count=1) in await talk("/memory")
    assert say("command_memory_waiting", "en", count=1) not in await talk("/memory", BEN)


async def test_forget_removes_the_one_record_whose_id_begins_so(talk: Talk) -> None:
    await talk.keep(0x12345678, "wrong")
    await talk.keep(0x12349999, "right")
    await talk.keep(0x12345678, "of Ben", BEN)
    assert await talk("/forget 1234") == say("command_forget_several", "en", id="1234", count=2)
    assert await talk("/forget 12345678") == say("command_forgotten", "en", text="wrong")
    assert await talk.texts() == {"right"}
    assert await talk.texts(BEN) == {"of Ben"}
    assert await talk("/forget 12345678") == say("command_forget_none", "en", id="12345678")
    assert await talk("/forget") == say("command_forget_how", "en")


async def test_forget_all_needs_the_word_it_gave_and_only_once(talk: Talk) -> None:
    await talk.keep(1, "one")
    await talk.keep(2, "two", BEN)
    await talk("/language es")
    asked = await talk("/forget all")
    assert await talk.texts() == {"one"}
    assert "recuerdos: 1," in asked
    code = re.findall(r"`/olvidar todo (\w+)`", asked)[0]
    assert await talk.texts() == {"one"}
    wrong = await talk("/forget all wrong1")
    assert await talk.texts() == {"one"}
    assert code not in wrong, "a wrong word makes the old one worthless"
    code = re.findall(r"`/olvidar todo (\w+)`", wrong)[0]
    assert "he borrado: recuerdos: 1," in await talk(f"/forget ALL {code.upper()}")
    assert await talk.texts() == set()
    assert await talk.texts(BEN) == {"two"}
    prefix = f"person/{actor_id(ANA)}/"
    assert not await talk.memory.state.list_items(prefix)
    await talk.keep(3, "new")
    assert "`/forget all " in await talk(f"/forget all {code}")
    assert await talk.texts() == {"new"}


async def test_the_word_to_forget_all_is_somebodys_own_and_gets_too_old(talk: Talk) -> None:
    await talk.keep(1, "one")
    code = re.findall(r"`/forget all (\w+)`", await talk("/forget all"))[0]
    await talk(f"/forget all {code}", BEN)
    assert await talk.texts() == {"one"}
    talk.clock.now += timedelta(minutes=11)
    await talk(f"/forget all {code}")
    assert await talk.texts() == {"one"}


def read_private(path: Path) -> str:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    return path.read_text(encoding="utf-8")


async def test_export_writes_a_private_file_and_says_where(talk: Talk, tmp_path: Path) -> None:
    await talk.keep(1, "mi bonsái")
    said = await talk("/export")
    path = Path(re.findall(r"\S+\.jsonl", said)[0])
    assert path.parent == talk.assistant.folder / "exports"
    assert "mi bonsái" in read_private(path)


@pytest.mark.parametrize("language", languages())
async def test_export_elsewhere_says_honestly_how_to_come_by_the_file(
    talk: Talk, language: str
) -> None:
    owner, guest = Address("pigeon", "ana"), Address("pigeon", "ben")
    await talk.assistant.doors.roles.give(owner, "owner")
    for address in (owner, guest, Address("web", "owner")):
        person = await talk.assistant.people.of(Message("m", address, "c", ""))
        await talk.assistant.people.choose(person.actor, language=language)
    told, folder = await talk("/export", owner), talk.assistant.folder / "exports"
    (path,) = map(Path, re.findall(r"`(/\S+\.jsonl)`", told))
    assert path.parent == folder
    assert path.exists()
    assert platform.node() in told
    asked = await talk("/export", guest)
    assert str(folder) not in asked
    (name,) = re.findall(r"`(\S+\.jsonl)`", asked)
    assert (folder / name).exists()
    written = set(folder.iterdir())
    page = await talk("/export", Address("web", "owner"))
    assert say("web_memory", language) in page
    assert say("web_export", language) in page
    assert set(folder.iterdir()) == written


async def test_export_that_cannot_be_written_is_one_sentence(talk: Talk) -> None:
    (talk.assistant.folder / "exports").write_text("in the way")
    assert await talk("/export") == say("command_export_failed", "en")


async def test_new_begins_another_session(talk: Talk) -> None:
    before = await talk.session()
    assert await talk("/nuevo") == say("command_new", "es")
    assert await talk.session() != before


@pytest.mark.parametrize(
    ("written", "zone"),
    [
        ("Europe/Oslo", "Europe/Oslo"),
        ("europe/oslo", "Europe/Oslo"),
        ("Mexico City", "America/Mexico_City"),
        ("madrid", "Europe/Madrid"),
    ],
)
async def test_time_zone_is_taken_by_name_or_city(talk: Talk, written: str, zone: str) -> None:
    local = talk.clock().astimezone(ZoneInfo(zone))
    said = say("command_timezone_set", "en", zone=zone, time=f"{local:%H:%M}")
    assert await talk(f"/timezone {written}") == said
    assert await talk("/zona") == say("command_timezone", "es", zone=zone)
    assert await talk("/zona", BEN) == say("command_timezone", "es", zone="UTC")


async def test_an_unknown_time_zone_changes_nothing(talk: Talk) -> None:
    assert "Europe/Oslo" in await talk("/timezone Europe/Osla")
    assert await talk("/timezone ???") == say("command_timezone_unknown", "en", zone="???")
    assert await talk("/timezone") == say("command_timezone", "en", zone="UTC")


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("es", "es"),
        ("ES-mx", "es"),
        ("Español", "es"),
        ("zh_CN", "zh"),
        ("中文", "zh"),
        ("English", "en"),
    ],
)
async def test_language_is_taken_by_code_or_name(talk: Talk, written: str, code: str) -> None:
    assert await talk(f"/language {written}") == say("command_language_set", code)
    assert say("command_language", code, code=code, known="en, es, zh") == await talk("/language")


async def test_an_unknown_language_changes_nothing(talk: Talk) -> None:
    assert await talk("/language klingon") == say(
        "command_language_unknown", "en", name="klingon", known="en, es, zh"
    )


async def test_private_memories_in_groups_are_switched_on_and_off(talk: Talk) -> None:
    assert await talk("/groups") == say("command_groups_are_off", "en")
    assert await talk("/groups on") == say("command_groups_on", "en")
    assert await talk("/grupos") == say("command_groups_are_on", "es")
    assert await talk("/groups 关") == say("command_groups_off", "zh")
    assert await talk("/groups") == say("command_groups_are_off", "en")


@pytest.mark.parametrize("said", ["/memory", "/forget all", "/export"])
async def test_private_things_are_not_shown_in_a_group(talk: Talk, said: str) -> None:
    await talk.keep(1, "secret")
    assert await talk(said, group=True) == say("command_private", "en")


async def test_without_the_store_a_command_says_so(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk.memory.store.close()
    assert await talk("/memory") == say("command_memory_away", "en")
