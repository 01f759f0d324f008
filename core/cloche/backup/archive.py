"""The archive: a zip file with a manifest that tells what is in it, and how to know it is whole."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from cloche.errors import RequestError
from cloche.memory.fields import Fields

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
DATABASES: Final = ("memory.db", "state.db")
SPOOL: Final = "spool.jsonl"
FILES: Final = (*DATABASES, SPOOL)
"""What an archive may hold, in the order it is put back."""
_CHUNK: Final = 1 << 20
_MAX_MANIFEST: Final = 100_000


@dataclass(frozen=True, slots=True)
class Part:
    """One file of an archive.

    Attributes:
        name: Its name in the assistant's folder.
        size: In bytes.
        sha256: Of its content, hexadecimal.
        schema: Version of a database's schema; 0 for other files.
    """

    name: str
    size: int
    sha256: str
    schema: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive says of itself.

    Attributes:
        assistant: Name of the assistant whose files it holds.
        at: The instant they were like this.
        parts: The files, in the order they are put back.
    """

    assistant: str
    at: datetime
    parts: tuple[Part, ...]


def part_of(path: Path, schema: int) -> Part:
    """What the manifest says of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return Part(path.name, path.stat().st_size, digest.hexdigest(), schema)


def pack(manifest: Manifest, folder: Path, target: Path) -> None:
    """Write an archive whole or not at all, readable by its owner only.

    Raises:
        OSError: it cannot be written.
    """
    prefix = f".{manifest.assistant}-backup-"
    for left in target.parent.glob(f"{prefix}*.part"):
        left.unlink(missing_ok=True)  # by one that was killed
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=prefix, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(MANIFEST, _dump(manifest))
                for part in manifest.parts:
                    archive.write(folder / part.name, part.name)
            file.flush()
            os.fsync(file.fileno())
        # Unlike a rename this never takes the place of a file that came there meanwhile.
        os.link(name, target)
        sync_folder(target.parent)
    finally:
        os.unlink(name)


def unpack(source: Path, folder: Path) -> Manifest:
    """Write an archive's files into an empty folder, checked against the manifest.

    Raises:
        RequestError: it is no archive of ours, or damaged; the sentence says which.
        OSError: the files cannot be written.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = _read_manifest(archive)
            for part in manifest.parts:
                _extract(archive, part, folder / part.name)
    except FileNotFoundError as error:
        raise RequestError(f"there is no file {source}.") from error
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, NotImplementedError) as error:
        raise RequestError(f"{source} is no backup, or is damaged: {error}.") from error
    return manifest


def sync_folder(folder: Path) -> None:
    """Make names in a folder durable, where the system knows how."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _extract(archive: zipfile.ZipFile, part: Part, target: Path) -> None:
    digest, size = hashlib.sha256(), 0
    with (
        archive.open(part.name) as packed,
        open(target, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file,
    ):
        while (chunk := packed.read(_CHUNK)) and size <= part.size:
            digest.update(chunk)
            size += len(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    if (size, digest.hexdigest()) != (part.size, part.sha256):
        raise ValueError(f"{part.name} is not what the manifest says")


def _dump(manifest: Manifest) -> str:
    document = {
        "format": FORMAT,
        "assistant": manifest.assistant,
        "at": manifest.at.isoformat(),
        "files": [
            {"name": one.name, "bytes": one.size, "sha256": one.sha256, "schema": one.schema}
            for one in manifest.parts
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=2)


def _read_manifest(archive: zipfile.ZipFile) -> Manifest:
    if archive.getinfo(MANIFEST).file_size > _MAX_MANIFEST:
        raise ValueError("its manifest is too large")
    document = json.loads(archive.read(MANIFEST))
    if not isinstance(document, dict):
        raise ValueError("its manifest is no object")
    fields = Fields(document)
    if (version := fields.whole("format")) != FORMAT:
        raise ValueError(f"it has format {version}, this release knows {FORMAT}")
    parts = [
        Part(one.one_of("name", FILES), one.whole("bytes"), one.text("sha256"), one.whole("schema"))
        for one in fields.objects("files")
    ]
    names: Sequence[str] = [part.name for part in parts]
    if len(set(names)) < len(names):
        raise ValueError("a file is in it twice")
    ordered = sorted(parts, key=lambda part: FILES.index(part.name))
    return Manifest(fields.text("assistant"), fields.instant("at"), tuple(ordered))
