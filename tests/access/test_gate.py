"""Who is answered: the owner, whom they let in, and nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from cloche.access.codes import bare, find_code, make_code
from cloche.access.doors import handle_of
from cloche.delivery.gate import Gate
from cloche.errors import MemoryUnavailableError
from cloche.ids import actor_id
from cloche.messages import Address, Message, Reply
from cloche.texts import say

if TYPE_CHECKING:
    from conftest import Build, House

BEN = Address("telegram", "ben")
STRANGER = say("access_stranger")


def as_gate(gate: Gate) -> Gate:
    return gate


async def test_a_stranger_gets_one_polite_sentence_a_day_and_then_silence(house: House) -> None:
    as_gate(house.gate())  # the type checker sees that it is one
    assert await house.say("eve", "Hello?") == STRANGER
    assert await house.say("eve", "Anybody?") == ""
    assert await house.say("eve", "/memory") == ""
    house.clock.pass_(hours=24, seconds=1)
    assert await house.say("eve", "Hello?") == STRANGER


async def test_the_sentence_is_said_again_when_its_message_is_handled_again(house: House) -> None:
    hello = house.message("eve", "Hello?")
    assert await house.hear(hello) == STRANGER
    assert await house.hear(hello) == STRANGER
    assert await house.hear(replace(hello, id="other")) == ""


@pytest.mark.parametrize(("words", "language"), [("¿Hola, quién eres tú?", "es"), ("你好", "zh")])
async def test_a_stranger_is_told_in_their_language(
    house: House, words: str, language: str
) -> None:
    assert await house.say("eve", words) == say("access_stranger", language)


async def test_a_stranger_in_a_group_is_not_answered_but_a_known_person_is(house: House) -> None:
    await house.claim()
    group = {"conversation": "family", "group": True}
    assert await house.say("eve", "Hello?", **group) == ""
    assert await house.say("ana", "Hello!", **group)
    code = await house.doors.pairing_code("")
    assert await house.say("eve", code, **group) == ""
    assert await house.doors.roles.of(Address("telegram", "eve")) is None


@pytest.mark.parametrize("written", ["/start {}", "/claim {}", "{}", "/start@tea_bot {}", " {} "])
async def test_the_code_printed_at_start_makes_one_person_the_owner(
    house: House, written: str
) -> None:
    code = await house.gate().owner_code()
    assert "yours" in await house.say("ana", written.format(code))
    assert await house.doors.roles.is_owner(Address("telegram", "ana"))
    assert STRANGER == await house.say("eve", "Hello")
    assert "can't let you in" in await house.say("eve", written.format(code))
    assert await house.gate().owner_code() == ""
    assert await house.gate("slack").owner_code()


async def test_a_code_can_be_written_as_people_write(house: House) -> None:
    code = await house.gate().owner_code()
    typed = code.upper().replace("-", " ")
    assert "yours" in await house.say("ana", typed)


async def test_of_many_who_send_the_code_at_once_one_becomes_the_owner(house: House) -> None:
    code = await house.gate().owner_code()
    senders = [f"s{number}" for number in range(8)]
    await asyncio.gather(*(house.say(one, f"/start {code}") for one in senders))
    owners = [one for one in await house.doors.roles.all() if one.role == "owner"]
    assert len(owners) == 1


async def test_a_claim_that_is_handled_again_is_the_same_claim(house: House) -> None:
    start = house.message("ana", f"/start {await house.gate().owner_code()}")
    assert await house.hear(start) == await house.hear(start)
    assert await house.doors.roles.is_owner(Address("telegram", "ana"))


async def test_a_claim_cut_off_before_its_role_was_written_is_finished(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = house.message("ana", f"/start {await house.gate().owner_code()}")
    with monkeypatch.context() as patch:

        async def away(*args: object, **kwargs: object) -> None:
            raise MemoryUnavailableError("away", cause="io")

        patch.setattr(house.doors.roles, "give", away)
        with pytest.raises(MemoryUnavailableError):
            await house.hear(start)
    assert "yours" in await house.hear(start)
    assert await house.doors.roles.is_owner(start.address)


async def test_an_old_code_gives_nobody_their_role_back(house: House) -> None:
    code = await house.gate().owner_code()
    await house.say("ana", f"/start {code}")
    await house.doors.roles.give(Address("telegram", "ana"), "guest")
    await house.say("ana", f"/start {code}")
    assert await house.doors.roles.of(Address("telegram", "ana")) == "guest"
    await house.doors.roles.give(Address("telegram", "ana"), "removed")
    assert await house.say("ana", f"/start {code}") == ""
    assert await house.doors.roles.of(Address("telegram", "ana")) == "removed"


async def test_starting_again_prints_another_code_and_the_one_before_holds_no_longer(
    house: House,
) -> None:
    first, second = await house.gate().owner_code(), await house.gate().owner_code()
    assert "can't let you in" in await house.say("ana", first)
    assert "yours" in await house.say("ana", second)


async def test_a_code_lapses(house: House) -> None:
    code = await house.gate().owner_code()
    house.clock.pass_(hours=24, seconds=1)
    assert "can't let you in" in await house.say("ana", code)


async def test_a_code_of_one_channel_does_not_open_another(house: House) -> None:
    code = await house.gate("slack").owner_code()
    assert "can't let you in" in await house.say("ana", code, "telegram")


async def test_after_a_few_wrong_codes_even_the_right_one_meets_silence_for_an_hour(
    house: House,
) -> None:
    code = await house.gate().owner_code()
    heard = [await house.say("eve", f"/start {make_code()}") for _ in range(7)]
    assert [bool(one) for one in heard] == [True] * 5 + [False] * 2
    assert "last try" in heard[4]
    assert await house.say("eve", f"/start {code}") == ""
    assert "yours" in await house.say("ana", f"/start {code}")
    house.clock.pass_(hours=1, seconds=1)
    assert await house.say("eve", f"/start {make_code()}")


async def test_wrong_codes_sent_at_once_count_one_by_one(house: House) -> None:
    tried = [house.say("eve", f"/claim {make_code()}") for _ in range(20)]
    assert sum(bool(one) for one in await asyncio.gather(*tried)) == 5


async def test_no_code_stands_in_the_store_or_the_log(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    codes = [await house.gate().owner_code(), await house.doors.pairing_code("")]
    await house.say("ana", f"/start {codes[0]}")
    codes.append((await house.say("ana", "/link"))[-60:])
    stored = "".join(
        f"{item.key} {item.value}" for item in await house.memory.state.list_items("", limit=1000)
    )
    for code in codes[:2]:
        assert code not in stored + caplog.text
        assert bare(code) not in stored + caplog.text


async def test_the_owners_code_lets_one_guest_in_within_the_hour(house: House) -> None:
    await house.claim()
    told = await house.say("ana", "/pair")
    code = told.split("`")[1]
    assert "Welcome" in await house.say("ben", code)
    assert await house.say("ben", "hello")
    assert "can't let you in" in await house.say("eve", code)
    late = (await house.say("ana", "/pair")).split("`")[1]
    house.clock.pass_(hours=1, seconds=1)
    assert "can't let you in" in await house.say("eve", late)
    assert "Only my owner" in await house.say("ben", "/pair")


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "Ben (`telegram:ben`) came in with a code of yours. `/people remove {}` shows"),
        ("es", "Ben (`telegram:ben`) ha entrado con un código tuyo. `/personas quitar {}` le"),
        ("zh", "Ben (`telegram:ben`) 用你给的码进来了。`/成员 移除 {}` 可以"),
    ],
)
async def test_the_owner_is_told_once_who_came_in_with_their_code(
    house: House, language: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.claim()
    await house.say("ana", f"/language {language}")
    code = (await house.say("ana", "/pair", thread="7")).split("`")[1]
    come = house.message("ben", f"/start {code}")
    with monkeypatch.context() as patch:

        async def away(*args: object, **kwargs: object) -> None:
            raise MemoryUnavailableError("away", cause="io")

        patch.setattr(house.doors.roles, "give", away)
        with pytest.raises(MemoryUnavailableError):
            await house.hear(come)
    assert await house.hear(come) == await house.hear(come)
    ((message, text),) = house.told
    assert text.startswith(told.format(handle_of(BEN)))
    assert (message.address.sender, message.place) == ("ana", "ana#7")
    asked = text.split("`")[3].removeprefix("/")
    await house.say("ana", f"/{asked}")
    assert await house.doors.roles.of(BEN) == "removed"


async def test_nobody_is_told_of_a_code_of_the_operators_or_of_who_was_in(house: House) -> None:
    await house.claim()
    await house.let_in("ben")
    code = (await house.say("ana", "/pair")).split("`")[1]
    again = house.message("ben", f"/start {code}")
    await house.hear(again)
    await house.hear(again)
    assert house.told == []


async def test_who_comes_in_comes_in_though_the_owner_cannot_be_told(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.claim()
    code = (await house.say("ana", "/pair")).split("`")[1]

    async def broken(message: Message, reply: Reply) -> None:
        raise RuntimeError("no way there")

    monkeypatch.setattr(house, "tell", broken)
    assert "Welcome" in await house.say("ben", code)
    assert await house.doors.roles.of(BEN) == "guest"


async def test_a_guest_who_sends_a_pairing_code_stays_what_they_are(house: House) -> None:
    await house.claim()
    code = await house.doors.pairing_code("")
    await house.say("ana", f"/start {code}")
    assert await house.doors.roles.is_owner(Address("telegram", "ana"))


async def test_a_known_person_who_presses_start_is_greeted(house: House) -> None:
    await house.claim()
    assert await house.say("ana", "/start") == say("access_start")
    assert await house.say("ana", "/start from_a_web_page") == say("access_start")


async def test_a_twelve_letter_word_of_a_known_person_is_no_code(house: House) -> None:
    await house.claim()
    word = "thunderstrum"
    assert bare(word)
    assert "can't let you in" not in await house.say("ana", word)


async def test_who_is_shown_out_is_not_heard_from_the_next_message_on(house: House) -> None:
    await house.claim()
    await house.let_in("ben")
    assert "shown out" in await house.say("ana", "/people remove Ben")
    assert await house.say("ben", "hello") == ""
    assert await house.say("ben", await house.doors.pairing_code("")) == ""
    assert "again" in await house.say("ana", "/people allow ben")
    assert await house.say("ben", "hello")


async def test_open_answers_everybody_but_who_was_shown_out(build: Build) -> None:
    house = await build(open=True)
    assert await house.say("eve", "hello") not in ("", STRANGER)
    assert await house.say("eve", "hello", conversation="family", group=True)
    await house.claim()
    await house.let_in("ben")
    await house.say("ana", "/people remove ben")
    assert await house.say("ben", "hello") == ""


async def test_nobody_is_let_in_while_roles_cannot_be_read(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.claim()

    async def away(key: str) -> None:
        raise MemoryUnavailableError("away", cause="io")

    monkeypatch.setattr(house.memory.state, "get", away)
    with pytest.raises(MemoryUnavailableError):
        await house.gate().admit(house.message("ana", "hello"))


@pytest.mark.parametrize("damage", [7, {"role": "king"}, {"role": "owner"}, None])
async def test_a_damaged_role_lets_nobody_in(house: House, damage: object) -> None:
    key = f"access/role/{actor_id(Address('telegram', 'eve'))}"
    await house.memory.state.put(key, damage)  # type: ignore[arg-type]
    with pytest.raises(MemoryUnavailableError):
        await house.gate().admit(house.message("eve", "hello"))


async def test_the_owner_stays_the_owner_when_all_is_forgotten(house: House) -> None:
    await house.claim()
    assert "Ana" in await house.say("ana", "/people")
    asked = await house.say("ana", "/forget all")
    await house.say("ana", asked.split("`")[-2])
    assert await house.doors.roles.is_owner(Address("telegram", "ana"))
    listed = await house.say("ana", "/people")
    assert "telegram:ana" in listed
    assert "Ana" not in listed


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("my code is {}", "en"),
        ("Hi! Here it is: {}. Thanks!", "en"),
        ("mi código es {}", "es"),
        ("Hola, este es el código que me dieron: «{}»", "es"),
        ("我的验证码是{}，谢谢", "zh"),
    ],
)
@pytest.mark.parametrize("written", [str, str.upper, lambda code: code.replace("-", "–")])
async def test_a_code_is_found_in_a_sentence_in_whose_language_it_is_answered(
    house: House, sentence: str, language: str, written: Callable[[str], str]
) -> None:
    code = await house.gate().owner_code()
    said = sentence.format(written(code))
    assert await house.say("ana", said) == say("access_welcome_owner", language)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("aaaa-bbbb-ccc0", "access_code_mistyped"),
        ("AAAA-BBBB-CCC1", "access_code_mistyped"),
        ("aaaa bbbb cc0c", "access_code_mistyped"),
        ("aaaal-bbbb-cccc", "access_code_wrong"),
        ("k7mf-q2xw-9pt", "access_code_wrong"),
        ("WRONG-CODE", "access_code_wrong"),
        ("my code is k7mf-q2xw-9pt0", "access_code_mistyped"),
        ("/start k7mf-q2xw-9pt0", "access_code_mistyped"),
        ("mi código es k7mf-q2xw-9pt0", "access_code_mistyped"),
        ("我的验证码是k7mf-q2xw-9pt0，谢谢", "access_code_mistyped"),
    ],
)
async def test_a_mistyped_code_is_a_wrong_code_with_the_same_few_tries(
    house: House, typed: str, told: str
) -> None:
    language = "es" if "mi " in typed else "zh" if "我" in typed else "en"
    heard = [await house.say("eve", typed) for _ in range(6)]
    assert heard == [say(told, language)] * 4 + [say("access_code_last", language), ""]
    assert STRANGER not in heard


@pytest.mark.parametrize("words", ["Hello!", "Hello there, gardener", "12345678", "你好", "hi-fi"])
async def test_a_strangers_other_words_use_up_no_try(house: House, words: str) -> None:
    for _ in range(8):
        await house.say("eve", words)
    assert "can't let you in" in await house.say("eve", make_code())


@pytest.mark.parametrize(
    "words",
    [
        "when they were here they said that we must wait",
        "a state-of-the-art well-kept-shed",
        "call me: 5552223334445",
        "unbelievable",
        "xk7mf-q2xw-9ptax",
    ],
)
def test_other_words_are_no_code(words: str) -> None:
    assert find_code(f"so {words}, you know") == ""


@pytest.mark.parametrize(
    ("start", "told"),
    [("/start", "access_stranger"), ("/start nothing", "access_code_wrong")],
)
async def test_a_start_without_a_right_code_lets_nobody_in(
    house: House, start: str, told: str
) -> None:
    await house.gate().owner_code()
    assert await house.say("eve", start) == say(told, "en")
