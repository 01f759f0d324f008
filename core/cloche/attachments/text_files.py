"""From a file's bytes to a text a model can read: plain text of any name, in Unicode."""

from __future__ import annotations

import codecs
from typing import Final

MAX_BYTES: Final = 60_000
"""Of one file: about 15,000 tokens of English, or as many characters of Chinese as fit a turn."""

_BINARY: Final = (b"%PDF-", b"{\\rtf", b"%!PS")
"""Documents of other kinds that would pass for text."""
_KEPT: Final = frozenset("\t\n\r\f")
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
    odd = any((char < " " and char not in _KEPT) or char == "\x7f" for char in text)
    return None if odd else text
