"""From the text of a message to the person's own sentences, with exact offsets.

Left out: code, quoted lines ("> ..."), and what stands under the head of a forwarded message:
those are somebody else's words. A line of a list that follows a heading ("My tools:") stays with
it, for the heading says what the list is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MAX_CHARS: Final = 600
"""A sentence that is longer is cut into pieces: a memory is a short statement."""

_WORD_CHARS: Final = 40
_CODE: Final = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_FORWARDED: Final = re.compile(
    r"^[ \t]*(?:-{2,}\s*(?:original|forwarded|mensaje|原始|转发|轉發).*|begin forwarded message.*"
    r"|forwarded from\b.*|reenviado de\b.*|(?:转发自|轉發自|轉寄).*"
    r"|on .{6,60}\bwrote:|el .{6,60}\bescribi[oó]:)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_LINE: Final = re.compile(r"[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_QUOTED: Final = re.compile(r"\s*[>\uff1e]")
_BULLET: Final = re.compile(
    r"\s*(?:[-*+\u2022\u00b7\u2013\u2014]|\(?\d{1,2}[.)\u3001\uff0e]|[①-⑳]|[a-z]\))\s+"
    r"|\s*\d{1,2}[.)\u3001\uff0e](?=[^\W\d])|\s*[•·①-⑳]"
)
_CJK: Final = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_CLOSING: Final = r"[\"'\u201d\u2019\u00bb)\]\u300d\u300f\uff09]*"
_END: Final = re.compile(
    rf"(?:(?<![.!?\u2026;])[.!?\u2026;]+{_CLOSING}(?=\s|[{_CJK}]|\Z)|[\u3002\uff01\uff1f\uff1b]+[!?]*{_CLOSING})"
    rf"|(?<=[^\s\u00bf\u00a1(])\s*(?=[\u00bf\u00a1])"
)
_TITLES: Final = frozenset(
    "mr mrs ms dr prof st vs sr sra srta dra d dña e.g i.e eg ie p.ej".split()
)
_SHORTENED: Final = frozenset(
    "approx aprox ca etc incl excl ej p max min est ud uds a.m p.m".split()
)
_NUMBERED: Final = frozenset("no nr num núm vol art pág pag tel ext c".split())


@dataclass(frozen=True, slots=True)
class Sentence:
    """A piece of a text: ``text`` is exactly ``whole[start:end]``."""

    text: str
    start: int
    end: int


def sentences(text: str) -> tuple[Sentence, ...]:
    """The person's own sentences, in order."""
    return tuple(_cut(text, *span) for block in _blocks(text) for span in _spans(text, *block))


def clauses(sentence: Sentence) -> tuple[Sentence, ...]:
    """A sentence in parts at commas, colons and dashes."""
    starts = [0, *(m.end() for m in _CLAUSE_END.finditer(sentence.text))]
    ends = [*(m.start() for m in _CLAUSE_END.finditer(sentence.text)), len(sentence.text)]
    found = (_cut(sentence.text, start, end) for start, end in zip(starts, ends, strict=True))
    return tuple(
        Sentence(part.text, sentence.start + part.start, sentence.start + part.end)
        for part in found
        if part.text
    )


_CLAUSE_END: Final = re.compile(
    r"(?:(?:(?<!\s)\s++)?+(?:[,:](?=\s)|[\uff0c\u3001\uff1a]|\u2014)"
    r"|(?<!\s)\s++[-\u2013\u2014]++(?=\s))\s*"
)


def _blocks(text: str) -> list[tuple[int, int]]:
    """Lines that are the person's own, a heading and its list as one."""
    forwarded = _FORWARDED.search(text)
    ours = forwarded.start() if forwarded else len(text)
    hidden = [match.span() for match in _CODE.finditer(text) if match.start() < ours]
    hidden.append((ours, len(text)))
    blocks: list[tuple[int, int]] = []
    heading, at = False, 0
    for line in _LINE.finditer(text):
        start, end = line.span()
        if not line[0].strip():
            continue
        while at < len(hidden) and hidden[at][1] <= start:
            at += 1
        if _QUOTED.match(line[0]) or (at < len(hidden) and hidden[at][0] < end):
            heading = False
            continue
        bullet = _BULLET.match(line[0])
        if bullet and heading and end - blocks[-1][0] <= MAX_CHARS:
            blocks[-1] = (blocks[-1][0], end)
            continue
        blocks.append((start + (bullet.end() if bullet else 0), end))
        heading = not bullet and line[0].rstrip().endswith((":", "\uff1a"))
    return blocks


def _spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the sentences of one block, none longer than ``MAX_CHARS``."""
    if "\n" in text[start:end]:  # a heading with its list is one statement
        yield start, end
        return
    begin = start
    for match in _END.finditer(text, start, end):
        if match.end() > begin and not _goes_on(_before(text, begin, match), match[0], text, match):
            yield from _short_enough(text, begin, match.end())
            begin = match.end()
    yield from _short_enough(text, begin, end)


def _before(text: str, begin: int, mark: re.Match[str]) -> str:
    """What stands before a mark, as far as it may be one word."""
    return text[max(begin, mark.start() - _WORD_CHARS) : mark.start()]


def _goes_on(before: str, mark: str, text: str, match: re.Match[str]) -> bool:
    """True when a full stop belongs to an abbreviation, or dots are a pause."""
    following = text[match.end() : match.end() + 3].lstrip()[:1]
    if mark.startswith(("\u2026", "..")):
        return following.islower()
    if mark.rstrip("\"'\u201d\u2019\u00bb)]") != ".":
        return False
    words = before.split()
    word = words[-1].lstrip("(\"'\u201c\u2018\u00ab[").casefold() if words else ""
    return (
        word in _TITLES
        or (word in _SHORTENED and bool(following) and not following.isupper())
        or (word in _NUMBERED and following.isdigit())
        or (len(word) == 1 and word != "i" and word.isalpha() and following.isupper())
    )


def _short_enough(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > MAX_CHARS:
        window = text[start : start + MAX_CHARS]
        cut = max(window.rfind(mark) for mark in (", ", "\uff0c", " ", "\u3001"))
        cut = cut + 1 if cut > MAX_CHARS // 2 else MAX_CHARS
        yield start, start + cut
        start += cut
    if text[start:end].strip():
        yield start, end


def _cut(text: str, start: int, end: int) -> Sentence:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end = start + len(piece.strip())
    return Sentence(text[start:end], start, end)
