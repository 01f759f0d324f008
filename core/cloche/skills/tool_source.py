"""What a skill's ``tools.py`` says, read and not run: its tools, and what keeps it from running.

Nobody's code runs because somebody looked for its mistakes. What only a run can tell (a module that
fails while it is imported, a type that has no JSON Schema) is found when the skill is loaded.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from cloche.documents import did_you_mean, read_text
from cloche.errors import ManifestError
from cloche.tools.arguments import TOOL_NAME, names_an_actor, split_docstring
from cloche.tools.hearing import Hear

MAX_BYTES: Final = 1_000_000
_HOST: Final = "cloche"
_MAKER: Final = "tool"
_CONTEXT: Final = "ToolContext"


@dataclass(frozen=True, slots=True)
class ArgumentNames:
    """Names of a tool's arguments, in order."""

    every: tuple[str, ...]
    needed: tuple[str, ...]

    def names(self, *, required: bool = False) -> tuple[str, ...]:
        """All of them, or those without a default."""
        return self.needed if required else self.every


@dataclass(frozen=True, slots=True)
class ToolSource:
    """A tool as its source declares it.

    Attributes:
        name: The function's name.
        arguments: What a model fills in.
        hears: Something, where it names a function; it is not called.
        exact: Whether it says so.
        first: Whether it says so.
    """

    name: str
    arguments: ArgumentNames
    hears: Hear | None = None
    exact: bool = False
    first: bool = False


@dataclass(frozen=True, slots=True)
class ToolsSource:
    """What a ``tools.py`` declares, and what is wrong with it.

    Attributes:
        tools: Its tools.
        faults: What is to be mended, by line.
        whole: False where it makes tools in a way that only a run can tell.
    """

    tools: tuple[ToolSource, ...]
    faults: tuple[ManifestError, ...]
    whole: bool = True


def read_tools(path: Path) -> ToolsSource:
    """Read a ``tools.py``; nothing of it is run."""
    try:
        tree = ast.parse(read_text(path, limit=MAX_BYTES), str(path))
    except SyntaxError as error:
        fault = ManifestError(path, f"it raised SyntaxError: {error.msg}", line=error.lineno)
        return ToolsSource((), (fault,), whole=False)
    except ManifestError as error:
        return ToolsSource((), (error,), whole=False)
    except (ValueError, RecursionError):
        fault = ManifestError(path, "it cannot be read as Python.")
        return ToolsSource((), (fault,), whole=False)
    makers = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == _HOST
        for alias in node.names
        if alias.name == _MAKER
    }
    faults = list(_missing(path, tree.body))
    tools = list[ToolSource]()
    decorators = set[int]()
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for decorator in node.decorator_list:
            if _made_by(decorator, makers):
                decorators.update(id(one) for one in ast.walk(decorator))
                tools.append(_tool(node, decorator))
                told = _fault(node)
                faults += [ManifestError(path, told, line=decorator.lineno)] if told else []
    others = (
        isinstance(node, ast.Name) and node.id in makers and id(node) not in decorators
        for node in ast.walk(tree)
    )
    whole = bool(makers) and not any(others)
    if whole and not tools:
        faults.append(
            ManifestError(
                path, "it defines no tool: put @tool above an async function, or delete the file."
            )
        )
    return ToolsSource(tuple(tools), tuple(faults), whole)


def _made_by(decorator: ast.expr, makers: set[str]) -> bool:
    made = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(made, ast.Attribute):
        return isinstance(made.value, ast.Name) and (made.value.id, made.attr) == (_HOST, _MAKER)
    return isinstance(made, ast.Name) and made.id in makers


def _tool(node: ast.FunctionDef | ast.AsyncFunctionDef, decorator: ast.expr) -> ToolSource:
    said = decorator.keywords if isinstance(decorator, ast.Call) else []
    told = {keyword.arg: keyword.value for keyword in said}
    plain = [*node.args.posonlyargs, *node.args.args][1:]
    free = len(plain) - len(node.args.defaults)
    needed = [argument.arg for argument in plain[: max(free, 0)]]
    needed += [
        argument.arg
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if default is None
    ]
    every = [argument.arg for argument in (*plain, *node.args.kwonlyargs)]
    return ToolSource(
        node.name,
        ArgumentNames(tuple(every), tuple(needed)),
        hears=_hears if "hears" in told else None,
        exact=_is_true(told.get("exact")),
        first=_is_true(told.get("first")),
    )


def _is_true(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


def _hears(text: str) -> None:
    """Stands for a function that is not called."""


def _fault(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """What keeps a function from being a tool, and how to mend it; "" = nothing."""
    name = node.name
    if not TOOL_NAME.fullmatch(name):
        return f"the tool {name} has a name that does not match '{TOOL_NAME.pattern}': rename it."
    if not isinstance(node, ast.AsyncFunctionDef):
        return f"the tool {name} is not async: write 'async def {name}(...)'."
    description, described = split_docstring(ast.get_docstring(node) or "")
    if not description:
        return f"the tool {name} has no docstring: say in one line what it does, for the model."
    parameters = [*node.args.posonlyargs, *node.args.args]
    if not parameters or _type_of(parameters[0].annotation).rpartition(".")[2] != _CONTEXT:
        return (
            f"the first parameter of {name} is not annotated with {_CONTEXT}: "
            f"write 'async def {name}(ctx: {_CONTEXT}, ...) -> str'."
        )
    if star := node.args.vararg or node.args.kwarg:
        return f"{name} takes '*{star.arg}': name every argument, for a model must see them."
    parameters += node.args.kwonlyargs
    if told := next(filter(None, map(_fault_of, parameters[1:])), ""):
        return f"{name}: {told}"
    if _type_of(node.returns) != "str":
        return f"the tool {name} does not return str: annotate it with '-> str'."
    if unknown := sorted(set(described) - {one.arg for one in parameters}):
        return (
            f"the docstring of {name} describes {unknown[0]!r}, which is no parameter: mend the "
            "name under Args."
        )
    return ""


def _fault_of(parameter: ast.arg) -> str:
    if parameter.annotation is None:
        return f"parameter {parameter.arg!r} has no annotation; say what it is."
    if names_an_actor(parameter.arg):
        return f"{parameter.arg!r} would let the model say who it acts for; take ctx.actor instead."
    return ""


def _type_of(annotation: ast.expr | None) -> str:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value
    return ast.unparse(annotation) if annotation is not None else ""


def _missing(path: Path, body: Sequence[ast.stmt]) -> Iterator[ManifestError]:
    """Imports that fail wherever the file is run: those at its top, outside ``try`` and ``if``."""
    for node in body:
        if isinstance(node, ast.ImportFrom) and node.level:
            yield ManifestError(
                path,
                "it imports from beside it, and a skill's tools.py stands alone: move what it "
                "needs into it, or into a package that is installed.",
                line=node.lineno,
            )
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield from _unknown_module(path, alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from _unknown_module(path, node.module, node.lineno)
            if node.module == _HOST:
                yield from _unknown_names(path, node)


def _unknown_module(path: Path, module: str, line: int) -> Iterator[ManifestError]:
    top = module.partition(".")[0]
    try:
        known = find_spec(top) is not None
    except (ImportError, ValueError):
        known = False
    if not known:
        yield ManifestError(
            path, f"there is no module {top!r} here: install it, or mend the name.", line=line
        )


def _unknown_names(path: Path, node: ast.ImportFrom) -> Iterator[ManifestError]:
    import cloche

    for alias in node.names:
        there = alias.name in cloche.__all__ or find_spec(f"{_HOST}.{alias.name}")
        if alias.name != "*" and not there:
            told = did_you_mean(alias.name, cloche.__all__)
            yield ManifestError(path, f"cloche has no {alias.name!r}{told}", line=node.lineno)
