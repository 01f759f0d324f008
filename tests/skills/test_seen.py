"""What a model made of the skills in one turn."""

from __future__ import annotations

import pytest

from cloche.skills import Skill, SkillsManifest, load_folder
from cloche.skills.seen import skills_seen

TOOLS = """
from cloche import ToolContext, tool

@tool
async def brew(ctx: ToolContext, leaf: str) -> str:
    '''Brew tea.'''
    return leaf
"""


@pytest.mark.parametrize(
    ("calls", "opened", "called"),
    [
        ([], (), ()),
        ([("read_skill", '{"name": " tea "}'), ("brew", "{}")], ("tea",), ("tea",)),
        ([("brew", "{}"), ("brew", "{}")], (), ("tea",)),
        ([("read_skill", '{"name": "coffee"}'), ("no_such_tool", "{}")], (), ()),
        ([("read_skill", "not json"), ("read_skill", "[]"), ("read_skill", '{"name": 5}')], (), ()),
    ],
)
def test_skills_are_seen_opened_and_called(folder, calls, opened, called) -> None:
    tea = load_folder(folder(tools=TOOLS))
    ice = Skill("ice", "Freezes.", unavailable="the cold is away")
    seen = skills_seen(SkillsManifest((tea, ice)), calls)
    assert (seen.listed, seen.opened, seen.called) == (("tea",), opened, called)
    assert dict(seen.unavailable) == {"ice": "the cold is away"}
