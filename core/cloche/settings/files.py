"""Where settings are written down: environment, ``.env`` and ``cloche.toml``, as flat entries.

Nothing here knows which settings exist; ``cloche.settings`` does.
"""

from __future__ import annotations

import io
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dotenv.parser import parse_stream

from cloche.errors import SettingsError

PREFIX: Final = "CLOCHE_"
NESTED: Final = "__"
UNPREFIXED: Final = ("MODEL_ID", "VISION_MODEL_ID", "MEMORY_ID")
"""Settings whose variables keep their plain names."""
ENVIRONMENT: Final = "environment"

_TOML_TABLE: Final = re.compile(r"\s*\[(?P<name>[^\[\]]+)\]")
_TOML_KEY: Final = re.compile(r"(?P<name>[A-Za-z0-9_\-.\s\"']+)=")


@dataclass(frozen=True, slots=True)
class Entry:
    """One value as somebody wrote it.

    Attributes:
        name: The variable's name, or the dotted key in TOML.
        value: Text from a variable; text, number, flag or list from TOML.
        where: ``environment``, ``.env:3``, ``cloche.toml:7`` or, where the line is not known,
            ``cloche.toml``.
        toml: True for a dotted key, False for a variable.
    """

    name: str
    value: object
    where: str
    toml: bool = False


def variable(key: str) -> str:
    """The variable of a dotted key: ``model.base_url`` -> ``CLOCHE_MODEL__BASE_URL``.

    A dash, which a channel's name may hold and a variable's may not, is an underscore.
    """
    name = key.upper().replace(".", NESTED).replace("-", "_")
    return name if name in UNPREFIXED else PREFIX + name


def read_environment(environ: Mapping[str, str]) -> list[Entry]:
    """The entries among the process's variables."""
    return [Entry(name, value, ENVIRONMENT) for name, value in environ.items() if _is_setting(name)]


def read_dotenv(path: Path) -> list[Entry]:
    """The entries of a ``.env`` file; none when there is no such file.

    Other variables in it are left alone: the file is not loaded into the environment.

    Raises:
        SettingsError: it cannot be read, or a line is not ``NAME=value``.
    """
    entries = []
    for binding in parse_stream(io.StringIO(_text(path))):
        lead = len(binding.original.string) - len(binding.original.string.lstrip())
        line = binding.original.line + binding.original.string[:lead].count("\n")
        where = f"{path.name}:{line}"
        if binding.error or (binding.key and binding.value is None):
            raise SettingsError(f"{where}: this line is not NAME=value.")
        if binding.key is not None and _is_setting(binding.key):
            entries.append(Entry(binding.key, binding.value or "", where))
    return entries


def read_toml(path: Path) -> list[Entry]:
    """The entries of a ``cloche.toml``, tables flattened; none when there is no such file.

    Raises:
        SettingsError: it cannot be read or is not TOML.
    """
    text = _text(path)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path.name}: this is not valid TOML: {error}.") from error
    lines = _toml_lines(text)
    return [
        Entry(key, value, f"{path.name}:{lines[key]}" if key in lines else path.name, toml=True)
        for key, value in _leaves(document)
    ]


def _is_setting(name: str) -> bool:
    # The wrong case is taken in as well, so that it is refused instead of doing nothing.
    return name in UNPREFIXED or name.upper().startswith(PREFIX)


def _text(path: Path) -> str:
    if not path.is_file():
        return ""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path.name}: this file is not UTF-8; save it as UTF-8.") from error
    except OSError as error:
        raise SettingsError(f"{path.name} cannot be read: {error.strerror}.") from error


def _leaves(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{key}.")
        else:
            yield key, value


def _toml_lines(text: str) -> dict[str, int]:
    """Line of each key in the usual spelling; a rare one (inline tables) just has none."""
    lines: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _TOML_TABLE.match(line):
            table = _plain(header["name"]) + "."
            lines.setdefault(table.removesuffix("."), number)
        elif key := _TOML_KEY.match(line):
            lines.setdefault(table + _plain(key["name"]), number)
    return lines


def _plain(name: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in name.split("."))
