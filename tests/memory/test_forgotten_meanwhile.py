"""What is forgotten while a turn runs elsewhere: nothing of that turn stores it again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.agents.embedded import EmbeddedAgent
from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.errors import MemoryUnavailableError, ToolError
from cloche.ids import actor_id
from cloche.memory.for_tools import PersonMemory
from cloche.memory.forgotten import Forgotten
from cloche.memory.recall import Recall
from cloche.memory.telling import any_matches, any_tells, print_of
from cloche.messages import Address, Correction, Message
from cloche.settings import Settings
from cloche.sqlite import to_micros
from cloche.testing.clock import FakeClock
from cloche.testing.fake_model import FakeModel
from cloche.testing.script import say
from cloche.vocabulary import bare_words

ANN = Address("telegram", "ann")
ACTOR = actor_id(ANN)
TOLD = pytest.mark.parametrize(
    ("statement", "question", "answer"),
    [
        ("I own a zebrawood flute.", "What do I play?", "A flute of zebrawood."),
        ("Tengo una flauta de palisandro.", "¿Qué toco?", "Una flauta de palisandro."),
        ("我有一支紫檀木笛子。", "我会什么乐器？", "紫檀木笛子。"),
    ],
)


class Talk:
    """An assistant that answers with what a test says, and a person who writes to it."""

    def __init__(self, assistant: Assistant, clock: FakeClock, answers: list[str]) -> None:
        self.assistant, self.clock, self.answers = assistant, clock, answers
        self.memory = assistant.memory
        self._count = 0

    def message(self, text: str, conversation: str = "ann", **also: Any) -> Message:
        self._count += 1
        self.clock.pass_(seconds=1)
        told = Message(f"u{self._count}", ANN, conversation, text, arrived=self.clock())
        return replace(told, **also)

    async def begin(self, text: str, answer: str, **also: Any) -> Callable[[], Awaitable[object]]:
        """A turn that is answered; what follows it waits to be called."""
        self.answers.append(answer)
        turn = await self.assistant.handle(self.message(text, **also))
        return turn.afterwards

    async def forget(self, words: str, *, turn: str = "") -> None:
        self.clock.pass_(seconds=1)
        for record in await self.memory.store.iterate(ACTOR):
            if words in record.text:
                await self.memory.forgetter.record(ACTOR, record.id, turn=turn)

    async def kept(self) -> str:
        """All that is stored of the person, as it is stored."""
        store, state = self.memory.store, self.memory.state
        items = [*await store.iterate_events(ACTOR), *await store.iterate(ACTOR)]
        return f"{items} {[one.value for one in await state.list_items('')]}"


@pytest.fixture
async def talk(site: Any, tmp_path: Path) -> AsyncIterator[Talk]:
    site.assistant("tea")
    clock, answers = FakeClock(), list[str]()
    assistant = await open_assistant(
        site.host(),
        "tea",
        Settings(home=tmp_path / "home", time_zone="UTC"),
        clock=clock,
        agent=EmbeddedAgent(FakeModel(lambda asked: say(answers.pop())).chosen()),
    )
    yield Talk(assistant, clock, answers)
    await assistant.close()


def core_of(statement: str) -> str:
    return next(w for w in ("zebrawood", "palisandro", "紫檀木") if w in statement)


@TOLD
async def test_an_answer_that_was_being_written_is_not_kept(
    talk: Talk, statement: str, question: str, answer: str
) -> None:
    await (await talk.begin(statement, "Good."))()
    follow = await talk.begin(question, answer, conversation="g", group=True)
    assert core_of(statement) in await talk.kept()
    await talk.forget(core_of(statement))
    await follow()
    kept = await talk.kept()
    assert core_of(statement) not in kept
    assert question in kept, "what was asked tells nothing, and stays"


@pytest.mark.parametrize("everything", [True, False], ids=["everything", "one thing"])
@TOLD
async def test_what_cannot_be_looked_up_waits_until_it_can(
    talk: Talk,
    statement: str,
    question: str,
    answer: str,
    everything: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await (await talk.begin(statement, "Good."))()
    follow = await talk.begin(f"{question} {statement}", answer)
    other = await talk.begin("Mi té es verde. 绿茶。", "Yes.", conversation="elsewhere")
    await talk.forget(core_of(statement))  # as another process does
    if everything:
        await talk.memory.forgetter.everything(ACTOR)
    with monkeypatch.context() as away:
        for method in ("get", "delete", "list_items", "put", "compare_and_set"):
            away.setattr(talk.memory.state, method, unusable)
        for follows in (follow, other):
            remembered: Any = await follows()
            assert remembered.waiting
    assert core_of(statement) not in str(await talk.memory.store.iterate_events(ACTOR))
    await (await talk.begin("Hi", "Hello."))()
    kept = await talk.kept()
    assert core_of(statement) not in kept
    assert ("绿茶" in kept) is not everything


@pytest.mark.parametrize("everything", [True, False], ids=["everything", "one thing"])
async def test_who_looks_it_up_while_it_is_being_forgotten_knows_of_its_end(
    talk: Talk, *, everything: bool
) -> None:
    """What an agent keeps goes once more at the end, and a prompt begun meanwhile is too old."""
    await (await talk.begin("I own a zebrawood flute.", "Noted."))()
    begun = []

    async def look_up(actor: str) -> None:
        message = talk.message("Hi")
        person = await talk.assistant.people.of(message)
        prompt = talk.assistant.build_prompt(person, message, Recall())
        assert prompt.begun is not None
        begun.append(prompt.begun)
        talk.clock.pass_(seconds=1)

    talk.memory.forgetter.also(look_up)
    if everything:
        await talk.memory.forgetter.everything(ACTOR)
        latest = await Forgotten(talk.memory.state, talk.clock).latest(ACTOR)
        assert latest is not None
        assert len(begun) == 2
        assert latest > to_micros(begun[0])
    else:
        before = talk.clock()
        await talk.forget("zebrawood")
        latest = await Forgotten(talk.memory.state, talk.clock).latest(ACTOR)
        assert latest is not None
        assert len(begun) == 1
        assert latest > to_micros(before)


async def unusable(*_: object, **__: object) -> None:
    raise MemoryUnavailableError("no way there", cause="io")


@TOLD
async def test_words_that_say_it_again_are_not_kept_nor_learned(
    talk: Talk, statement: str, question: str, answer: str
) -> None:
    await (await talk.begin(statement, "Good."))()
    again = await talk.begin(f"{question} {statement}", answer, conversation="g", group=True)
    edited = Correction("?", statement)
    corrected = await talk.begin("ok", "Good.", conversation="h", group=True, corrected=(edited,))
    await talk.forget(core_of(statement))
    await again()
    await corrected()
    assert core_of(statement) not in await talk.kept()


@TOLD
async def test_what_waited_to_be_answered_is_answered_and_not_kept(
    talk: Talk, statement: str, question: str, answer: str
) -> None:
    await (await talk.begin(statement, "Good."))()
    waited = talk.message(statement, conversation="g", group=True)
    await talk.forget(core_of(statement))
    talk.answers.append("Good.")
    talk.clock.pass_(seconds=1)
    await (await talk.assistant.handle(waited)).afterwards()
    assert core_of(statement) not in await talk.kept()


@TOLD
async def test_a_turn_whose_process_died_brings_nothing_back(
    talk: Talk, statement: str, question: str, answer: str
) -> None:
    await (await talk.begin(statement, "Good."))()
    await talk.begin(question, answer, conversation="g", group=True)
    await talk.forget(core_of(statement))
    talk.memory.journal._mine.clear()  # as another process finds it
    await (await talk.begin("Hello", "Hello."))()
    assert core_of(statement) not in await talk.kept()


@TOLD
async def test_what_waited_to_be_answered_when_its_process_died_is_not_kept_either(
    talk: Talk, statement: str, question: str, answer: str
) -> None:
    await (await talk.begin(statement, "Good."))()
    waited = talk.message(statement)
    await talk.forget(core_of(statement))
    talk.answers.append("Good.")
    talk.clock.pass_(seconds=1)
    await talk.assistant.handle(waited)
    talk.memory.journal._mine.clear()  # as another process finds it
    await (await talk.begin("Hello", "Hello."))()
    assert core_of(statement) not in await talk.kept()


@TOLD
async def test_what_is_said_anew_afterwards_is_kept(
    talk: Talk, statement: str, question: str, answer: str
) -> None:
    await (await talk.begin(statement, "Good."))()
    await talk.forget(core_of(statement))
    await (await talk.begin(statement, "Good."))()
    assert core_of(statement) in await talk.kept()


async def test_a_tool_of_an_earlier_turn_keeps_it_no_more_but_that_of_the_same_turn_may(
    talk: Talk,
) -> None:
    statement = "I own a zebrawood flute."
    await (await talk.begin(statement, "Good."))()
    person = await talk.assistant.people.of(talk.message("what else?"))
    await talk.forget("zebrawood", turn="mine")
    theirs = PersonMemory(talk.memory, person, "c1", "theirs")
    for keep in (theirs.remember, lambda text: theirs.correct("any", text)):
        with pytest.raises(ToolError, match="just had that forgotten"):
            await keep(statement)
    assert await theirs.remember("I own a drum.")
    assert await PersonMemory(talk.memory, person, "c2", "mine").remember(f"{statement} Of 1950.")


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("My clinic is in Lu-\ngo.", True),
        ("Mi clínica está en Lu-  \n\n  go.", True),
        ("The clinic is in Lu\u00adgo", True),
        ("In Lu\u2010\ngo", True),
        ("我在 Lu-\ngo 看病", True),
        ("It is Lu - go, or Lu-go on one line.", False),
        ("Lu\ngo", False),
    ],
)
def test_a_word_that_a_lines_end_parts_is_that_word(text: str, tells: bool) -> None:
    assert any_tells(text, ["lugo"]) is tells
    assert any_matches(text, [print_of("lugo", b"key")], b"key") is tells


@given(
    told=st.lists(st.sampled_from("ab ab, Ábaco 笛子 文 don't 7 . ".split(" ")), max_size=9),
    said=st.lists(st.sampled_from("ab abaco 笛 子文 7".split()), min_size=1, max_size=3),
)
def test_a_print_is_found_where_its_words_are(told: list[str], said: list[str]) -> None:
    for gap in (" ", ""):
        text, words = gap.join(told), bare_words(" ".join(said))
        found = any_matches(text, [print_of(words, b"key")], b"key")
        assert found == any_tells(text, [words])
        assert not any_matches(text, [print_of(words, b"key")], b"another")
