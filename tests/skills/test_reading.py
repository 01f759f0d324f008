"""read_skill: the instructions, and the texts they point to, and nothing outside the folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.skills import SkillsManifest, load_folder, read_skill_tool
from cloche.skills.editing import make_lock
from cloche.skills.loading import load_manifest
from cloche.testing.tool_fakes import tool_context
from cloche.tools import BoundTool

Make = Callable[..., Path]


@pytest.fixture
def tea(folder: Make, tmp_path: Path) -> Path:
    made = folder("tea")
    (made / "references").mkdir()
    (made / "references" / "leaves.md").write_text("Oolong: 85 °C.\n", encoding="utf-8")
    (made / "picture.png").write_bytes(b"\x89PNG")
    (made / "run.py").write_text("print('secret')")
    (tmp_path / "secret.md").write_text("secret")
    (made / "link.md").symlink_to(made / "references" / "leaves.md")
    return made


def reader(folder: Path, language: str = "en") -> BoundTool:
    return BoundTool(
        read_skill_tool(SkillsManifest((load_folder(folder, outside=True),))),
        turn_id="t",
        context=lambda call_id: tool_context(language=language),
    )


@pytest.mark.parametrize("name", ["references/leaves.md", " references/leaves.md ", "link.md"])
async def test_a_text_the_instructions_point_to_is_given(tea: Path, name: str) -> None:
    result = await reader(tea).call({"name": "tea", "file": name})
    assert (result.ok, result.text) == (True, "Oolong: 85 °C.\n")


@pytest.mark.parametrize(
    "name",
    [
        "../secret.md",
        "references/../../secret.md",
        "/etc/hostname",
        "references",
        "picture.png",
        "run.py",
        "nothing.md",
        "\0.md",
        "x" * 5_000 + ".md",
    ],
)
@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "has no text"), ("es", "no tiene ningún texto"), ("zh", "没有可读")],
)
async def test_nothing_else_is_read(tea: Path, name: str, language: str, told: str) -> None:
    result = await reader(tea, language).call({"name": "tea", "file": name})
    assert told in result.text
    assert "secret" not in result.text.replace("secret.md", "")


async def test_a_link_out_of_the_folder_is_not_followed_even_if_it_comes_later(
    tea: Path, tmp_path: Path
) -> None:
    tool = reader(tea)
    (tea / "late.md").symlink_to(tmp_path / "secret.md")
    result = await tool.call({"name": "tea", "file": "late.md"})
    assert "has no text" in result.text


@pytest.mark.parametrize("name", ["__pycache__/rules.md", ".git/rules.md", "alias.md"])
async def test_what_the_hash_does_not_count_is_not_read(tea: Path, name: str) -> None:
    for ignored in ("__pycache__", ".git"):
        (tea / ignored).mkdir()
        (tea / ignored / "rules.md").write_text("other rules")
    (tea / "alias.md").symlink_to(tea / "__pycache__" / "rules.md")
    result = await reader(tea).call({"name": "tea", "file": name})
    assert "has no text" in result.text


@pytest.mark.parametrize("changed", ["references/late.md", "references/leaves.md"])
async def test_a_pinned_folder_that_has_changed_since_gives_no_text(
    folder: Make, tmp_path: Path, changed: str
) -> None:
    made = folder("tea", root=tmp_path / "package" / "skills")
    (made / "references").mkdir()
    (made / "references" / "leaves.md").write_text("Oolong")
    path = tmp_path / "package" / "skills.json"
    path.write_text(json.dumps({"skills": ["tea"]}))
    make_lock(path)
    tool = BoundTool(
        read_skill_tool(load_manifest(path)),
        turn_id="t",
        context=lambda call_id: tool_context(language="en"),
    )
    good = await tool.call({"name": "tea", "file": "references/leaves.md"})
    assert good.text == "Oolong"
    (made / changed).write_text("other rules")
    result = await tool.call({"name": "tea", "file": changed})
    assert "has no text" in result.text


@given(name=st.text(max_size=40))
async def test_any_name_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    made = tmp_path_factory.mktemp("any") / "tea"
    made.mkdir()
    (made / "SKILL.md").write_text("---\nname: tea\ndescription: x\n---\nBody.\n")
    result = await reader(made).call({"name": "tea", "file": name})
    assert result.ok
    assert result.text == "Body." or "has no text" in result.text or "SKILL" in name.upper()
