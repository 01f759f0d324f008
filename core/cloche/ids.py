"""Ids: from what platforms and people give to what stores accept, injectively.

AgentCore takes actor ids of ``[a-zA-Z0-9][a-zA-Z0-9-_/]*`` and session ids of at most 100
characters of ``[a-zA-Z0-9][a-zA-Z0-9-_]*`` (CreateEvent, boto3 bedrock-agentcore). Everything
here stays inside ``[A-Za-z0-9_-]``, starts with a letter or digit and has at most 100 characters.

The escape: ``[A-Za-z0-9-]`` stand for themselves, every other character (the underscore too) is
``_`` + its code point in hex + ``_``. Two markers that no escape can produce, because a hex digit
follows every opening underscore, keep parts apart: ``_-`` joins, ``_h`` starts a SHA-256.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from datetime import date
from typing import Final

from cloche.messages import Address

MAX_ID_CHARS: Final = 100
CHANNEL_PATTERN: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")
ID_PATTERN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_HASH_MARK: Final = "_h"
_JOIN: Final = "_-"
_PLAIN: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-")


def escape(text: str) -> str:
    """Spell any text in the alphabet of ids; different texts give different spellings."""
    return "".join(_escape_tokens(text))


def bounded(tokens: list[str], limit: int = MAX_ID_CHARS) -> str:
    """Join tokens; beyond ``limit``, keep a head of whole tokens and add a SHA-256 of all."""
    whole = "".join(tokens)
    if len(whole) <= limit:
        return whole
    digest = _HASH_MARK + hashlib.sha256(whole.encode()).hexdigest()
    head, room = [], limit - len(digest)
    for token in tokens:
        room -= len(token)
        if room < 0:
            break
        head.append(token)
    return "".join(head) + digest


def actor_id(address: Address) -> str:
    """The actor an address stands for when no link says otherwise: injective, 1-100 characters.

    Raises:
        ValueError: the channel or the sender is empty (a missing actor is never replaced), or
            the channel's name is not one.
    """
    if not address.channel or not address.sender:
        raise ValueError("an address needs a channel and a sender; nobody is acted for without")
    if not CHANNEL_PATTERN.fullmatch(address.channel):
        raise ValueError(
            f"a channel's name is [a-z][a-z0-9-]*, at most 32, not {address.channel!r}"
        )
    return bounded([*address.channel, _JOIN, *_escape_tokens(address.sender)])


def conversation_id(channel: str, conversation: str) -> str:
    """One conversation of one channel: injective, 1-100 characters."""
    return bounded([*channel, _JOIN, *_escape_tokens(conversation)])


def session_id(conversation: str, day: date, counter: int) -> str:
    """A conversation (its ``conversation_id``) on one local day; every ``/new`` counts one up."""
    suffix = f"{_JOIN}{day:%Y%m%d}{_JOIN}{counter}"
    return bounded(_TOKENS.findall(conversation), MAX_ID_CHARS - len(suffix)) + suffix


def turn_id(address: Address, conversation: str, update_id: str) -> str:
    """The id of the turn an update starts: the same when the update is handled again."""
    joined = _JOIN.join(
        escape(part) for part in (address.channel, conversation, address.sender, update_id)
    )
    return hashlib.sha256(joined.encode()).hexdigest()[:32]


def record_id(*parts: str) -> str:
    """``mem-`` and a UUID made of the parts: writing the same thing again gives the same id."""
    return f"mem-{uuid.uuid5(_RECORDS, _JOIN.join(escape(part) for part in parts))}"


def _escape_tokens(text: str) -> list[str]:
    return [char if char in _PLAIN else f"_{ord(char):x}_" for char in text]


_TOKENS: Final = re.compile(r"_[0-9a-f]+_|_-|_h|[A-Za-z0-9-]")
_RECORDS: Final = uuid.UUID("6f1c5d2e-4f6b-4a55-9a57-8f0f5d6a2c11")
