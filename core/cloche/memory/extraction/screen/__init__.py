"""What must never become a memory: secrets, and text that gives the assistant orders about itself.

A memory is quoted to a model on later days. An order smuggled into one would be read again and
again, and a secret would be repeated; so both are refused when written, whoever extracts.
"""

from __future__ import annotations

import re
from typing import Final, Literal, get_args

from cloche.memory.extraction.screen.disguises import plain
from cloche.memory.extraction.screen.marks import MARKS
from cloche.memory.extraction.screen.orders import ORDERS
from cloche.memory.extraction.screen.secrets import SECRETS
from cloche.redact import PLACEHOLDER

Refusal = Literal["", "secret", "instruction"]
Screened = Literal["secret", "instruction", "markup"]
"""Why a text is kept out, as it is counted: ``markup`` is what only machines write, which no
person's statement holds (role markers, tool calls, fences of a prompt)."""

SCREENED: Final[tuple[Screened, ...]] = get_args(Screened)

_DIGITS: Final = re.compile(
    r"(?<!\d)(?<!\d\.)\d(?:[\s./_\-\u2010-\u2015\u200b-\u200f\u00ad\u2060]?\d){12,18}(?!\d)"
)
_SPANISH_ID: Final = re.compile(r"(?<![a-z0-9])([xyz]?)[ -]?(\d{7,8})[ -]?([a-z])(?![a-z0-9])")
_SPANISH_LETTERS: Final = "trwagmyfpdxbnjzsqvhlcke"


def screen(text: str) -> Refusal:
    """Why a text may not be remembered: it holds a secret, or an instruction; "" = it may."""
    kind = screened_as(text)
    return "instruction" if kind == "markup" else kind


def screened_as(text: str) -> Literal["", "secret", "instruction", "markup"]:
    """The same, told apart as it is counted."""
    folded = plain(text)
    if PLACEHOLDER in text or any(p.search(folded) for p in SECRETS) or _has_checked_number(folded):
        return "secret"
    if any(pattern.search(folded) for pattern in MARKS):
        return "markup"
    return "instruction" if any(pattern.search(folded) for pattern in ORDERS) else ""


def _has_checked_number(text: str) -> bool:
    """True for a payment card or a Spanish identity number whose check digit or letter is right."""
    return bool(card_numbers(text)) or any(
        len(match[1] + match[2]) == 8 and match[3] == _spanish_letter(match[1], match[2])
        for match in _SPANISH_ID.finditer(text)
    )


def _spanish_letter(first: str, digits: str) -> str:
    """The check letter of a DNI, or of a NIE, whose first letter stands for a digit."""
    prefix = str("xyz".index(first)) if first else ""
    return _SPANISH_LETTERS[int(prefix + digits) % 23]


def card_numbers(text: str) -> list[tuple[int, int]]:
    """Where numbers of payment cards stand in a text."""
    return [match.span() for match in _DIGITS.finditer(text) if _luhn(re.sub(r"\D", "", match[0]))]


def _luhn(digits: str) -> bool:
    """The check digit rule of payment cards."""
    doubled = [int(d) * (2 - (i + 1) % 2) for i, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0 and len(set(digits)) > 1
