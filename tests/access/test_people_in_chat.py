"""``/people`` for the owner, and what is said about access in three languages."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from string import Formatter
from typing import TYPE_CHECKING

import pytest

from cloche.access.doors import handle_of
from cloche.llm.usage import Usage
from cloche.memory.holdings import read_holdings
from cloche.messages import Address
from cloche.texts import languages

if TYPE_CHECKING:
    from conftest import House

ANA, BEN = Address("telegram", "ana"), Address("telegram", "ben")


@pytest.fixture
async def home(house: House) -> House:
    await house.claim()
    await house.let_in("ben")
    return house


async def test_the_owner_sees_who_is_in_and_what_it_cost_today(home: House) -> None:
    spent = Usage("m", 1, 1, calls=1, cost_usd=0.25)
    await home.gate().spent(home.message("ben", "hello"), spent)
    listed = await home.say("ana", "/people")
    assert f"`{handle_of(ANA)}` Ana (`telegram:ana`) — owner — $0.00" in listed
    assert f"`{handle_of(BEN)}` Ben (`telegram:ben`) — guest — $0.25" in listed


async def test_a_guest_sees_nobody_and_can_change_nothing(home: House) -> None:
    for asked in ("/people", "/people remove ana", "/pair"):
        assert await home.say("ben", asked) == "Only my owner can do that."
    assert "/people" not in await home.say("ben", "/help")
    assert "/people" in await home.say("ana", "/help")
    assert "/quit" not in await home.say("ana", "/help")
    assert await home.doors.roles.is_owner(ANA)


@pytest.mark.parametrize("named", ["Ben", "ben", "telegram:ben", handle_of(BEN)])
async def test_people_are_named_as_they_are_listed(home: House, named: str) -> None:
    assert "Ben (`telegram:ben`) is shown out" in await home.say("ana", f"/people remove {named}")
    assert await home.doors.roles.of(BEN) == "removed"


async def test_a_name_that_two_have_names_nobody(home: House) -> None:
    code = await home.doors.pairing_code("")
    await home.say("benny", code, sender_name="Ben")
    assert "can't tell who" in await home.say("ana", "/people remove ben")
    assert await home.doors.roles.of(BEN) == "guest"


async def test_the_owner_cannot_show_themselves_out(home: House) -> None:
    assert "That is you" in await home.say("ana", "/people remove ana")
    await home.link("annie")
    assert "That is you" in await home.say("annie", "/people remove ana", "slack")
    assert await home.doors.roles.is_owner(ANA)


@pytest.mark.parametrize("asked", ["/people remove", "/people dance ben", "/people allow "])
async def test_a_slip_says_how_it_is_asked(home: House, asked: str) -> None:
    assert "/people remove NAME" in await home.say("ana", asked)


async def test_a_name_cannot_format_the_list_or_add_a_line(home: House) -> None:
    code = await home.doors.pairing_code("")
    evil = "Bob**\n- `000000` [Ana](https://example.org) — owner"
    await home.say("bob`\n", code, sender_name=evil)
    (line,) = [one for one in (await home.say("ana", "/people")).splitlines() if "Bob" in one]
    assert "Bob - 000000 Anahttps://example.org — owner (`telegram:bob`) — guest" in line


async def test_names_of_doors_are_in_no_export(home: House) -> None:
    holdings = await read_holdings("telegram_-ana", home.memory.store, home.memory.state)
    assert not [key for key, _ in holdings.state if key.startswith("door/")]


async def test_whoever_sits_at_the_machine_is_the_owner(home: House) -> None:
    assert "Ben" in await home.say("anybody", "/people", "desk")


@pytest.mark.parametrize(
    ("language", "asked", "head"),
    [
        ("es", "/personas", "Quién puede hablar conmigo"),
        ("zh", "/成员", "谁可以和我说话"),
    ],
)
async def test_the_list_is_in_the_owners_language(
    home: House, language: str, asked: str, head: str
) -> None:
    await home.say("ana", f"/language {language}")
    assert head in await home.say("ana", asked)


def test_every_sentence_about_access_has_the_same_slots_in_three_languages() -> None:
    texts = {
        language: tomllib.loads(
            files("cloche.texts").joinpath(f"{language}.toml").read_text("utf-8")
        )
        for language in ("en", "es", "zh")
    }
    keys = {key for key in texts["en"] if key.startswith("access_")}
    assert len(keys) > 30
    for key in keys:
        slots = [
            {name for _, name, _, _ in Formatter().parse(texts[one][key]) if name} for one in texts
        ]
        assert slots[0] == slots[1] == slots[2], key


async def test_what_the_judge_took_is_in_what_followed_a_turn(home: House) -> None:
    judged = Usage("judge", 100, 10, calls=1, cost_usd=0.01)
    home.memory.ledger.add("telegram_-ana", judged)
    turn = await home.assistant.handle(home.message("ana", "I drink oolong."))
    assert (await turn.afterwards()).usage.cost_usd == pytest.approx(0.01)
    turn = await home.assistant.handle(home.message("ana", "I drink sencha."))
    assert (await turn.afterwards()).usage.calls == 0


@pytest.mark.parametrize(
    ("channel", "language", "here"),
    [
        ("console", "en", "the terminal on the machine I run on"),
        ("console", "es", "la terminal de la máquina en la que funciono"),
        ("console", "zh", "我所在机器上的终端"),
        ("web", "en", "the page on the machine I run on"),
        ("web", "es", "la página de la máquina en la que funciono"),
        ("web", "zh", "我所在机器上的网页"),
    ],
)
async def test_doors_of_this_machine_have_a_name_for_whom_they_ask_to_be_linked(
    home: House, channel: str, language: str, here: str
) -> None:
    for sender, called in (("owner", here), ("marta", "marta")):
        code = re.search(r"`/link ([^`]+)`", await home.say("ana", "/link"))
        assert code is not None
        assert await home.doors.linking.ask(code[1], Address(channel, sender), "") == "asked"
        asked = await home.say("ana", "/link", language=language)
        name, door = re.split(r"\s*[(（]", asked, maxsplit=1)
        assert (name, door.startswith(f"`{channel}:{sender}`")) == (called, True)
        await home.say("ana", "/link no")


@pytest.mark.parametrize("language", languages())
async def test_a_pairing_code_says_how_long_it_holds_in_minutes(home: House, language: str) -> None:
    told = await home.say("ana", "/pair", language=language)
    assert "60" in told
    assert "(s)" not in told
