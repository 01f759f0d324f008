"""Emphasis beside letters that no space parts from signs, as in Chinese, Japanese and Korean.

CommonMark takes ``**`` between a sign and a letter for text: ``**注意：**请浇水`` keeps its
stars. As https://github.com/tats-u/markdown-cjk-friendly has it, a letter or sign of those scripts
beside it parts words like a space. Parsers know nothing of that: a sign nobody uses, put between
the stars and the letter, makes them see it, and is taken away from what they found.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

_Event: TypeAlias = "tuple[Any, Mapping[str, int]]"
_Parse: TypeAlias = Callable[[str], Sequence[_Event]]

_RUNS: Final = re.compile(r"\*+|~~+")
_MARKS: Final = {"Strong": 2, "Emphasis": 1, "Strikethrough": 2}
_UNUSED: Final = "".join(map(chr, range(0x0830, 0x083F)))
"""Punctuation of Samaritan; the first that a text does not have is put in."""
_HAIR_SPACE: Final = "\N{HAIR SPACE}"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text with its events.

    Attributes:
        source: What was parsed, ``sign`` in it.
        events: With their ranges in bytes of the source.
        sign: What no text has and nobody shall see; "" = there is none.
    """

    source: str
    events: Sequence[_Event]
    sign: str = ""

    def unmarked(self, events: Iterable[_Event]) -> Iterator[_Event]:
        """Events without the sign in their text."""
        for payload, where in events:
            if self.sign and isinstance(payload, dict) and self.sign in payload.get("Text", ""):
                yield {"Text": payload["Text"].replace(self.sign, "")}, where
            else:
                yield payload, where


def is_punctuation(char: str) -> bool:
    """Whether CommonMark counts it as a sign; pictures are signs, too."""
    return unicodedata.category(char)[0] in "PS"


def is_wide(char: str) -> bool:
    """Whether it is of a script that parts words by no spaces, or one of its signs."""
    wide = unicodedata.east_asian_width(char) in "WFH"
    return wide and unicodedata.category(char) != "So"  # pictures are wide in any script


def is_unclear(markdown: str) -> bool:
    """Whether there are stars that CommonMark alone may take for text."""
    return next(_places(markdown), None) is not None


def parse_friendly(markdown: str, parse: _Parse) -> Parsed:
    """Parse a text so that emphasis is found beside letters of those scripts, too."""
    events = parse(markdown)
    places = list(_places(markdown))
    sign = next((each for each in _UNUSED if each not in markdown), "")
    if not places or not sign:
        return Parsed(markdown, events)
    marked = _marked(markdown, _outside_code(markdown, places, events), sign)
    again = parse(marked)
    # A label of a link, for one, is another with a sign in it.
    if _frame(again) != _frame(events):
        return Parsed(markdown, events)
    return Parsed(marked, again, sign)


def spaced(parsed: Parsed) -> str:
    """The same for whoever parses it by CommonMark alone: a hair's breadth of space helps there."""
    if not parsed.sign:
        return parsed.source
    source, sign = parsed.source.encode(), parsed.sign.encode()
    begins, ends = set[int](), set[int]()
    for payload, where in parsed.events:
        if _mark(payload, "Start"):
            begins.add(where["start"])
            ends.add(where["end"])
    pieces, at = [], 0
    for found in re.finditer(re.escape(sign), source):
        pieces.append(source[at : found.start()].decode())
        if found.end() in begins or found.start() in ends:
            pieces.append(_HAIR_SPACE)
        at = found.end()
    return "".join((*pieces, source[at:].decode()))


def _places(markdown: str) -> Iterator[tuple[int, int, int]]:
    """Where a sign would help: begin and end of the stars, and which of both it is."""
    for run in _RUNS.finditer(markdown):
        before, after = markdown[run.start() - 1 : run.start()], markdown[run.end() : run.end() + 1]
        if not before.strip() or not after.strip() or before == "\\":
            continue
        if is_punctuation(before) != is_punctuation(after) and (is_wide(before) or is_wide(after)):
            begin, end = run.span()
            yield begin, end, begin if is_punctuation(after) else end


def _outside_code(
    markdown: str, places: Iterable[tuple[int, int, int]], events: Iterable[_Event]
) -> Iterator[int]:
    """The places where stars are text or emphasis: not in code, an address, HTML."""
    source = bytearray(len(markdown.encode()))
    in_code = False
    for payload, where in events:
        if not isinstance(payload, dict):
            continue
        for side in ("Start", "End"):
            if _name(payload.get(side)) == "CodeBlock":
                in_code = side == "Start"
        start, end = where["start"], where["end"]
        if "Text" in payload and not in_code:
            source[start:end] = b"\1" * (end - start)
        elif width := _mark(payload, "Start"):
            source[start : start + width] = source[end - width : end] = b"\1" * width
    at = size = 0
    for begin, end, place in places:
        size += len(markdown[at:begin].encode())
        at = begin
        if all(source[size : size + end - begin]):
            yield place


def _marked(markdown: str, places: Iterable[int], sign: str) -> str:
    pieces, at = [], 0
    for place in places:
        pieces += [markdown[at:place], sign]
        at = place
    return "".join((*pieces, markdown[at:]))


def _frame(events: Iterable[_Event]) -> list[Any]:
    """What a text is made of besides its words and their emphasis."""
    return [
        payload
        for payload, _ in events
        if not (isinstance(payload, dict) and "Text" in payload)
        and not _mark(payload, "Start")
        and not _mark(payload, "End")
    ]


def _mark(payload: Any, side: str) -> int:
    """How long the signs are of the emphasis that starts or ends; 0 = it is none."""
    return _MARKS.get(_name(payload.get(side)), 0) if isinstance(payload, dict) else 0


def _name(tag: Any) -> str:
    return str(next(iter(tag)) if isinstance(tag, dict) else tag or "")
