"""``skills.lock.json``: what was resolved, and the hash each folder is held to."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

import cloche
from cloche.documents import parse_json, read_text, validate
from cloche.errors import ManifestError
from cloche.skills.entries import SHARED, Entry
from cloche.skills.sources import Place

LOCK_SUFFIX: Final = ".lock.json"
RELOCK: Final = "if the change is wanted, run `cloche skills lock`"


class Locked(BaseModel):
    """What the lock says of one skill.

    Attributes:
        source: Where it came from.
        skill: What it is called there.
        sha256: Hash of its folder.
        host: For a shared skill, the version of the host that brought it. Another version may
            bring another text of it: it is installed as a whole, and an upgrade must not stop
            an assistant whose author has not locked it anew.
    """

    model_config = ConfigDict(frozen=True)

    source: str
    skill: str
    sha256: str
    host: str = ""


class _Lock(BaseModel):
    skills: dict[str, Locked]


@dataclass(frozen=True)
class Lock:
    """A lock file; without one nothing is pinned by it."""

    path: Path
    skills: Mapping[str, Locked]
    exists: bool = True


def lock_path(manifest: Path) -> Path:
    """``skills.json`` -> ``skills.lock.json``, beside it."""
    return manifest.with_name(manifest.stem + LOCK_SUFFIX)


def read_lock(manifest: Path) -> Lock:
    """The lock beside a ``skills.json``; empty when there is none.

    Raises:
        ManifestError: it is there and breaks its schema.
    """
    path = lock_path(manifest)
    if not path.exists():
        return Lock(path, {}, exists=False)
    document = parse_json(read_text(path), str(path))
    validate(document, "lock")
    return Lock(path, _Lock.model_validate(document.value).skills)


def write_lock(path: Path, skills: Mapping[str, Locked]) -> None:
    """Write a lock: the same bytes for the same skills, whole or not at all.

    Raises:
        ManifestError: it cannot be written.
    """
    listed = {name: skills[name].model_dump(exclude_defaults=True) for name in sorted(skills)}
    text = json.dumps({"version": 1, "skills": listed}, indent=2, ensure_ascii=False) + "\n"
    write_whole(path, text)


def write_whole(path: Path, text: str) -> None:
    """Replace a file in one step, keeping its mode.

    Raises:
        ManifestError: it cannot be written.
    """
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, prefix=f".{path.name}-", delete=False, encoding="utf-8"
        ) as made:
            made.write(text)
        os.chmod(made.name, mode)
        os.replace(made.name, path)
    except OSError as error:
        raise ManifestError(path, f"it cannot be written: {error.strerror}.") from error


def locked(place: Place, sha256: str) -> Locked:
    """What a lock says of a skill as it is now."""
    host = cloche.__version__ if place.origin == SHARED else ""
    return Locked(source=place.written, skill=place.name, sha256=sha256, host=host)


def pin_of(entry: Entry, place: Place, lock: Lock) -> tuple[str, str]:
    """The hash an entry is held to ("" = none), and who says so.

    Raises:
        ManifestError: entry and lock disagree.
    """
    pinned = lock.skills.get(entry.name)
    if pinned is None:
        return entry.sha256, "skills.json"
    if (pinned.source, pinned.skill) != (place.written, place.name):
        raise ManifestError(
            lock.path,
            f"it pins {pinned.skill} of {pinned.source}, but {entry.name} comes from "
            f"{place.written}: {RELOCK}.",
            pointer=f"/skills/{entry.name}",
        )
    if entry.sha256 and entry.sha256 != pinned.sha256:
        raise ManifestError(
            lock.path,
            f"it says {pinned.sha256}, but skills.json says {entry.sha256}: {RELOCK}.",
            pointer=f"/skills/{entry.name}",
        )
    if pinned.host not in ("", cloche.__version__) and not entry.sha256:
        return "", lock.path.name
    return pinned.sha256, lock.path.name


def check_pin(entry: Entry, folder: Path, actual: str, pin: str, who: str) -> None:
    """Refuse a folder that is not what was pinned.

    Raises:
        ManifestError: both hashes, and what to do.
    """
    if pin and actual != pin:
        raise ManifestError(
            folder,
            f"the skill {entry.name} has changed: {who} says sha256 {pin}, but the folder has "
            f"{actual}; look at what is different, and {RELOCK}"
            + (" after taking 'sha256' out of skills.json." if entry.sha256 else "."),
        )
