"""What ``cloche check`` finds in an assistant, and that it finds nothing in a good one."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.checks import (
    label_findings,
    memory_findings,
    namespace_findings,
    persona_findings,
    skill_findings,
)
from cloche.namespaces import MemoryScope, NamespaceScheme
from cloche.persona import SECTIONS, Persona
from cloche.skills import Skill, SkillsManifest
from cloche.tools import ToolContext, tool
from cloche.utterances import Example
from cloche.vocabulary import MetadataKey, Value, Vocabulary


def found(cloche, name: str) -> list[tuple[str, str]]:
    """Where and what, of each finding of ``cloche check NAME --json``."""
    findings = json.loads(cloche("check", name, "--json", code=1))
    assert all(finding["level"] in ("error", "warning") for finding in findings)
    assert all(finding["remedy"] for finding in findings)
    return [(finding["where"], finding["what"]) for finding in findings]


def test_a_good_assistant_has_nothing_to_mend(site, cloche):
    site.assistant("tea")
    assert cloche("check", "tea") == "tea: nothing to mend (1 skills).\n"
    assert json.loads(cloche("check", "tea", "--json")) == []


def test_an_assistant_that_is_not_there_is_a_finding(site, cloche):
    site.assistant("tea")
    assert found(cloche, "teas") == [("entry point", "there is no assistant of that name.")]


def test_findings_are_shown_as_lines_too(site, cloche):
    site.assistant("tea", {"persona/safety.md": None})
    printed = cloche("check", "tea", code=1)
    assert "error\tpersona/safety.md\tThe section is missing or empty." in printed


@pytest.mark.parametrize("section", [s for s in SECTIONS if s != "identity"])
def test_a_section_of_the_persona_that_is_empty_is_found(site, cloche, section):
    site.assistant("tea", {f"persona/{section}.md": " \n"})
    assert found(cloche, "tea") == [(f"persona/{section}.md", "The section is missing or empty.")]


def test_a_persona_that_costs_every_turn_too_much_is_found():
    long = Persona("Tea", tuple((section, "x" * 5000) for section in SECTIONS))
    assert ["20006 characters" in one.what for one in persona_findings(long)] == [True]
    short = Persona("Tea", tuple((section, "x" * 3000) for section in SECTIONS))
    assert list(persona_findings(short)) == []


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("from cloche.memory.store import MemoryStore", "cloche.memory.store is private"),
        ("import cloche.plugins as p", "cloche.plugins is private"),
        ("from cloche import plugins", "cloche.plugins is private"),
        ("import cloche_channels.console", "cloche_channels.console is private"),
        ("def late():\n    from cloche.errors import ToolError", "cloche.errors is private"),
    ],
)
def test_a_private_import_is_found_with_its_line(site, cloche, source, told):
    site.assistant("tea", {"helpers/more.py": f'"""Helpers."""\n{source}\n'})
    ((where, what),) = found(cloche, "tea")
    assert where.startswith("helpers/more.py:")
    assert told in what


@pytest.mark.parametrize(
    "source",
    [
        "import cloche",
        "from cloche import Persona, ToolContext",
        "from cloche.testing import AssistantConformance",
        "from cloche import testing",
        "from . import persona",
        "import cloche_tea.more",
        "import clocheting",
    ],
)
def test_a_public_import_is_no_finding(site, cloche, source):
    site.assistant("tea", {"helpers/more.py": f"{source}\n"})
    cloche("check", "tea")


def test_a_private_import_in_a_skills_tools_is_found(site, cloche):
    tools = "from cloche.clock import utc_now\nfrom cloche import ToolContext, tool\n"
    tools += "@tool\nasync def brew(ctx: ToolContext, leaf: str) -> str:\n"
    tools += "    '''Note it.'''\n    return str(utc_now())\n"
    site.assistant("tea", {"skills/brewing/tools.py": tools})
    assert found(cloche, "tea") == [
        ("skills/brewing/tools.py:1", "cloche.clock is private and may change with any release.")
    ]


def test_names_that_do_not_agree_are_found(site, cloche):
    code = site.assistant_code("tea").replace("from_package(__name__)", "from_package('pot')", 1)
    site.assistant("pot")
    site.add(
        "herbal",
        {"cloche.assistants": {"tea": "leaves"}},
        {
            "leaves/__init__.py": code.replace(
                "from_package(__name__)", "from_package('cloche_pot')"
            ).replace("'pot'", "'cloche_pot'")
        },
    )
    wheres = [where for where, _ in found(cloche, "tea")]
    assert wheres[:2] == ["package", "distribution"]
    assert "leaves/persona/identity.md" in wheres  # its files are somebody else's


def test_the_folder_of_a_project_carries_the_name_too(site, cloche, tmp_path, monkeypatch):
    project = type(site)(tmp_path / "kettle")
    project.assistant("tea")
    (project.folder / "pyproject.toml").write_text("")
    monkeypatch.syspath_prepend(str(project.folder))
    assert found(cloche, "tea") == [
        ("project's folder", "It is called 'kettle', but the entry point is 'tea'.")
    ]


def test_an_example_that_lacks_a_language_is_found(site, cloche):
    examples = '- tool: brew\n  say: {en: ["brew {leaf}"]}\n  values: {leaf: oolong}\n'
    site.assistant("tea", {"skills/brewing/examples.yaml": examples})
    assert found(cloche, "tea") == [("skill brewing", "Tool brew has no example in: es, zh.")]


def test_a_sentence_that_is_taken_for_another_tools_is_found(site, cloche):
    examples = """
- tool: brew
  say: {en: ["brew {leaf}"], es: ["prepara {leaf}"], zh: ["泡{leaf}"]}
  values: {leaf: oolong}
- tool: pour
  say: {en: ["brew {leaf}"], es: ["sirve {leaf}"], zh: ["倒{leaf}"]}
  values: {leaf: oolong}
"""
    tools = "from cloche import ToolContext, tool\n" + "".join(
        f"@tool\nasync def {name}(ctx: ToolContext, leaf: str) -> str:\n    '''Do.'''\n"
        "    return leaf\n"
        for name in ("brew", "pour")
    )
    site.assistant(
        "tea", {"skills/brewing/examples.yaml": examples, "skills/brewing/tools.py": tools}
    )
    ((where, what),) = found(cloche, "tea")
    assert where == "examples.yaml"
    assert "'brew oolong' (en)" in what


def test_a_distribution_found_twice_is_a_warning_of_the_check(site, cloche):
    site.assistant("tea")
    site.metadata("cloche-tea", "[cloche.assistants]\ntea = cloche_tea", version="0.9")
    (finding,) = json.loads(cloche("check", "tea", "--json", code=1))
    assert finding["level"] == "warning"
    assert "more than once" in finding["what"]


@tool
async def weigh(ctx: ToolContext, grams: int) -> str:
    """Weigh it."""
    return f"{grams}"


def weighing(**changes) -> SkillsManifest:
    """A skill made by code, which no loader has looked at."""
    say = {"en": ("weigh {grams}",), "es": ("pesa {grams}",), "zh": ("称{grams}",)}
    example = {"tool": "weigh", "say": say, "arguments": {"grams": "{grams}"}}
    example |= {"values": {"grams": "3"}, **changes}
    return SkillsManifest(
        (Skill("weighing", "Weighs.", "Weigh.", (weigh,), (Example(**example),)),)
    )


def test_a_skill_made_by_code_is_looked_at_like_one_from_a_folder():
    assert list(skill_findings(weighing(), "cloche")) == []
    for changes, told in (
        ({"tool": "measure"}, "An example names a tool 'measure'."),
        ({"values": {}}, "An example of weigh lacks a slot's value."),
        ({"values": {"grams": "much"}}, "does not fit weigh"),
        ({"arguments": {"ounces": "{grams}"}}, "does not fit weigh"),
    ):
        whats = [one.what for one in skill_findings(weighing(**changes), "cloche")]
        assert any(told in what for what in whats), (changes, whats)


def test_a_skill_that_is_not_ready_is_not_looked_into():
    planned = Skill("later", "Comes later.", unavailable="not yet")
    assert list(skill_findings(SkillsManifest((planned,)), "cloche")) == []
    empty = Skill("later", "Comes later.")
    assert len(list(skill_findings(SkillsManifest((empty,)), "cloche"))) == 1


def test_a_skill_from_outside_the_package_is_found(tmp_path):
    (tmp_path / "SKILL.md").write_text("x")
    skill = Skill("away", "Is away.", "Body.", source=str(tmp_path))
    ((finding),) = skill_findings(SkillsManifest((skill,)), "cloche")
    assert "not inside the installed package" in finding.what


WELL = (
    MemoryScope.personal("tea"),
    MemoryScope.ecosystem("tea"),
    MemoryScope.keyed("tea", "project", timedelta(days=90)),
)


def test_schemes_that_keep_people_apart_have_no_findings():
    assert list(namespace_findings(NamespaceScheme("tea"))) == []
    assert list(namespace_findings(NamespaceScheme("tea", WELL))) == []
    assert list(memory_findings("tea", Vocabulary(), NamespaceScheme("tea", WELL))) == []


@pytest.mark.parametrize("template", ["tea/{actorId}{project}/", "tea/{project}{actorId}/"])
def test_a_place_that_does_not_tell_whose_it_is_is_found(template):
    # Schemes refuse such a template when they are made; the check does not rely on it.
    scheme = NamespaceScheme("tea")
    object.__setattr__(scheme, "scopes", (MemoryScope("loose", template),))
    assert "provide_namespaces: scope loose" in [one.where for one in namespace_findings(scheme)]


def test_a_lifetime_that_is_none_is_found():
    scheme = NamespaceScheme("tea", (MemoryScope.personal("tea", timedelta(0)),))
    assert [one.what for one in namespace_findings(scheme)] == ["Its lifetime is not positive."]


def test_labels_that_tell_nothing_or_not_apart_are_found():
    bed, box = Value("bed", labels={"es": "bancal"}), Value("box", labels={"es": "caja"})
    place = MetadataKey("place", "Where.", closed=True, values=(bed, box), labels={"es": "lugar"})
    assert list(label_findings(Vocabulary((place,)))) == []
    alike = replace(place, values=(bed, replace(box, labels={"es": "bancal"})))
    (found,) = label_findings(Vocabulary((alike,)))
    assert "are shown as 'bancal' in 'es'" in found.what
    assert list(label_findings(Vocabulary((replace(alike, closed=False),)))) == []
    (found,) = label_findings(Vocabulary((replace(place, labels={"zh": " "}),)))
    assert "is empty" in found.what


def test_a_variable_that_agentcore_refuses_is_found():
    scheme = NamespaceScheme(
        "tea", (MemoryScope.keyed("tea", "a" * 32), MemoryScope("b", "tea/{actorId}/b/"))
    )
    assert list(memory_findings("tea", Vocabulary(), scheme)) == []
    long = MemoryScope("long", f"tea/{{actorId}}/long/{{{'a' * 33}}}/")
    found = list(memory_findings("tea", Vocabulary(), NamespaceScheme("tea", (long,))))
    assert "is refused by AgentCore" in found[0].what


def test_a_name_too_long_for_a_memory_is_found():
    findings = list(memory_findings("t" * 49, Vocabulary(), NamespaceScheme("tea")))
    assert [one.remedy for one in findings] == ["Shorten the name."]


@given(st.from_regex(r"[a-z][a-z0-9_]{0,31}", fullmatch=True), st.text(min_size=1, max_size=1000))
def test_a_vocabulary_that_may_be_made_is_one_agentcore_takes(key, description):
    vocabulary = Vocabulary((MetadataKey(key, description),))
    assert list(memory_findings("tea", vocabulary, NamespaceScheme("tea"))) == []
