"""Asked for an earlier day: the answer has what was said, and when, in the person's language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cloche.memory.records import Event
from cloche.prompt import recalled_lines
from cloche.texts import say
from cloche.turn import Turn

SAID = {
    "en": ["The bridge of my cello leans a little.",
           "I decided to wait with new strings for the cello until spring.",
           "I have a lute as well."],
    "es": ["El puente de mi chelo se inclina un poco.",
           "He decidido esperar con las cuerdas nuevas del chelo hasta la primavera.",
           "Tengo también un laúd."],
    "zh": ["我的大提琴的琴码有点歪。", "我决定等到春天再给大提琴换新弦。", "我还有一把鲁特琴。"],
}  # fmt: skip


async def told(talk: Any, language: str, clock: Any, **later: float) -> None:
    for words in SAID[language]:
        await talk.say(words)
    clock.pass_(**later)
    await talk.say(say("demo_greeting", language))


def answer(turn: Turn) -> str:
    return turn.reply.text.split("\n\n", 1)[-1]


@pytest.mark.parametrize(
    ("language", "question", "answered"),
    [
        ("en", "What did we decide about the cello last time?",
         "On 2 March 2026 you decided: “I decided to wait with new strings for the cello until "
         "spring.”"),
        ("en", "Last time we discussed the cello, what did I decide about its strings?",
         "On 2 March 2026 you decided: “I decided to wait with new strings for the cello until "
         "spring.”"),
        ("en", "When did I tell you about the lute?",
         "On 2 March 2026 you told me: “I have a lute as well.”"),
        ("es", "¿Qué decidimos sobre el chelo la última vez?",
         "El 2 de marzo de 2026 decidiste: «He decidido esperar con las cuerdas nuevas del chelo "
         "hasta la primavera.»"),
        ("es", "La última vez que hablamos del chelo, ¿qué decidí sobre las cuerdas?",
         "El 2 de marzo de 2026 decidiste: «He decidido esperar con las cuerdas nuevas del chelo "
         "hasta la primavera.»"),
        ("es", "¿Cuándo te conté lo del laúd?",
         "El 2 de marzo de 2026 me contaste: «Tengo también un laúd.»"),
        ("zh", "上次我们聊大提琴时决定了什么？",
         "你在2026年3月2日决定：“我决定等到春天再给大提琴换新弦。”"),
        ("zh", "上次说到大提琴，我决定弦怎么办？",
         "你在2026年3月2日决定：“我决定等到春天再给大提琴换新弦。”"),
        ("zh", "我什么时候说过鲁特琴？", "你在2026年3月2日告诉过我：“我还有一把鲁特琴。”"),
    ],
)  # fmt: skip
async def test_what_was_told_or_decided_is_answered_with_its_day(
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    clock: Any,
    language: str,
    question: str,
    answered: str,
) -> None:
    ana = chat(await open_luthier(), "ana")
    await told(ana, language, clock, days=25)
    turn = await ana.say(question)
    assert turn.reply.text == answered
    assert ana.remembered.records == ()  # a question about talk tells nothing new


@pytest.mark.parametrize(
    ("words", "question", "answered"),
    [
        ("Shall I varnish the neck? Perhaps better in spring.",
         "What did we say about varnish last time?",
         "On 2 March 2026 you told me: “Shall I varnish the neck? Perhaps better in spring.”"),
        ("¿Barnizo el mástil? Quizá mejor en primavera.",
         "¿Qué dijimos la última vez del mástil?",
         "El 2 de marzo de 2026 me contaste: «¿Barnizo el mástil? Quizá mejor en primavera.»"),
        ("琴颈要上漆吗？也许春天更好。", "上次我们说琴颈要怎么办？",
         "你在2026年3月2日告诉过我：“琴颈要上漆吗？也许春天更好。”"),
    ],
)  # fmt: skip
async def test_words_that_made_no_memory_are_found_in_the_earlier_talk(
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    clock: Any,
    words: str,
    question: str,
    answered: str,
) -> None:
    ana = chat(await open_luthier(), "ana")
    await ana.say(words)
    clock.pass_(days=40)
    assert answer(await ana.say(question)) == answered


async def test_the_day_is_the_persons_own(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], clock: Any
) -> None:
    assistant = await open_luthier()
    ana = chat(assistant, "ana")
    await ana.say("/timezone Pacific/Auckland")
    clock.now = clock.now.replace(hour=13)  # two in the morning of the next day, over there
    await ana.say("I decided to sell the lute.")
    clock.pass_(days=9)
    turn = await ana.say("What did I decide about the lute last time?")
    assert "On 3 March 2026 you decided: “I decided to sell the lute.”" in turn.reply.text


async def test_a_day_that_is_named_is_looked_for_in_the_persons_zone(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], clock: Any
) -> None:
    assistant = await open_luthier()
    ana = chat(assistant, "ana")
    await ana.say("/timezone Pacific/Auckland")
    person = await assistant.people.of(_message("ana"))
    for day in (1, 2):
        at = clock.now.replace(day=day, hour=20)  # nine in the morning of the next day
        await assistant.memory.store.add_event(
            Event(
                f"e{day}",
                person.actor,
                f"s{day}",
                person.conversation,
                at,
                "Shall I oil the pegs?",
                None,
            )
        )
    clock.pass_(days=1)  # 10:00 on 3 March in UTC: 23:00 over there
    recall = await assistant.memory.recall(
        await assistant.people.of(_message("ana")),
        _message("ana", "What about the pegs yesterday?"),
    )
    assert recall.earlier[0].id == "e1"


def _message(sender: str, text: str = "") -> Any:
    from cloche.messages import Address, Message

    return Message("m", Address("console", sender), sender, text)


@pytest.mark.parametrize("language", ["en", "es", "zh"])
async def test_what_nobody_said_is_not_answered_with_something_else(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], clock: Any, language: str
) -> None:
    question = {"en": "What did we decide about the piano last time?",
                "es": "¿Qué decidimos la última vez sobre el piano?",
                "zh": "上次我们决定钢琴怎么办？"}[language]  # fmt: skip
    ana = chat(await open_luthier(), "ana")
    await told(ana, language, clock, days=3)
    turn = await ana.say(question)
    assert turn.reply.text == say("demo_unknown", language)


async def test_long_earlier_talk_is_shortened_within_its_share_and_told_in_the_report(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], clock: Any
) -> None:
    assistant = await open_luthier()
    ana = chat(assistant, "ana")
    for number in range(4):
        await ana.say(f"Shall I varnish the neck in way {number}? " + "Perhaps, perhaps not. " * 80)
    clock.pass_(days=5)
    turn = await ana.say("What did we say about varnish last time?")
    earlier = [one for one in turn.report.trimmed if one.part == "earlier"]
    assert {one.reason for one in earlier if one.shortened} == {"long", "budget"}
    assert [one for one in turn.report.trimmed if one.part == "last-time"]
    recall = await assistant.memory.recall(
        await assistant.people.of(_message("ana")),
        _message("ana", "What did we say about varnish last time?"),
    )
    assert all(event.user_text.endswith(". […]") for event in recall.earlier)
    part = recall.session_part
    assert part.count("[…]") >= 3
    assert not recalled_lines(part)
