"""Keys that the host sets: what a tool keeps has the turn's value, whatever its words name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloche.documents import shared_resource
from cloche.errors import ToolError
from cloche.memory.for_tools import PersonMemory
from cloche.memory.records import Tag
from cloche.messages import Address, Message
from cloche.skills import load_folder
from cloche.testing import tool_context
from cloche.vocabulary import MetadataKey, Value, Vocabulary

SHOPS = Vocabulary(
    (
        MetadataKey(
            "shop",
            "Which shop they write to.",
            values=(Value("north", aliases=("norte", "北店")), Value("south")),
            host_set=True,
        ),
    )
)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The north shop closes at six."),
        ("es", "La tienda norte cierra a las seis."),
        ("zh", "北店六点关门。"),
    ],
)
async def test_what_a_tool_keeps_has_the_turns_value_and_no_words_change_it(
    open_luthier: Callable[..., Any], language: str, text: str
) -> None:
    assistant = await open_luthier()
    message = Message(id="x", address=Address("console", "ana"), conversation="ana", text="")
    person = await assistant.people.of(message)
    assistant.memory.vocabulary = SHOPS
    memory = PersonMemory(assistant.memory, person, "call-1", "turn-1", {"shop": "south"})
    folder = shared_resource("skills", "memory")
    assert isinstance(folder, Path)
    (remember,) = [tool for tool in load_folder(folder).tools if tool.name == "remember"]
    await remember.function(tool_context(SHOPS, memory=memory, language=language), text=text)
    (record,) = await assistant.memory.store.iterate(person.actor)
    assert record.text == text
    assert record.metadata == {"shop": (Tag("south", "south"),)}
    with pytest.raises(ToolError, match="set by the host"):
        await memory.remember("The sign is red.", metadata={"shop": ["north"]})
