"""Codes that let somebody in: made, written, read and compared. Pure but for the randomness."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import unicodedata
from typing import Final

ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without letters and digits that are mistaken for each other."""
LETTERS: Final = 12
"""59 bits: not to be guessed, nor found from its hash while it holds."""
GROUP: Final = 4
MAX_CHARS: Final = 4_000
"""Of a text that is searched."""
_DASHES: Final = "-_\u2010\u2011\u2012\u2013\u2014\u2212"
"""Keyboards put longer ones for the one that was typed."""
_FOUR: Final = f"[{ALPHABET}]{{{GROUP}}}"
_IN_TEXT: Final = re.compile(
    rf"(?<![a-z0-9{_DASHES}])(?:{_FOUR}[{_DASHES}]{_FOUR}[{_DASHES}]{_FOUR}"
    rf"|(?=[a-z]*[0-9])(?=[0-9]*[a-z])[{ALPHABET}]{{{LETTERS}}})(?![a-z0-9{_DASHES}])"
)
_ONE_WORD: Final = re.compile(r"[a-z0-9](?=(?:-*[a-z0-9]){7,23}-*$)[a-z0-9-]*")
_SPACED: Final = re.compile(rf"[a-z0-9]{{{GROUP}}}(?: [a-z0-9]{{{GROUP}}})+")
_LIKE_IN_TEXT: Final = re.compile(
    r"(?<![a-z0-9-])(?=[a-z-]*[0-9])[a-z0-9]{3,5}-[a-z0-9]{3,5}-[a-z0-9]{3,5}(?![a-z0-9-])"
)


def make_code() -> str:
    """A new code, such as ``k7mf-q2xw-9pta``: what a Telegram deep link takes as it is.

    Payloads of deep links are ``[A-Za-z0-9_-]``, at most 64 characters
    (https://core.telegram.org/bots/features#deep-linking).
    """
    letters = "".join(secrets.choice(ALPHABET) for _ in range(LETTERS))
    return "-".join(letters[at : at + GROUP] for at in range(0, LETTERS, GROUP))


def bare(text: str) -> str:
    """A code as it is compared, "" when the text is none: case, dashes and spaces do not count."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    code = "".join(char for char in folded if not (char in _DASHES or char.isspace()))
    return code if len(code) == LETTERS and set(code) <= set(ALPHABET) else ""


def find_code(text: str) -> str:
    """The code a text is, or the first that stands in a sentence, as it is compared; "" = none.

    In a sentence it has its dashes, or is one word with letters and digits: other words are none.
    """
    if code := bare(text):
        return code
    folded = unicodedata.normalize("NFKC", text[:MAX_CHARS]).casefold()
    return next((code for one in _IN_TEXT.findall(folded) if (code := bare(one))), "")


def like_code(text: str) -> str:
    """What was meant to be a code in a text that holds none, "" when nothing was.

    Mistyped, cut short, or made up. None of the characters that people mistake for each other is
    in a code, so none can be read as another. In a sentence all three groups must be there.
    """
    folded = unicodedata.normalize("NFKC", text[:MAX_CHARS]).casefold().strip()
    alone = "".join("-" if char in _DASHES else char for char in folded)
    mixed = re.search(r"[a-z]", alone) and re.search(r"[0-9-]", alone)
    if mixed and (_ONE_WORD.fullmatch(alone) or _SPACED.fullmatch(alone)):
        return alone
    return next((one for one in _LIKE_IN_TEXT.findall(alone) if re.search(r"[a-z]", one)), "")


def is_mistyped(like: str) -> bool:
    """True for what would be a code, but for characters that no code has."""
    letters = [char for char in like if char.isalnum()]
    return len(letters) == LETTERS and not set(letters) <= set(ALPHABET)


def digest(code: str) -> str:
    """What is kept of a code."""
    return hashlib.sha256(f"cloche-code:{code}".encode()).hexdigest()


def same(one: str, other: str) -> bool:
    """True for the same digest, told in a time that does not depend on where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())
