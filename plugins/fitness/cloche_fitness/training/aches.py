"""Which joints hurt and which are well again, judged clause by clause; in doubt a joint is spared.

"My knee is fine now, but my shoulder hurts" frees the knee and no shoulder; "my knee hasn't healed"
frees nothing. A healed word counts only where nothing in its clause denies or doubts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cloche_fitness.training.scanning import folded_text
from cloche_fitness.training.tables import Words

CHEST: Final = "chest"
"""The part of an emergency; it is no joint that a movement loads."""
_CLAUSES: Final = re.compile(
    r"(\b(?:but|though|although|however|except|while|whereas|pero|aunque|sino|salvo|excepto"
    r"|mientras)\b|但是|但|不过|可是|只是|除了|虽然|而)"
    r"|[,;:()，；：、（）]+|\b(?:and|y|e)\b|和|\s-+\s"
)
_SENTENCES: Final = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_SIDES: Final = {
    "left": re.compile(r"\b(?:left|izquierd[oa]s?)\b|左"),
    "right": re.compile(r"\b(?:right|derech[oa]s?)\b|右"),
}
_BOTH: Final = re.compile(
    r"\b(?:both|ambas|ambos|knees|ankles|hips|shoulders|elbows|wrists|hands|feet|calves|thighs"
    r"|rodillas|tobillos|caderas|hombros|codos|munecas|manos|pies|gemelos|pantorrillas|muslos)\b"
    r"|双|两"
)
_IS: Final = re.compile(r"'s(?= (?:all|completely|fully|totally|fine|ok|okay|gone|healed|good)\b)")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the body.

    Attributes:
        name: The row of the table of joints, or ``CHEST``.
        side: ``left``, ``right``, ``both``, or "" where it is not said.
    """

    name: str
    side: str = ""

    @property
    def joints(self) -> tuple[str, ...]:
        """What movements load of it: "hip-knee_thigh" is hip and knee."""
        return tuple(self.name.partition("_")[0].split("-"))

    def frees(self, other: Part) -> bool:
        """True when being well again here ends an ache there; one side says nothing of the other.

        Args:
            other: What ached.
        """
        whole = self.side in ("", "both")
        return self.name == other.name and (whole or other.side in ("", self.side))


@dataclass(frozen=True, slots=True)
class Aches:
    """What a text says of the body.

    Attributes:
        named: Parts that it names, in order, and does not call well.
        well: Parts that it calls well again.
        told: True when it says of one that it hurts, or that it is not well yet.
    """

    named: tuple[Part, ...] = ()
    well: tuple[Part, ...] = ()
    told: bool = False


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    parts: tuple[Part, ...]
    well: bool
    pain: bool
    unsure: bool
    contrary: bool


def aches_in(text: str, words: Words) -> Aches:
    """What a text says of joints and of chest pain.

    Args:
        text: A person's words.
        words: The tables of ``movements.toml``.
    """
    ill: dict[Part, bool] = {}
    well: dict[Part, None] = {}
    last: tuple[Part, ...] = ()
    waiting: tuple[Part, ...] = ()
    doubted = False
    for clause in _clauses(_IS.sub(" is", folded_text(text)), words):
        about = clause.parts or last
        if clause.well and not clause.parts:
            # "is gone" of something else than the joint frees no joint.
            sure = _is_only(clause.text, words) and not (doubted and not clause.contrary)
        else:
            sure = clause.well
        if sure and not clause.unsure:
            for part in (*about, *(waiting if clause.parts else ())):
                ill = {one: told for one, told in ill.items() if not part.frees(one)}
                well[part] = None
        else:
            again = clause.contrary and clause.unsure
            denied = clause.well and (clause.unsure or doubted)
            told = clause.pain or clause.well or again
            if clause.parts or clause.pain or denied or again:
                for part in about:
                    ill[part] = ill.get(part, False) or told
                    well = {one: None for one in well if not one.frees(part)}
        alone = bool(clause.parts) and not (clause.well or clause.pain or clause.unsure)
        waiting = clause.parts if alone and _is_only(clause.text, words) else ()
        doubted = clause.unsure or (doubted and not clause.parts)
        last = about
    return Aches(tuple(ill), tuple(well), any(ill.values()))


def _clauses(said: str, words: Words) -> Iterator[_Clause]:
    for sentence in _SENTENCES.findall(said):
        asked = sentence.rstrip()[-1:] in "?？" or "¿" in sentence
        pieces = _CLAUSES.split(sentence)
        contrary = False
        for at, piece in enumerate(pieces):
            if at % 2:
                contrary = contrary or bool(piece)
                continue
            if not piece.strip():
                continue
            yield _clause(piece, words, asked=asked, contrary=contrary)
            contrary = False


def _clause(text: str, words: Words, *, asked: bool, contrary: bool) -> _Clause:
    rest = _spoken("healed", words).sub(" ", text)
    well = rest != text
    bare = re.sub(r"n't\b", " not", rest)
    hurting = bool(words.named("hurting", rest))
    parts = _parts(text, words)
    pain = bool(words.named("pain", rest)) or hurting or CHEST in {one.name for one in parts}
    refused = hurting or bool(words.named("unhealed", text)) or bool(words.named("unsure", bare))
    # Of two joints and a pain in one clause nobody can tell which is the one that is well.
    riddle = well and len(parts) > 1 and bool(words.named("pain", rest))
    unsure = asked or refused or riddle or "%" in rest.replace("100%", "")
    well = well or bool(words.named("unhealed", text))
    return _Clause(text, parts, well, pain and not well, unsure, contrary)


def _parts(text: str, words: Words) -> tuple[Part, ...]:
    sides = [side for side, pattern in _SIDES.items() if pattern.search(text)]
    both = len(sides) > 1 or (not sides and _BOTH.search(text))
    side = "both" if both else "".join(sides)
    found = [Part(name.removeprefix("v-"), side) for name in words.named("joint", text)]
    return (*found, *([Part(CHEST)] if words.named("emergency", text) else []))


def _is_only(text: str, words: Words) -> bool:
    """True when a clause names nothing but a joint, or stands for the one before: "it is gone"."""
    for key in ("healed", "joint", "same"):
        text = _spoken(key, words).sub(" ", text)
    return not re.search(r"\w", text)


def _spoken(key: str, words: Words) -> re.Pattern[str]:
    return _any_of(tuple(words.spoken(key)))


@lru_cache(maxsize=8)
def _any_of(spellings: tuple[str, ...]) -> re.Pattern[str]:
    parts = sorted(map(folded_text, spellings), key=len, reverse=True)
    return re.compile(
        "|".join(
            re.escape(part)
            if re.match(r"[\u2e80-\u9fff]", part)
            else rf"(?<!\w){re.escape(part)}"
            r"(?!\w)"
            for part in parts
        )
    )
