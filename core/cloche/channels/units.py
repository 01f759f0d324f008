"""How long a text is for a platform, and where its offsets are in Python's strings."""

from __future__ import annotations

from cloche.channels.declared import TextUnit


def length_of(text: str, unit: TextUnit) -> int:
    """How long a platform that counts in ``unit`` finds a text."""
    if unit == "characters" or text.isascii():
        return len(text)
    if unit == "utf16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))


def utf16_to_code_points(text: str, offset: int) -> int:
    """The index in ``text`` of an offset counted in UTF-16 code units.

    One that points into the middle of a character counts as its start, one beyond the text as its
    end.
    """
    if text.isascii():
        return min(max(offset, 0), len(text))
    units = 0
    for index, char in enumerate(text):
        units += 2 if char > "\uffff" else 1
        if units > offset:
            return index
    return len(text)


def code_points_to_utf16(text: str, index: int) -> int:
    """The offset in UTF-16 code units of an index in ``text``; beyond the text, its length."""
    return length_of(text[: max(index, 0)], "utf16")
