"""Files that a page sent, in this process's memory until the turn they belong to is over."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

HELD_BYTES: Final = 120_000_000
"""All files together; what waits longest goes first."""

_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


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
    """What bytes are, by themselves: a picture that can be shown, plain text, or "" for neither."""
    for signature, media_type in _SIGNATURES:
        if content.startswith(signature):
            return media_type
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return "text/plain" if text.strip() and "\0" not in text else ""


class Uploads:
    """The files held, by an id nobody can guess."""

    def __init__(self, most: int = HELD_BYTES) -> None:
        """Take how many bytes are held at most."""
        self._most = most
        self._held: dict[str, Upload] = {}

    def hold(self, upload: Upload) -> str:
        """Keep a file; its id."""
        self._held[id_ := secrets.token_hex(16)] = upload
        total = sum(len(one.content) for one in self._held.values())
        for oldest in list(self._held)[:-1]:
            if total <= self._most:
                break
            total -= len(self._held.pop(oldest).content)
        return id_

    def find(self, id_: str) -> Upload | None:
        """The file of that id; None when there is none any more."""
        return self._held.get(id_)

    def of(self, session: str, id_: str) -> Upload | None:
        """The same, for the browser that sent it alone."""
        upload = self._held.get(id_)
        return upload if upload and upload.session == session else None

    def drop(self, ids: Iterable[str]) -> None:
        """Let go of files."""
        for id_ in ids:
            self._held.pop(id_, None)
