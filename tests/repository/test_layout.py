"""How the repository is laid out, as rules that hold for every file."""

from __future__ import annotations

import ast
import importlib.util
import re
import tomllib
from pathlib import Path
from string import Formatter

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("core", "channels", "deploy", "manifests", "plugins")
OTHER_FOLDERS = ("tests", "benchmarks", "docs", "requirements", ".ci")
TEXT_SUFFIXES = {"", ".py", ".md", ".toml", ".json", ".yaml", ".lock"}
PACKAGES = sorted(path.parent for folder in FOLDERS for path in (ROOT / folder).rglob("py.typed"))
MODULES = sorted(path for package in PACKAGES for path in package.rglob("*.py"))
MAX_LINES = 300
WRITTEN = sorted(
    path
    for pattern in ("*", *(f"{each}/**/*" for each in (*FOLDERS, *OTHER_FOLDERS)))
    for path in ROOT.glob(pattern)
    if path.is_file()
    and path.name != ".git"
    and path.suffix in TEXT_SUFFIXES
    and "__pycache__" not in path.parts
)
TEXTS = sorted((ROOT / "core/cloche/texts").glob("*.toml"))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_there_is_something_to_look_at() -> None:
    assert len(PACKAGES) >= 5
    assert len(MODULES) > 50
    assert len(WRITTEN) > len(MODULES)
    assert len(TEXTS) >= 3


def test_a_module_fits_a_few_screens() -> None:
    lines = {relative(path): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {name: count for name, count in lines.items() if count > MAX_LINES} == {}


def test_a_module_says_what_it_is_for() -> None:
    silent = [relative(path) for path in MODULES if not path.read_text("utf-8").startswith('"""')]
    assert silent == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_of_packages_is_no_package(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not (ROOT / folder / "__init__.py").exists()
    # From the root every folder can be imported as an empty namespace; nothing more.
    monkeypatch.syspath_prepend(ROOT)
    spec = importlib.util.find_spec(folder)
    assert spec is None or spec.origin is None


def test_every_package_is_typed() -> None:
    packages = {path.parent for folder in FOLDERS for path in (ROOT / folder).glob("*/__init__.py")}
    packages |= {path.parent for path in (ROOT / "plugins").glob("*/*/__init__.py")}
    assert sorted(packages) == PACKAGES


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_the_host_says_the_same_things_in_every_language(path: Path) -> None:
    english, other = (
        tomllib.loads(each.read_text("utf-8")) for each in (TEXTS[0].with_name("en.toml"), path)
    )
    assert list(other) == list(english)
    assert {key: slots(text) for key, text in other.items()} == {
        key: slots(text) for key, text in english.items()
    }
    assert [key for key, text in other.items() if not text.strip()] == []


def slots(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_every_sentence_of_the_host_is_said_somewhere() -> None:
    keys = tomllib.loads((ROOT / "core/cloche/texts/en.toml").read_text("utf-8"))
    literals, patterns = set(), set()
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                literals.add(node.value)
            elif isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                patterns.add(as_pattern(node))
    made = re.compile("|".join(patterns))
    assert [key for key in keys if key not in literals and not made.fullmatch(key)] == []


def as_pattern(text: ast.JoinedStr) -> str:
    """What an f-string may come to: ``f"command_{name}"`` -> ``command_.+``."""
    parts = (part.value if isinstance(part, ast.Constant) else None for part in text.values)
    return "".join(".+" if part is None else re.escape(str(part)) for part in parts)


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("a package index", r"(?:pypi|npmjs|pythonhosted)\.(?:org|com)|/simple\b"),
        ("a folder of somebody's machine", r"/(?:root|work|Users)/\w|/home/(?!ana\b)"),
        ("work left for later", r"\b(?:TODO|FIXME|XXX)\b"),
    ],
)
def test_no_file_names(what: str, pattern: str) -> None:
    here = Path(__file__)
    found = [
        f"{relative(path)}: {match[0]}"
        for path in WRITTEN
        if path != here and (match := re.search(pattern, path.read_text("utf-8")))
    ]
    assert found == [], what
