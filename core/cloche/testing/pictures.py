"""Pictures in requests, checked as the providers document it."""

from __future__ import annotations

import base64
import binascii
import io
import warnings
from dataclasses import dataclass
from typing import Final

from PIL import Image, UnidentifiedImageError

MAX_IMAGE_BYTES: Final = 3_932_160
"""3.75 MB, as the Converse API documents it (MessageImage: size, height and width)."""
MAX_IMAGE_SIDE: Final = 8_000


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that came with a request.

    Attributes:
        media_type: By its content.
        data: The bytes.
        width: Pixels.
        height: Pixels.
        has_metadata: True when it carries EXIF, XMP or a comment.
    """

    media_type: str
    data: bytes
    width: int
    height: int
    has_metadata: bool


def read_picture(encoded: str, claimed: str) -> Picture:
    """Decode base64 and look at what is inside.

    Args:
        encoded: Base64, as requests carry it.
        claimed: ``image/jpeg`` and so on, as the request says it is.

    Raises:
        ValueError: it is no picture, not the claimed one, or over a documented limit; the message
            is what the service would say.
    """
    try:
        data = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        raise ValueError("Invalid base64 data") from None
    if len(data) > MAX_IMAGE_BYTES:
        raise ValueError(f"image exceeds 3.75 MB maximum: {len(data)} bytes > {MAX_IMAGE_BYTES}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data))
        image.load()
    except (UnidentifiedImageError, OSError, SyntaxError):
        raise ValueError("Could not process image") from None
    media_type = Image.MIME.get(image.format or "", "")
    if media_type != claimed:
        raise ValueError(f"the image is {media_type or 'unknown'}, not {claimed}")
    if max(image.size) > MAX_IMAGE_SIDE:
        raise ValueError(f"image dimensions exceed the maximum of {MAX_IMAGE_SIDE} pixels")
    metadata = bool(image.getexif()) or any(key in image.info for key in ("xmp", "comment", "exif"))
    return Picture(media_type, data, image.width, image.height, metadata)
