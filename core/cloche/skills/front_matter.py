"""``SKILL.md``: YAML front matter, then Markdown (https://agentskills.io/specification).

As the format's users expect, keys that other hosts add are ignored, and values are texts whether
quoted or not. What is wrong is collected, so that an author sees all of it at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from cloche.documents import Document, nearest, parse_yaml, read_text
from cloche.errors import ManifestError
from cloche.state.store import Json

SKILL_FILE: Final = "SKILL.md"
MAX_NAME_CHARS: Final = 64
MAX_DESCRIPTION_CHARS: Final = 1024
MAX_COMPATIBILITY_CHARS: Final = 500
MAX_SKILL_BYTES: Final = 1_000_000
"""The public format advises under 500 lines; a larger file is no instructions."""
SKILL_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

_KEYS: Final = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_FENCE: Final = "---"
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class SkillText:
    """A ``SKILL.md``: its front matter, and the body that ``read_skill`` gives.

    Attributes:
        body_line: The file's line on which the body begins.
    """

    name: str
    description: str
    body: str
    license: str = ""
    compatibility: str = ""
    metadata: Mapping[str, Json] = field(default_factory=lambda: MappingProxyType({}))
    allowed_tools: tuple[str, ...] = ()
    body_line: int = 1


@dataclass(frozen=True)
class Inspected:
    """A ``SKILL.md`` as an author sees it.

    Attributes:
        text: What it says; None when something is wrong.
        errors: What is wrong, each with its line and how to mend it.
        warnings: What this host takes and others do not.
    """

    text: SkillText | None
    errors: tuple[ManifestError, ...] = ()
    warnings: tuple[ManifestError, ...] = ()


def read_skill_text(folder: Path) -> SkillText:
    """Read ``SKILL.md`` of a folder.

    Raises:
        ManifestError: it is missing or breaks the format: the line, and how to mend it.
    """
    inspected = inspect_skill_text(folder)
    if inspected.text is None:
        raise inspected.errors[0]
    return inspected.text


def inspect_skill_text(folder: Path) -> Inspected:
    """Read ``SKILL.md`` of a folder and tell everything that is wrong with it."""
    path = folder / SKILL_FILE
    try:
        text = read_text(_present(folder), limit=MAX_SKILL_BYTES)
        front, body, body_line = _split_front_matter(text, str(path))
        document = parse_yaml(front, str(path), first_line=2, texts_only=True)
    except ManifestError as error:
        return Inspected(None, (error,))
    if not isinstance(document.value, dict):
        return Inspected(
            None,
            (
                document.error(
                    "", "the front matter is no list of keys: write lines of 'key: value'."
                ),
            ),
        )
    reader = _Reader(document, document.value, folder.name)
    blank = len(body) - len(body.lstrip())
    read = reader.text(body.strip(), body_line + body.count("\n", 0, blank))
    errors = tuple(sorted(reader.errors, key=lambda error: error.line or 0))
    return Inspected(None if errors else read, errors, tuple(_saved_unlike_others(path)))


def _present(folder: Path) -> Path:
    """The file, under the exact name that every host looks for.

    Raises:
        ManifestError: it is not there; one in other capitals is told of.
    """
    path = folder / SKILL_FILE
    names = [each.name for each in folder.iterdir()]  # a disk may take other capitals for the same
    if SKILL_FILE not in names:
        for name in names:
            if name.lower() == SKILL_FILE.lower():
                raise ManifestError(
                    folder / name, f"a skill's file is called {SKILL_FILE}: rename it.", line=1
                )
    return path


def _saved_unlike_others(path: Path) -> list[ManifestError]:
    data = path.read_bytes()
    told = {
        "it begins with a byte-order mark, on which other hosts fail: save it without.": (
            data.startswith(_BOM)
        ),
        "its lines end as on Windows, on which other hosts fail: save it with LF.": b"\r" in data,
    }
    return [ManifestError(path, reason, line=1) for reason, is_so in told.items() if is_so]


class _Reader:
    """The keys of a front matter, with all that is wrong about them."""

    def __init__(self, document: Document, values: Mapping[str, Json], folder: str) -> None:
        self._document, self._values, self._folder = document, values, folder
        self._misspelled: set[str] = set()
        self.errors: list[ManifestError] = []

    def text(self, body: str, body_line: int) -> SkillText:
        """What can be read; it counts when ``errors`` stays empty."""
        for key in self._values:
            near = "" if key in _KEYS else nearest(key, _KEYS, cutoff=0.8)
            if near and near not in self._values:
                self._misspelled.add(near)
                self._wrong(key, f"there is no key {key!r}; did you mean {near!r}?")
        return SkillText(
            name=self._name(),
            description=self._line("description", MAX_DESCRIPTION_CHARS, required=True),
            body=body,
            license=self._line("license", MAX_DESCRIPTION_CHARS),
            compatibility=self._line("compatibility", MAX_COMPATIBILITY_CHARS),
            metadata=self._metadata(),
            allowed_tools=self._allowed_tools(),
            body_line=body_line,
        )

    def _wrong(self, key: str, reason: str) -> None:
        self.errors.append(self._document.error(f"/{key}", reason))

    def _name(self) -> str:
        before = len(self.errors)
        name = self._line("name", MAX_NAME_CHARS, required=True)
        if len(self.errors) > before or not name:
            return name
        if not SKILL_NAME.fullmatch(name):
            self._wrong("name", f"{name!r} is no name: use a-z, 0-9 and single '-' between them.")
        elif name != self._folder:
            self._wrong(
                "name",
                f"the name is {name!r}, but the folder is {self._folder!r}: make them the same.",
            )
        return name

    def _line(self, key: str, limit: int, *, required: bool = False) -> str:
        value = self._values.get(key, "")
        if not isinstance(value, str):
            self._wrong(key, f"{key} must be a text: put it in double quotes on one line.")
            return ""
        text = " ".join(value.split())
        if required and not text and key not in self._misspelled:
            self._wrong(key, f"{key} is missing: add a line '{key}: ...'.")
        if len(text) > limit:
            self._wrong(key, f"{key} has {len(text)} characters, at most {limit} fit: shorten it.")
        return text

    def _metadata(self) -> Mapping[str, Json]:
        value = self._values.get("metadata", {})
        if isinstance(value, dict):
            return MappingProxyType(value)
        if value != "":
            self._wrong(
                "metadata", "metadata is no list of keys: write indented lines of 'key: value'."
            )
        return MappingProxyType({})

    def _allowed_tools(self) -> tuple[str, ...]:
        value = self._values.get("allowed-tools", "")
        if isinstance(value, str):
            return tuple(re.findall(r"[^\s,(]+(?:\([^)]*(?:\)|$))?", value))
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(str(item) for item in value)
        self._wrong("allowed-tools", "it is no list of names: write them with spaces between them.")
        return ()


def _split_front_matter(text: str, file: str) -> tuple[str, str, int]:
    lines = text.split("\n")
    fences = [at for at, line in enumerate(lines) if line.rstrip() == _FENCE]
    if not fences or fences[0] != 0:
        raise ManifestError(file, _without_start(lines, fences), line=1)
    if len(fences) < 2:
        heading = next((at for at, line in enumerate(lines) if at and line.startswith("# ")), 0)
        before = f" before line {heading + 1}" if heading else ""
        raise ManifestError(
            file,
            f"the front matter is not closed: put a line '---' after its keys{before}.",
            line=1,
        )
    end = fences[1]
    return "\n".join(lines[1:end]), "\n".join(lines[end + 1 :]), end + 2


def _without_start(lines: list[str], fences: list[int]) -> str:
    """What is wrong with a file that does not begin with its front matter."""
    keys = [at for at, line in enumerate(lines) if line.startswith("name:")]
    if keys and keys[0] == 0:
        return "it must start with a line '---': put one above 'name:'."
    if fences and keys and fences[0] < keys[0]:
        return (
            f"it must start with its front matter, which is on line {fences[0] + 1}: "
            "delete what stands above it."
        )
    return (
        "it must start with a line '---': put one there, the keys name and description, and "
        "another '---'."
    )
