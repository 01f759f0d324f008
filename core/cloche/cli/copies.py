"""Copies of an assistant's files below its folder: backups, and what restores replaced."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

FOLDERS: Final = ("replaced", "backups")
NAMED: Final = 3


def find_copies(folder: Path) -> list[Path]:
    """All of them, by name; each holds everybody's memory as it once was."""
    return [one for name in FOLDERS for one in sorted((folder / name).glob("*")) if not _link(one)]


def named_copies(copies: Sequence[Path]) -> str:
    """A list of them for a sentence."""
    named = ", ".join(f"{one.parent.name}/{one.name}" for one in copies[:NAMED])
    more = len(copies) - NAMED
    return f"{named} and {more} more" if more > 0 else named


def remove_copies(copies: Sequence[Path]) -> list[Path]:
    """Remove them; those that could not be."""
    for one in copies:
        if one.is_dir():
            shutil.rmtree(one, ignore_errors=True)
        else:
            one.unlink(missing_ok=True)
    return [one for one in copies if one.exists()]


def _link(path: Path) -> bool:
    """What a link leads to is somebody else's."""
    return path.is_symlink()
