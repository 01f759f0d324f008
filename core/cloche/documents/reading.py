"""JSON and YAML files that authors write: read strictly, and every mistake has a place.

A document is plain JSON data whatever its format. YAML is limited to what JSON can say: no
anchors, no dates (they stay text), no duplicate keys.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import yaml

from cloche.documents.json_lines import line_of_longest_number
from cloche.documents.yaml_faults import yaml_fault
from cloche.errors import ManifestError
from cloche.state.store import Json

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

MAX_BYTES: Final = 10_000_000
"""Nothing that somebody writes by hand is larger; reading more could fill the memory."""

_NO_NUMBER: Final = "a number cannot be read or is too long: mend it, or put it in double quotes."
_RESOURCES: Final = "cloche_manifests"


@dataclass(frozen=True)
class Document:
    """What a file says.

    Attributes:
        file: Its name, for messages.
        value: Its data.
        lines: Line of each value by JSON pointer; empty where the format does not tell.
    """

    file: str
    value: Json
    lines: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    def error(self, pointer: str, reason: str) -> ManifestError:
        """An error at a place of the document."""
        return ManifestError(self.file, reason, line=self.line(pointer), pointer=pointer)

    def line(self, pointer: str) -> int | None:
        """The line of a value, or of the nearest one around it."""
        while pointer and pointer not in self.lines:
            pointer = pointer.rpartition("/")[0]
        return self.lines.get(pointer)


def shared_resource(*path: str) -> Traversable:
    """A file or folder of the data package that the host reads."""
    return files(_RESOURCES).joinpath(*path)


def refuse_irregular(path: Path | Traversable) -> None:
    """Refuse a pipe or a device without opening it: reading one may never end.

    Raises:
        ManifestError: it is there and is neither a file nor a folder.
    """
    if isinstance(path, Path) and path.exists() and not (path.is_file() or path.is_dir()):
        raise ManifestError(str(path), "it is no regular file.")


def read_text(path: Path | Traversable, *, limit: int = MAX_BYTES) -> str:
    r"""A UTF-8 file's text; a byte-order mark and ``\r\n``, as Windows editors write, are taken.

    Args:
        path: The file.
        limit: How many bytes it may have.

    Raises:
        ManifestError: it is not there, cannot be read, is larger, or is not UTF-8.
    """
    refuse_irregular(path)
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise ManifestError(
            str(path),
            f"it cannot be read ({error.strerror or error}): see that it is there and readable.",
        ) from error
    if len(data) > limit:
        raise ManifestError(str(path), f"it is larger than {limit} bytes: shorten it.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ManifestError(
            str(path),
            "it is not UTF-8: save it with the encoding UTF-8.",
            line=data.count(b"\n", 0, error.start) + 1,
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse_json(text: str, file: str) -> Document:
    """A JSON document.

    Raises:
        ManifestError: it is not JSON, or an object has a key twice.
    """

    def unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ManifestError(file, f"the key {twice!r} stands twice in one object: keep one.")
        return made

    try:
        return Document(file, json.loads(text, object_pairs_hook=unique))
    except json.JSONDecodeError as error:
        raise ManifestError(
            file, f"it is not JSON: {error.msg} (column {error.colno}).", line=error.lineno
        ) from error
    except RecursionError as error:
        raise ManifestError(file, "it is nested too deep: make it flatter.") from error
    except ValueError as error:  # Python reads no number of more than 4,300 digits.
        raise ManifestError(file, _NO_NUMBER, line=line_of_longest_number(text)) from error


def parse_yaml(text: str, file: str, *, first_line: int = 1, texts_only: bool = False) -> Document:
    """A YAML document; ``texts_only`` takes every scalar as the text it is written as.

    Raises:
        ManifestError: it is not YAML of the kind taken here; the reason says how to mend it.
    """
    lines: dict[str, int] = {}

    def data(node: yaml.Node, pointer: str) -> Json:
        lines.setdefault(pointer, node.start_mark.line + first_line)
        if isinstance(node, yaml.SequenceNode):
            return [data(item, f"{pointer}/{at}") for at, item in enumerate(node.value)]
        if not isinstance(node, yaml.MappingNode):
            try:
                return _scalar(node, texts_only=texts_only)
            except ValueError as error:
                raise ManifestError(
                    file, _NO_NUMBER, line=lines[pointer], pointer=pointer
                ) from error
        made: dict[str, Json] = {}
        for key, value in node.value:
            line = key.start_mark.line + first_line
            if not isinstance(key, yaml.ScalarNode):
                raise ManifestError(
                    file,
                    "a key is no word: check the brackets and quotes.",
                    line=line,
                    pointer=pointer,
                )
            if key.value in made:
                raise ManifestError(
                    file, f"the key {key.value!r} stands twice: keep one.", line=line,
                    pointer=pointer,
                )  # fmt: skip
            inner = f"{pointer}/{_escaped(key.value)}"
            lines[inner] = line
            made[key.value] = data(value, inner)
        return made

    try:
        root = _composed(text, file, first_line)
        return Document(file, data(root, "") if root else None, lines)
    except yaml.YAMLError as error:
        line, reason = yaml_fault(error, text)
        raise ManifestError(file, reason, line=line + first_line) from error
    except RecursionError as error:
        raise ManifestError(file, "it is nested too deep: make it flatter.") from error


def validate(document: Document, schema_name: str) -> None:
    """Check a document against a schema of the data package (``schemas/<name>.schema.json``).

    Raises:
        ManifestError: the most telling fault, with its place and what to write instead.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    fault = best_match(Draft202012Validator(_schema(schema_name)).iter_errors(document.value))
    if fault is not None:
        pointer = "".join(f"/{_escaped(str(part))}" for part in fault.absolute_path)
        raise document.error(pointer, _reason(fault))


def nearest(name: str, names: Iterable[str], *, cutoff: float = 0.6) -> str:
    """The name that may have been meant, or ``""``."""
    return next(iter(difflib.get_close_matches(name, sorted(names), n=1, cutoff=cutoff)), "")


def did_you_mean(name: str, names: Iterable[str], otherwise: str = ".") -> str:
    """The end of a sentence on an unknown name: ``"; did you mean 'x'?"``, else ``otherwise``."""
    near = nearest(name, names)
    return f"; did you mean {near!r}?" if near else otherwise


def _composed(text: str, file: str, first_line: int) -> yaml.Node | None:
    """The document's root, read by libyaml where it is there, which is many times faster.

    What it does not read is read again in Python, whose faults are told more plainly; so is what
    has a tab, of which libyaml lets some pass.
    """
    if yaml.__with_libyaml__ and "\t" not in text:
        with suppress(yaml.YAMLError):
            return _read(text, file, first_line, yaml.CSafeLoader)
    return _read(text, file, first_line, yaml.SafeLoader)


def _read(
    text: str, file: str, first_line: int, loader: type[yaml.SafeLoader | yaml.CSafeLoader]
) -> yaml.Node | None:
    _refuse_aliases(text, file, first_line, loader)
    return yaml.compose(text, Loader=loader)


def _refuse_aliases(
    text: str, file: str, first_line: int, loader: type[yaml.SafeLoader | yaml.CSafeLoader]
) -> None:
    """An alias repeats another part: with a few of them, a small file can fill the memory."""
    for token in yaml.scan(text, Loader=loader):
        if isinstance(token, yaml.AliasToken):
            line = token.start_mark.line + first_line
            raise ManifestError(file, "a text starts with '*': put it in double quotes.", line=line)


def _scalar(node: yaml.Node, *, texts_only: bool) -> Json:
    text = str(node.value)
    kind = node.tag.rpartition(":")[2]
    if not texts_only and kind in ("int", "float", "bool", "null"):
        value: Json = yaml.safe_load(text) if text else None
        return value
    return text


@cache
def _schema(name: str) -> Mapping[str, Json]:
    text = shared_resource("schemas", f"{name}.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Json] = json.loads(text)
    return schema


def _reason(fault: ValidationError) -> str:
    schema = fault.schema if isinstance(fault.schema, dict) else {}
    means = str(schema.get("description", ""))
    if fault.validator == "additionalProperties" and isinstance(fault.instance, dict):
        known = schema.get("properties", {})
        unknown = next(name for name in fault.instance if name not in known)
        otherwise = f"; known: {', '.join(known)}."
        return f"there is no {unknown!r} here{did_you_mean(unknown, known, otherwise)}"
    if fault.validator == "required" and isinstance(fault.instance, dict):
        missing = next(name for name in schema["required"] if name not in fault.instance)
        near = nearest(missing, set(fault.instance) - set(schema.get("properties", {})))
        told = f"{missing!r} is missing" + (f": you wrote {near!r}." if near else ".")
        return f"{told} {means}"
    if fault.validator == "type":
        expected = fault.validator_value
        wanted = " or ".join(expected) if isinstance(expected, list) else str(expected)
        return f"it must be of type {wanted}, not {_type_name(fault.instance)}. {means}"
    return f"{fault.message}. {means}".strip()


def _type_name(value: object) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array"}
    return names.get(type(value), "object")


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1")
