"""Rows for everything that is wrong with skills: file, line, what and how to mend it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cloche.errors import ManifestError
from cloche.skills.finding import SkillFinding, parted
from cloche.skills.linting import lint_folder, lint_folders, lint_manifest
from cloche.skills.listing import list_folders, list_manifest
from cloche.skills.reading import MAX_BODY_CHARS

Make = Callable[..., Path]


def rows(folder: Path) -> list[tuple[str, int | None, str, str]]:
    return [(one.level, one.line, one.what, one.remedy) for one in lint_folder(folder)]


# Each kind of mistake, as public collections of skills have it


@pytest.mark.parametrize(
    ("skill", "line", "what", "remedy"),
    [
        (
            "---\nname: tea\ndescription: Use when: (1) hot. NOT for: milk\n---\nx\n",
            3,
            "a text has ': ' inside",
            "put it in double quotes",
        ),
        (
            "---\nname: tea\ndescription: x\n\tlicense: y\n---\nx\n",
            4,
            "a tab",
            "indent with spaces",
        ),
        ("---\nname: tea\n---\nx\n", 2, "description is missing", "add a line 'description: ...'"),
        ("---\ndescription: x\n---\nx\n", 2, "name is missing", "add a line 'name: ...'"),
        (
            "---\nname: green-tea\ndescription: x\n---\nx\n",
            2,
            "the name is 'green-tea', but the folder is 'tea'",
            "make them the same",
        ),
        ("---\nname: Tea_Room\ndescription: x\n---\nx\n", 2, "'Tea_Room' is no name", "use a-z"),
        ("---\nname: tea\ndescription: 'x\n---\nx\n", 3, "", ""),
        ("---\nname: tea\ndescription: [a]\n---\nx\n", 3, "must be a text", "double quotes"),
        ("---\nname: tea\ndescription: x\nname: tea\n---\nx\n", 4, "stands twice", "keep one"),
        (
            "---\nname: tea\ndescription: x\n\n# Brewing\n\nWarm it.\n",
            1,
            "the front matter is not closed",
            "put a line '---' after its keys before line 5",
        ),
        ("# Tea\n\nWarm it.\n", 1, "it must start with a line '---'", ""),
        (
            "name: tea\ndescription: x\n---\n",
            1,
            "it must start with a line '---'",
            "put one above 'name:'",
        ),
        (
            "<!-- from somewhere -->\n---\nname: tea\ndescription: x\n---\nx\n",
            1,
            "it must start with its front matter, which is on line 2",
            "delete what stands above it",
        ),
        (
            "\n---\nname: tea\ndescription: x\n---\nx\n",
            1,
            "it must start with its front matter, which is on line 2",
            "delete",
        ),
        (
            '---\nname: tea\ndescription: x\nmetadata: {"a":{"bins":["tea"]}\n---\nx\n',
            4,
            "a bracket or brace is not closed",
            "",
        ),
        (
            '---\nname: tea\ndescription: x\nmetadata: {"a":{"bins":["tea"],["cup"]}}\n---\nx\n',
            4,
            "a key is no word",
            "check the brackets and quotes",
        ),
        (
            "---\nname: tea\ndescription: x\nargument-hint: [leaf] [cups]\n---\nx\n",
            4,
            "there is more after a value",
            "put texts with brackets or quotes in double quotes",
        ),
        (
            "---\nname: tea\ndescription: x\nWarm the pot\n  first: y\n---\nx\n",
            None,
            "",
            "",
        ),
        ("---\nname: tea\ndescription: , and then\n---\nx\n", 3, "", "double quotes"),
        (
            "---\nname: tea\ndescription: x\u00e2\u0080\u00af\n---\nx\n",
            3,
            "a character",
            "delete it",
        ),
        (
            f"---\nname: tea\ndescription: {'d' * 1068}\n---\nx\n",
            3,
            "1068 characters",
            "shorten it",
        ),
        ("---\nname: tea\ndescription: x\n---\n", None, "it has no instructions", "write them"),
    ],
)
def test_a_mistake_is_a_row_with_its_line_and_how_to_mend_it(
    folder: Make, skill: str, line: int | None, what: str, remedy: str
) -> None:
    made = folder(skill=skill)
    found = rows(made)
    assert len(found) == 1, found
    level, told_line, told, mend = found[0]
    assert level == "error"
    assert what in told
    assert remedy in mend
    assert mend, "a row says how to mend it"
    if line is not None:
        assert told_line == line


def test_several_mistakes_are_several_rows_in_their_order(folder: Make) -> None:
    made = folder(skill=f"---\nname: Tea\ndescription: {'d' * 1025}\nmetadata: much\n---\nx\n")
    assert [line for _, line, _, _ in rows(made)] == [2, 3, 4]


def test_what_only_other_hosts_cannot_read_is_a_warning(folder: Make) -> None:
    made = folder()
    path = made / "SKILL.md"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert [(level, line) for level, line, _, _ in rows(made)] == [("warning", 1), ("warning", 1)]
    assert "byte-order mark" in rows(made)[0][2]
    assert "save it with LF" in rows(made)[1][3]
    path.write_bytes("---\nname: tea\ndescription: Té\n---\nx\n".encode("latin-1"))
    assert [(level, line) for level, line, _, _ in rows(made)] == [("error", 3)]


@pytest.mark.parametrize("name", ["skill.md", "Skill.md", "SKILL.MD"])
def test_a_skill_file_in_other_capitals_is_found_and_told(folder: Make, name: str) -> None:
    made = folder()
    (made / "SKILL.md").rename(made / name)
    (found,) = lint_folders(made.parent)
    assert (found.skill, found.line) == ("tea", 1)
    assert found.file.endswith(name)
    assert found.remedy == "rename it."


def test_instructions_longer_than_a_model_reads_are_a_warning(folder: Make) -> None:
    made = folder(skill=f"---\nname: tea\ndescription: x\n---\n\n{'w' * (MAX_BODY_CHARS + 1)}\n")
    ((level, line, what, remedy),) = rows(made)
    assert (level, line) == ("warning", 6)
    assert str(MAX_BODY_CHARS) in what
    assert "references/" in remedy


def test_folders_below_a_folder_are_all_looked_at_and_none_is_run(
    folder: Make, tmp_path: Path
) -> None:
    marker = tmp_path / "ran"
    root = tmp_path / "all"
    ran = f"import pathlib, cloche\npathlib.Path({str(marker)!r}).touch()\n"
    folder("tea", root=root, tools=ran)
    folder("cake", root=root / "sweet" / "things", skill="broken")
    folder("ice", root=root / ".git")
    assert [one.skill for one in lint_folders(root)] == ["cake"]
    assert [(row.name, row.status) for row in list_folders(root)] == [
        ("cake", "refused"),
        ("tea", "ready"),
    ]
    assert not marker.exists()
    (found,) = lint_folders(tmp_path / "all" / "sweet" / "things" / "cake" / "..")
    assert found.skill == "cake"


def test_a_folder_without_skills_is_told(tmp_path: Path) -> None:
    (found,) = lint_folders(tmp_path)
    assert "there is no SKILL.md in it" in found.what
    with pytest.raises(ManifestError, match="there is no skill in it"):
        list(list_folders(tmp_path))


# skills.json


@pytest.fixture
def package(tmp_path: Path, folder: Make) -> Callable[..., Path]:
    """A package with the skills tea and cake; its skills.json lists what is given."""

    def make(*skills: object) -> Path:
        root = tmp_path / "package"
        if not root.exists():
            folder("tea", root=root / "skills")
            folder("cake", root=root / "skills")
        path = root / "skills.json"
        path.write_text(json.dumps({"skills": skills}))
        return path

    return make


def test_a_whole_manifest_has_no_rows(package: Make) -> None:
    assert list(lint_manifest(package("tea", "cake", "memory"))) == []


def test_one_broken_skill_hides_no_other(package: Make) -> None:
    path = package("tea", "cake", "nothing", {"name": "ice", "enabled": False})
    (path.parent / "skills/tea/SKILL.md").write_text("---\nname: tee\ndescription: x\n---\n")
    (path.parent / "skills/cake/tools.py").write_text("import nowhere_at_all\n")
    told = [(one.skill, one.line, one.pointer) for one in lint_manifest(path)]
    assert told == [
        ("tea", 2, "/name"),
        ("cake", 1, ""),
        ("nothing", None, "/skills/2"),
    ]
    assert [(row.name, row.status) for row in list_manifest(path)] == [
        ("tea", "refused"),
        ("cake", "refused"),
        ("nothing", "refused"),
        ("ice", "off"),
    ]


@pytest.mark.parametrize("text", ["{", "[]", '{"skills": [5]}'])
def test_a_manifest_that_cannot_be_read_is_one_row(package: Make, text: str) -> None:
    path = package()
    path.write_text(text)
    (found,) = lint_manifest(path)
    assert found.file == str(path)


def test_names_that_stand_twice_are_told(package: Make) -> None:
    path = package("tea", "tea")
    assert any("'tea' is listed twice" in one.what for one in lint_manifest(path))


def test_what_no_lock_knows_and_what_only_the_lock_knows_are_warnings(
    package: Make, folder: Make, tmp_path: Path
) -> None:
    outside = folder("ice", root=tmp_path / "outside")
    path = package("tea", {"name": "ice", "source": str(outside)})
    (found,) = lint_manifest(path)
    assert (found.level, found.skill, found.pointer) == ("warning", "ice", "/skills/1/source")
    lock = {"cake": {"source": "./skills/cake", "skill": "cake", "sha256": "0" * 64}}
    path.with_name("skills.lock.json").write_text(json.dumps({"version": 1, "skills": lock}))
    told = [(one.level, one.skill) for one in lint_manifest(path)]
    assert told == [("warning", "tea"), ("warning", "ice"), ("warning", "cake")]


@pytest.mark.parametrize(
    ("reason", "what", "remedy"),
    [
        ("it is bad: mend it.", "it is bad", "mend it."),
        ("'a: b' is bad: mend it.", "'a: b' is bad", "mend it."),
        ("a skill's file is bad: mend 'x: y'.", "a skill's file is bad", "mend 'x: y'."),
        ("there is no 'x'; did you mean 'y'?", "there is no 'x'", "did you mean 'y'?"),
        ("it is bad.", "it is bad.", ""),
    ],
)
def test_a_reason_is_parted_into_what_is_wrong_and_what_to_do(
    reason: str, what: str, remedy: str
) -> None:
    assert parted(reason) == (what, remedy)
    assert SkillFinding.of(ManifestError("f", reason, line=1), "tea").what == what
