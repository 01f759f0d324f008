"""An assistant's package that `cloche new` writes: installed, checked, tested and talked to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cloche.scaffolds import ASSISTANT_TEMPLATES, assistant_files

if TYPE_CHECKING:
    from conftest import Commands, Site

FILES = {
    ".ci/run",
    "README.md",
    "pyproject.toml",
    "tests/test_conformance.py",
    "tests/test_skill.py",
    "cloche_my_attic/__init__.py",
    "cloche_my_attic/py.typed",
    "cloche_my_attic/vocabulary.py",
    "cloche_my_attic/skills.json",
    *(f"cloche_my_attic/persona/{n}.md" for n in ("identity", "voice", "what-it-does", "safety")),
}


@pytest.mark.parametrize("template", list(ASSISTANT_TEMPLATES))
def test_a_new_assistant_passes_and_chats_as_it_is_written(
    cloche: Commands, tmp_path: Path, cloche_home: Path, template: str
) -> None:
    told = cloche("new", "assistant", "my-attic", "--template", template)
    folder, about = Path("cloche-my-attic"), ASSISTANT_TEMPLATES[template]
    skill = f"cloche_my_attic/skills/{about.skill}"
    written = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert written == FILES | {f"{skill}/{n}" for n in ("SKILL.md", "tools.py", "examples.yaml")}
    assert all(f"cloche-my-attic/{path}" in told for path in written)

    site = tmp_path / "site"
    pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    run(*pip, "--disable-pip-version-check", "--target", str(site), str(folder.absolute()))
    tested = run("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=folder, path=site)
    assert " passed" in tested
    assert "failed" not in tested
    assert "nothing to mend" in run("-m", "cloche", "check", "my-attic", path=site)
    chat = ["-m", "cloche", "chat", "my-attic", "--as", "ana", "--once"]
    assert about.fact in run(*chat, about.fact, path=site)
    answer = run(*chat, about.request, path=site)
    assert {
        "lists": "shopping: tea",
        "known-fixes": "turn the paper over",
        "practice-log": "25 min",
    }[about.skill] in answer
    assert about.fact in run(*chat, "What do you remember?", path=site)


@pytest.mark.parametrize("template", list(ASSISTANT_TEMPLATES))
def test_nothing_of_a_template_is_left_unfilled(template: str) -> None:
    for path, text in assistant_files("attic", template).items():
        assert "$" not in text or path == ".ci/run", path
        assert "{package}" not in path + text
        assert text.endswith("\n") or path.endswith("py.typed")
    readme = assistant_files("attic", template)["README.md"]
    assert "cloche chat attic" in readme
    assert ASSISTANT_TEMPLATES[template].request in readme


def test_the_ci_file_is_a_script_that_checks_and_tests() -> None:
    script = assistant_files("attic")[".ci/run"]
    checked = subprocess.run(["bash", "-n"], input=script, text=True, check=False)
    assert checked.returncode == 0
    assert '"$(dirname "$0")/.."' in script
    assert ".venv/bin/cloche check attic\n.venv/bin/python -m pytest\n" in script


@pytest.mark.parametrize(
    "name", ["My", "my_attic", "1st", "", "x" * 33, "a--b", "-a", "a-", "../x", "ü"]
)
def test_a_name_that_cannot_be_is_refused(cloche: Commands, cloche_home: Path, name: str) -> None:
    cloche("new", "assistant", "--", name, code=2)
    assert "cannot be a new assistant's name" in cloche.error
    assert list(Path.cwd().iterdir()) == []


@pytest.mark.parametrize("used", ["attic", "", "none"])
def test_the_name_of_an_installed_assistant_is_refused_whether_it_is_used_or_not(
    site: Site,
    cloche: Commands,
    cloche_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    used: str,
) -> None:
    site.assistant("attic")
    if used != "attic":
        monkeypatch.setenv("CLOCHE_PLUGINS", used)
    cloche("new", "assistant", "attic", code=2)
    assert "attic is an assistant that is installed already" in cloche.error
    assert not Path("cloche-attic").exists()


def test_the_name_of_an_installed_package_is_refused(
    site: Site, cloche: Commands, cloche_home: Path
) -> None:
    site.plugin("tea", "")
    cloche("new", "assistant", "tea", code=2)
    assert "cloche-tea is a package that is installed already" in cloche.error
    assert not Path("cloche-tea").exists()


def test_a_template_that_is_not_there_is_refused_with_those_that_are(
    cloche: Commands, cloche_home: Path
) -> None:
    cloche("new", "assistant", "attic", "--template", "opera", code=2)
    assert "no template 'opera'; there are: blank, helpdesk, trainer." in cloche.error
    assert list(Path.cwd().iterdir()) == []


def run(*arguments: str, cwd: Path | None = None, path: Path | None = None) -> str:
    """What this Python prints; it must end well."""
    result = subprocess.run(
        [sys.executable, *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=cwd,
        env=os.environ | ({"PYTHONPATH": str(path)} if path else {}),
        stdin=subprocess.DEVNULL,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
