"""Changes to ``skills.json`` and its lock: what is added is shown and pinned."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from cloche.errors import ManifestError
from cloche.skills.entries import Entry, Listed, read_listed
from cloche.skills.fingerprint import files_of, folder_sha256
from cloche.skills.front_matter import read_skill_text
from cloche.skills.git import fetch, newest_commit, parse_git
from cloche.skills.loading import Loader
from cloche.skills.lock import Locked, lock_path, locked, write_lock, write_whole
from cloche.skills.sources import Place
from cloche.skills.tool_files import brings_tools
from cloche.state.store import Json


@dataclass(frozen=True, slots=True)
class LockRow:
    """What was pinned.

    Attributes:
        name: The skill.
        source: Where it comes from.
        sha256: Hash of its folder.
        before: The hash that the lock had, "" = none.
        files: How many files it has.
        runs_code: True when it brings a ``tools.py``, which runs with the host's rights.
    """

    name: str
    source: str
    sha256: str
    before: str
    files: int
    runs_code: bool


def make_lock(path: Path) -> tuple[LockRow, ...]:
    """Pin everything a ``skills.json`` lists as it is now; asks the network for what is in git.

    Raises:
        ManifestError: an entry cannot be resolved, or is not what its own ``sha256`` says.
    """
    loader = Loader(read_listed(path))
    rows, pins = [], {}
    for at, entry in enumerate(loader.listed.entries):
        place = loader.place(at, entry)
        if place.folder is None:
            continue
        if place.git is not None and not place.folder.is_dir():
            fetch(place.git, place.folder)
        row = _pinned(entry, place, place.folder, loader.lock.skills)
        if entry.sha256 and entry.sha256 != row.sha256:
            raise loader.listed.error(
                at,
                f"it says {entry.sha256}, but the folder has {row.sha256}: look at what is "
                "different, then write the new one.",
                "sha256",
            )
        rows.append(row)
        pins[entry.name] = locked(place, row.sha256)
    write_lock(lock_path(path), pins)
    return tuple(rows)


def _pinned(entry: Entry, place: Place, folder: Path, before: Mapping[str, Locked]) -> LockRow:
    read_skill_text(folder)  # what cannot be read is not worth pinning
    old = before.get(entry.name)
    return LockRow(
        name=entry.name,
        source=place.written,
        sha256=folder_sha256(folder),
        before=old.sha256 if old else "",
        files=len(files_of(folder)),
        runs_code=brings_tools(folder),
    )


def add_skill(path: Path, entry: Entry) -> LockRow | None:
    """Add an entry to a ``skills.json`` and pin it; None for one that is only planned.

    A git address without commit gets the one that the repository's HEAD is at now.

    Raises:
        ManifestError: it cannot be resolved, or the name is listed already; nothing is changed.
    """
    listed = read_listed(path)
    if any(one.name == entry.name for one in listed.entries):
        raise ManifestError(path, f"{entry.name!r} is listed already: remove it first.")
    entry = entry.model_copy(update={"source": _with_commit(path, entry.source)})
    longer = replace(listed, entries=(*listed.entries, entry))
    loader = Loader(longer)
    at = len(longer.entries) - 1
    place = loader.place(at, entry)
    row = None
    if place.folder is not None:
        if place.git is not None and not place.folder.is_dir():
            fetch(place.git, place.folder)
        row = _pinned(entry, place, place.folder, loader.lock.skills)
        if loader.lock.exists or place.is_outside:
            pins = {**loader.lock.skills, entry.name: locked(place, row.sha256)}
            write_lock(loader.lock.path, pins)
    _write(listed, [*_written(listed), _short(entry)])
    return row


def remove_skill(path: Path, name: str) -> None:
    """Take an entry off a ``skills.json`` and its lock.

    Raises:
        ManifestError: it is not listed.
    """
    listed = read_listed(path)
    kept = [
        written
        for written, entry in zip(_written(listed), listed.entries, strict=True)
        if entry.name != name
    ]
    if len(kept) == len(listed.entries):
        raise ManifestError(
            path,
            f"{name!r} is not listed: there are "
            f"{', '.join(entry.name for entry in listed.entries) or 'none'}.",
        )
    lock = Loader(listed).lock
    _write(listed, kept)
    if name in lock.skills:
        write_lock(lock.path, {key: one for key, one in lock.skills.items() if key != name})


def _with_commit(path: Path, source: str) -> str:
    if not source.startswith("git+"):
        return source
    try:
        git = parse_git(source, needs_commit=False)
    except ValueError as error:
        raise ManifestError(path, f"{error}.") from error
    return str(git if git.commit else replace(git, commit=newest_commit(git)))


def _written(listed: Listed) -> list[Json]:
    value = listed.document.value
    return list(value["skills"]) if isinstance(value, dict) else []  # type: ignore[arg-type]


def _short(entry: Entry) -> Json:
    given: dict[str, Json] = json.loads(entry.model_dump_json(exclude_defaults=True))
    return entry.name if set(given) == {"name"} else given


def _write(listed: Listed, skills: Iterable[Json]) -> None:
    value = listed.document.value
    document = {**value, "skills": list(skills)} if isinstance(value, dict) else {}
    write_whole(listed.path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
