"""What a skill needs before it can be used, and the clause that says what is missing."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

from cloche.skills.front_matter import SkillText
from cloche.texts import languages, say

PROGRAMS: Final = frozenset(
    ".py .sh .bash .zsh .js .mjs .cjs .ts .rb .pl .ps1 .bat .cmd .php .lua .r .swift .go".split()
)
SCRIPTS: Final = "scripts"
_STARTED: Final = (
    r"(?:\b(?:python[\d.]*|bash|sh|zsh|node|npx|tsx|ts-node|deno|bun|uv|uvx|run|ruby|perl|php|pwsh"
    r"|source|chmod|swift|go|exec)\b[^|;&`]*[\s/'\"]|(?:^|[\s`$('\"])(?:\.|~|\{\w+\}|\$\w+|<[^>]+>)/\S*?)"
)
"""What stands before a program's name where it is started: an interpreter, or a path to it."""


@dataclass(frozen=True, slots=True)
class Requires:
    """What a manifest's entry asks for.

    Attributes:
        settings: Environment variables; a skill's tools find them in ``ctx.config``.
        secrets: Environment variables that are shown nowhere; tools read them themselves.
        binaries: Programs on the PATH.
    """

    settings: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    binaries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Missing:
    """Why a skill is not available: a key of the host's texts, and what its slot holds."""

    key: str
    what: str

    @property
    def reasons(self) -> Mapping[str, str]:
        """The clause in every language of the host."""
        told = {each: say(self.key, each, what=self.what) for each in languages()}
        return MappingProxyType(told)


def missing(requires: Requires, environ: Mapping[str, str] | None = None) -> Missing | None:
    """The first thing that an entry requires and that is not there."""
    there = os.environ if environ is None else environ
    for key, names in (("setting", requires.settings), ("secret", requires.secrets)):
        for name in names:
            if not there.get(name, "").strip():
                return Missing(f"skill_needs_{key}", name)
    for name in requires.binaries:
        if shutil.which(name, path=there.get("PATH")) is None:
            return Missing("skill_needs_program", name)
    return None


def runs_programs(text: SkillText, files: Sequence[str], *, acts: bool) -> Missing | None:
    """Why instructions cannot be followed here: they run programs, and no agent here runs any.

    Args:
        text: The skill's ``SKILL.md``.
        files: Names of its files.
        acts: True when it has tools of this host: then they do what its programs would.
    """
    if acts:
        return None
    programs = [name for name in files if _is_program(name)]
    if found := _first_mention(text, programs):
        return Missing("skill_runs_script", f"{found[0]} (SKILL.md:{found[1]})")
    if names := list(_declared_programs(text.metadata)):
        return Missing("skill_runs_program", ", ".join(names))
    return None


def _is_script(name: str) -> bool:
    return PurePosixPath(name).parts[0] == SCRIPTS


def _is_program(name: str) -> bool:
    return _is_script(name) or PurePosixPath(name).suffix.lower() in PROGRAMS


def _first_mention(text: SkillText, programs: Sequence[str]) -> tuple[str, int] | None:
    """The first program that the instructions have somebody run, and the line they do it on.

    Of ``scripts/`` every mention counts: the format keeps there what is run. A program elsewhere
    may be a template that is read; it counts where it is started.
    """
    if not programs:
        return None
    scripts = {spelling: name for name in programs if _is_script(name) for spelling in _names(name)}
    others = {name: name for name in programs if not _is_script(name)}
    others |= {PurePosixPath(name).name: name for name in others}
    if scripts:
        scripts[f"{SCRIPTS}/"] = f"{SCRIPTS}/"
    named = _pattern("", scripts)
    started = _pattern(_STARTED, others)
    for at, line in enumerate(text.body.split("\n")):
        found = (scripts and named.search(line)) or (others and started.search(line))
        if found:
            return (scripts | others)[found["name"]], text.body_line + at
    return None


def _pattern(before: str, names: Iterable[str]) -> re.Pattern[str]:
    """Finds the names, the longest first, as words of their own."""
    spelled = sorted(map(re.escape, names), key=lambda each: (-len(each), each))
    return re.compile(rf"{before}(?<![\w.-])(?P<name>{'|'.join(spelled)})(?![\w-])")


def _names(script: str) -> Iterator[str]:
    path = PurePosixPath(script)
    yield from (script, path.name)
    if path.suffix == ".py":
        yield ".".join(path.with_suffix("").parts)  # python -m scripts.x


def _declared_programs(metadata: Mapping[str, object]) -> Iterator[str]:
    """Programs that the metadata of another host's skills asks for (``requires.bins``)."""
    for value in metadata.values():
        requires = value.get("requires") if isinstance(value, dict) else None
        for key in ("bins", "anyBins"):
            names = requires.get(key) if isinstance(requires, dict) else None
            yield from (str(name) for name in names if names) if isinstance(names, list) else ()
