"""The one boundary that takes secrets out of text before it is logged or shown.

Two kinds are taken out: the values of secret settings, as they are or as JSON, a URL or a repr
spells them, and what looks like a key, token or password wherever it comes from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote, quote_plus

from pydantic import BaseModel, SecretStr

PLACEHOLDER: Final = "[secret]"
MIN_SECRET_CHARS: Final = 8
"""A shorter value (a port, a flag, the key "ollama") is no secret and would maim the text."""

# ASCII, because a key may stand right after a Chinese character, which is a letter otherwise.
_FLAGS: Final = re.ASCII | re.VERBOSE
_WHOLE: Final = re.compile(
    r"""
      -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----[^-]*(?:-----END\ [A-Z ]*PRIVATE\ KEY-----)?
    | \b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b                 # AWS access key ids
    | \bABSK[A-Za-z0-9+/]{20,}={0,2}                          # Bedrock API keys
    | \bbedrock-api-key-[A-Za-z0-9+/=_-]{20,}
    | \bsk-[A-Za-z0-9_-]{16,}                                 # OpenAI, Anthropic and their kin
    | \bAIza[A-Za-z0-9_-]{30,}                                # Google
    | \bgh[oprsu]_[A-Za-z0-9]{20,} | \bgithub_pat_[A-Za-z0-9_]{20,}
    | \bhf_[A-Za-z0-9]{20,}                                   # Hugging Face
    | \bxox[a-z]-[A-Za-z0-9-]{10,}                            # Slack
    | (?<!\d)\d{6,12}:[A-Za-z0-9_-]{30,}                      # Telegram bots
    | (?: (?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,} | \beyJ[A-Za-z0-9_-]{8,600} )   # JSON Web
      \.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*                                        # Tokens
    """,
    _FLAGS,
)
_AFTER_A_NAME: Final = re.compile(
    r"""
    ( (?: token | secret | passw(?:or)?d | api[_-]?key | access[_-]?key | private[_-]?key
        | signature | credential )
      [\"']? \s* [=:] \s* [\"']? )
    [^\s\"'&,;<>]{6,}
    """,
    _FLAGS | re.IGNORECASE,
)
_AFTER_A_SCHEME: Final = re.compile(
    r"\b((?:bearer|basic)\s+)[A-Za-z0-9+/=._~-]{8,}", re.ASCII | re.IGNORECASE
)
_IN_A_URL: Final = re.compile(r"([a-z][a-z0-9+.-]{0,20}://)[^\s/@?#]+@", re.ASCII | re.IGNORECASE)


class Redactor:
    """Takes secrets out of text. Calling it twice changes nothing more."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Know the values to take out; those under ``MIN_SECRET_CHARS`` characters stay."""
        spellings = {each for secret in secrets for each in _spellings(secret)}
        # The longest first: a secret may be a part of another.
        known = sorted(map(re.escape, spellings), key=lambda each: (-len(each), each))
        self._known = re.compile("|".join(known)) if known else None

    def knows_of(self, text: str) -> bool:
        """Whether one of the values to take out stands in a text."""
        return bool(self._known and self._known.search(text))

    def __call__(self, text: str) -> str:
        """The text with ``PLACEHOLDER`` in the place of every secret."""
        if self._known:
            text = self._known.sub(PLACEHOLDER, text)
        text = _IN_A_URL.sub(rf"\1{PLACEHOLDER}@", text)
        text = _WHOLE.sub(PLACEHOLDER, text)
        text = _AFTER_A_SCHEME.sub(rf"\1{PLACEHOLDER}", text)
        return _AFTER_A_NAME.sub(rf"\1{PLACEHOLDER}", text)


def secrets_in(settings: BaseModel) -> tuple[str, ...]:
    """The secret values anywhere in a group of settings."""
    return tuple(value for value in _secret_values(dict(settings)) if value)


def _secret_values(value: object) -> Iterator[str]:
    if isinstance(value, SecretStr):
        yield value.get_secret_value()
    elif isinstance(value, BaseModel):
        yield from _secret_values(dict(value))
    elif isinstance(value, dict):
        for each in value.values():
            yield from _secret_values(each)


def _spellings(secret: str) -> Iterator[str]:
    if len(secret) >= MIN_SECRET_CHARS:
        yield from (secret, quote(secret, safe=""), quote_plus(secret), repr(secret)[1:-1])
        yield from (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
