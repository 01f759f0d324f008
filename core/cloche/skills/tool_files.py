"""Where a skill acts: its ``tools.py``, and the ``examples.yaml`` that says how it is reached."""

from __future__ import annotations

import ast
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, MappingProxyType
from typing import Final, Protocol

from pydantic import BaseModel, JsonValue, TypeAdapter

from cloche.documents import (
    Document,
    did_you_mean,
    parse_yaml,
    read_text,
    refuse_irregular,
    validate,
)
from cloche.errors import ManifestError, PluginError, said
from cloche.tools import Tool
from cloche.tools.hearing import Hear
from cloche.utterances import REFERENCE, Example
from cloche.utterances.templates import parse_template

TOOLS_FILE: Final = "tools.py"
EXAMPLES_FILE: Final = "examples.yaml"
MAX_FILE_BYTES: Final = 1_000_000


def brings_tools(folder: Path) -> bool:
    """True when a folder's ``tools.py`` is one of this host's: it imports ``cloche``.

    Read, not run: public folders have files of that name that are programs of their own.
    """
    path = folder / TOOLS_FILE
    if not path.is_file():
        return False
    try:
        tree = ast.parse(read_text(path, limit=MAX_FILE_BYTES))
    except (SyntaxError, ValueError, RecursionError, ManifestError):
        return False
    return any(
        (isinstance(node, ast.ImportFrom) and node.module == "cloche" and not node.level)
        or (isinstance(node, ast.Import) and any(a.name == "cloche" for a in node.names))
        for node in ast.walk(tree)
    )


def load_tools(path: Path) -> tuple[Tool, ...]:
    """The ``@tool`` functions that a ``tools.py`` defines, in its order; runs the file.

    Raises:
        ManifestError: it cannot be run, or it defines no tool.
    """
    refuse_irregular(path)
    digest = sha256(str(path.resolve()).encode()).hexdigest()[:12]
    name = f"cloche_skill_{digest}"
    spec = spec_from_file_location(name, path, loader=_SourceLoader(name, str(path)))
    if spec is None or spec.loader is None:
        raise ManifestError(path, "it cannot be loaded as Python.")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except PluginError as error:
        del sys.modules[name]
        reason = f"{error.plugin}: {error.reason} {error.remedy}".strip()
        raise ManifestError(path, reason, line=_line_in(error, path)) from error
    except KeyboardInterrupt:
        del sys.modules[name]
        raise
    except BaseException as error:  # SystemExit too: a skill does not end the host
        del sys.modules[name]
        line = _line_in(error, path)
        if isinstance(error, SyntaxError) and error.filename == str(path):
            line = error.lineno
        reason = f"it raised {type(error).__name__}: {said(error)}"
        raise ManifestError(path, reason, line=line) from error
    defined = [value for value in vars(module).values() if isinstance(value, Tool)]
    own = tuple(dict.fromkeys(tool for tool in defined if tool.function.__module__ == name))
    if not own:
        raise ManifestError(
            path, "it defines no tool: put @tool above an async function, or delete the file."
        )
    return own


def load_examples(path: Path, tools: Iterable[Tool]) -> tuple[Example, ...]:
    """The examples of an ``examples.yaml``, each for one of the tools.

    Raises:
        ManifestError: it breaks its schema, names a tool or argument that is not there, or a
            template cannot be read.
    """
    document, entries = _entries(path)
    by_name = {tool.name: tool for tool in tools}
    return tuple(_example(document, f"/{at}", e, by_name) for at, e in enumerate(entries))


def example_faults(path: Path, tools: Iterable[Declared] | None) -> Iterator[ManifestError]:
    """What is wrong with the entries of an ``examples.yaml``, the first fault of each.

    Args:
        path: The file.
        tools: What ``tools.py`` declares; None = nobody can tell, and only the file is looked at.

    Raises:
        ManifestError: the file cannot be read, or breaks its schema.
    """
    document, entries = _entries(path)
    by_name = {tool.name: tool for tool in tools or ()}
    for at, entry in enumerate(entries) if tools is not None else ():
        try:
            _example(document, f"/{at}", entry, by_name)
        except ManifestError as error:
            yield error


def _entries(path: Path) -> tuple[Document, tuple[_ExampleEntry, ...]]:
    document = parse_yaml(read_text(path, limit=MAX_FILE_BYTES), str(path))
    validate(document, "examples")
    return document, _ExampleEntries.validate_python(document.value)


class Names(Protocol):
    """Tells what a tool takes."""

    def names(self, *, required: bool = False) -> tuple[str, ...]:
        """Names of the arguments; with ``required`` only those without a default."""
        ...


class Declared(Protocol):
    """What examples are held to: a tool, or what its source says of it."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def arguments(self) -> Names:
        """What it takes."""
        ...

    @property
    def hears(self) -> Hear | None:
        """What understands words for it; None = templates alone."""
        ...

    @property
    def exact(self) -> bool:
        """Whether that goes before templates."""
        ...

    @property
    def first(self) -> bool:
        """Whether what it tells stands before what others tell."""
        ...


class _ExampleEntry(BaseModel):
    """One entry of ``examples.yaml`` after its schema has been checked."""

    tool: str
    say: dict[str, tuple[str, ...]]
    arguments: dict[str, JsonValue] | None = None
    values: dict[str, str] = {}
    answer: tuple[str, ...] = ()
    after: dict[str, str] = {}
    heard: bool = False


_ExampleEntries: Final = TypeAdapter(tuple[_ExampleEntry, ...])


class _SourceLoader(SourceFileLoader):
    """Always reads the source: no ``__pycache__`` in an author's folder, no stale code."""

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


def _line_in(error: BaseException, path: Path) -> int | None:
    """The last line of a file that an exception came through."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((f.lineno for f in reversed(frames) if f.filename == str(path)), None)


def _example(
    document: Document, pointer: str, entry: _ExampleEntry, tools: Mapping[str, Declared]
) -> Example:
    tool = tools.get(entry.tool)
    if tool is None:
        there = f"; there are: {', '.join(sorted(tools)) or 'none'}."
        told = did_you_mean(entry.tool, tools, there)
        raise document.error(f"{pointer}/tool", f"tools.py has no tool {entry.tool!r}{told}")
    if entry.heard:
        return _heard(document, pointer, entry, tool)
    slots = _slots(document, pointer, entry)
    arguments = entry.arguments
    if arguments is None:
        arguments = {slot: f"{{{slot}}}" for slot in slots}
    if unknown := sorted(set(arguments) - set(tool.arguments.names())):
        told = did_you_mean(unknown[0], tool.arguments.names())
        raise document.error(
            f"{pointer}/arguments", f"{tool.name} takes no argument {unknown[0]!r}{told}"
        )
    used = {name: REFERENCE.findall(v) for name, v in arguments.items() if isinstance(v, str)}
    for name, references in used.items():
        if missing := [slot for slot in references if slot not in slots]:
            raise document.error(
                f"{pointer}/arguments", f"{name} uses {{{missing[0]}}}, which no template has."
            )
    for name in tool.arguments.names(required=True):
        if name not in arguments or not all(slots[slot] for slot in used.get(name, [])):
            raise document.error(
                pointer, f"{tool.name} needs {name!r}, but not every template gives it."
            )
    if unset := [slot for slot in slots if slot not in entry.values]:
        raise document.error(
            f"{pointer}/values", f"{{{unset[0]}}} has no value: add one to try templates with."
        )
    _check_after(document, pointer, entry)
    return Example(
        tool=entry.tool,
        say=MappingProxyType(entry.say),
        arguments=MappingProxyType(arguments),
        values=MappingProxyType(entry.values),
        answer=entry.answer,
        after=MappingProxyType(entry.after),
        first=tool.first,
    )


def _check_after(document: Document, pointer: str, entry: _ExampleEntry) -> None:
    """What answers a question answers it in each of its languages."""
    unasked = sorted(set(entry.say) - set(entry.after))
    if entry.after and unasked:
        raise document.error(f"{pointer}/after", f"it has nothing for the language {unasked[0]}.")


def _heard(document: Document, pointer: str, entry: _ExampleEntry, tool: Declared) -> Example:
    """Sentences that a tool understands by itself; which, is tried with the others."""
    if tool.hears is None:
        raise document.error(
            f"{pointer}/heard", f"{tool.name} hears nothing by itself: it needs @tool(hears=...)."
        )
    if entry.arguments is not None or entry.values:
        raise document.error(pointer, "what is heard has no slots: leave arguments and values out.")
    _check_after(document, pointer, entry)
    return Example(
        entry.tool,
        MappingProxyType(entry.say),
        answer=entry.answer,
        after=MappingProxyType(entry.after),
        hear=tool.hears,
        exact=tool.exact,
        first=tool.first,
    )


def _slots(document: Document, pointer: str, entry: _ExampleEntry) -> dict[str, bool]:
    """The slots of all templates, in order; True when every template always has it."""
    found: list[Mapping[str, bool]] = []
    for language, templates in entry.say.items():
        for at, template in enumerate(templates):
            try:
                found.append(parse_template(template, alone=not entry.after).slots)
            except ValueError as error:
                raise document.error(f"{pointer}/say/{language}/{at}", f"{error}.") from error
    names = dict.fromkeys(name for slots in found for name in slots)
    return {name: all(slots.get(name, False) for slots in found) for name in names}
