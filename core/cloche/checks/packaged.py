"""How an assistant's package is made: names that agree, files that are there, clean imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import cloche
from cloche.checks.finding import Finding
from cloche.persona import SECTIONS

PUBLIC: Final = ("cloche", "cloche.testing")
"""The modules of this project that a plugin may import from."""


def name_findings(name: str, package: str, distribution: str) -> Iterator[Finding]:
    """Entry point, package, distribution and folder carry one name."""
    expected_package = f"cloche_{name.replace('-', '_')}"
    if package != expected_package:
        yield _misnamed("package", package, expected_package, name)
    expected = f"cloche-{name}"
    if re.sub(r"[-_.]+", "-", distribution).lower() != expected:
        yield _misnamed("distribution", distribution, expected, name)
    folder = Path(str(files(package)))
    if folder.name != package.rpartition(".")[2]:
        yield _misnamed("package's folder", folder.name, package, name)
    project = folder.parent
    if (project / "pyproject.toml").is_file() and project.name not in (name, expected):
        yield _misnamed("project's folder", project.name, name, name)


def file_findings(package: str) -> Iterator[Finding]:
    """The files a package is read from are in the installed package."""
    root = files(package)
    wanted = ["__init__.py", *(f"persona/{section}.md" for section in SECTIONS)]
    for path in wanted:
        if not root.joinpath(path).is_file():
            yield Finding(
                "error",
                f"{package}/{path}",
                "The file is not in the installed package.",
                "Add it, and see that the build puts it into the wheel.",
            )


def import_findings(package: str) -> Iterator[Finding]:
    """Of this project, a plugin imports ``cloche`` and ``cloche.testing``, nothing private."""
    for file, path in _sources(files(package)):
        try:
            tree = ast.parse(file.read_bytes(), filename=path)
        except (SyntaxError, ValueError) as error:
            yield Finding("error", path, f"It is not Python: {error}.", "Mend the file.")
            continue
        for node in ast.walk(tree):
            for module in _private(node):
                yield Finding(
                    "error",
                    f"{path}:{getattr(node, 'lineno', 0)}",
                    f"{module} is private and may change with any release.",
                    "Import from `cloche` or `cloche.testing` only.",
                )


def _sources(folder: Traversable, prefix: str = "") -> Iterator[tuple[Traversable, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = f"{prefix}{entry.name}"
        if entry.is_dir():
            yield from _sources(entry, f"{path}/")
        elif path.endswith(".py"):
            yield entry, path


def _private(node: ast.AST) -> Iterator[str]:
    """What a statement imports that is not public."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module == "cloche" and not node.level:
        public = {*cloche.__all__, "testing", "*"}
        names = [f"cloche.{alias.name}" for alias in node.names if alias.name not in public]
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        names = [node.module]
    else:
        names = []
    for name in names:
        if re.match(r"cloche(_(channels|deploy|manifests))?(\.|$)", name) and name not in PUBLIC:
            yield name


def _misnamed(what: str, found: str, expected: str, name: str) -> Finding:
    return Finding(
        "error",
        what,
        f"It is called {found!r}, but the entry point is {name!r}.",
        f"Call it {expected!r}.",
    )
