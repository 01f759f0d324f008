"""The owner's memory as the page shows it: shown, searched, mended, carried away."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from cloche.channels import Desk, Known
from cloche.documents import shared_resource
from cloche.errors import MemoryUnavailableError, RequestError
from cloche.memory_desk import MemoryDesk
from cloche.messages import Address
from cloche.texts import say, say_day

SAID = {
    "en": "My violin has gut strings.",
    "es": "Mi violín tiene cuerdas de tripa.",
    "zh": "我的小提琴用的是羊肠弦。",
}


@pytest.fixture
async def opened(open_luthier: Callable[..., Any]) -> Any:
    return await open_luthier()


@pytest.fixture
def desk(opened: Any) -> MemoryDesk:
    return MemoryDesk(opened, Address("web", "ana"))


@pytest.fixture
def talk(opened: Any, chat: Callable[..., Any]) -> Any:
    return chat(opened, "ana", channel="web", conversation="window")


async def the_only(desk: Desk) -> Known:
    (known,) = [one for one in await desk.known() if one.kind != "summary"]
    return known


@pytest.mark.parametrize("language", SAID)
async def test_what_was_said_is_shown_with_its_words_date_and_tags(
    desk: MemoryDesk, talk: Any, language: str
) -> None:
    await talk.say(SAID[language])
    known = await the_only(desk)
    assert SAID[language].startswith(known.quote.rstrip(".。"))
    assert known.quote
    assert known.said_at == talk.clock.now
    assert (known.scope, known.stated, known.past, known.until) == ("long_term", True, False, None)
    assert ("instruments", "violin") in known.tags


async def test_what_belongs_to_one_piece_says_to_which(
    desk: MemoryDesk, opened: Any, chat: Callable[..., Any]
) -> None:
    about = chat(opened, "ana", channel="web", scope_keys={"piece": "top-7"})
    await about.say("I always want the top varnished in red.")
    assert "top-7" in (await the_only(desk)).scope


async def test_what_ends_says_when_and_afterwards_is_history(desk: MemoryDesk, talk: Any) -> None:
    await talk.say("My cello is in the workshop until Friday.")
    known = await the_only(desk)
    assert known.until == date(2026, 3, 6)
    talk.clock.pass_(days=30)
    assert [one for one in await desk.known() if one.id == known.id] == []
    (gone,) = [one for one in await desk.known(past=True) if one.id == known.id]
    assert gone.past
    assert gone.until == date(2026, 3, 6)


@pytest.mark.parametrize(
    "said",
    [
        "My cello is away until Friday.",
        "Mi cello no está hasta el viernes.",
        "我的大提琴到周五之前都不在。",
    ],
)
async def test_the_page_names_the_same_last_day_as_the_command(
    desk: MemoryDesk, talk: Any, said: str
) -> None:
    await talk.say(said)
    known = await the_only(desk)
    assert known.until is not None
    language = "zh" if "我" in said else "es" if "Mi" in said else "en"
    shown = say("command_memory_until", language, day=say_day(known.until, language))
    assert shown in str((await talk.say("/memory")).reply)


async def test_a_search_finds_what_fits_and_nothing_of_others(
    desk: MemoryDesk, talk: Any, opened: Any, chat: Callable[..., Any]
) -> None:
    await talk.say("My violin has gut strings.")
    await talk.say("I prefer a warm room.")
    await chat(opened, "bea", channel="web").say("My violin has steel strings.")
    found = await desk.search("violin \ud800")
    assert [one.text for one in found][:1] == ["My violin has gut strings."]
    assert "steel" not in str(found)


async def test_a_correction_replaces_what_was_said_and_keeps_it_as_history(
    desk: MemoryDesk, talk: Any
) -> None:
    await talk.say("My violin has gut strings.")
    old = await the_only(desk)
    new = await desk.correct(old.id, "My violin has steel strings.")
    assert new
    assert (await the_only(desk)).text == "My violin has steel strings."
    assert {one.id: one.past for one in await desk.known(past=True)} == {
        old.id: True,
        new.id: False,
    }
    why = await desk.why(new.id)
    assert "My violin has gut strings." in why
    assert "you corrected it" in why
    assert await desk.correct(old.id, "Something else.") is None


@pytest.mark.parametrize("text", ["  ", "x" * 4_001, "My password is hunter2-Xk9"])
async def test_a_correction_keeps_no_secret_and_nothing_empty(
    desk: MemoryDesk, talk: Any, text: str
) -> None:
    await talk.say("My violin has gut strings.")
    old = await the_only(desk)
    with pytest.raises(RequestError):
        await desk.correct(old.id, text)
    assert (await the_only(desk)).id == old.id


async def test_a_correction_of_half_a_character_can_be_stored(desk: MemoryDesk, talk: Any) -> None:
    await talk.say("My violin has gut strings.")
    new = await desk.correct((await the_only(desk)).id, "My violin: \ud800")
    assert new
    assert new.text == "My violin: \ufffd"


async def test_forgetting_takes_the_turn_that_told_it_too(desk: MemoryDesk, talk: Any) -> None:
    await talk.say("My violin has gut strings.")
    known = await the_only(desk)
    assert "gut strings" in str(await desk.history("window"))
    assert await desk.forget(known.id)
    assert await desk.known(past=True) == []
    assert await desk.history("window") == []
    assert not await desk.forget(known.id)
    assert await desk.why(known.id) == ""
    assert await desk.correct(known.id, "Anything") is None


async def test_nobody_reaches_another_persons_record(
    opened: Any, desk: MemoryDesk, talk: Any
) -> None:
    await talk.say("My violin has gut strings.")
    known = await the_only(desk)
    other = MemoryDesk(opened, Address("web", "bea"))
    assert await other.known() == []
    assert await other.why(known.id) == ""
    assert await other.correct(known.id, "Mine now.") is None
    assert not await other.forget(known.id)
    assert (await the_only(desk)).text == known.text


async def test_an_export_is_the_same_as_everywhere(desk: MemoryDesk, talk: Any) -> None:
    await talk.say("Mi violín tiene cuerdas de tripa.")
    header, *lines = [json.loads(line) for line in (await desk.export()).decode().splitlines()]
    assert (header["format"], header["assistant"]) == ("cloche-memory", "luthier")
    assert {line["type"] for line in lines} >= {"event", "record"}


async def test_history_is_todays_talk_in_one_window(
    desk: MemoryDesk, talk: Any, opened: Any, chat: Callable[..., Any]
) -> None:
    await talk.say("My violin has gut strings.")
    said_at = talk.clock.now
    await chat(opened, "ana", channel="web", conversation="another").say("My lute is green.")
    (one,) = await desk.history("window")
    assert (one.at, one.words) == (said_at, "My violin has gut strings.")
    assert one.answer
    talk.clock.pass_(days=1)
    assert await desk.history("window") == []


async def test_a_store_that_is_away_is_told(desk: MemoryDesk, opened: Any) -> None:
    await opened.close()
    for asked in (desk.known(), desk.search("x"), desk.export(), desk.history("w"), desk.why("x")):
        with pytest.raises(MemoryUnavailableError):
            await asked


@pytest.mark.parametrize("words", ["zzzz", "qwxv", "deadbeef", "嗯嗯", "xkcd 42", "ñññ"])
async def test_nonsense_finds_nothing(desk: MemoryDesk, talk: Any, words: str) -> None:
    await talk.say("My violin has gut strings.")
    await talk.say("我的大提琴的琴码有点歪。")
    assert await desk.search(words) == []
    assert await desk.search("violin")


async def test_a_file_that_went_out_is_in_the_talk_and_given_to_its_owner_alone(
    open_luthier: Callable[..., Any], chat: Callable[..., Any]
) -> None:
    skill = Path(str(shared_resource("skills", "files")))
    opened = await open_luthier(extra_skills=(skill,))
    desk = MemoryDesk(opened, Address("web", "ana"))
    talk = chat(opened, "ana", channel="web", conversation="window")
    await talk.say("Save a file week.md: run on Monday")
    turn = await talk.say("Send me week.md")
    assert [file.key for file in turn.reply.files] == ["made/week.md"]
    past = await desk.history("window")
    assert [one.given for one in past] == [(), ("made/week.md",)]
    file = await desk.file("made/week.md")
    assert file is not None
    assert (file.name, file.content, file.media_type) == (
        "week.md",
        b"run on Monday",
        "text/plain",
    )
    assert await MemoryDesk(opened, Address("web", "ben")).file("made/week.md") is None
