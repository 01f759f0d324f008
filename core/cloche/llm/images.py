"""From a file somebody sent to a picture that every provider takes.

The content decides what a file is, never its name. What leaves is drawn anew: right side up,
without EXIF, GPS, comments or other metadata, one frame of an animation.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from cloche.errors import TurnError
from cloche.prompt import Image
from cloche.texts import say

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

FORMATS: Final = ("JPEG", "PNG", "GIF", "WEBP")
MAX_BYTES: Final = 3_932_160
"""3.75 MB, the Converse API's limit for one image (its limit for a side is 8,000 pixels)."""
MAX_SIDE: Final = 1568
"""Claude scales anything longer down to this before it looks, and a token is about 750 pixels:
more would cost time and, elsewhere, money, and show the model nothing more."""
MAX_PIXELS: Final = 40_000_000
"""Decoded at once, about 160 MB of memory; JPEGs are decoded at a reduced scale and may have
twice as many, which Pillow's own guard against decompression bombs allows."""
_QUALITIES: Final = (90, 75, 50)
_MAX_NAME_CHARS: Final = 60


_BEGINNINGS: Final = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a")


def is_picture(data: bytes) -> bool:
    """Whether a file begins as one of the pictures that can be used."""
    return data.startswith(_BEGINNINGS) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP")


def short_name(name: str) -> str:
    """A sender's name of a file as it may be shown: no path, one line, at most 60 characters."""
    return " ".join(PurePath(name.replace("\\", "/")).name.split())[:_MAX_NAME_CHARS]


def prepare_image(data: bytes, name: str, language: str = "en", *, most: int = MAX_BYTES) -> Image:
    """A picture ready for a model: JPEG or PNG, at most 3.75 MB, its longest side 1,568 pixels.

    Args:
        data: The file.
        name: What the sender calls it, for the sentence when it cannot be used; may be empty.
        language: Language of that sentence.
        most: Bytes it may have, where several share a request.

    Raises:
        TurnError: the file is empty, broken, too large or no JPEG, PNG, GIF or WebP.
    """
    if not data:
        raise _refused("picture_empty", name, language, "no bytes")
    picture = _open(data, name, language)
    for media_type, encoded in _encodings(picture):
        if len(encoded) <= min(most, MAX_BYTES):
            return Image(media_type, encoded)
    raise _refused("picture_too_large", name, language, "too large even as a small JPEG")


def _open(data: bytes, name: str, language: str) -> Picture:
    import PIL.Image
    from PIL import ImageOps, UnidentifiedImageError

    bombs = (PIL.Image.DecompressionBombWarning, PIL.Image.DecompressionBombError)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", PIL.Image.DecompressionBombWarning)
            picture = PIL.Image.open(io.BytesIO(data), formats=FORMATS)
            picture.draft("RGB", (MAX_SIDE, MAX_SIDE))
            if picture.width * picture.height > MAX_PIXELS:
                raise _refused("picture_too_large", name, language, f"{picture.size} pixels")
            picture.load()
            plain = _plain(ImageOps.exif_transpose(picture))
            plain.thumbnail((MAX_SIDE, MAX_SIDE), PIL.Image.Resampling.LANCZOS)
            plain.format = picture.format
            return plain
    except TurnError:
        raise
    except UnidentifiedImageError as error:
        raise _refused("picture_not_one", name, language, "no JPEG, PNG, GIF or WebP") from error
    except bombs as error:
        raise _refused("picture_too_large", name, language, "a decompression bomb") from error
    except Exception as error:  # decoders fed with anything raise anything
        raise _refused("picture_broken", name, language, type(error).__name__) from error


def _plain(picture: Picture) -> Picture:
    """The pixels alone, as RGB, or as RGBA where something shines through."""
    if picture.mode.startswith(("I", "F")):  # 16 and 32 bits of grey: keep the upper 8
        picture = picture.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    see_through = "A" in picture.getbands() or "transparency" in picture.info
    plain = picture.convert("RGBA" if see_through else "RGB")
    plain.info.clear()  # Pillow would write comments and colour profiles back
    return plain


def _encodings(picture: Picture) -> Iterator[tuple[str, bytes]]:
    """The picture as files, best first: PNG keeps a drawing sharp, JPEG makes a photo small."""
    import PIL.Image

    if picture.mode == "RGBA" or picture.format in ("PNG", "GIF"):
        yield "image/png", _encoded(picture, "PNG")
    if picture.mode == "RGBA":
        opaque = PIL.Image.new("RGB", picture.size, "white")
        opaque.paste(picture, mask=picture.getchannel("A"))
        picture = opaque
    for quality in _QUALITIES:
        yield "image/jpeg", _encoded(picture, "JPEG", quality=quality)


def _encoded(picture: Picture, kind: str, **options: int) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def _refused(key: str, name: str, language: str, why: str) -> TurnError:
    shown = short_name(name)
    called = (
        say("picture_named", language, name=shown) if shown else say("picture_unnamed", language)
    )
    told = say(key, language, name=called)
    return TurnError(f"picture refused: {why}", user_message=told)
