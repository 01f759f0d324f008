"""What a person has to train with, of what they told over time: what was sold is there no more."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from cloche_fitness.vocabulary import WORDS

_CLAUSES: Final = re.compile(
    r"[,;:.!?¡¿，；：。！？、\n]+\s*|\b(?:but|and|though|pero|y|aunque)\b|但是|但|不过|还有|和",
    re.IGNORECASE,
)
_GONE: Final = re.compile(
    r"\b(?:sold|gave away|given away|giving away|got rid of|threw (?:out|away)|thrown away"
    r"|no longer (?:have|own|go)|(?:don't|do not) (?:have|own|go)|have no|has no|haven't got"
    r"|without|returned|lent|lost|broke down|is broken|are broken|cancelled|canceled|quit"
    r"|vend[ií]|hemos vendido|he vendido|regal[eé]|me deshice de|tir[eé]|ya no (?:tengo|voy)"
    r"|no tengo|no hay|sin|devolv[ií]|se (?:me )?(?:ha )?rot[oa]|se (?:me )?rompi[oó]"
    r"|est[aá] rot[oa]|perd[ií]|prest[eé]|me di de baja|he perdido|he regalado)\b"
    r"|卖了|卖掉|卖出|送人|送给|送掉|扔了|扔掉|没有|不再有|没了|坏了|退了|退掉|丢了|借给|不去",
    re.IGNORECASE,
)
_TO_GET: Final = re.compile(
    r"\b(?:buy|bought|get a|got a|got new|comprar|compr[eé]|conseguir)\b|买", re.IGNORECASE
)
"""Who sold something to buy this has this."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a statement says of equipment.

    Attributes:
        text: The statement.
        named: Ids of the vocabulary's equipment that it names.
    """

    text: str
    named: frozenset[str]

    def gone(self) -> frozenset[str]:
        """Those that it says are not there, or no more."""
        text = self.text.replace("’", "'")
        clauses = [
            one for one in _CLAUSES.split(text) if _GONE.search(one) and not _TO_GET.search(one)
        ]
        return frozenset(
            id_ for id_ in self.named if any(_names(clause, id_) for clause in clauses)
        )


@dataclass(frozen=True, slots=True)
class Owned:
    """What is there, and what was there, or never was."""

    there: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()


def owned_of(newest_first: Iterable[Told]) -> Owned:
    """What a person has; of each thing the newest statement counts."""
    there, gone = set[str](), set[str]()
    for told in newest_first:
        lost = told.gone() - there
        there |= told.named - told.gone() - gone
        gone |= lost
    return Owned(frozenset(there), frozenset(gone))


def _names(clause: str, id_: str) -> bool:
    said = clause.casefold()
    spellings = next(
        (value.spellings for value in WORDS.values("equipment") if value.id == id_), (id_,)
    )
    return any(
        re.search(rf"(?<![a-záéíóúñ]){re.escape(one.casefold())}(?![a-záéíóúñ])", said)
        for one in spellings
    )
