"""What kind of file some bytes are, by themselves: a name or a claim is never believed.

Pages and drawings that may hold programs (HTML, SVG) are plain text here: nothing shows them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cloche.attachments.pdf.reading import is_pdf
from cloche.attachments.sounds import sound_kind
from cloche.attachments.text_files import decode


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file.

    Attributes:
        media_type: As MIME has it.
        suffix: What a name of its kind ends with.
    """

    media_type: str
    suffix: str


UNKNOWN: Final = FileKind("application/octet-stream", ".bin")
TEXT: Final = FileKind("text/plain", ".txt")
_ZIP: Final = FileKind("application/zip", ".zip")

_BEGINNINGS: Final = (
    (b"\x89PNG\r\n\x1a\n", FileKind("image/png", ".png")),
    (b"\xff\xd8\xff", FileKind("image/jpeg", ".jpg")),
    (b"GIF87a", FileKind("image/gif", ".gif")),
    (b"GIF89a", FileKind("image/gif", ".gif")),
    (b"II*\0", FileKind("image/tiff", ".tif")),
    (b"MM\0*", FileKind("image/tiff", ".tif")),
    (b"\x1aE\xdf\xa3", FileKind("video/webm", ".webm")),
    (b"{\\rtf", FileKind("application/rtf", ".rtf")),
    (b"\x1f\x8b", FileKind("application/gzip", ".gz")),
)
_RIFF: Final = {
    b"WEBP": FileKind("image/webp", ".webp"),
    b"AVI ": FileKind("video/x-msvideo", ".avi"),
}
_SOUNDS: Final = {
    "ogg": "audio/ogg",
    "mp3": "audio/mpeg",
    "m4a": "audio/mp4",
    "wav": "audio/wav",
    "flac": "audio/flac",
    "webm": "audio/webm",
}
_BRANDS: Final = {
    b"heic": FileKind("image/heic", ".heic"),
    b"heix": FileKind("image/heic", ".heic"),
    b"mif1": FileKind("image/heif", ".heif"),
    b"avif": FileKind("image/avif", ".avif"),
    b"qt  ": FileKind("video/quicktime", ".mov"),
}
"""Of the MP4 family (ISO 14496-12, ``ftyp``); any other is a film."""
_FILM: Final = FileKind("video/mp4", ".mp4")
_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
_PACKED: Final = (
    (b"word/document", FileKind(f"{_OFFICE}.wordprocessingml.document", ".docx")),
    (b"xl/workbook", FileKind(f"{_OFFICE}.spreadsheetml.sheet", ".xlsx")),
    (b"ppt/presentation", FileKind(f"{_OFFICE}.presentationml.presentation", ".pptx")),
    (b"mimetypeapplication/epub+zip", FileKind("application/epub+zip", ".epub")),
    (
        b"mimetypeapplication/vnd.oasis.opendocument.text",
        FileKind("application/vnd.oasis.opendocument.text", ".odt"),
    ),
    (
        b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
        FileKind("application/vnd.oasis.opendocument.spreadsheet", ".ods"),
    ),
)
"""Names, in the clear, of what a ZIP archive of that kind holds."""


def kind_of(data: bytes, claimed: str = "") -> FileKind:
    """The kind of a file; one that nothing tells is ``UNKNOWN``.

    Args:
        data: The file.
        claimed: Its media type as somebody gives it: tells sound from film where one container
            holds both, and nothing else.
    """
    return read_kind(data, claimed)[0]


def read_kind(data: bytes, claimed: str = "") -> tuple[FileKind, str | None]:
    """The same, and the text of a plain text, which has to be read to be known as one."""
    if kind := _told_kind(data, claimed):
        return kind, None
    text = decode(data)
    return (TEXT if text else UNKNOWN), text


def _told_kind(data: bytes, claimed: str) -> FileKind | None:
    """What a file says it is by marks of its kind; None = it has none."""
    if is_pdf(data):
        return FileKind("application/pdf", ".pdf")
    if sound := sound_kind(data, claimed):
        return FileKind(_SOUNDS[sound], f".{sound}")
    for beginning, kind in _BEGINNINGS:
        if data.startswith(beginning):
            return kind
    if data[:4] == b"RIFF" and data[8:12] in _RIFF:
        return _RIFF[data[8:12]]
    if data[:1] == b"\0" and data[4:8] == b"ftyp":  # as of a box under 16 MB; a text has no NUL
        return _BRANDS.get(data[8:12], _FILM)
    if data.startswith(b"PK\x03\x04"):
        return next((kind for name, kind in _PACKED if name in data), _ZIP)
    return None
