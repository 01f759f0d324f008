"""From a file's bytes to a text a model can read: plain text of any name, in Unicode."""

from __future__ import annotations

import codecs
import re
from typing import Final

MAX_BYTES: Final = 60_000
"""Of one file: about 15,000 tokens of English, or as many characters of Chinese as fit a turn."""

_BINARY: Final = (b"%PDF-", b"{\\rtf", b"%!PS")
"""Documents of other kinds that would pass for text."""
_ODD: Final = re.compile(r"[\x00-\x1f\x7f](?<![\t\n\r\f])")
_WIDE: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode(data: bytes) -> str | None:
    """The text that a file is: UTF-8, or UTF-16 with its mark; None = it is no plain text.

    What controls a terminal or a printer is no text; the page feed of old listings is.
    """
    if data.lstrip()[:8].startswith(_BINARY):
        return None
    try:
        text = data.decode("utf-16" if data.startswith(_WIDE) else "utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if _ODD.search(text) else text
