"""The wheels hold what they should, and work in an environment that has nothing else of ours."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
PLUGINS = sorted(path.parent for path in (ROOT / "plugins").glob("*/pyproject.toml"))
CACHES = {"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
pytestmark = pytest.mark.timeout(600)  # the environment is made once for the whole module

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel of each distribution, by the distribution's name."""
    built = {}
    for folder in (ROOT, *PLUGINS):
        name = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]["name"]
        target = tmp_path_factory.mktemp("wheel")
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)],
            check=True,
            capture_output=True,
            cwd=folder,
        )
        (built[name],) = target.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def cloche(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The command ``cloche`` of an environment made of the lock and the wheels alone."""
    folder = tmp_path_factory.mktemp("empty")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    # Whatever of it is run is compiled then: that is less than all of it.
    quick = ("--quiet", "--disable-pip-version-check", "--no-compile")
    pip = [str(python), "-I", "-m", "pip", "install", *quick]
    lock = ROOT / "requirements" / "run.lock"
    locked = subprocess.run(
        [*pip, "--require-hashes", "--only-binary", ":all:", "-r", str(lock)],
        check=False,
        capture_output=True,
        text=True,
    )
    if "No matching distribution found" in locked.stderr:
        pytest.skip("the package index cannot be reached")
    assert locked.returncode == 0, locked.stderr
    subprocess.run([*pip, "--no-deps", "--no-index", *map(str, wheels.values())], check=True)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(python.with_name("cloche")), *arguments],
            check=False,
            capture_output=True,
            encoding="utf-8",
            cwd=folder,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(folder),
                "CLOCHE_HOME": str(folder / "home"),
                "LANG": "C.UTF-8",
            },
            stdin=subprocess.DEVNULL,
        )

    return run


def packages(folder: Path) -> list[Path]:
    """The packages a distribution is made of."""
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    return [
        folder / name for name in project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    ]


@pytest.mark.parametrize("folder", [ROOT, *PLUGINS], ids=lambda folder: folder.name)
def test_a_wheel_holds_every_file_of_its_packages_and_nothing_else(
    folder: Path, wheels: dict[str, Path]
) -> None:
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    names = ZipFile(wheels[project["name"]]).namelist()
    files = {
        path.relative_to(package.parent).as_posix()
        for package in packages(folder)
        for path in package.rglob("*")
        if path.is_file() and not any(part in CACHES for part in path.parts)
    }
    info = {name for name in names if ".dist-info/" in name}
    assert set(names) - info == files
    assert {f"{package.name}/py.typed" for package in packages(folder)} <= files
    assert [name for name in info if name.endswith("licenses/LICENSE")] != []
    assert [name for name in names if re.search(r"(^|/)tests?(_|/)", name)] == []


def test_plugins_are_found_in_an_environment_made_of_wheels(cloche: Run) -> None:
    result = cloche("plugins", "--json")
    assert result.returncode == 0, result.stderr
    rows = {row["name"]: row["status"] for row in json.loads(result.stdout)}
    own = ("console", "embedders", "telegram", "web")
    assert rows == dict.fromkeys((*own, *(folder.name for folder in PLUGINS)), "ok")


@pytest.mark.parametrize("name", [folder.name for folder in PLUGINS])
def test_an_assistant_from_a_wheel_has_no_mistakes(name: str, cloche: Run) -> None:
    result = cloche("check", name)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("name", [folder.name for folder in PLUGINS])
def test_an_assistant_from_a_wheel_answers_and_remembers(name: str, cloche: Run) -> None:
    told = cloche("chat", name, "--as", "ana", "--once", "My cat is called Mirabelle.")
    assert told.returncode == 0, told.stderr
    assert told.stdout.strip()
    asked = cloche("chat", name, "--as", "ana", "--once", "What is my cat called?")
    assert asked.returncode == 0, asked.stderr
    assert "Mirabelle" in asked.stdout
