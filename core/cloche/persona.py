"""Who an assistant is: Markdown files that a non-programmer can edit."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from cloche.errors import PluginError

SECTIONS: Final = ("identity", "voice", "what-it-does", "safety")
"""Files of ``persona/`` in the order they are read; each may have at most ``MAX_CHARS``."""
MAX_CHARS: Final = 8_000


@dataclass(frozen=True, slots=True)
class Persona:
    """An assistant's name and the instructions that make it.

    Attributes:
        name: How it introduces itself.
        sections: Section name and Markdown text, in order.

    Raises:
        PluginError: no name, no text, or a section over 8,000 characters.
    """

    name: str
    sections: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        """Refuse an empty persona."""
        if not self.name.strip():
            raise PluginError("persona", "has no name.", hook="provide_persona")
        if not any(text.strip() for _, text in self.sections):
            raise PluginError("persona", "has no text.", hook="provide_persona")
        for section, text in self.sections:
            if len(text) > MAX_CHARS:
                raise PluginError(
                    "persona",
                    f"section {section!r} has {len(text)} characters, at most {MAX_CHARS} fit.",
                    hook="provide_persona",
                )

    @property
    def text(self) -> str:
        """All sections as one Markdown text."""
        return "\n\n".join(text.strip() for _, text in self.sections if text.strip())

    @classmethod
    def from_package(cls, package: str, folder: str = "persona") -> Persona:
        """Read ``<package>/persona/*.md``: the four known files first, others by name after.

        The name is the first heading of ``identity.md``.

        Raises:
            PluginError: the folder or ``identity.md`` is missing, a file is not UTF-8, or the
                persona is empty or too long.
        """
        root = files(package) / folder
        found = {path.name.removesuffix(".md"): path for path in _markdown_files(package, root)}
        if "identity" not in found:
            raise PluginError(
                package,
                f"{folder}/identity.md is missing.",
                hook="provide_persona",
                remedy="Write it: its first heading is the assistant's name.",
            )
        order = [*(s for s in SECTIONS if s in found), *sorted(set(found) - set(SECTIONS))]
        sections = tuple((section, _read(package, found[section])) for section in order)
        return cls(name=_first_heading(dict(sections)["identity"]), sections=sections)


def _markdown_files(package: str, root: Traversable) -> list[Traversable]:
    if not root.is_dir():
        raise PluginError(
            package,
            f"{root.name}/ is missing.",
            hook="provide_persona",
            remedy="Add the folder with identity.md, voice.md, what-it-does.md and safety.md.",
        )
    return [path for path in root.iterdir() if path.name.endswith(".md")]


def _read(package: str, path: Traversable) -> str:
    try:
        return path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise PluginError(
            package,
            f"{path.name} is not UTF-8.",
            hook="provide_persona",
            remedy="Save it as UTF-8.",
        ) from error


def _first_heading(text: str) -> str:
    for line in text.splitlines():
        if line.startswith("#"):
            return line.lstrip("#").strip()
    return ""
