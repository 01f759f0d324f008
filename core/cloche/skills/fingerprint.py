"""The hash that a skill's folder is held to, and what a folder may hold at all.

The hash is SHA-256 over the folder's files in the order of their names: for each the length of its
name in bytes, the name (relative, ``/`` between folders), the length of its content and the
content, lengths as decimal digits and a line feed. Names that tools leave behind do not count,
nor do times, owners and modes: the same files give the same hash on every machine.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import Final

from cloche.errors import ManifestError

MAX_FILES: Final = 2_000
MAX_FILE_BYTES: Final = 20_000_000
MAX_FOLDER_BYTES: Final = 100_000_000
LEFT_BEHIND: Final = frozenset(
    {"__pycache__", ".git", ".DS_Store", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
)


def folder_sha256(folder: Path) -> str:
    """The hash of a skill's folder.

    Raises:
        ManifestError: a file is too large, there are too many, or one lies outside the folder.
    """
    digest = sha256()
    for name in files_of(folder):
        data = _data(folder / name)
        encoded = os.fsencode(name)
        digest.update(b"%d\n%b%d\n" % (len(encoded), encoded, len(data)))
        digest.update(data)
    return digest.hexdigest()


def files_of(folder: Path) -> tuple[str, ...]:
    """Names of a skill's files, relative to its folder, in their order.

    Raises:
        ManifestError: see ``folder_sha256``.
    """
    root = folder.resolve()
    found: list[str] = []
    total = 0
    for path in _walk(folder):
        if not path.resolve().is_relative_to(root):
            raise ManifestError(
                path, "it is a link to something outside the skill's folder: copy the file there."
            )
        if not path.is_file():
            raise ManifestError(path, "it is no regular file: take it out of the skill's folder.")
        size = path.stat().st_size
        total += size
        if size > MAX_FILE_BYTES or total > MAX_FOLDER_BYTES or len(found) >= MAX_FILES:
            raise ManifestError(
                path,
                f"a skill has at most {MAX_FILES} files, {MAX_FILE_BYTES // 1_000_000} MB each and "
                f"{MAX_FOLDER_BYTES // 1_000_000} MB together: take out what it does not need.",
            )
        found.append(path.relative_to(folder).as_posix())
    return tuple(sorted(found, key=os.fsencode))


def _walk(folder: Path) -> list[Path]:
    """Everything in a folder that is no folder; a link to a folder counts as a file."""
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        here = Path(place)
        links = [name for name in folders if (here / name).is_symlink()]
        folders[:] = [name for name in folders if name not in LEFT_BEHIND and name not in links]
        found += [
            here / name
            for name in (*names, *links)
            if name not in LEFT_BEHIND and not name.endswith(".pyc")
        ]
    return found


def _data(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ManifestError(path, f"it cannot be read: {error.strerror or error}.") from error
