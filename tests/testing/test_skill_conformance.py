"""The conformance class holds for the host's own skills, and fails for those that are not whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloche.documents import shared_resource
from cloche.skills.sources import shared_names
from cloche.testing import SkillConformance

SHARED = Path(str(shared_resource("skills")))


class TestFiles(SkillConformance):
    folder = SHARED / "files"


class TestMemory(SkillConformance):
    folder = SHARED / "memory"


class TestNotes(SkillConformance):
    folder = SHARED / "notes"


class TestReminders(SkillConformance):
    folder = SHARED / "reminders"


class TestWeather(SkillConformance):
    folder = SHARED / "weather"


def test_every_shared_skill_is_held_to_it() -> None:
    held = {TestFiles, TestMemory, TestNotes, TestReminders, TestWeather}
    assert {Path(kind.folder).name for kind in held} == set(shared_names())


WHOLE = {
    "SKILL.md": '---\nname: tea\ndescription: "Brews tea."\n---\n\nWarm the pot.\n',
    "tools.py": """
from cloche import ToolContext, tool

@tool
async def brew(ctx: ToolContext, leaf: str) -> str:
    '''Brew tea.'''
    await ctx.storage.put("last", leaf)
    return f"Brewed {leaf}."
""",
    "examples.yaml": """
- tool: brew
  say:
    en: ["brew {leaf}"]
    es: ["prepara {leaf}"]
    zh: ["泡{leaf}"]
  values: {leaf: oolong}
  answer: ["{leaf}"]
""",
}


def conformance(folder: Path, **files: str) -> type[SkillConformance]:
    made = folder / "tea"
    made.mkdir()
    for name, text in {**WHOLE, **files}.items():
        (made / name).write_text(text, encoding="utf-8")
    return type("TestTea", (SkillConformance,), {"folder": made})


def outcomes(kind: type[SkillConformance]) -> set[str]:
    """Names of the tests that fail."""
    failed = set()
    for name in dir(kind):
        if name.startswith("test_"):
            try:
                getattr(kind(), name)()
            except (AssertionError, pytest.fail.Exception):
                failed.add(name)
    return failed


def test_a_whole_skill_passes(tmp_path: Path) -> None:
    assert outcomes(conformance(tmp_path)) == set()


TOOLS = WHOLE["tools.py"]
EXAMPLES = WHOLE["examples.yaml"]


@pytest.mark.parametrize(
    ("file", "text", "fails"),
    [
        (
            "SKILL.md",
            WHOLE["SKILL.md"].replace("\n", "\r\n"),
            "test_its_instructions_are_whole",
        ),
        (
            "examples.yaml",
            EXAMPLES.replace('    zh: ["泡{leaf}"]\n', ""),
            "test_each_tool_is_asked_for_in_every_language_of_the_host",
        ),
        (
            "examples.yaml",
            EXAMPLES.replace('answer: ["{leaf}"]', 'answer: ["a cup of {leaf}"]'),
            "test_its_examples_run",
        ),
        (
            "tools.py",
            TOOLS.replace('await ctx.storage.put("last", leaf)', "raise ValueError"),
            "test_its_examples_run",
        ),
        (
            "tools.py",
            TOOLS.replace("@tool", "BREWED = []\n\n@tool").replace(
                'return f"Brewed {leaf}."',
                'BREWED.append(leaf)\n    return f"Brewed {leaf}, {len(BREWED)}."',
            ),
            "test_people_do_not_see_each_other",
        ),
    ],
)
def test_what_is_wrong_with_a_skill_fails_the_test_of_that_name(
    tmp_path: Path, file: str, text: str, fails: str
) -> None:
    assert outcomes(conformance(tmp_path, **{file: text})) == {fails}
