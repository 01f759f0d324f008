"""``cloche chat --skill ./x``: the folder is read again at each turn."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cloche.assembly import open_assistant
from cloche.errors import ManifestError
from cloche.messages import Address, Message
from cloche.testing import FakeClock
from cloche.turn import Turn

if TYPE_CHECKING:
    from conftest import Site

    from cloche.assistant import Assistant
    from cloche.settings import Settings

SKILL = "---\nname: pouring\ndescription: {description}\n---\n\nPour slowly.\n"
TOOLS = '''\
from cloche import ToolContext, tool

@tool
async def {tool}(ctx: ToolContext, cups: int) -> str:
    """Count cups."""
    return f"{answer} {{cups}}."
'''
EXAMPLES = """\
- tool: {tool}
  say: {{en: ['{say} {{cups}} cups']}}
  values: {{cups: '3'}}
"""

Write = Callable[..., None]


@pytest.fixture
def pouring(tmp_path: Path) -> Path:
    return tmp_path / "pouring"


@pytest.fixture
def write(pouring: Path) -> Write:
    """Writes the skill; what is not named is as it was at first."""

    def write(
        description: str = "Counts cups.",
        tool: str = "pour",
        say: str = "pour",
        answer: str = "Poured",
    ) -> None:
        pouring.mkdir(exist_ok=True)
        (pouring / "SKILL.md").write_text(SKILL.format(description=description))
        (pouring / "tools.py").write_text(TOOLS.format(tool=tool, answer=answer))
        (pouring / "examples.yaml").write_text(EXAMPLES.format(tool=tool, say=say))

    write()
    return write


@pytest.fixture
async def assistant(
    site: Site, cloche_settings: Settings, pouring: Path, write: Write
) -> AsyncIterator[Assistant]:
    site.assistant("tea")
    opened = await open_assistant(
        site.host(("tea",)), "tea", cloche_settings, clock=FakeClock(), extra_skills=(pouring,)
    )
    async with AsyncExitStack() as stack:
        stack.push_async_callback(opened.close)
        yield opened


async def say(assistant: Assistant, text: str) -> Turn:
    number = os.urandom(8).hex()
    turn = await assistant.handle(Message(number, Address("console", "ana"), "ana", text))
    await turn.afterwards()
    return turn


async def test_a_change_counts_from_the_next_turn(assistant: Assistant, write: Write) -> None:
    turn = await say(assistant, "pour 7 cups")
    assert "Poured 7." in turn.reply.text
    write(answer="Filled")
    assert "Filled 7." in (await say(assistant, "pour 7 cups")).reply.text
    write(tool="fill", say="fill", description="Fills cups.")
    turn = await say(assistant, "fill 2 cups")
    assert [use.tool for use in turn.report.tool_uses] == ["fill"]
    assert turn.report.skills.called == ("pouring",)
    assert turn.report.notices == ()
    assert "- pouring: Fills cups." in assistant.stable
    assert (await say(assistant, "pour 7 cups")).report.tool_uses == ()


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("SKILL.md", "---\nname: pouring\ndescription: Use: now\n---\n", "SKILL.md:3: a text has"),
        ("tools.py", "1 / 0\n", "tools.py:1: it raised ZeroDivisionError"),
        ("examples.yaml", "- tool: nothing\n  say: {en: ['x']}\n", "examples.yaml"),
        ("tools.py", TOOLS.format(tool="brew", answer="x"), "the tool brew comes from both"),
    ],
)
async def test_a_broken_edit_keeps_the_last_good_one_and_says_so_until_it_is_mended(
    assistant: Assistant, write: Write, pouring: Path, file: str, text: str, told: str
) -> None:
    if "brew" in text:
        write(tool="brew", say="count")
    (pouring / file).write_text(text)
    for _ in range(2):
        turn = await say(assistant, "pour 7 cups")
        assert "Poured 7." in turn.reply.text
        (notice,) = turn.report.notices
        assert notice.startswith("skill pouring: its last good version is used. ")
        assert told in notice
    write(answer="Mended")
    turn = await say(assistant, "pour 7 cups")
    assert "Mended 7." in turn.reply.text
    assert turn.report.notices == ()


async def test_a_folder_that_goes_away_is_told(assistant: Assistant, pouring: Path) -> None:
    pouring.rename(pouring.with_name("elsewhere"))
    turn = await say(assistant, "pour 7 cups")
    assert "Poured 7." in turn.reply.text
    assert "there is no such folder" in turn.report.notices[0]


async def test_nothing_is_read_again_while_nothing_changes(
    assistant: Assistant, pouring: Path
) -> None:
    ran = pouring.with_name("ran")
    (pouring / "tools.py").write_text(
        f"open({str(ran)!r}, 'a', encoding='utf-8').close()\n"
        + TOOLS.format(tool="pour", answer="P")
    )
    await say(assistant, "pour 7 cups")
    assert ran.exists()
    ran.unlink()
    before = assistant.stable
    await say(assistant, "pour 7 cups")
    assert not ran.exists()
    assert assistant.stable is before


async def test_a_tried_skill_takes_the_place_of_the_packages_own_and_says_so(
    site: Site, cloche_settings: Settings, tmp_path: Path
) -> None:
    module = site.assistant("tea")
    mine = tmp_path / "brewing"
    mine.mkdir()
    (mine / "SKILL.md").write_text("---\nname: brewing\ndescription: Mine.\n---\nx\n")
    host = site.host(("tea",))
    assistant = await open_assistant(host, "tea", cloche_settings, extra_skills=(mine,))
    (skill,) = assistant.spec.skills.skills
    await assistant.close()
    assert skill.description == "Mine."
    assert skill.shadows == ("brewing of package",)
    assert json.loads((site.folder / module / "skills.json").read_text())["skills"] == ["brewing"]


async def test_a_folder_that_was_never_good_stops_the_start(
    site: Site, cloche_settings: Settings, tmp_path: Path
) -> None:
    site.assistant("tea")
    with pytest.raises(ManifestError, match="there is no such folder"):
        await open_assistant(
            site.host(("tea",)), "tea", cloche_settings, extra_skills=(tmp_path / "none",)
        )
