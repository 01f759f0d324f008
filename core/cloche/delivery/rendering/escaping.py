"""Plain text as Markdown that reads the same: only signs that would mean something are escaped."""

from __future__ import annotations

import re
import string
from collections.abc import Collection
from typing import Final

_ALWAYS: Final = frozenset("\\`[]")
_DOUBLED: Final = frozenset("~|")
_HTML: Final = re.compile(r"[A-Za-z/!?]")
_REFERENCE: Final = re.compile(r"&(?:#|[A-Za-z][A-Za-z0-9]*;)")
_LINE: Final = re.compile(r"^(?P<indent>[^\S\n]*)(?P<rest>.*)$", re.MULTILINE)
_BLOCK: Final = re.compile(
    r"(?P<mark>[>] | \#(?=\#{0,5}(?:\s|$)) | [-+*](?=\s|$) | [-=](?=[-=]*\s*$))"
    r"| (?P<number>\d{1,9})[.)](?=\s|$)",
    re.VERBOSE,
)
_ALIGNED: Final = re.compile(r"[:|\s]*+-[-:|\s]*+")


def escaped(
    text: str, edges: Collection[int], links: Collection[int], *, all_signs: bool = False
) -> list[str]:
    """Each character of a paragraph as it is written.

    Args:
        text: A paragraph, without empty lines.
        edges: Places where formatting begins or ends: signs beside them could join in.
        links: Places where links begin.
        all_signs: Escape whatever Markdown could take for a sign.
    """
    if all_signs:
        written = [f"\\{char}" if char in string.punctuation else char for char in text]
    else:
        written = [_inline(text, at, edges, links) for at in range(len(text))]
    for line in _LINE.finditer(text):
        for at in range(line.start("indent"), line.end("indent")):
            written[at] = "\N{NO-BREAK SPACE}"  # a space there would go, or make it code
        begins, rest = line.start("rest"), line["rest"]
        if all_signs:
            continue
        if _ALIGNED.fullmatch(rest):  # below a line it would make a table of both
            for at in range(begins, line.end()):
                written[at] = f"\\{text[at]}" if text[at] in "-:|" else text[at]
        elif block := _BLOCK.match(rest):
            at = begins + (block.end("number") if block["number"] else 0)
            written[at] = f"\\{text[at]}"
    return written


def _inline(text: str, at: int, edges: Collection[int], links: Collection[int]) -> str:
    char = text[at]
    if char.isalnum() or char.isspace():
        return char
    before, after = text[at - 1] if at else " ", text[at + 1] if at + 1 < len(text) else " "
    at_edge = at in edges or at + 1 in edges
    means = (
        char in _ALWAYS
        or (char == "_" and not (before.isalnum() and after.isalnum()))
        or (char == "*" and not (before.isspace() and after.isspace()))
        or (char in _DOUBLED and (at_edge or char in (before, after)))
        or (char == "<" and _HTML.match(after))
        or (char == "&" and _REFERENCE.match(text, at))
        or (char == "!" and at + 1 in links)
    )
    return f"\\{char}" if means else char
