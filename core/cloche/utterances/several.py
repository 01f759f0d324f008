"""What one message asks for: one call, or several, each told by its own clause. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from cloche.memory.extraction import extract_drafts
from cloche.memory.extraction.sentences import sentences
from cloche.utterances.matching import Example, Match, matches
from cloche.vocabulary import Vocabulary

MOST: Final = 4
"""Requests of one message; of more, the last is heard with what follows it."""
_JOINTS: Final = 12
"""So many places of a text are looked at where one request may end."""
MAX_CHARS: Final = 600
_NO_WORDS: Final = Vocabulary()
_EDGES: Final = " \t\r\n,.;:!?¡¿，。；：！？、"
_CLOSING: Final = " \t\r\n.!\u2026\u3002\uff01\"'\u201d\u2019)"
_AND: Final = (
    r"(?:and(?: also| then)?|then|also|plus|y(?: también| además| luego)?|además|también|luego)\b"
)
_AND_CHINESE: Final = "(?:另外|然后|然後|并且|並且|还有|還有|以及|顺便|順便|同时|并|並|再|也)"
_JOINT: Final = re.compile(
    rf"(?P<end>[.;!?](?=\s)|[。；！？\n])\s*(?:(?:{_AND})\s*,?|{_AND_CHINESE}[,，]?)*\s*"
    rf"|(?:(?<!\s)\s+)?[,，、]\s*(?:(?:{_AND})\s*,?|{_AND_CHINESE}[,，]?)*\s*"
    rf"|\s(?:{_AND})\s+(?:(?:{_AND})\s*)*|{_AND_CHINESE}+",
    re.IGNORECASE,
)
_LEADING: Final = re.compile(rf"^(?:(?:{_AND})[\s,]*|{_AND_CHINESE}[,，]?)+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Request:
    """One thing that a message asks for.

    Attributes:
        words: The clause that says it.
        ways: Calls it may be for, the likeliest first; () = nobody understood it.
        joined: True where nobody understood it, but what it was said in one sentence with.
    """

    words: str
    ways: tuple[Match, ...] = ()
    joined: bool = False


def requests_in(examples: Sequence[Example], text: str, before: str = "") -> tuple[Request, ...]:
    """What a message asks for, in order; () where no tool is for any of it.

    It is several requests only where each clause is understood by itself: "to buy eggs and milk"
    is one. Where a message says more than that, its sentences that nobody understood stand among
    those that were.

    Args:
        examples: How people ask for tools.
        text: The words.
        before: The assistant's last words.
    """
    known: dict[str, tuple[Match, ...]] = {}

    def heard(words: str) -> tuple[Match, ...]:
        if words not in known:
            known[words] = matches(examples, words, before)
        return known[words]

    if len(text) <= MAX_CHARS and (parts := _parted(text, heard, MOST)):
        return parts
    if whole := heard(text):
        return _told_before(text, whole, heard) or (Request(text, whole),)
    told = [_trimmed(sentence.text) for sentence in sentences(text)]
    told = [f"{one}?" if _TAG.fullmatch(tag) else one for one, tag in pairwise([*told, ""])]
    found = [
        request for part in told if part for request in _in_sentence(_LEADING.sub("", part), heard)
    ]
    return tuple(found) if any(request.ways for request in found) else ()


def _sides(text: str, joint: re.Match[str]) -> tuple[str, str]:
    """What stands before a joint and behind it; "..., right?" asks what stands before it."""
    end = joint.start() + len(joint["end"] or "")
    left, right = _trimmed(text[:end]), _trimmed(text[joint.end() :])
    return (f"{left}?" if _TAG.fullmatch(right) else left), right


_TAG: Final = re.compile(
    r"(?:right|correct|no|eh|huh"
    r"|(?:is|are|was|were|do|does|did|have|has)n['\u2019]t (?:i|it|we|they)"
    r"|verdad|cierto|(?:o )?no|no es (?:as[ií]|cierto|verdad)|a que s[ií]"
    r"|对吧|是吧|对吗|是吗|对不对|是不是|不是吗)\?",
    re.IGNORECASE,
)


def _trimmed(words: str) -> str:
    """A clause without signs at its edges, but for the mark of a question at its end."""
    said = words.strip(_EDGES)
    return f"{said}?" if said and words.rstrip(_CLOSING).endswith(("?", "\uff1f")) else said


_Hear = Callable[[str], tuple[Match, ...]]


def _parted(text: str, heard: _Hear, most: int) -> tuple[Request, ...]:
    """Two requests and more, each understood by itself; () where it is one, or not understood."""
    whole = heard(text)
    # From the end: "I ran 5 km, in 30 minutes, my knee hurts" is two, not three and not cut short.
    for joint in reversed(list(_JOINT.finditer(text))[-_JOINTS:] if most > 1 else ()):
        left, right = _sides(text, joint)
        last = heard(right) if left and right else ()
        if not last or last[0].completes:
            continue
        before = _parted(left, heard, most - 1) or (Request(left, heard(left)),)
        ways = before[-1].ways
        if ways and not ways[0].completes and _apart(ways, last, whole, bool(joint["end"])):
            return (*before, Request(right, last))
    return ()


def _told_before(text: str, whole: Sequence[Match], heard: _Hear) -> tuple[Request, ...]:
    """A statement and the request behind it, where a template's first slot took both; else ().

    "Tomorrow at 9, remind me to ..." is one request: what stands before it tells nothing.
    """
    for joint in list(_JOINT.finditer(text))[:_JOINTS]:
        left, right = _sides(text, joint)
        ways = heard(right) if left and right and not heard(left) else ()
        if not ways or ways[0].completes or ways[0].tool != whole[0].tool or not ways[0].firm:
            continue
        if extract_drafts(left, _NO_WORDS):
            return (Request(left), *(_parted(right, heard, MOST - 1) or (Request(right, ways),)))
    return ()


def _apart(
    first: Sequence[Match], last: Sequence[Match], whole: Sequence[Match], ended: bool
) -> bool:
    """Whether what follows is a request of its own, and no end of the one before it.

    What that one's tool makes of the whole message by itself is one request ("plan my week, my
    knee hurts"). What the slot of its template would take ("remind me to ... and call Ana")
    must be asked for in words that are for us, or in another sentence, and of another tool.
    """
    if not whole or whole[0].tool != first[0].tool:
        return True
    if not whole[0].swallows or last[0].tool == first[0].tool:
        return False
    if not first[0].swallows:  # it is whole in itself: "cancel the Friday one"
        return True
    return ended or last[0].firm


def _in_sentence(text: str, heard: _Hear) -> tuple[Request, ...]:
    """A sentence of several; or one that says something else before or after what it asks for."""
    if parts := _parted(text, heard, MOST):
        return parts
    if ways := heard(text):
        return (Request(text, ways),)
    for joint in list(_JOINT.finditer(text))[:_JOINTS]:
        left, right = _sides(text, joint)
        first, second = (heard(left), heard(right)) if left and right else ((), ())
        if (first and not first[0].swallows) or (second and second[0].firm):
            return (Request(left, first, not first), Request(right, second, not second))
    return (Request(text),)
