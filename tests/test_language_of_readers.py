"""Where neither choice nor words tell, the host speaks what the platform says somebody reads."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from cloche.access.access import Access
from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.delivery.codec import message_from_json, message_to_json
from cloche.delivery.inbox import Row
from cloche.delivery.merging import merge
from cloche.messages import Address, Message
from cloche.settings import AccessSettings, load_settings
from cloche.texts import known_language, say

if TYPE_CHECKING:
    from conftest import Site

ANA = Address("chime", "ana")
READS = [("es-MX", "es"), ("zh-hans", "zh"), ("en", "en"), ("fr", "en"), ("", "en"), ("ES", "es")]


def said(text: str, language: str = "", *, id_: str = "m") -> Message:
    return Message(id_, ANA, "ana", text, ref=id_, language=language)


@pytest.fixture
async def assistant(site: Site) -> AsyncIterator[Assistant]:
    site.assistant("tea")
    clock = lambda: datetime(2026, 3, 3, 12, tzinfo=UTC)  # noqa: E731
    opened = await open_assistant(site.host(("tea",)), "tea", load_settings(), clock=clock)
    yield opened
    await opened.close()


@pytest.mark.parametrize(("reads", "language"), READS)
@pytest.mark.parametrize("words", ["/help", "/memory", "/forget all", "Oslo", "🌻", ""])
async def test_what_is_read_counts_where_no_words_tell(
    assistant: Assistant, words: str, reads: str, language: str
) -> None:
    assert await assistant.language_of(said(words, reads)) == language


@pytest.mark.parametrize(("reads", "language"), READS)
async def test_strangers_are_told_in_what_they_read(
    assistant: Assistant, reads: str, language: str
) -> None:
    gate = Access(assistant.doors, assistant.people, AccessSettings(), "chime")
    told = (await gate.admit(said("/start", reads))).reply
    assert told is not None
    assert told.text == say("access_stranger", language)


@pytest.mark.parametrize(
    ("words", "language"),
    [("I have a blue shed.", "en"), ("Tengo un cobertizo.", "es"), ("我有一个棚子。", "zh")],
)
async def test_words_count_before_what_is_read_and_so_does_what_was_spoken_last(
    assistant: Assistant, words: str, language: str
) -> None:
    reads = "es" if language == "zh" else "zh"
    message = said(words, reads)
    assert await assistant.language_of(message) == language
    await assistant.people.heard(await assistant.people.of(message), message)
    assert await assistant.language_of(said("/help", reads)) == language


@pytest.mark.parametrize(("command", "language"), [("/olvidar todo", "es"), ("/忘记", "zh")])
async def test_a_commands_own_name_tells(assistant: Assistant, command: str, language: str) -> None:
    assert await assistant.language_of(said(command, "en")) == language


async def test_a_choice_counts_before_everything(assistant: Assistant) -> None:
    person = await assistant.people.of(said(""))
    await assistant.people.choose(person.actor, language="zh")
    assert await assistant.language_of(said("I have a blue shed.", "es")) == "zh"


def test_what_is_read_survives_keeping_merging_and_editing() -> None:
    first, second = said("Tengo", "es", id_="1"), said("un peral", id_="2")
    assert message_from_json(message_to_json(first)) == first
    rows = [Row(one.id, one, 0) for one in (first, second)]
    assert merge(rows).language == "es"
    edited = Row("3", replace(first, text="Teníamos", edits=True, language=""), 0)
    assert merge([rows[0], edited]).language == "es"


@pytest.mark.parametrize(("tag", "language"), [("es_ES.UTF-8", "es"), ("zh-Hant-TW", "zh")])
def test_a_tag_stands_for_its_language(tag: str, language: str) -> None:
    assert known_language(tag) == language
