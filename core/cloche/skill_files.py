"""What a skill's folder holds: ``SKILL.md``, and where it acts ``tools.py`` and ``examples.yaml``.

``SKILL.md`` is the public Agent Skills format: YAML front matter, then Markdown. As its users
expect, keys that other hosts add are ignored, and values are texts whether quoted or not.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, MappingProxyType
from typing import Final

from pydantic import BaseModel, JsonValue, TypeAdapter

from cloche.documents import (
    Document,
    did_you_mean,
    nearest,
    parse_yaml,
    read_text,
    refuse_irregular,
    validate,
)
from cloche.errors import ManifestError, PluginError, said
from cloche.state.store import Json
from cloche.templates import parse_template
from cloche.tools import Tool
from cloche.utterances import REFERENCE, Example

MAX_NAME_CHARS: Final = 64
MAX_DESCRIPTION_CHARS: Final = 1024
MAX_COMPATIBILITY_CHARS: Final = 500
SKILL_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

_KEYS: Final = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_FENCE: Final = "---"


@dataclass(frozen=True)
class SkillText:
    """A ``SKILL.md``: its front matter, and the body that ``read_skill`` gives."""

    name: str
    description: str
    body: str
    license: str = ""
    compatibility: str = ""
    metadata: Mapping[str, Json] = field(default_factory=lambda: MappingProxyType({}))
    allowed_tools: tuple[str, ...] = ()


def read_skill_text(folder: Path) -> SkillText:
    """Read ``SKILL.md`` of a folder.

    Raises:
        ManifestError: it is missing or breaks the format: the line, and how to mend it.
    """
    path = folder / "SKILL.md"
    front, body = _split_front_matter(read_text(path), str(path))
    document = parse_yaml(front, str(path), first_line=2, texts_only=True)
    values = document.value
    if not isinstance(values, dict):
        raise document.error("", "the front matter must be lines of 'key: value'.")
    for key in values:
        if key not in _KEYS and (near := nearest(key, _KEYS, cutoff=0.8)):
            raise document.error(f"/{key}", f"there is no key {key!r}; did you mean {near!r}?")
    name = _text(document, values, "name", MAX_NAME_CHARS, required=True)
    if not SKILL_NAME.fullmatch(name):
        raise document.error(
            "/name", f"{name!r} is no name: use a-z, 0-9 and single '-' between them."
        )
    if name != folder.name:
        raise document.error(
            "/name",
            f"the name is {name!r}, but the folder is {folder.name!r}: make them the same.",
        )
    metadata = values.get("metadata", {})
    if not isinstance(metadata, dict):
        raise document.error("/metadata", "it must be lines of 'key: value', indented.")
    return SkillText(
        name=name,
        description=_text(document, values, "description", MAX_DESCRIPTION_CHARS, required=True),
        body=body.strip(),
        license=_text(document, values, "license", MAX_DESCRIPTION_CHARS),
        compatibility=_text(document, values, "compatibility", MAX_COMPATIBILITY_CHARS),
        metadata=MappingProxyType(metadata),
        allowed_tools=_allowed_tools(document, values.get("allowed-tools", "")),
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
    document = parse_yaml(read_text(path), str(path))
    validate(document, "examples")
    by_name = {tool.name: tool for tool in tools}
    entries = _ExampleEntries.validate_python(document.value)
    return tuple(_example(document, f"/{at}", e, by_name) for at, e in enumerate(entries))


class _ExampleEntry(BaseModel):
    """One entry of ``examples.yaml`` after its schema has been checked."""

    tool: str
    say: dict[str, tuple[str, ...]]
    arguments: dict[str, JsonValue] | None = None
    values: dict[str, str] = {}
    answer: tuple[str, ...] = ()


_ExampleEntries: Final = TypeAdapter(tuple[_ExampleEntry, ...])


class _SourceLoader(SourceFileLoader):
    """Always reads the source: no ``__pycache__`` in an author's folder, no stale code."""

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


def _split_front_matter(text: str, file: str) -> tuple[str, str]:
    lines = text.split("\n")
    if lines[0].rstrip() != _FENCE:
        raise ManifestError(
            file, "it must start with a line '---' and the keys name and description.", line=1
        )
    for at, line in enumerate(lines[1:], start=1):
        if line.rstrip() == _FENCE:
            return "\n".join(lines[1:at]), "\n".join(lines[at + 1 :])
    raise ManifestError(
        file, "the front matter is not closed: put a line '---' after its keys.", line=1
    )


def _text(
    document: Document, values: Mapping[str, Json], key: str, limit: int, *, required: bool = False
) -> str:
    value = values.get(key, "")
    if not isinstance(value, str):
        raise document.error(
            f"/{key}", f"{key} must be a text: put it in double quotes on one line."
        )
    text = " ".join(value.split())
    if required and not text:
        raise document.error(f"/{key}", f"{key} is missing: add a line '{key}: ...'.")
    if len(text) > limit:
        raise document.error(
            f"/{key}", f"{key} has {len(text)} characters, at most {limit} fit: shorten it."
        )
    return text


def _allowed_tools(document: Document, value: Json) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(value.replace(",", " ").split())
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(str(item) for item in value)
    raise document.error("/allowed-tools", "it must be names with spaces between them.")


def _line_in(error: BaseException, path: Path) -> int | None:
    """The last line of a file that an exception came through."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((f.lineno for f in reversed(frames) if f.filename == str(path)), None)


def _example(
    document: Document, pointer: str, entry: _ExampleEntry, tools: Mapping[str, Tool]
) -> Example:
    tool = tools.get(entry.tool)
    if tool is None:
        there = f"; there are: {', '.join(sorted(tools)) or 'none'}."
        told = did_you_mean(entry.tool, tools, there)
        raise document.error(f"{pointer}/tool", f"tools.py has no tool {entry.tool!r}{told}")
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
    return Example(
        tool=entry.tool,
        say=MappingProxyType(entry.say),
        arguments=MappingProxyType(arguments),
        values=MappingProxyType(entry.values),
        answer=entry.answer,
    )


def _slots(document: Document, pointer: str, entry: _ExampleEntry) -> dict[str, bool]:
    """The slots of all templates, in order; True when every template always has it."""
    found: list[Mapping[str, bool]] = []
    for language, templates in entry.say.items():
        for at, template in enumerate(templates):
            try:
                found.append(parse_template(template).slots)
            except ValueError as error:
                raise document.error(f"{pointer}/say/{language}/{at}", f"{error}.") from error
    names = dict.fromkeys(name for slots in found for name in slots)
    return {name: all(slots.get(name, False) for slots in found) for name in names}
