"""A talk through the page: sent, shown while it is written, reloaded, stopped, in two tabs."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest

from cloche.channels import OwnerOptions, Part
from cloche.errors import MemoryUnavailableError
from cloche.messages import Button
from cloche.texts import languages
from cloche_channels.web.wording import page_texts

SAID = {
    "en": "My tea is oolong.",
    "es": "Mi té favorito es el verde.",
    "zh": "我喜欢喝乌龙茶。",
    "rtl": "أحب الشاي الأخضر",
}
NOTHING_STOPPED = {"stopped": False, "words": "", "files": []}
NASTY = '<img src=x onerror=alert(1)><script>alert("hi")</script> [x](javascript:alert(1))'


def done(item: dict[str, Any]) -> bool:
    return not item["own"] and item["state"] == "done"


@pytest.mark.parametrize("language", SAID)
async def test_words_are_answered_and_shown_as_they_are_written(
    ana: Any, words_of: Callable[..., str], language: str
) -> None:
    go_on = asyncio.Event()
    ana.page.scribe.answers[SAID[language]] = ["**I** ", go_on, "know."]
    async with ana.follow() as tab:
        assert (await tab.next())["items"] == []
        assert (await ana.say(SAID[language])).status == 200
        own = await tab.until(lambda item: item["own"] and item["state"] == "done")
        assert own["text"] == SAID[language]
        half = await tab.until(lambda item: item["body"] and item["state"] == "writing")
        assert words_of(half["body"]) == "I"
        go_on.set()
        whole = await tab.until(done)
        assert whole["body"] == [["p", {}, ["strong", {}, "I"], " know."]]


@pytest.mark.parametrize("language", SAID)
async def test_a_page_that_is_loaded_in_the_middle_of_an_answer_shows_all_of_it(
    ana: Any, language: str
) -> None:
    await ana.say(SAID[language])
    await ana.settled()
    go_on = asyncio.Event()
    ana.page.scribe.answers["And now?"] = ["First half, ", go_on, "second half."]
    await ana.say("And now?")
    async with ana.follow() as tab:
        await tab.until(lambda item: item["state"] == "writing" and item["body"])
    shown = await ana.shown()
    assert await ana.said() == [
        SAID[language],
        f"Noted: {SAID[language]}",
        "And now?",
        "First half,",
    ]
    assert [item["state"] for item in shown] == ["done", "done", "done", "writing"]
    go_on.set()
    await ana.settled()
    assert (await ana.said())[-1] == "First half, second half."


async def test_a_turn_is_shown_once_while_what_follows_it_takes_its_time(
    ana: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper, go_on, kept = ana.page.assistant.memory.keeper, asyncio.Event(), asyncio.Event()

    async def slow(*_: object, **__: object) -> tuple[()]:
        kept.set()
        await go_on.wait()
        return ()

    monkeypatch.setattr(keeper, "keep", slow)
    await ana.say("One.")
    await kept.wait()  # the event is in the store, the turn is not done with
    assert await ana.said() == ["One.", "Noted: One."]
    go_on.set()
    await ana.settled()
    assert await ana.said() == ["One.", "Noted: One."]


async def test_two_tabs_show_the_same_and_another_browser_does_not(
    page: Any, ana: Any, serve: Any, words_of: Callable[..., str]
) -> None:
    other = await type(ana)(page, ana.session).enter()
    async with ana.follow() as one, ana.follow() as two:
        await ana.say("Hello.")
        for tab in (one, two):
            assert words_of((await tab.until(done))["body"]) == "Noted: Hello."
    await ana.settled()
    assert await other.shown() == []


async def test_what_is_sent_twice_is_one_message(ana: Any) -> None:
    id_ = str(uuid.uuid4())
    for _ in range(3):
        assert (await ana.say("Once.", id_=id_)).status == 200
        await ana.settled()
    assert [prompt.words for prompt in ana.page.scribe.prompts] == ["Once."]
    assert len(await ana.shown()) == 2


async def test_words_written_meanwhile_become_one_turn_and_stay_as_they_were(ana: Any) -> None:
    go_on = asyncio.Event()
    ana.page.scribe.answers["One."] = [go_on, "First."]
    for words in ("One.", "Two.", "Two.", " Three. "):
        await ana.say(words)
    assert [item["state"] for item in await ana.shown() if item["own"]][1:] == ["waiting"] * 3
    async with ana.follow() as tab:
        go_on.set()
        await tab.until(lambda item: item["text"] == " Three. " and item["state"] == "done")
    await ana.settled()
    assert [prompt.words for prompt in ana.page.scribe.prompts] == ["One.", "Two.\nTwo.\n Three. "]


async def test_a_stopped_answer_stays_as_far_as_it_came(
    ana: Any, words_of: Callable[..., str]
) -> None:
    ana.page.scribe.answers["Go."] = ["So far", asyncio.Event()]
    assert await (await ana.post("/api/stop", {})).json() == NOTHING_STOPPED
    async with ana.follow() as tab:
        await ana.say("Go.")
        await tab.until(lambda item: bool(item["body"]))
        assert await (await ana.post("/api/stop", {})).json() == NOTHING_STOPPED | {"stopped": True}
        stopped = await tab.until(lambda item: item["state"] == "stopped")
        assert words_of(stopped["body"]) == "So far"
    await ana.say("Again.")
    await ana.settled()
    assert (await ana.said())[-2:] == ["Again.", "Noted: Again."]


async def test_nobody_stops_another_browsers_turn(page: Any, ana: Any) -> None:
    other = await type(ana)(page, ana.session).enter()
    go_on = asyncio.Event()
    page.scribe.answers["Go."] = [go_on, "Done."]
    await ana.say("Go.")
    assert await (await other.post("/api/stop", {})).json() == NOTHING_STOPPED
    go_on.set()
    await ana.settled()


async def test_what_waits_for_memory_says_so_and_can_be_taken_back(
    ana: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, remember = asyncio.Event(), ana.page.assistant.memory.remember

    async def slowly(*given: Any) -> Any:
        await go_on.wait()
        return await remember(*given)

    monkeypatch.setattr(ana.page.assistant.memory, "remember", slowly)
    async with ana.follow() as tab:
        await ana.say("One.")
        await tab.until(done)
        await ana.say("Two.")
        await tab.until(lambda item: item["text"] == "Two.")
    async with ana.follow() as tab:
        told = await tab.next()
        assert told["remembering"] is True
        assert [item["state"] for item in told["items"]] == ["done", "done", "waiting"]
        back = await (await ana.post("/api/stop", {})).json()
        assert back == {"stopped": False, "words": "Two.", "files": []}
        assert [item["text"] for item in (await tab.next())["items"]] == ["One.", ""]
    await ana.say("Three.")
    go_on.set()
    await ana.settled()
    assert [prompt.words for prompt in ana.page.scribe.prompts] == ["One.", "Three."]
    async with ana.follow() as tab:
        assert (await tab.next())["remembering"] is False


async def test_a_turn_that_is_answered_is_stopped_before_what_waits(ana: Any) -> None:
    ana.page.scribe.answers["Go."] = ["So far", asyncio.Event()]
    async with ana.follow() as tab:
        await ana.say("Go.")
        await tab.until(lambda item: bool(item["body"]))
        await ana.say("Then.")
        stopped = await (await ana.post("/api/stop", {})).json()
        assert stopped == NOTHING_STOPPED | {"stopped": True}
    await ana.settled()
    assert [prompt.words for prompt in ana.page.scribe.prompts] == ["Go.", "Then."]


async def test_a_pressed_button_is_shown_as_it_was_called(ana: Any) -> None:
    body = {"id": str(uuid.uuid4()), "text": "/help", "files": [], "label": "Help me"}
    async with ana.follow() as tab:
        await tab.next()
        assert (await ana.post("/api/messages", body)).status == 200
        own = await tab.until(lambda item: item["own"])
        assert own["text"] == "Help me"
        answer = await tab.until(done)
        assert "/memory" in str(answer["body"])
    wrong = body | {"id": str(uuid.uuid4()), "label": ["x"]}
    assert (await ana.post("/api/messages", wrong)).status == 400


async def test_markup_in_words_and_answers_stays_text(ana: Any) -> None:
    ana.page.scribe.answers[NASTY] = [NASTY]
    await ana.say(NASTY)
    await ana.settled()
    own, answer = await ana.shown()
    assert own["text"] == NASTY
    assert answer["body"] == [["p", {}, NASTY]]


async def test_a_reply_brings_its_buttons(ana: Any) -> None:
    async with ana.follow() as tab:
        await tab.next()
        part = Part(ana.conversation, "Which?", buttons=(Button("Green", "green tea"),), key="k-0")
        await ana.page.channel.send(part)
        await ana.page.channel.send(part)
        item = await tab.until(lambda item: bool(item["buttons"]))
        assert item["buttons"] == [{"label": "Green", "data": "green tea"}]
    assert len(await ana.shown()) == 1


async def test_an_answer_that_comes_again_after_a_restart_is_shown_once(ana: Any) -> None:
    await ana.say("One.")
    await ana.settled()
    await ana.page.channel.send(Part(ana.conversation, "Noted: One.", key="from-before"))
    await ana.page.channel.send(Part(ana.conversation, "What you missed.", key="from-before-1"))
    assert await ana.said() == ["One.", "Noted: One.", "What you missed."]


async def test_a_message_that_waited_through_a_restart_is_shown_with_its_answer(
    ana: Any,
    assistant: Any,
    scribe: Any,
    clock: Any,
    drawer: Any,
    serve: Any,
) -> None:
    go_on = asyncio.Event()
    scribe.answers["Wait."] = [go_on, "Here."]
    await ana.say("Wait.")
    while not scribe.prompts:
        await asyncio.sleep(0)
    await ana.page.delivery.close(seconds=0)
    async with serve(assistant, scribe, clock, drawer) as again:
        name = f"cloche-web-{again.port}"
        visitor = type(ana)(again, ana.session, f"{name}={ana.cookie.split('=')[1]}", ana.token)
        assert [item["text"] for item in await visitor.shown()][:1] == ["Wait."]
        go_on.set()
        await visitor.settled()
        assert await visitor.said() == ["Wait.", "Here."]


async def test_a_message_that_could_not_be_kept_is_given_back(
    ana: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise MemoryUnavailableError("no", cause="disk_full")

    id_ = str(uuid.uuid4())
    with monkeypatch.context() as patched:
        patched.setattr(ana.page.delivery, "accept", away)
        answer = await ana.say("Keep this.", id_=id_)
        assert (answer.status, await answer.json()) == (503, {"error": "memory"})
        assert await ana.shown() == []
    assert (await ana.say("Keep this.", id_=id_)).status == 200
    await ana.settled()
    assert len(await ana.shown()) == 2


async def test_a_memory_that_is_away_hides_what_was_and_nothing_else(
    ana: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise MemoryUnavailableError("no", cause="locked")

    monkeypatch.setattr(ana.page.delivery.desk, "history", away)
    async with ana.follow() as tab:
        assert (await tab.next())["away"] is True
        await ana.say("Hello.")
        await tab.until(done)


async def test_a_turn_without_an_answer_says_so(ana: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("no model")

    monkeypatch.setattr(ana.page.scribe, "ask", broken)
    await ana.say("Hello?")
    await ana.settled()
    assert [item["state"] for item in await ana.shown()] == ["done", "unanswered"]


@pytest.mark.parametrize("text", ["", "  \n "])
async def test_nothing_is_no_message(ana: Any, text: str) -> None:
    answer = await ana.say(text)
    assert (answer.status, await answer.json()) == (422, {"error": "empty"})


async def test_half_a_character_is_a_message_that_can_be_kept(ana: Any) -> None:
    assert (await ana.say("a\ud800b")).status == 200
    await ana.settled()
    assert (await ana.shown())[0]["text"] == "a\ufffdb"


@pytest.mark.parametrize(("owner", "called"), [("ana", "ana"), ("owner", "")])
async def test_nobody_is_greeted_by_a_name_they_do_not_have(
    ana: Any, owner: str, called: str
) -> None:
    ana.page.channel.options = OwnerOptions(owner)
    assert (await (await ana.get("/api/hello")).json())["owner"] == called


@pytest.mark.parametrize("language", languages())
def test_the_page_has_a_greeting_without_a_name(language: str) -> None:
    assert "{" not in page_texts(language)["hello_nobody"]
    assert "hello_nobody" in files("cloche_channels.web").joinpath("static/page.js").read_text()
