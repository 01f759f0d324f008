"""What a caller accepts: JSON, or server-sent events (RFC 9110, 12.5.1)."""

from __future__ import annotations

import re
from typing import Final

SSE: Final = "text/event-stream"
JSON: Final = "application/json"
_CHARSET: Final = {"charset": "utf-8"}
"""The only parameter that what we answer has."""
LONGEST: Final = 4_000
"""A header of more characters than this says nothing: who writes it wants no answer."""
_QUALITY: Final = re.compile(r"0(\.\d{0,3})?|1(\.0{0,3})?")


def wants_stream(accept: str) -> bool:
    """Whether a caller would rather have events than JSON; JSON where both are as welcome.

    Args:
        accept: The header's value; of several such headers, their values with commas between.
            One of over ``LONGEST`` characters counts as none.
    """
    if len(accept) > LONGEST:
        return False
    ranges = [_read(each) for each in split(accept.lower(), ",")]
    return _quality(SSE, ranges) > _quality(JSON, ranges)


def split(text: str, mark: str) -> list[str]:
    """The pieces between the marks that are in no quotes; a quote that nothing closes takes all.

    In one pass, whatever is written: the header is anybody's, and everything waits meanwhile.
    """
    pieces, start, quoted, escaped = list[str](), 0, False, False
    for at, char in enumerate(text):
        if escaped:
            escaped = False
        elif char == '"':
            quoted = not quoted
        elif quoted:
            escaped = char == "\\"
        elif char == mark:
            pieces.append(text[start:at])
            start = at + 1
    return [*pieces, text[start:]]


def _quality(kind: str, ranges: list[tuple[str, dict[str, str], float]]) -> float:
    """What the most specific of the ranges that a kind is in says; 0 = it is in none."""
    wide = ("*/*", f"{kind.partition('/')[0]}/*", kind)
    found = [
        (wide.index(name), len(parameters), quality)
        for name, parameters, quality in ranges
        if name in wide and (not parameters or parameters == _CHARSET)
    ]
    return max(found)[2] if found else 0.0


def _read(text: str) -> tuple[str, dict[str, str], float]:
    """A range's name, its parameters, and its quality: 1 where it is none that can be."""
    name, *rest = (each.strip() for each in split(text, ";"))
    parameters: dict[str, str] = {}
    for each in filter(None, rest):
        key, _, value = (part.strip() for part in each.partition("="))
        if key == "q":  # what follows it says nothing about the kind
            return name, parameters, float(value) if _QUALITY.fullmatch(value) else 1.0
        parameters[key] = value.strip('"')
    return name, parameters, 1.0
