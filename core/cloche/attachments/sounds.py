"""Which kind of sound a file holds, by its content: names and claims are not trusted."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

SoundKind: TypeAlias = Literal["ogg", "mp3", "m4a", "wav", "flac", "webm"]
"""Also the ending of the name it is sent under: servers tell the format by that."""

_BEGINNINGS: Final[tuple[tuple[bytes, SoundKind], ...]] = (
    (b"OggS", "ogg"),
    (b"ID3", "mp3"),
    (b"fLaC", "flac"),
)
_SOUND_BRANDS: Final = (b"M4A ", b"M4B ")
"""Of the MP4 family, those that hold sound alone (ISO 14496-12, ``ftyp``)."""


def sound_kind(data: bytes, claimed: str) -> SoundKind | None:
    """The kind of a sound file; None = it is none that is known.

    Args:
        data: The file.
        claimed: Its media type as the platform gives it; tells sound from film where the
            container may hold both.
    """
    for beginning, kind in _BEGINNINGS:
        if data.startswith(beginning):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        return "wav"
    sound = claimed.lower().startswith("audio/")
    if data[4:8] == b"ftyp" and (data[8:12] in _SOUND_BRANDS or sound):
        return "m4a"
    if data[:4] == b"\x1aE\xdf\xa3" and sound:
        return "webm"
    # An MPEG frame: eleven bits set, then layer III and a bit rate that is not reserved.
    frame = len(data) > 2 and data[0] == 0xFF and data[1] & 0xE0 == 0xE0
    return "mp3" if frame and data[1] & 0x06 == 0x02 and data[2] & 0xF0 != 0xF0 else None
