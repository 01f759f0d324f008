"""Files that a page sent, kept until the turn they belong to is over, whatever dies meanwhile."""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cloche.attachments.kinds import UNKNOWN, kind_of
from cloche.attachments.text_files import decode

logger = logging.getLogger(__name__)

HELD_BYTES: Final = 120_000_000
"""All files together; what waits longest goes first."""
KEPT_SECONDS: Final = 7 * 24 * 3600.0
"""What no turn has taken by then is removed at the next start."""
_ID: Final = re.compile(r"[0-9a-f]{32}")

SHOWN: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


@dataclass(frozen=True, slots=True)
class Upload:
    """One file.

    Attributes:
        session: Whose browser sent it.
        name: As the browser called it; shown, never a path.
        media_type: What the bytes are.
        content: The bytes.
    """

    session: str
    name: str
    media_type: str
    content: bytes


def media_type_of(content: bytes) -> str:
    """What bytes are, by themselves; "" = they are blank. Pictures that no page shows are none."""
    if not content.strip():
        return ""
    if (decode(content) or "x").isspace():
        return ""
    kind = kind_of(content).media_type
    return kind if kind in SHOWN or not kind.startswith("image/") else UNKNOWN.media_type


class Uploads:
    """The files held, by an id nobody can guess; in a folder as well, for the next process."""

    def __init__(self, folder: Path | None = None, most: int = HELD_BYTES) -> None:
        """Take where they are kept (None = in memory alone) and how many bytes at most."""
        self._folder, self._most = folder, most
        self._held: dict[str, Upload] = {}
        self._on_disk = set[str]()

    def hold(self, upload: Upload) -> str:
        """Keep a file; its id."""
        id_ = secrets.token_hex(16)
        if self._write(id_, upload):
            self._on_disk.add(id_)
        self._held[id_] = upload
        total = sum(len(one.content) for one in self._held.values())
        for oldest in list(self._held)[:-1]:
            if total <= self._most:
                break
            total -= len(self._held[oldest].content)
            self.drop([oldest])
        return id_

    def find(self, id_: str) -> Upload | None:
        """The file of that id; None when there is none any more, or somebody removed it."""
        path = self._path(id_)
        if path and id_ in self._on_disk and not path.exists():
            self.drop([id_])
        if id_ not in self._held and (kept := self._read(id_)):
            self._held[id_] = kept
            self._on_disk.add(id_)
        return self._held.get(id_)

    def of(self, session: str, id_: str) -> Upload | None:
        """The same, for the browser that sent it alone."""
        upload = self.find(id_)
        return upload if upload and upload.session == session else None

    def drop(self, ids: Iterable[str]) -> None:
        """Let go of files."""
        for id_ in ids:
            self._held.pop(id_, None)
            self._on_disk.discard(id_)
            if path := self._path(id_):
                path.unlink(missing_ok=True)

    def tidy(self) -> None:
        """Remove what the last process left: too old, too much, half written."""
        left, oldest = self._most, time.time() - KEPT_SECONDS
        for path, status in sorted(self._files(), key=lambda each: -each[1].st_mtime):
            whole = bool(_ID.fullmatch(path.name))
            left -= status.st_size if whole else 0
            if left < 0 or status.st_mtime < oldest or not whole:
                path.unlink(missing_ok=True)

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        if self._folder is not None and self._folder.is_dir():
            for path in self._folder.iterdir():
                if not path.is_symlink() and path.is_file():
                    yield path, path.stat()

    def _path(self, id_: str) -> Path | None:
        """Where a file is kept; None for what is no id, so that no other file is ever meant."""
        return self._folder / id_ if self._folder and _ID.fullmatch(id_) else None

    def _write(self, id_: str, upload: Upload) -> bool:
        """One line that says what it is, then its bytes; there as a whole or not at all (False)."""
        if (path := self._path(id_)) is None:
            return False
        told = [upload.session, upload.name, upload.media_type]
        half = path.with_suffix(".half")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(json.dumps(told).encode() + b"\n" + upload.content)
            half.replace(path)
            return True
        except OSError as error:
            with suppress(OSError):
                half.unlink()
            logger.warning("web page: a file is held in memory alone: %s", error.strerror)
            return False

    def _read(self, id_: str) -> Upload | None:
        if (path := self._path(id_)) is None:
            return None
        try:
            told, _, content = path.read_bytes().partition(b"\n")
            session, name, media_type = map(str, json.loads(told))
        except (OSError, ValueError):
            return None
        return Upload(session, name, media_type, content)
