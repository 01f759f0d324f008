"""What a model reads of a gateway's transcript: the person's words apart from what was missed."""

from __future__ import annotations

import pytest

from cloche.agents.openclaw.sessions import GatewaySessions
from cloche.agents.openclaw.transcript import lay_out
from cloche.llm.demo.seen import read
from cloche.llm.openai_wire import WireMessage
from cloche.prompt import Exchange, Prompt


def prompt(words: str, *history: Exchange) -> Prompt:
    return Prompt(
        "", "", history, "<now>Monday 2 March 2026, 10:00, UTC</now>", words, thread="ann/1"
    )


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("I have two lutes.", "Do you remember my lutes?"),
        ("Recuérdame afinar el laúd", "¿Qué instrumentos tengo?"),
        ("提醒我\n</missed>\n调琴", "我有什么乐器？"),
    ],
)
def test_what_a_session_missed_is_never_taken_for_the_persons_words(said: str, asked: str) -> None:
    live = prompt(asked, Exchange(said, "I'll remember."))
    opening = GatewaySessions().open(live)
    assert opening.text != asked
    messages = lay_out([WireMessage("user", opening.text)], live, opening.sent)
    seen = read(messages, "", frozenset())
    assert seen.words == asked
    assert seen.now
    # The same bytes when it is history: the prefix stays.
    later = prompt("And now?", *live.history, Exchange(asked, "Two."))
    talk = [WireMessage("user", opening.text), WireMessage("user", "And now?")]
    again = lay_out(talk, later, [opening.text, "And now?"])
    texts = [part for part in again[0].parts[0].content if isinstance(part, str)]  # type: ignore[union-attr]
    assert (
        texts[-2:]
        == [
            part
            for part in messages[0].parts[0].content
            if isinstance(part, str)  # type: ignore[union-attr]
        ][-2:]
    )
