"""Everything that is wrong with skills, none of it fatal: each fault is a row."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from cloche.documents import read_text
from cloche.errors import ClocheError, ManifestError, PluginError
from cloche.skills.entries import Entry, read_listed
from cloche.skills.finding import SkillFinding
from cloche.skills.fingerprint import LEFT_BEHIND, files_of
from cloche.skills.front_matter import SKILL_FILE, inspect_skill_text
from cloche.skills.loading import Loader
from cloche.skills.reading import MAX_BODY_CHARS
from cloche.skills.skill import Skill, SkillsManifest
from cloche.skills.sources import Place
from cloche.skills.tool_files import (
    EXAMPLES_FILE,
    MAX_FILE_BYTES,
    TOOLS_FILE,
    brings_tools,
    example_faults,
)
from cloche.skills.tool_source import read_tools

_IMPORTS: Final = re.compile(r"^[^\S\n]*(?:from|import)\s+cloche\b", re.MULTILINE)


def lint_manifest(path: Path) -> Iterator[SkillFinding]:
    """What is wrong with a ``skills.json`` and the skills it lists; their ``tools.py`` is run."""
    try:
        loader = Loader(read_listed(path))
    except ManifestError as error:
        yield SkillFinding.of(error, "")
        return
    skills: dict[str, Skill] = {}
    for at, entry in enumerate(loader.listed.entries):
        if not entry.enabled:
            continue
        faults, skill = _entry_findings(loader, at, entry)
        yield from faults
        if skill is None:
            continue
        if skill.name in skills:
            twice = loader.listed.error(at, f"{skill.name!r} is listed twice: keep one.")
            yield SkillFinding.of(twice, skill.name)
        skills[skill.name] = skill
    try:
        SkillsManifest(tuple(skills.values()), str(path))
    except PluginError as error:
        yield SkillFinding.of(error, "")
    yield from _stale(loader)


def lint_folders(root: Path) -> Iterator[SkillFinding]:
    """What is wrong with a skill's folder, or with each one below a folder; nothing is run."""
    folders = skill_folders(root)
    if not folders:
        fault = ManifestError(root, f"there is no {SKILL_FILE} in it: name a skill's folder.")
        yield SkillFinding.of(fault, root.name)
    for folder in folders:
        yield from lint_folder(folder)


def lint_folder(folder: Path) -> Iterator[SkillFinding]:
    """What is wrong with one folder; its ``tools.py`` is not run."""
    inspected = inspect_skill_text(folder)
    yield from (SkillFinding.of(error, folder.name) for error in inspected.errors)
    yield from (SkillFinding.of(error, folder.name, "warning") for error in inspected.warnings)
    text = inspected.text
    if text is not None and len(text.body) > MAX_BODY_CHARS:
        fault = ManifestError(
            folder / SKILL_FILE,
            f"its instructions have {len(text.body)} characters, of which a model reads "
            f"{MAX_BODY_CHARS}: move parts to files of references/ and name these.",
            line=text.body_line,
        )
        yield SkillFinding.of(fault, folder.name, "warning")
    if text is not None and not text.body.strip() and not brings_tools(folder):
        fault = ManifestError(
            folder / SKILL_FILE,
            "it has no instructions: write them below the front matter.",
            line=text.body_line,
        )
        yield SkillFinding.of(fault, folder.name)
    try:
        files_of(folder)
    except ManifestError as error:
        yield SkillFinding.of(error, folder.name)
    else:
        yield from (SkillFinding.of(error, folder.name) for error in _acting(folder))


def _acting(folder: Path) -> Iterator[ManifestError]:
    """What is wrong with the tools of a skill of this host, and with how they are reached."""
    if not (brings_tools(folder) or _meant_for_us(folder / TOOLS_FILE)):
        return
    source = read_tools(folder / TOOLS_FILE)
    yield from source.faults
    if (folder / EXAMPLES_FILE).is_file():
        try:
            declared = source.tools if source.whole else None
            yield from example_faults(folder / EXAMPLES_FILE, declared)
        except ManifestError as error:
            yield error


def _meant_for_us(path: Path) -> bool:
    """True for a file that imports the host, though Python cannot read it."""
    try:
        return path.is_file() and bool(_IMPORTS.search(read_text(path, limit=MAX_FILE_BYTES)))
    except ManifestError:
        return False


def skill_folders(root: Path) -> tuple[Path, ...]:
    """Folders with a ``SKILL.md``, in whatever capitals: the folder itself, or those below it."""
    found = {
        path.parent
        for path in root.rglob("*")
        if path.name.lower() == SKILL_FILE.lower() and not LEFT_BEHIND & set(path.parts)
    }
    return (root,) if root in found else tuple(sorted(found))


def _entry_findings(
    loader: Loader, at: int, entry: Entry
) -> tuple[list[SkillFinding], Skill | None]:
    found: list[SkillFinding] = []
    try:
        place = loader.place(at, entry)
    except ManifestError as error:
        return [SkillFinding.of(error, entry.name)], None
    if place.folder is not None and place.folder.is_dir():
        found += lint_folder(place.folder)
    skill = None
    try:
        skill = loader.load(at, entry)
    except ClocheError as error:
        told = SkillFinding.of(error, entry.name)
        if not any(_the_same(told, one) for one in found):
            found.append(told)
    found += (SkillFinding.of(one, entry.name, "warning") for one in _loose(loader, at, place))
    return found, skill


def _the_same(one: SkillFinding, other: SkillFinding) -> bool:
    """True for what was read in a file and then met when it was run."""
    if one.line is not None and Path(one.file).suffix == ".py":
        return (one.file, one.line) == (other.file, other.line)
    return (one.what, one.line) == (other.what, other.line)


def _loose(loader: Loader, at: int, place: Place) -> Iterator[ManifestError]:
    """What is not pinned and should be."""
    entry = loader.listed.entries[at]
    if place.planned is not None or entry.sha256 or entry.name in loader.lock.skills:
        return
    if loader.lock.exists:
        yield loader.listed.error(
            at, f"{loader.lock.path.name} does not know it: run `cloche skills lock`."
        )
    elif place.origin == "folder":
        yield loader.listed.error(
            at, "it comes from outside and nothing pins it: run `cloche skills lock`.", "source"
        )


def _stale(loader: Loader) -> Iterator[SkillFinding]:
    names = {entry.name for entry in loader.listed.entries}
    for name in loader.lock.skills:
        if name not in names:
            fault = ManifestError(
                loader.lock.path,
                f"it pins {name}, which skills.json does not list: run `cloche skills lock`.",
                pointer=f"/skills/{name}",
            )
            yield SkillFinding.of(fault, name, "warning")


def unknown_winners(path: Path, names: Collection[str]) -> Iterator[SkillFinding]:
    """Winners that no plugin is called: most often a name that was misspelled."""
    listed = read_listed(path)
    for skill, winner in listed.wins.items():
        if winner not in names:
            fault = listed.document.error(
                f"/wins/{skill}", f"no plugin is called {winner!r} here: see `cloche plugins`."
            )
            yield SkillFinding.of(fault, skill, "warning")
