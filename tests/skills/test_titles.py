"""What people are told a skill is called, in their language."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloche.assembly import open_assistant
from cloche.messages import Address, Message
from cloche.settings import Settings
from cloche.skills import Skill

TITLED = """---
name: brewing
description: Notes what was brewed. Use it when somebody says what they brewed.
metadata:
  title-es: infusiones
  title-zh: 泡茶
---
Note the leaf.
"""


def test_titles_are_those_of_the_metadata_that_say_something() -> None:
    metadata = {"title-es": "notas", "title-zh": " ", "title-pt": 3, "author": "ana"}
    assert Skill("notes", "Keeps notes.", metadata=metadata).titles == {"es": "notas"}


@pytest.mark.parametrize(
    ("words", "listed"),
    [
        ("What can you do?", "- brewing"),
        ("¿Qué puedes hacer?", "- infusiones"),
        ("你会做什么？", "- 泡茶"),
    ],
)
async def test_what_it_can_do_is_told_in_the_persons_language(
    site, cloche_home: Path, words: str, listed: str
) -> None:
    site.assistant("tea", {"skills/brewing/SKILL.md": TITLED})
    settings = Settings(home=cloche_home, time_zone="UTC")
    assistant = await open_assistant(site.host(), "tea", settings)
    turn = await assistant.handle(Message("1", Address("console", "ana"), "ana", words))
    await turn.afterwards()
    await assistant.close()
    assert listed in turn.reply.text.splitlines()
