"""Mistakes in a skill's tools.py and examples.yaml: found with file and line, and nothing run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cloche.skills.linting import lint_folder, lint_manifest

Make = Callable[..., Path]

HEAD = "from cloche import ToolContext, tool\n\n"
GOOD = '''@tool
async def brew(ctx: ToolContext, leaf: str, cups: int = 1) -> str:
    """Brew tea."""
    return leaf
'''
EXAMPLE = '- tool: brew\n  say: {en: ["brew {leaf}"]}\n  values: {leaf: oolong}\n'


def rows(folder: Path) -> list[tuple[str, int | None, str]]:
    return [(Path(one.file).name, one.line, one.what) for one in lint_folder(folder)]


def test_what_is_right_has_nothing_to_mend(folder: Make) -> None:
    assert rows(folder(tools=HEAD + GOOD, examples=EXAMPLE)) == []


@pytest.mark.parametrize(
    ("tools", "line", "what"),
    [
        (HEAD + "async def brew(:\n", 3, "it raised SyntaxError"),
        ("import teapot_nowhere\n" + HEAD + GOOD, 1, "there is no module 'teapot_nowhere' here"),
        ("from teapot_nowhere.x import y\n" + HEAD + GOOD, 1, "there is no module"),
        ("from .beside import x\n" + HEAD + GOOD, 1, "it imports from beside it"),
        ("from cloche import ToolContext, Tol, tool\n" + GOOD, 1, "cloche has no 'Tol'"),
        (HEAD + GOOD.replace("async ", ""), 3, "the tool brew is not async"),
        (HEAD + GOOD.replace('"""Brew tea."""', "pass"), 3, "the tool brew has no docstring"),
        (HEAD + GOOD.replace("ctx: ToolContext", "ctx"), 3, "the first parameter of brew"),
        (HEAD + GOOD.replace("leaf: str", "leaf"), 3, "brew"),
        (HEAD + GOOD.replace("leaf: str", "user_id: str"), 3, "brew"),
        (HEAD + GOOD.replace("leaf: str", "*leaves: str"), 3, "brew takes '*leaves'"),
        (HEAD + GOOD.replace("-> str", "-> int"), 3, "the tool brew does not return str"),
        (HEAD + "X = 1\n", None, "it defines no tool"),
    ],
)
def test_a_mistake_in_the_tools_is_a_row_with_its_line(
    folder: Make, tools: str, line: int | None, what: str
) -> None:
    (found,) = rows(folder(tools=tools))
    assert found[:2] == ("tools.py", line)
    assert found[2].startswith(what)


@pytest.mark.parametrize(
    ("examples", "line", "what"),
    [
        (EXAMPLE + EXAMPLE.replace("brew\n", "brow\n"), 4, "tools.py has no tool 'brow'"),
        (EXAMPLE.replace("leaf", "leaves"), 1, "brew takes no argument 'leaves'"),
        ('- tool: brew\n  heard: true\n  say: {en: ["brew"]}\n', 2, "brew hears nothing by itself"),
        ('- tool: brew\n  say: {en: ["brew tea"]}\n', 1, "brew needs 'leaf'"),
        ("- tool: brew\n  sayy: 1\n", 1, ""),
    ],
)
def test_a_mistake_in_the_examples_is_a_row_with_its_line(
    folder: Make, examples: str, line: int, what: str
) -> None:
    found = rows(folder(tools=HEAD + GOOD, examples=examples))
    assert found[0][:2] == ("examples.yaml", line)
    assert found[0][2].startswith(what)


def test_each_mistake_has_a_row_of_its_own(folder: Make) -> None:
    tools = "import teapot_nowhere\n" + HEAD + GOOD.replace("-> str", "-> int")
    examples = EXAMPLE.replace("brew\n", "brow\n") + EXAMPLE.replace("brew\n", "brawl\n")
    found = rows(folder(tools=tools, examples=examples))
    assert [(file, line) for file, line, _ in found] == [
        ("tools.py", 1),
        ("tools.py", 4),
        ("examples.yaml", 1),
        ("examples.yaml", 4),
    ]


def test_nothing_of_it_is_run(folder: Make, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    tools = HEAD + GOOD + f"\nopen({str(mark)!r}, 'w').close()\n"
    assert rows(folder(tools=tools, examples=EXAMPLE)) == []
    assert not mark.exists()


def test_a_program_of_somebody_elses_is_not_looked_at(folder: Make) -> None:
    assert rows(folder(tools="import teapot_nowhere\nprint 1\n")) == []


@pytest.mark.parametrize(
    "more",
    ["brow = tool(timeout_seconds=5)(pour)\n", "for one in (pour,):\n    tool(one)\n"],
)
def test_tools_that_only_a_run_can_tell_are_no_mistake(folder: Make, more: str) -> None:
    tools = HEAD + GOOD + "\n" + GOOD.replace("@tool\n", "").replace("brew", "pour") + "\n" + more
    examples = EXAMPLE + EXAMPLE.replace("brew", "brow")
    assert rows(folder(tools=tools, examples=examples)) == []


def test_what_is_read_and_then_met_when_it_is_run_is_one_row(folder: Make, tmp_path: Path) -> None:
    made = folder(tools="import teapot_nowhere\n" + HEAD + GOOD, examples=EXAMPLE)
    manifest = made.parent / "skills.json"
    manifest.write_text(
        f'{{"version": 1, "skills": [{{"name": "{made.name}", "source": "./{made.name}"}}]}}',
        encoding="utf-8",
    )
    told = [one for one in lint_manifest(manifest) if one.file.endswith("tools.py")]
    assert [(one.line, one.level) for one in told] == [(1, "error")]
