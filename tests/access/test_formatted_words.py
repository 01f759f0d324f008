"""What people write in bold is learned, found and forgotten like what they write plainly."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from cloche.ids import actor_id
from cloche.messages import Address, Message
from cloche_channels.telegram.parsing import Bot, parse_update

if TYPE_CHECKING:
    from conftest import House

BOT = Bot(42, "our_bot")


def formatted(text: str, update: int = 1, **pieces: str) -> Message:
    """A message of Ana's; pieces of it are formatted as their kinds say."""
    entities = [
        {"type": kind, "offset": text.index(piece), "length": len(piece)}
        for kind, piece in pieces.items()
    ]
    sender = {"chat": {"id": 7, "type": "private"}, "from": {"id": 7, "first_name": "Ana"}}
    content = {"message_id": 1, "date": 1, "text": text, "entities": entities}
    (message,) = parse_update({"update_id": update, "message": content | sender}, BOT)
    assert isinstance(message, Message)
    assert message.formatted or text.startswith("/")
    return message


@pytest.mark.parametrize(
    ("text", "pieces", "asked"),
    [
        (
            "My dog is called Trufa.",
            {"bold": "dog", "italic": "Trufa"},
            "What do you know about my dog?",
        ),
        (
            "I water the fig on Mondays.",
            {"bold": "I water the fig on Mondays."},
            "What do you know about the fig?",
        ),
        ("I am allergic to peanuts.", {"bold": "peanuts", "spoiler": "I am"}, "/memory"),
        (
            "Mi perro se llama Trufa.",
            {"bold": "perro", "italic": "Trufa"},
            "¿Cómo se llama mi perro?",
        ),
        ("Soy alérgico a los cacahuetes.", {"strikethrough": "a los"}, "/memory"),
        ("我的狗叫“米索”。", {"bold": "狗", "italic": "“米索”"}, "我的狗叫什么？"),
        ("我对花生（坚果）过敏。", {"bold": "（坚果）"}, "/memory"),
    ],
)
async def test_what_is_learned_is_learned_from_plain_words(
    house: House, text: str, pieces: dict[str, str], asked: str
) -> None:
    await house.claim("7")
    said = await house.hear(formatted(text, **pieces))
    assert text.rstrip(".。") in said
    actor = actor_id(Address("telegram", "7"))
    assert [record.text for record in await house.memory.store.iterate(actor)] == [text]
    assert [event.user_text for event in await house.memory.store.iterate_events(actor)] == [text]
    assert text in await house.say("7", asked)


async def test_a_command_copied_in_fixed_width_is_obeyed(house: House) -> None:
    await house.claim("7")
    await house.say("7", "Soy alérgico a los cacahuetes.")
    asked = await house.say("7", "/forget all")
    actor = actor_id(Address("telegram", "7"))
    assert await house.memory.store.iterate(actor)
    command = next(found for found in re.findall(r"/\w+ \w+ \w{4,}", asked))
    await house.hear(formatted(command, update=2, code=command))
    assert not await house.memory.store.iterate(actor)
