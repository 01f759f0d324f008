"""What may be imported from where, beyond what import-linter can say."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import cloche
import cloche.testing

ROOT = Path(__file__).parents[2]
PUBLIC = {"cloche": set(cloche.__all__), "cloche.testing": set(cloche.testing.__all__)}
HOST = ("cloche", "cloche_channels", "cloche_deploy", "cloche_manifests")
HEAVY = ("boto3", "botocore", "pydantic_ai", "aiohttp", "numpy", "PIL", "mcp", "bedrock_agentcore")


def imports(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, module and name ("" for a whole module) of every import."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.lineno, node.module, alias.name) for alias in node.names)


def private_imports(path: Path) -> list[str]:
    """Imports of the host beyond its public surface."""
    return [
        f"{path.name}:{line}: {module} {name}".rstrip()
        for line, module, name in imports(path)
        if module.split(".")[0] in HOST
        if module not in PUBLIC or (name and name not in PUBLIC[module])
    ]


def test_a_private_import_is_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "import cloche.tools\nfrom cloche import tool, load\nfrom cloche.testing import x_y\n"
        "import cloche\nimport json\nfrom cloche_channels.console import Console\n"
    )
    assert private_imports(module) == [
        "module.py:1: cloche.tools",
        "module.py:2: cloche load",
        "module.py:3: cloche.testing x_y",
        "module.py:6: cloche_channels.console Console",
    ]


@pytest.mark.parametrize(
    "plugin", sorted((ROOT / "plugins").glob("*/pyproject.toml")), ids=lambda path: path.parent.name
)
def test_an_assistant_imports_only_what_is_public(plugin: Path) -> None:
    modules = sorted(plugin.parent.glob("cloche_*/**/*.py"))
    assert modules
    assert [each for path in modules for each in private_imports(path)] == []


def loaded_by(code: str) -> set[str]:
    """The heavy modules a fresh interpreter has loaded after running ``code``."""
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    return set(result.stdout.split()) & set(HEAVY)


@pytest.mark.parametrize(
    "code",
    [
        "import cloche",
        "import cloche\nfor name in cloche.__all__: getattr(cloche, name)",
        "import cloche.settings, cloche.assistant, cloche.assembly",
        "import cloche.cli.app",
        "import cloche_channels.console",
        "import cloche_deploy, cloche_manifests",
    ],
)
def test_importing_the_host_loads_nothing_heavy(code: str) -> None:
    assert loaded_by(code) == set()


def test_a_heavy_module_would_be_seen() -> None:
    assert loaded_by("import aiohttp") == {"aiohttp"}
