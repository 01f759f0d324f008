"""The archive: a zip file with a manifest that tells what is in it, and how to know it is whole."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import struct
import uuid
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from cloche.durable import private, sync_folder
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
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED: Final = 1
_DAMAGED: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    KeyError,
    ValueError,
    EOFError,
    OverflowError,
    RecursionError,
    RuntimeError,
)
"""What reading a file raises that is no archive, or one that is not whole."""


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
    with _part(target.parent, f".{manifest.assistant}-backup-") as name:
        with open(name, "xb", opener=private) as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(MANIFEST, _dump(manifest))
                for part in manifest.parts:
                    archive.write(folder / part.name, part.name)
            file.flush()
            os.fsync(file.fileno())
        # Unlike a rename this never takes the place of a file that came there meanwhile.
        os.link(name, target)
        sync_folder(target.parent)


def unpack(source: Path, folder: Path) -> Manifest:
    """Write an archive's files into an empty folder, checked against the manifest.

    Raises:
        RequestError: it is no archive of ours, damaged, or of a newer release; the sentence says
            which.
        OSError: the files cannot be written.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = _read_manifest(archive)
            for part in manifest.parts:
                _extract(archive, part, folder / part.name)
    except FileNotFoundError as error:
        raise RequestError(f"there is no file {source}.") from error
    except _DAMAGED as error:
        raise RequestError(f"{source} is no backup, or is damaged: {error}.") from error
    return manifest


@contextmanager
def _part(folder: Path, prefix: str) -> Iterator[Path]:
    """Name of a file that is being written, locked so that others tell it from one left behind."""
    if not folder.is_dir():  # a lock would make it
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
    for left in folder.glob(f"{prefix}*.part"):
        lock = _lock_of(left)
        try:
            with FileLock(lock, timeout=0):
                left.unlink(missing_ok=True)  # whoever wrote it was killed
        except Timeout:
            continue
        lock.unlink(missing_ok=True)
    name = folder / f"{prefix}{uuid.uuid4().hex}.part"
    try:
        with FileLock(_lock_of(name)):
            yield name
    finally:
        name.unlink(missing_ok=True)
        _lock_of(name).unlink(missing_ok=True)


def _lock_of(part: Path) -> Path:
    return part.with_name(f"{part.name}.lock")


def _checked(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """A member that is packed the way we pack."""
    member = archive.getinfo(name)
    if member.compress_type not in _METHODS or member.flag_bits & _ENCRYPTED:
        raise ValueError(f"{name} is encrypted, or packed in a way that no backup of ours is")
    return member


def _extract(archive: zipfile.ZipFile, part: Part, target: Path) -> None:
    digest, size = hashlib.sha256(), 0
    with (
        archive.open(_checked(archive, part.name)) as packed,
        open(target, "xb", opener=private) as file,
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
    if _checked(archive, MANIFEST).file_size > _MAX_MANIFEST:
        raise ValueError("its manifest is too large")
    document = json.loads(archive.read(MANIFEST))
    if not isinstance(document, dict):
        raise ValueError("its manifest is no object")
    fields = Fields(document)
    if (version := fields.whole("format")) > FORMAT:
        raise RequestError(
            f"a newer release made this backup (format {version}, this release knows {FORMAT}): "
            "upgrade first."
        )
    if version < FORMAT:
        raise ValueError(f"there is no format {version}")
    parts = [
        Part(one.one_of("name", FILES), one.whole("bytes"), one.text("sha256"), one.whole("schema"))
        for one in fields.objects("files")
    ]
    names: Sequence[str] = [part.name for part in parts]
    if len(set(names)) < len(names):
        raise ValueError("a file is in it twice")
    at = fields.instant("at")
    if not 2000 <= at.year < 9999:  # the ends of the calendar are in no other time zone
        raise ValueError(f"it cannot be of the year {at.year}")
    ordered = sorted(parts, key=lambda part: FILES.index(part.name))
    return Manifest(fields.text("assistant"), at, tuple(ordered))
