"""What CLOCHE_PLUGINS leaves out, and who gives way when two plugins bring one name."""

from __future__ import annotations

import sys

import pytest

from cloche.errors import PluginError

CHANNEL = """
from cloche import Channel, hookimpl

class Bell(Channel):
    name = "bell"
    def __init__(self, context=None): pass
    def parse(self, request): return ()
    async def send(self, part): pass

@hookimpl
def provide_channels(): return [Bell]
"""


def skill(name: str, tool: str = "") -> str:
    """A plugin with one skill and, if named, one tool."""
    made = f"""
@tool
async def {tool}(ctx: ToolContext) -> str:
    '''Do it.'''
    return "done"
"""
    return f"""
from cloche import Skill, SkillsManifest, ToolContext, hookimpl, tool
{made if tool else ""}
@hookimpl
def provide_skills():
    return SkillsManifest((Skill({name!r}, "Does it.", "Do it.", ({tool + "," if tool else ""})),))
"""


def statuses(host) -> dict[str, str]:
    return {row.name: row.status for row in host.rows}


def test_unset_loads_all(site):
    site.assistant("tea")
    assert statuses(site.host(None))["tea"] == "ok"


def test_empty_loads_none_but_the_built_in_channels(site, cloche, monkeypatch):
    site.assistant("tea")
    site.plugin("bell", CHANNEL)
    monkeypatch.setenv("CLOCHE_PLUGINS", "")
    rows = cloche.plugins()
    assert (rows["tea"]["status"], rows["bell"]["status"]) == ("off", "off")
    assert rows["console"]["status"] == "ok"
    assert rows["tea"]["remedy"] == "Add tea to CLOCHE_PLUGINS, or unset it."
    assert not {"cloche_tea", "cloche_bell"} & set(sys.modules)


@pytest.mark.parametrize("written", ["tea", "cloche-tea", "Cloche_Tea", "other,cloche.tea"])
def test_a_limit_names_an_entry_point_or_a_distribution(site, cloche, monkeypatch, written):
    site.assistant("tea")
    site.plugin("bell", CHANNEL)
    monkeypatch.setenv("CLOCHE_PLUGINS", written)
    rows = cloche.plugins()
    assert (rows["tea"]["status"], rows["bell"]["status"]) == ("ok", "off")


def test_what_is_off_is_not_the_same_as_what_is_not_there(site, cloche, monkeypatch):
    site.assistant("tea")
    monkeypatch.setenv("CLOCHE_PLUGINS", "cloche-coffee")
    rows = cloche.plugins()
    assert rows["cloche-coffee"]["status"] == "missing"
    assert "not installed" in rows["cloche-coffee"]["reason"]
    with pytest.raises(PluginError, match="CLOCHE_PLUGINS leaves it out"):
        site.host(("cloche-coffee",)).assistant("tea")
    assert site.host(("cloche-coffee",)).assistants == ()


def test_a_broken_plugin_that_is_off_is_not_imported(site, cloche, monkeypatch):
    site.plugin("broken", "1 / 0")
    monkeypatch.setenv("CLOCHE_PLUGINS", "tea")
    assert cloche.plugins()["broken"]["status"] == "off"


@pytest.mark.parametrize(
    "code",
    [
        CHANNEL,
        "from cloche import hookimpl\n@hookimpl\n"
        "def provide_memory_stores(): return {'bell': print}",
        "from cloche import hookimpl\n@hookimpl\ndef provide_agents(): return {'bell': print}",
        "from cloche import hookimpl\n@hookimpl\ndef provide_embedders(): return {'bell': print}",
        skill("bell"),
    ],
    ids=["channel", "store", "agent", "embedder", "skill"],
)
def test_a_name_that_two_plugins_bring_sets_both_aside_and_names_both(site, cloche, code):
    site.plugin("one", code)
    site.plugin("two", code)
    site.plugin("three", CHANNEL.replace('"bell"', '"gong"'))
    rows = cloche.plugins()
    for name, other in (("one", "two"), ("two", "one")):
        assert rows[name]["status"] == "set aside"
        assert f"'bell' is provided by {name} (cloche-{name})" in rows[name]["reason"]
        assert f"and by {other} (cloche-{other})" in rows[name]["reason"]
    assert rows["three"]["status"] == "ok"
    host = site.host()
    things = (host.channels(), host.memory_stores(), host.agents(), host.embedders())
    assert not any("bell" in names for names in things)


def test_a_plugin_cannot_take_the_built_in_channels_name(site, cloche):
    site.plugin("one", CHANNEL.replace('"bell"', '"console"'))
    rows = cloche.plugins()
    assert rows["one"]["status"] == "set aside"
    assert "and by console (cloche)" in rows["one"]["reason"]
    assert rows["console"]["status"] == "ok"


def test_an_add_on_brings_its_skills_to_every_assistant_after_its_own(site):
    site.assistant("tea")
    site.plugin("notes", skill("notes", tool="note"))
    skills = site.host().assistant("tea").skills
    assert [one.name for one in skills.skills] == ["brewing", "notes"]


@pytest.mark.parametrize(
    ("add_on", "what"), [(skill("brewing"), "skill"), (skill("other", tool="brew"), "tool")]
)
def test_an_add_on_that_repeats_an_assistants_skill_is_an_error_that_names_both(
    site, cloche, add_on, what
):
    site.assistant("tea")
    site.assistant(
        "coffee",
        {
            "skills.json": '{"version": 1, "skills": []}',
            "skills/brewing/SKILL.md": None,
            "skills/brewing/tools.py": None,
            "skills/brewing/examples.yaml": None,
        },
    )
    site.plugin("extra", add_on)
    rows = cloche.plugins()
    name = {"skill": "brewing", "tool": "brew"}[what]
    assert rows["tea"]["status"] == "set aside"
    assert (
        f"{what} {name!r} is provided by tea (cloche-tea) and by extra (cloche-extra)"
        in rows["tea"]["reason"]
    )
    assert rows["coffee"]["status"] == "ok"
    assert rows["extra"]["status"] == "ok"
    with pytest.raises(PluginError, match="extra"):
        site.host().assistant("tea")
    assert site.host(("tea",)).assistant("tea").name == "tea"


def test_an_assistant_that_an_upgrade_took_away_is_told_with_one_command(site, cloche, cloche_home):
    (cloche_home / "tea").mkdir()
    (cloche_home / "tea/memory.db").touch()
    (cloche_home / "notes").mkdir()
    row = cloche.plugins()["tea"]
    assert (row["status"], row["kind"]) == ("missing", "assistant")
    assert row["remedy"] == "Install it: `pip install cloche-tea`."
    assert "notes" not in cloche.plugins()
    cloche("chat", "tea", code=2)
    assert "Its memories are still here. Install it: `pip install cloche-tea`." in cloche.error
    site.assistant("tea")
    assert cloche.plugins()["tea"]["status"] == "ok"


def test_plugins_that_are_not_used_are_known_without_importing_an_assistant(site):
    site.assistant("tea")
    site.plugin("bell", CHANNEL)
    site.plugin("broken", "1 / 0")
    site.plugin("left-out", CHANNEL)
    assert site.host(("bell", "broken")).unused == ("broken", "left-out")
    assert "cloche_tea" not in sys.modules


def test_a_limit_by_distribution_settles_who_gets_a_name(site, cloche, monkeypatch):
    site.assistant("tea")
    site.add("tea-rival", {"cloche.assistants": {"tea": "tea_rival"}}, {"tea_rival.py": "1 / 0"})
    monkeypatch.setenv("CLOCHE_PLUGINS", "cloche-tea")
    host = site.host(("cloche-tea",))
    assert {row.distribution: row.status for row in host.rows if row.name == "tea"} == {
        "cloche-tea": "ok",
        "tea-rival": "off",
    }
    assert host.assistant("tea").package == "cloche_tea"
    assert host.assistants == ("tea",)
    cloche("check", "tea")
