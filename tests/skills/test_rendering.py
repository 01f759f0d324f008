"""The folders and the registration that an OpenClaw gateway loads."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.errors import ManifestError
from cloche.skills import Skill, SkillsManifest, load_folder
from cloche.skills.front_matter import read_skill_text
from cloche.skills.rendering import REGISTRATION, render

Make = Callable[..., Path]

TOOLS = """
from cloche import ToolContext, tool

@tool
async def brew(ctx: ToolContext, leaf: str) -> str:
    '''Brew tea.'''
    return leaf
"""


@pytest.fixture
def manifest(folder: Make) -> SkillsManifest:
    """Tea with tools, cake with a reference, ice that is not available."""
    tea = folder("tea", tools=TOOLS)
    (tea / "sentences.toml").write_text("")
    (tea / "references").mkdir()
    (tea / "references" / "leaves.md").write_text("Oolong.\n")
    cake = folder("cake", skill="---\nname: cake\ndescription: x\nversion: 2\n---\nBake.\r\n")
    return SkillsManifest(
        (
            load_folder(tea),
            load_folder(cake, outside=True),
            Skill("ice", "Freezes.", unavailable="the cold is away"),
        )
    )


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_skills_that_are_ready_are_written_with_their_registration(
    manifest: SkillsManifest, tmp_path: Path
) -> None:
    names = render(manifest, tmp_path / "out")
    assert set(names) == set(content(tmp_path / "out"))
    assert names == (
        "openclaw.skills.json",
        "skills/cake/SKILL.md",
        "skills/tea/SKILL.md",
        "skills/tea/references/leaves.md",
    )
    assert json.loads((tmp_path / "out" / REGISTRATION).read_text()) == {
        "agents": {"defaults": {"skills": ["cake", "tea"]}},
        "skills": {
            "allowBundled": [],
            "load": {"extraDirs": [str(tmp_path / "out" / "skills")], "watch": False},
        },
    }


def test_a_public_folder_is_written_byte_by_byte(manifest: SkillsManifest, tmp_path: Path) -> None:
    render(manifest, tmp_path / "out")
    source = Path(manifest["cake"].source)
    assert content(tmp_path / "out" / "skills" / "cake") == content(source)


def test_the_same_skills_give_the_same_bytes(manifest: SkillsManifest, tmp_path: Path) -> None:
    render(manifest, tmp_path / "one", at="/srv/skills")
    first = content(tmp_path / "one")
    render(manifest, tmp_path / "one", at="/srv/skills")
    render(manifest, tmp_path / "two", at="/srv/skills")
    assert content(tmp_path / "one") == first == content(tmp_path / "two")
    assert b'"/srv/skills/skills"' in first[REGISTRATION]


def test_what_an_earlier_rendering_left_goes(manifest: SkillsManifest, tmp_path: Path) -> None:
    render(manifest, tmp_path)
    render(replace(manifest, skills=manifest.skills[:1]), tmp_path)
    assert [path.name for path in (tmp_path / "skills").iterdir()] == ["tea"]
    render(SkillsManifest(), tmp_path)
    assert list((tmp_path / "skills").iterdir()) == []


def test_a_folder_with_other_skills_is_left_alone(manifest: SkillsManifest, tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "mine.md").write_text("mine")
    (tmp_path / "openclaw.json").write_text("{}")
    with pytest.raises(ManifestError, match="no rendering made"):
        render(manifest, tmp_path)
    assert (tmp_path / "skills" / "mine.md").read_text() == "mine"


def test_a_skill_that_is_called_otherwise_says_so(manifest: SkillsManifest, tmp_path: Path) -> None:
    renamed = replace(manifest["tea"], name="house-tea", description="Brews: our own.")
    render(SkillsManifest((renamed,)), tmp_path)
    written = read_skill_text(tmp_path / "skills" / "house-tea")
    assert written.description == "Brews: our own."
    assert written.body == manifest["tea"].body


@given(
    text=st.text(min_size=1, max_size=60).filter(lambda text: bool(" ".join(text.split()))),
    note=st.text(st.characters(exclude_categories=("Cs",)), max_size=20),
)
def test_any_description_reads_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, text: str, note: str
) -> None:
    folder = tmp_path_factory.mktemp("any")
    skill = Skill("tea", text, "Warm the pot.", metadata={"note": note})
    render(SkillsManifest((skill,)), folder)
    written = read_skill_text(folder / "skills" / "tea")
    assert written.description == " ".join(text.split())
    assert written.metadata == {"note": note}
    assert written.body == "Warm the pot."
