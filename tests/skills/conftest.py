"""Little packages and skill folders, made in a test's own folder."""

from __future__ import annotations

import importlib
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

SKILL = """\
---
name: {name}
description: "Brews tea: green, black or white."
---

# Brewing

Warm the pot first.
"""

TOOLS = '''\
from __future__ import annotations

from cloche import ToolContext, tool


@tool
async def brew(ctx: ToolContext, leaf: str, cups: int = 1) -> str:
    """Brew tea."""
    return f"{cups} x {leaf}"


@tool
async def rinse(ctx: ToolContext) -> str:
    """Rinse the pot."""
    return "clean"
'''

EXAMPLES = """\
- tool: brew
  say:
    en: ["[please] brew {leaf}"]
    es: ["[por favor] prepara {leaf}"]
    zh: ["[请]泡{leaf}"]
  values: {leaf: oolong}
  answer: ["{leaf}"]
- tool: rinse
  say:
    en: ["rinse the pot"]
"""

_numbers = itertools.count()


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Makes a skill's folder: ``folder("tea", tools=TOOLS, examples=EXAMPLES)``."""

    def make(
        name: str = "tea",
        *,
        root: Path = tmp_path,
        skill: str = SKILL,
        tools: str = "",
        examples: str = "",
    ) -> Path:
        made = root / name
        made.mkdir(parents=True)
        (made / "SKILL.md").write_text(skill.replace("{name}", name), encoding="utf-8")
        if tools:
            (made / "tools.py").write_text(dedent(tools), encoding="utf-8")
        if examples:
            (made / "examples.yaml").write_text(dedent(examples), encoding="utf-8")
        return made

    return make


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Callable[[object], tuple[str, Path]]]:
    """Makes an importable package with a skills.json: its name and its folder."""
    path = tmp_path / "site"
    made: list[str] = []

    def make(listed: object) -> tuple[str, Path]:
        name = f"tearoom{next(_numbers)}"
        root = path / name
        root.mkdir(parents=True)
        (root / "__init__.py").write_text("")
        text = listed if isinstance(listed, str) else json.dumps(listed, ensure_ascii=False)
        (root / "skills.json").write_text(text, encoding="utf-8")
        made.append(name)
        importlib.invalidate_caches()
        return name, root

    sys.path.insert(0, str(path))
    yield make
    sys.path.remove(str(path))
    for name in made:
        sys.modules.pop(name, None)
