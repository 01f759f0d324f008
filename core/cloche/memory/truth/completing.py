"""Corrections that are no whole statement ("No, on Tuesday", "not Eva, Eve"): put in its place.

Alone they say nothing, so what is kept is the statement they correct, with the piece exchanged.
Where no piece of it can be told for sure, nothing is made of them. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cloche.language import detect
from cloche.memory.spelling import folded
from cloche.memory.truth.claims import CORE, Token
from cloche.memory.truth.correcting import contrast, told
from cloche.memory.truth.lexicon import LANGUAGES, lexicon
from cloche.memory.truth.reading import Reader, as_written, words_in
from cloche.memory.truth.slots import TIME_SORTS
from cloche.vocabulary import CJK

MAX_NAME: Final = 3
"""Words of a name, or of a place that is named alone."""
_PIECE: Final = frozenset(
    ("number", "time", "quantifier", "at", "to", "def", "indef", "drop", "unit", "side")
)
_STATES: Final = frozenset(
    ("be", "it", "who", "locate", "live", "stance", "not", "modal", "former", "single", "also")
)
_ENDS_PLACE: Final = frozenset(("and", "be", "who", "time", "now", "not", "at", "locate", "live"))
Span = tuple[Token, int, int]


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of a statement that corrects another.

    Attributes:
        language: Its own.
        text: The piece.
        kind: ``contrast`` (what is wrong is named), ``slot`` (a number or time), ``place`` (with
            its "in"), ``name`` (said to be a name) or ``bare`` (a name or place, not said which).
        denied: In a contrast, what is wrong.
        last_only: True when only the very last statement can be meant, for nothing tells which.
    """

    language: str
    text: str
    kind: str
    denied: str = ""
    last_only: bool = False


def fragment_of(text: str, reader: Reader, hint: str = "") -> Fragment | None:
    """The piece of a statement that a text is, when it corrects with one.

    ``hint`` is the language to take where the text does not tell ("No, 30"); "" = any.
    """
    known = detect(text)
    if known in LANGUAGES or CJK.search(text):
        return _fragment(text, known if known in LANGUAGES else "zh", reader)
    found = (_fragment(text, language, reader) for language in ((hint,) if hint else LANGUAGES))
    return next((one for one in found if one), None)


def _fragment(text: str, language: str, reader: Reader) -> Fragment | None:
    left = told(text, lexicon(language))
    found = contrast(left.text, language)
    if found and (found.said or _are_pieces((found.denied, found.stated), language, reader)):
        return Fragment(language, found.stated, "contrast", found.denied)
    if not left.corrects or found:
        return None
    piece = left.text.strip(" \t\n.!\u3002\uff01")
    _, spans = reader.spans(piece, language)
    kinds = [token.kind for token, _, _ in spans]
    called = _after_call(spans)
    if called is not None and not any(t.kind in CORE for t, _, _ in spans[: called - 1]):
        return Fragment(language, _written(reader, piece, language, called), "name")
    if not left.firm and not set(kinds) <= _PIECE:
        return None
    if spans and set(kinds) <= _PIECE and {"number", "time"} & set(kinds):
        vague = not {"time", "unit"} & set(kinds)
        return Fragment(language, piece, "slot", last_only=vague)
    if not spans or _STATES & set(kinds) or _acts(spans):
        return None
    if kinds[0] == "at" and language != "zh":
        return Fragment(language, piece, "place")
    short = len(words_in(piece)) <= (2 * MAX_NAME if CJK.search(piece) else MAX_NAME)
    return Fragment(language, piece, "bare", last_only=True) if short and left.firm else None


def _are_pieces(texts: Sequence[str], language: str, reader: Reader) -> bool:
    """True when none of them says something by itself ("in the attic", "Eva", "a pear tree")."""
    for text in texts:
        _, spans = reader.spans(text, language)
        if not spans or _acts(spans) or _STATES & {token.kind for token, _, _ in spans}:
            return False
        begins = spans[0][0].kind in ("at", "to", "def", "indef", "number", "time", "side", "tag")
        if (
            len(words_in(text)) > 1
            and not begins
            and spans[0][0].kind != "thing"
            and language != "zh"
        ):
            return False
    return True


def _acts(spans: Sequence[Span]) -> bool:
    """True when one of the verbs we know stands in it."""
    return any(token.kind == "known" and token.value in _VERBS for token, _, _ in spans)


_VERBS: Final = frozenset(
    (
        "use",
        "eat",
        "drink",
        "have",
        "need",
        "hurt",
        "buy",
        "begin",
        "grow",
        "smoke",
        "watering",
        "go",
    )
)


def completed(fragment: Fragment, old: str, reader: Reader) -> str | None:
    """An old statement with the piece in the place of what was wrong; None when it has none."""
    if fragment.kind == "contrast":
        return _exchanged(old, fragment.denied, fragment.text, fragment.language)
    if detect(old) not in ("", fragment.language):
        return None
    _, spans = reader.spans(old, fragment.language)
    if fragment.kind in ("slot", "bare") and (found := _same_shape(old, spans, fragment, reader)):
        return found
    if fragment.kind == "slot":
        return _other_values(old, spans, fragment, reader)
    called = _after_call(spans)
    if fragment.kind == "name" or (fragment.kind == "bare" and called is not None):
        if called is None:
            return None
        end = _end(spans, called, frozenset(("and", "at", "who", "be")))
        name = _written(reader, old, fragment.language, called, end)
        return _replaced(old, name, fragment.text)
    places = [i for i, one in enumerate(spans) if one[0].kind == "at" and _of_place(spans, i)]
    if len(places) != 1:
        return None
    start = places[0] + (fragment.kind == "bare")
    end = _end(spans, places[0] + 1, _ENDS_PLACE)
    if end <= start:
        return None
    there = _written(reader, old, fragment.language, start, end)
    return _replaced(old, there, fragment.text)


def _of_place(spans: Sequence[Span], i: int) -> bool:
    rest = [t.kind for t, _, _ in spans[i + 1 :] if t.kind not in ("def", "indef", "drop")]
    return bool(rest) and rest[0] not in ("time", "number")


def _after_call(spans: Sequence[Span]) -> int | None:
    """Where the name begins that something is said to have; None when none is told."""
    at = [i for i, (token, _, _) in enumerate(spans) if token.value == "call"]
    return at[0] + 1 if at and at[0] + 1 < len(spans) else None


def _end(spans: Sequence[Span], start: int, kinds: frozenset[str]) -> int:
    return next((i for i in range(start, len(spans)) if spans[i][0].kind in kinds), len(spans))


def _written(reader: Reader, text: str, language: str, start: int, end: int | None = None) -> str:
    """What stands from one token to another, as it was written."""
    plain, spans = reader.spans(text, language)
    part = spans[start:end]
    return as_written(plain[part[0][1] : part[-1][2]], text) if part else ""


def _other_values(
    old: str, spans: Sequence[Span], fragment: Fragment, reader: Reader
) -> str | None:
    """Numbers and times exchanged for others of their sort, where there is one of each."""
    plain, new = reader.spans(fragment.text, fragment.language)
    plain_old, _ = reader.spans(old, fragment.language)
    text, changed = old, False
    for token, start, end in _measured(new):
        sort = _sort(token)
        theirs = [span for span in _measured(spans) if _sort(span[0]) == sort]
        if not sort:
            continue
        if len(theirs) != 1:
            return None
        if theirs[0][0] == token:
            continue
        was = plain_old[theirs[0][1] : theirs[0][2]]
        instead = as_written(plain[start:end], fragment.text)
        exchanged = _replaced(text, was, instead)
        if exchanged is None:
            return None
        text, changed = exchanged, True
    return text if changed else None


def _same_shape(old: str, spans: Sequence[Span], fragment: Fragment, reader: Reader) -> str | None:
    """The piece in the place of what is made alike ("3月3日", "10:30"), where it stands once."""
    plain, new = reader.spans(fragment.text, fragment.language)
    shape = [_sort(token) or token.value for token, _, _ in new]
    if not any(_sort(token) for token, _, _ in new):
        return None
    theirs = [_sort(token) or token.value for token, _, _ in spans]
    size = len(shape)
    at = [i for i in range(len(theirs) - size + 1) if theirs[i : i + size] == shape]
    if len(at) != 1:
        return None
    was = _written(reader, old, fragment.language, at[0], at[0] + size)
    instead = as_written(plain[new[0][1] : new[-1][2]], fragment.text)
    return _replaced(old, was, instead) if was != instead else None


def _measured(spans: Sequence[Span]) -> list[Span]:
    """The same with a number and its unit as one."""
    found: list[Span] = []
    for token, start, end in spans:
        if token.kind == "unit" and found and found[-1][0].kind == "number":
            number = found.pop()
            unit = token.value.partition("*")[0]
            found.append((Token("number", f"{number[0].value} {unit}"), number[1], end))
        else:
            found.append((token, start, end))
    return found


def _sort(token: Token) -> str:
    """What a number or time can be exchanged for; "" for all else."""
    if token.kind == "number":
        return "number " + token.value.partition(" ")[2]
    return TIME_SORTS.get(token.value, token.value) if token.kind == "time" else ""


def _exchanged(old: str, wrong: str, right: str, language: str) -> str | None:
    """What is wrong exchanged where it stands in a statement, with its article or without."""
    found = _replaced(old, wrong, right)
    if found is None and lexicon(language).spaced:
        articles = {
            phrase
            for phrase, meanings in lexicon(language).meanings.items()
            if any(meaning.kind in ("def", "indef") for meaning in meanings)
        }
        bare = [
            part[len(first) :].strip() if folded(first) in articles else part
            for part in (wrong, right)
            for first in part.split()[:1]
        ]
        if len(bare) == len(("wrong", "right")) and all(bare):
            found = _replaced(old, bare[0], bare[1])
    return found


def _replaced(text: str, wrong: str, right: str) -> str | None:
    """A text with one phrase exchanged; None when it does not stand there exactly once."""
    wanted = [folded(word) for word, _, _ in words_in(wrong)]
    words = words_in(text)
    said = [folded(word) for word, _, _ in words]
    at = [
        i
        for i in range(len(said) - len(wanted) + 1)
        if wanted and said[i : i + len(wanted)] == wanted
    ]
    if len(at) != 1 or not right.strip():
        return None
    start, end = words[at[0]][1], words[at[0] + len(wanted) - 1][2]
    return text[:start] + right.strip() + text[end:]
