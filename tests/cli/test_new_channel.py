"""A channel's package that `cloche new` writes: found, served and tested as it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cloche.scaffolds import assistant_files, channel_files

if TYPE_CHECKING:
    from conftest import Commands


def test_a_new_channel_passes_as_it_is_written(
    cloche: Commands, tmp_path: Path, cloche_home: Path
) -> None:
    told = cloche("new", "channel", "chime")
    folder = Path("cloche-chime")
    written = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert written == {
        "pyproject.toml",
        "README.md",
        "cloche_chime/__init__.py",
        "cloche_chime/py.typed",
        "tests/test_conformance.py",
    }
    assert all(f"cloche-chime/{path}" in told for path in written)

    site = tmp_path / "site"
    pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    run(*pip, "--disable-pip-version-check", "--target", str(site), str(folder.absolute()))
    tested = run("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=folder, path=site)
    assert " passed" in tested
    assert "failed" not in tested
    rows = json.loads(run("-m", "cloche", "plugins", "--json", path=site))
    assert {row["name"]: row["status"] for row in rows}["chime"] == "ok"


@pytest.mark.parametrize("files", [channel_files("chime"), assistant_files("attic")])
def test_tests_of_a_new_package_begin_without_a_warning(
    files: Mapping[str, str], tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text(files["pyproject.toml"])
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text("def test_it(): pass")
    run("-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path)


def test_a_new_channel_asks_for_its_secrets(cloche: Commands, tmp_path: Path, site: object) -> None:
    cloche("new", "channel", "chime", "--into", str(tmp_path / "made"))
    readme = (tmp_path / "made" / "README.md").read_text("utf-8")
    assert "CLOCHE_CHANNELS__CHIME__SECRET" in readme
    assert "$" not in readme


@pytest.mark.parametrize("name", ["My", "my-chat", "1st", "", "x" * 33, "a_b", "../x", "ü"])
def test_a_name_that_cannot_be_is_refused(cloche: Commands, cloche_home: Path, name: str) -> None:
    cloche("new", "channel", name, code=2)
    assert "cannot be a new channel's name" in cloche.error
    assert "No hyphen" in cloche.error
    assert list(Path.cwd().iterdir()) == []


@pytest.mark.parametrize("name", ["telegram", "web", "console"])
def test_a_name_that_is_taken_is_refused(
    site: object, cloche: Commands, cloche_home: Path, name: str
) -> None:
    cloche("new", "channel", name, code=2)
    assert f"{name} is a channel that is installed already" in cloche.error
    assert not Path(f"cloche-{name}").exists()


def test_what_is_there_already_stays(cloche: Commands, cloche_home: Path) -> None:
    Path("cloche-chime").mkdir()
    Path("cloche-chime/notes.txt").write_text("mine")
    cloche("new", "channel", "chime", code=2)
    assert "is there already" in cloche.error
    assert [path.name for path in Path("cloche-chime").iterdir()] == ["notes.txt"]
    Path("file").write_text("mine")
    cloche("new", "channel", "chime", "--into", "file", code=2)
    cloche("new", "channel", "chime", "--into", "file/below", code=2)
    assert "cannot be written" in cloche.error
    assert Path("file").read_text() == "mine"


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
