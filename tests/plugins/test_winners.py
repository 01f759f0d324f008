"""Whose skill is used where several plugins bring one name: as the assistant's manifest says."""

from __future__ import annotations

import json

import pytest

from cloche.errors import PluginError

SKILL = """
from cloche import Skill, SkillsManifest, ToolContext, hookimpl, tool

@tool
async def {tool}(ctx: ToolContext) -> str:
    '''Do it.'''
    return "done"

@hookimpl
def provide_skills():
    return SkillsManifest((Skill({name!r}, "Does it {tool}.", "Do it.", ({tool},)),))
"""
CHANNEL = """

from cloche import Channel

class Bell(Channel):
    name = "bell"

@hookimpl
def provide_channels(): return [Bell]
"""


@pytest.fixture(autouse=True)
def _own(site, monkeypatch):
    site.assistant("tea")
    site.plugin("one", SKILL.format(name="pouring", tool="pour_one"))
    site.plugin("two", SKILL.format(name="pouring", tool="pour_two"))
    site.plugin("three", SKILL.format(name="brewing", tool="brew"))
    monkeypatch.setenv("CLOCHE_PLUGINS", "tea,coffee,one,two,three")


@pytest.fixture
def wins(site):
    """Writes what the assistant tea says of winners."""

    def write(**chosen):
        path = site.folder / "cloche_tea" / "skills.json"
        path.write_text(json.dumps({"version": 1, "skills": ["brewing"], "wins": chosen}))

    return write


def used(site) -> dict[str, tuple[str, ...]]:
    skills = site.host(("tea", "one", "two", "three")).assistant("tea").skills.skills
    return {skill.name: tuple(tool.name for tool in skill.tools) for skill in skills}


def test_without_a_word_every_clash_is_refused(site, cloche):
    rows = cloche.plugins()
    assert rows["tea"]["status"] == "set aside"
    assert "or say in 'wins' of skills.json whose is used" in rows["tea"]["remedy"]
    assert rows["one"]["status"] == rows["two"]["status"] == "set aside"
    with pytest.raises(PluginError, match="'brewing' is provided by tea"):
        used(site)


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (
            {"brewing": "own", "pouring": "one"},
            {"brewing": ("brew",), "pouring": ("pour_one",)},
        ),
        (
            {"brewing": "tea", "pouring": "two"},
            {"brewing": ("brew",), "pouring": ("pour_two",)},
        ),
        ({"brewing": "three", "pouring": "two"}, {"pouring": ("pour_two",), "brewing": ("brew",)}),
        ({"brewing": "own"}, {"brewing": ("brew",)}),  # one and two still clash: neither is used
    ],
)
def test_the_manifest_says_whose_skill_is_used(site, cloche, wins, chosen, expected):
    wins(**chosen)
    assert used(site) == expected
    rows = cloche.plugins()
    assert rows["tea"]["status"] == "ok"
    decided = "ok" if "pouring" in chosen else "set aside"
    assert (rows["one"]["status"], rows["two"]["status"]) == (decided, decided)


def test_a_winner_says_whom_it_hides(site, wins):
    wins(brewing="own", pouring="two")
    skills = site.host(("tea", "one", "two", "three")).assistant("tea").skills
    assert skills["brewing"].shadows == ("brewing of three (cloche-three)",)
    assert skills["pouring"].shadows == ("pouring of one (cloche-one)",)


def test_what_one_assistant_says_does_not_decide_for_another(site, cloche, wins):
    wins(brewing="own", pouring="two")
    site.assistant("coffee")
    rows = cloche.plugins()
    assert (rows["tea"]["status"], rows["coffee"]["status"]) == ("ok", "set aside")
    host = site.host(("tea", "coffee", "one", "two"))
    assert [skill.name for skill in host.assistant("tea").skills.skills] == ["brewing", "pouring"]
    assert [skill.name for skill in host.assistant("coffee").skills.skills] == ["brewing"]


def test_a_winner_that_is_not_installed_wins_nothing(site, wins):
    wins(brewing="elsewhere", pouring="two")
    host = site.host(("tea", "two"))
    assert [skill.name for skill in host.assistant("tea").skills.skills] == ["brewing", "pouring"]
    with pytest.raises(PluginError, match="'brewing' is provided by tea"):
        used(site)


def test_a_tool_of_one_name_in_two_skills_is_refused_whoever_wins(site, wins):
    site.plugin("four", SKILL.format(name="steeping", tool="brew"))
    wins(brewing="own", pouring="two", steeping="four")
    with pytest.raises(PluginError, match="tool 'brew' is provided by tea"):
        site.host(("tea", "four")).assistant("tea")
