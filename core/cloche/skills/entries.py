"""``skills.json`` as its author wrote it: entries in their long form, none of them looked up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel, ConfigDict, JsonValue

from cloche.documents import Document, parse_json, read_text, validate
from cloche.errors import ManifestError
from cloche.skills.needs import Requires

SHARED: Final = "shared"
"""The source that stands for the host's own skills."""
OWN: Final = "own"
"""In ``wins``: the assistant's own package."""


class _Requires(BaseModel):
    settings: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    binaries: tuple[str, ...] = ()


class Entry(BaseModel):
    """One entry of ``skills.json``, after its schema has been checked.

    Attributes:
        name: What the skill is called here.
        source: "" = the package's own folder, else a shared skill; ``shared``, ``./x``, a folder
            or a git address otherwise.
        skill: The skill at the source, where it is called otherwise there.
        sha256: What the folder must hash to.
        enabled: False leaves it out.
        tools: The tools it may offer; None = all.
        description: Instead of its own.
        config: Settings for its tools.
        requires: What must be there before it is used.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    source: str = ""
    skill: str = ""
    sha256: str = ""
    enabled: bool = True
    tools: tuple[str, ...] | None = None
    description: str = ""
    config: dict[str, JsonValue] = {}
    requires: _Requires = _Requires()

    @property
    def needs(self) -> Requires:
        """What must be there before it is used."""
        return Requires(**self.requires.model_dump())


class _Listed(BaseModel):
    skills: tuple[str | Entry, ...]
    wins: dict[str, str] = {}


@dataclass(frozen=True)
class Listed:
    """A ``skills.json``.

    Attributes:
        path: The file; its folder is the package's.
        document: Its data, for messages with a pointer.
        entries: The entries in their long form, in order.
        wins: Which plugin's skill is used where several bring one name.
    """

    path: Path
    document: Document
    entries: tuple[Entry, ...]
    wins: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def error(self, at: int, reason: str, key: str = "") -> ManifestError:
        """An error at the entry of that number, or at one of its keys."""
        return self.document.error(f"/skills/{at}{f'/{key}' if key else ''}", reason)


def read_listed(path: Path) -> Listed:
    """Read a ``skills.json``.

    Raises:
        ManifestError: it is missing or breaks its schema: where, and what to write instead.
    """
    document = parse_json(read_text(path), str(path))
    validate(document, "skills")
    listed = _Listed.model_validate(document.value)
    entries = tuple(Entry(name=one) if isinstance(one, str) else one for one in listed.skills)
    return Listed(path, document, entries, MappingProxyType(listed.wins))
