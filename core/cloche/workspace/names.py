"""Names of kept files: safe in every folder and bucket, told apart on every system.

A name has no path in it, means no device on Windows, is the same in both spellings of Unicode and
shows what it is (no invisible or reversing characters). Two names that differ only in case are one.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Final

MAX_NAME_CHARS: Final = 80
MAX_NAME_BYTES: Final = 180
"""In UTF-8; file systems take 255 of one name."""
_FORBIDDEN: Final = frozenset('/\\:*?"<>|')
_DEVICES: Final = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])", re.I)
_WORDS: Final = ".words"
_AREA: Final = re.compile(r"(?:sent|made)(?:-[0-9a-f]{12})?(?:\.words)?")
_SUFFIX: Final = re.compile(r"\.[^. ]{1,10}\Z")


def is_name(text: str) -> bool:
    """Whether a file may be kept under a name as it is."""
    return (
        0 < len(text) <= MAX_NAME_CHARS
        and all(_is_fine(char) for char in text)
        and len(text.encode()) <= MAX_NAME_BYTES
        and unicodedata.normalize("NFC", text) == text
        and text.strip(" .") == text
        and not _is_device(text)
    )


def name_from(text: str) -> str:
    """A name that may be kept, as like as can be to what a sender calls a file; never empty."""
    text = unicodedata.normalize("NFC", re.split(r"[/\\]", text)[-1])
    text = "".join(_replaced(char) for char in text)
    text = _trimmed(text) or "file"
    suffix = found.group() if (found := _SUFFIX.search(text)) else ""
    stem = text.removesuffix(suffix)
    while len(stem + suffix) > MAX_NAME_CHARS or len((stem + suffix).encode()) > MAX_NAME_BYTES:
        stem = stem[:-1]
    text = _trimmed(stem + suffix)
    if _is_device(text):
        text = f"file {text}"[:MAX_NAME_CHARS]
    return text if is_name(text) else "file"


def numbered(name: str, number: int) -> str:
    """Another name for another file: ``plan.pdf``, 2 -> ``plan (2).pdf``."""
    suffix = found.group() if (found := _SUFFIX.search(name)) else ""
    stem, mark = name.removesuffix(suffix), f" ({number}){suffix}"
    while len(stem + mark) > MAX_NAME_CHARS or len((stem + mark).encode()) > MAX_NAME_BYTES:
        stem = stem[:-1]
    return f"{stem.rstrip()}{mark}"


def folded(name: str) -> str:
    """The same for names that some system takes for one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).casefold()


def folder_of(actor: str) -> str:
    """Where an actor's files lie: one folder per actor, also where case does not count.

    Raises:
        ValueError: the actor is empty; nobody is acted for without one.
    """
    if not actor:
        raise ValueError("actor is empty; nobody is acted for without one")
    return hashlib.sha256(actor.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def area_of(kind: str, conversation: str = "") -> str:
    """An area: ``sent`` or ``made``, of a person's own or of a group they are in.

    Args:
        kind: ``sent`` or ``made``.
        conversation: The group's; "" = not in a group.
    """
    if not conversation:
        return kind
    return f"{kind}-{hashlib.sha256(conversation.encode()).hexdigest()[:12]}"


def words_key(key: str) -> str:
    """Where the words lie that are said or written in a file whose bytes do not show them."""
    area, _, name = key.partition("/")
    return f"{area}{_WORDS}/{name}"


def are_words(key: str) -> bool:
    """Whether a key is of the words of a file, and not of a file."""
    return key.partition("/")[0].endswith(_WORDS)


def checked_key(key: str) -> tuple[str, str]:
    """Area and name of a key.

    Raises:
        ValueError: it is none.
    """
    area, _, name = key.partition("/")
    if not _AREA.fullmatch(area) or not is_name(name):
        raise ValueError("a file's key is no area and name")
    return area, name


def is_key(text: str) -> bool:
    """Whether a file may lie under a key."""
    try:
        return bool(checked_key(text))
    except ValueError:
        return False


def _is_fine(char: str) -> bool:
    if char == " ":
        return True
    return char not in _FORBIDDEN and unicodedata.category(char)[0] not in "CZ"


def _replaced(char: str) -> str:
    if _is_fine(char):
        return char
    if char in _FORBIDDEN:
        return "_"
    return " " if char in "\t\n" or unicodedata.category(char)[0] == "Z" else ""


def _trimmed(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split(" "))).strip(" .")


def _is_device(name: str) -> bool:
    return bool(_DEVICES.fullmatch(name.partition(".")[0].strip()))
