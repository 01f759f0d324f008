"""A part that fails: the person gets an answer or one polite sentence, and nothing is lost."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloche.agents.agent import Answer
from cloche.agents.openclaw.sessions import GatewaySessions
from cloche.errors import MemoryUnavailableError, ModelError
from cloche.memory.truth.reading import Reader
from cloche.messages import Address, Message
from cloche.texts import say

WORDS = {
    "en": "My cello has new strings, what do you think?",
    "es": "Mi chelo tiene cuerdas nuevas, ¿qué opinas?",
    "zh": "我的大提琴换了新弦，你觉得怎么样？",
}
SPOILS = ["off", "corrupt", "future", "full", "slow"]


class Says:
    """An agent that answers with what it was asked, and keeps the prompts."""

    name = "says"

    def __init__(self, *failures: str) -> None:
        self.failures, self.prompts = list(failures), []

    async def ask(self, prompt: Any, tools: Any, on_delta: Any = None) -> Answer:
        self.prompts.append(prompt)
        if self.failures:
            raise ModelError(
                "key sk-secret refused by https://model.example", cause=self.failures.pop(0)
            )
        if on_delta:
            await on_delta("Heard.")
        return Answer("Heard.")

    async def close(self) -> None:
        pass


def spoil(home: Path, how: str) -> None:
    folder = home / "luthier"
    folder.mkdir(parents=True, exist_ok=True)
    if how == "off":
        (folder / "memory.db").mkdir()
    elif how == "corrupt":
        (folder / "memory.db").write_bytes(b"not a database at all" * 400)
    elif how == "future":
        with sqlite3.connect(folder / "memory.db") as database:
            database.execute("PRAGMA user_version = 999")
        database.close()


def repair(home: Path) -> None:
    path = home / "luthier" / "memory.db"
    path.rmdir() if path.is_dir() else path.unlink()
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


async def hang(*_: Any, **__: Any) -> Any:
    await asyncio.Event().wait()


async def full(*_: Any, **__: Any) -> Any:
    raise MemoryUnavailableError("database or disk is full", cause="disk_full")


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("how", SPOILS)
async def test_without_its_memory_the_assistant_answers_says_so_and_writes_later(
    how: str,
    language: str,
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = tmp_path / "home"
    spoil(home, how)
    agent = Says()
    assistant = await open_luthier(
        agent=agent, memory={"recall_seconds": 0.2 if how == "slow" else 3.0}
    )
    with monkeypatch.context() as patched:
        if how in ("slow", "full"):
            for method in ("search", "recent_events", "count_events", "add_event", "write"):
                patched.setattr(assistant.memory.store, method, hang if how == "slow" else full)
            patched.setattr(assistant.memory.writer, "_seconds", 0.05)
        ana = chat(assistant, "ana")
        with caplog.at_level(logging.WARNING):
            streamed: list[str] = []

            async def on_delta(piece: str) -> None:
                streamed.append(piece)

            turn = await ana.say(WORDS[language], on_delta=on_delta)
            second = await ana.say(WORDS[language])
    assert turn.reply.text == f"Heard.\n\n{say('memory_away', language)}"
    assert "".join(streamed) == turn.reply.text
    assert turn.report.degraded
    assert "cannot be read" in agent.prompts[0].turn
    assert [e.user for e in agent.prompts[1].history] == [WORDS[language]]  # the session goes on
    assert second.report.degraded == turn.report.degraded
    assert ana.remembered.waiting >= 2
    told = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert len(told) == len(set(told)) <= 3  # once per cause: reading, writing, state
    await assistant.close()
    if how in ("off", "corrupt", "future"):
        repair(home)
    again = await open_luthier(agent=Says())
    ana = chat(again, "ana")
    await ana.say("And now?")
    events = await again.memory.store.recent_events("console_-ana", limit=10)
    assert [event.user_text for event in events] == [WORDS[language], WORDS[language], "And now?"]
    assert ana.remembered.waiting == 0


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("cause", ["auth", "throttled", "server", "timeout", "cut"])
async def test_a_model_that_fails_is_one_polite_sentence_and_the_message_is_kept(
    cause: str,
    language: str,
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    agent = Says(cause, cause)
    assistant = await open_luthier(agent=agent)
    ana = chat(assistant, "ana")
    with caplog.at_level(logging.WARNING):
        turn = await ana.say(WORDS[language])
        await ana.say(WORDS[language])
    known = {"auth": "model_auth", "throttled": "model_throttled", "timeout": "model_timeout"}
    assert turn.reply.text == say(known.get(cause, "model_failed"), language)
    assert turn.report.failure == cause
    assert len([r for r in caplog.records if r.levelno >= logging.WARNING]) == 1
    events = await assistant.memory.store.recent_events("console_-ana", limit=10)
    assert [(e.user_text, e.assistant_text) for e in events] == [(WORDS[language], None)] * 2
    await ana.say("And now?")
    prompt = agent.prompts[-1]
    assert [e.user for e in prompt.history] == [WORDS[language]] * 2
    assert turn.reply.text not in "".join(e.assistant for e in prompt.history)


async def test_the_state_store_being_away_costs_no_answer(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "home/luthier/state.db").mkdir(parents=True)
    assistant = await open_luthier(agent=Says())
    ana = chat(assistant, "ana")
    turn = await ana.say("My cello is from 1920.")
    assert turn.reply.text.startswith("Heard.")
    events = await assistant.memory.store.recent_events("console_-ana", limit=10)
    assert [event.user_text for event in events] == ["My cello is from 1920."]


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("trouble", [full, hang], ids=["full", "slow"])
@pytest.mark.parametrize("lasts", [True, False], ids=["all along", "for a moment"])
async def test_what_waits_to_be_written_is_part_of_the_talk_and_of_a_gateways_session(
    lasts: bool,
    trouble: Callable[..., Any],
    language: str,
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agent = Says()
    assistant = await open_luthier(agent=agent)
    monkeypatch.setattr(assistant.memory.writer, "_seconds", 0.05)
    monkeypatch.setattr("cloche.memory.writer.CATCH_UP_SECONDS", 0.05)
    ana, ben = chat(assistant, "ana"), chat(assistant, "ben")
    said = ["one", WORDS[language], "three", "four"]
    await ana.say(said[0])
    with monkeypatch.context() as broken:
        broken.setattr(assistant.memory.store, "add_event", trouble)
        await ben.say("Not hers.")
        await ana.say(said[1])
        if lasts:
            await ana.say(said[2])
            await ana.say(said[3])
    if not lasts:
        await ana.say(said[2])
        await ana.say(said[3])
    hers = [prompt for prompt in agent.prompts if prompt.words != "Not hers."]
    assert [[e.user for e in prompt.history] for prompt in hers] == [said[:n] for n in range(4)]
    assert bool(ana.remembered.waiting) is lasts
    gateway, keys = GatewaySessions(), []
    for prompt in hers:
        opening = gateway.open(prompt)
        gateway.answered(prompt, opening, "Heard.")
        keys.append(opening.key)
        assert opening.text == prompt.words  # nothing is told again
    assert len(set(keys)) == 1


async def test_writes_keep_their_order_through_an_outage(
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assistant = await open_luthier(agent=Says())
    ana, ben = chat(assistant, "ana"), chat(assistant, "ben")
    await ana.say("one")
    with monkeypatch.context() as patched:
        patched.setattr(assistant.memory.store, "add_event", full)
        await ana.say("two")
        await ben.say("zwei")
    await ana.say("three")
    for who, said in (("ana", ["one", "two", "three"]), ("ben", ["zwei"])):
        events = await assistant.memory.store.recent_events(f"console_-{who}", limit=10)
        assert [event.user_text for event in events] == said


async def test_with_store_and_spool_both_gone_the_process_holds_the_words(
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assistant = await open_luthier(agent=Says())
    ana = chat(assistant, "ana")
    with monkeypatch.context() as patched:
        patched.setattr(assistant.memory.store, "add_event", full)
        patched.setattr(assistant.memory.writer._spool, "append", full)
        await ana.say("one")
        assert ana.remembered.waiting == 1
    await ana.say("two")
    events = await assistant.memory.store.recent_events("console_-ana", limit=10)
    assert [event.user_text for event in events] == ["one", "two"]
    assert ana.remembered.waiting == 0


async def test_a_turn_whose_process_was_killed_after_the_answer_is_remembered_by_the_next(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], clock: Any
) -> None:
    killed = await open_luthier(agent=Says())
    message = Message("7", Address("console", "ana"), "ana", "I have a lute from Padua.")
    assert (await killed.handle(message)).reply.text == "Heard."
    # Nothing follows: the process is gone. Another one, the next day:
    clock.pass_(days=1)
    agent = Says()
    ana = chat(await open_luthier(agent=agent), "ana")
    await ana.say("What instruments do I have?")
    assert "I have a lute from Padua." in agent.prompts[-1].turn
    await ana.say("And?")
    found = await killed.memory.store.iterate("console_-ana")
    told = [record.text for record in found if record.kind != "summary"]
    assert told == ["I have a lute from Padua."]
    assert not await killed.memory.state.list_items("person/console_-ana/open/")


@pytest.mark.parametrize("part", ["_toolbox", "_attachments"])
async def test_whatever_breaks_the_message_is_kept_and_no_exception_is_seen(
    part: str,
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assistant = await open_luthier(agent=Says())
    with monkeypatch.context() as patched:
        patched.setattr(assistant, part, None)
        turn = await chat(assistant, "ana").say("Tengo un violín de Cremona.")
    assert turn.reply.text == say("model_failed", "es")
    (event,) = await assistant.memory.store.recent_events("console_-ana", limit=10)
    assert (event.user_text, event.assistant_text) == ("Tengo un violín de Cremona.", None)


async def test_a_stored_thing_that_cannot_be_read_costs_no_answer(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: Any, **__: Any) -> Any:
        raise OverflowError("date value out of range")

    assistant = await open_luthier(agent=Says())
    monkeypatch.setattr(assistant.memory.store, "search", broken)
    turn = await chat(assistant, "ana").say("Tengo un violín.")
    assert turn.reply.text.startswith("Heard.")
    assert turn.report.degraded == "internal"


async def test_one_enormous_message_spoils_no_later_session(
    open_luthier: Callable[..., Any], chat: Callable[..., Any]
) -> None:
    agent = Says()
    ana = chat(await open_luthier(agent=agent), "ana")
    assert "100000" in (await ana.say("弦" * 1_000_000)).reply.text
    for _ in range(3):
        await ana.say("长" * 99_000)
    await ana.say("/new")
    assert (await ana.say("Hello")).reply.text == "Heard."
    assert len(agent.prompts[-1].session) < 10_000


async def test_a_lone_surrogate_of_a_model_or_a_person_spoils_nothing(
    open_luthier: Callable[..., Any], chat: Callable[..., Any]
) -> None:
    agent = Says()
    ana = chat(await open_luthier(agent=agent), "ana")
    await ana.say("A \ud800 lute")
    assert agent.prompts[-1].words == "A \ufffd lute"


async def test_nothing_can_be_written_anywhere_and_the_person_hears_of_it(
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    assistant = await open_luthier(agent=Says())
    ana = chat(assistant, "ana")
    with monkeypatch.context() as patched:
        patched.setattr(assistant.memory.store, "add_event", full)
        patched.setattr(assistant.memory.writer._spool, "append", full)
        await ana.say("one")
        assert ana.remembered.unsaved == 1
        await assistant.memory.writer.close()
        assert "1 writes are lost" in caplog.text


async def test_a_spool_that_cannot_be_read_keeps_nobody_from_a_healthy_store(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "home/luthier/spool.jsonl").mkdir(parents=True)
    assistant = await open_luthier(agent=Says())
    ana = chat(assistant, "ana")
    await ana.say("one")
    assert ana.remembered.unsaved == 0
    assert len(await assistant.memory.store.recent_events("console_-ana", limit=10)) == 1


@pytest.mark.parametrize(
    "said",
    [
        "I have a lute. My password is Tr0ub4dor for the room. It is old.",
        "Tengo un laúd. Mi contraseña es Tr0ub4dor en la habitación. Es viejo.",
        "我有鲁特琴。我的密码是Tr0ub4dor。它很旧。",
    ],
)
async def test_a_secret_is_written_nowhere(
    said: str, open_luthier: Callable[..., Any], chat: Callable[..., Any], tmp_path: Path
) -> None:
    agent = Says()
    assistant = await open_luthier(agent=agent)
    ana = chat(assistant, "ana")
    await ana.say(said)
    assert "Tr0ub4dor" in agent.prompts[-1].words
    await ana.say("/new")
    await ana.say("hi")
    p = agent.prompts[-1]
    assert "Tr0ub4dor" not in p.session + p.turn + str(p.history)
    await assistant.close()
    files = [f for f in (tmp_path / "home").rglob("*") if f.is_file()]
    assert files
    assert not [f for f in files if b"Tr0ub4dor" in f.read_bytes()]


async def test_a_machine_that_is_busy_with_itself_is_no_slow_memory(
    open_luthier: Callable[..., Any], chat: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a process loads once to read words is not taken off the store's time."""
    at_work: list[str] = []

    class Budget(asyncio.Timeout):
        async def __aenter__(self) -> Budget:
            at_work.append("the store's time")
            return await super().__aenter__()

    def budget(seconds: float | None) -> Budget:
        return Budget(None if seconds is None else asyncio.get_running_loop().time() + seconds)

    def read(self: object, text: str, hint: str = "") -> object:
        at_work.append("words")
        return reading(self, text, hint)  # type: ignore[arg-type]

    assistant = await open_luthier(agent=Says())
    reading = Reader.read
    monkeypatch.setattr("cloche.memory.truth.reading.Reader.read", read)
    monkeypatch.setattr("cloche.memory.pipeline.asyncio.timeout", budget)
    await chat(assistant, "ana").say("Where do I keep my chisels?")
    assert at_work.index("words") < at_work.index("the store's time")
