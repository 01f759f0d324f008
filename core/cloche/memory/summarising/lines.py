"""The lines of a summary, and the text that holds them: written, and read back. Pure.

A summary's text is three paragraphs at most, each with the label of its kind in the person's
language and every line in quotation marks. It is read back when the session goes on, so that
summing up can go on from it, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from cloche.texts import languages, say
from cloche.vocabulary import fold

LineKind = Literal["decided", "told", "asked"]
KINDS: Final[tuple[LineKind, ...]] = ("decided", "told", "asked")
"""From what is worth most to what goes first when there is no room."""
MAX_LINE_CHARS: Final = 200
MAX_CHARS: Final = 1_000
"""Of a whole summary: about 250 tokens, in Chinese 1,000."""

_OPEN: Final = "\u201c"
_CLOSE: Final = "\u201d"
_INNER: Final = str.maketrans({_OPEN: "\u2018", _CLOSE: "\u2019"})
_QUOTED: Final = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")


@dataclass(frozen=True, slots=True)
class Line:
    """One thing a session held, in words that stand for themselves."""

    kind: LineKind
    text: str


def line(kind: LineKind, text: str) -> Line:
    """A line as a summary can hold it: on one line, without its own quotation marks, not long."""
    text = " ".join(text.split()).translate(_INNER)
    if len(text) > MAX_LINE_CHARS:
        text = text[: MAX_LINE_CHARS - 1].rstrip() + "\u2026"
    return Line(kind, text)


def render(lines: Iterable[Line], language: str) -> str:
    """The text of a summary, "" without lines; what there is no room for is left out.

    Every statement stands once. Questions go first where there are too many, then what was told,
    the oldest first; what was decided stays longest.
    """
    kept = list(_once(lines))
    while len(text := _text(kept, language)) > MAX_CHARS:
        kept.remove(next(line for kind in KINDS[::-1] for line in kept if line.kind == kind))
    return text


def parse(text: str) -> tuple[Line, ...]:
    """The lines of a text that ``render`` made, in whatever language; () of any other."""
    found = []
    for paragraph in text.split("\n"):
        label, mark, _ = paragraph.partition(_OPEN)
        if mark and (kind := _labels().get(label.strip())):
            found += [Line(kind, quoted) for quoted in _QUOTED.findall(paragraph) if quoted]
    return tuple(found)


def _text(lines: Sequence[Line], language: str) -> str:
    paragraphs = []
    for kind in KINDS:
        quoted = [f"{_OPEN}{line.text}{_CLOSE}" for line in lines if line.kind == kind]
        if quoted:
            paragraphs.append(" ".join([say(f"summary_{kind}", language), *quoted]))
    return "\n".join(paragraphs)


def _once(lines: Iterable[Line]) -> Iterator[Line]:
    seen = set()
    for one in lines:
        said = " ".join(fold(one.text).split())
        if said and said not in seen:
            seen.add(said)
            yield one


@cache
def _labels() -> dict[str, LineKind]:
    return {say(f"summary_{kind}", language): kind for language in languages() for kind in KINDS}
