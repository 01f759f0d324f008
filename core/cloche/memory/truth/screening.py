"""What is kept out of memory at every door, and how often that happened to a person's words.

| kind | from a turn's words | by a tool or a correction | by the owner's import |
|---|---|---|---|
| secret | no record; taken out of the event, too | refused, the model is told | taken as it is |
| instruction | no record | refused, the model is told | taken as it is |
| markup | no record | refused, the model is told | taken as it is |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import partial
from typing import Final

from cloche.aside import aside
from cloche.memory.extraction.screen import SCREENED, Screened, card_numbers, screened_as
from cloche.memory.extraction.sentences import sentences
from cloche.memory.records import Event
from cloche.people import person_prefix
from cloche.redact import PLACEHOLDER, Redactor
from cloche.state.store import StateStore

_COUNTED_ONCE: Final = timedelta(days=1)
_REDACT: Final = Redactor()
_WINDOW: Final = 2_000
_OVERLAP: Final = 400
_VALUE: Final = (
    r"(?P<value>[^\s,;](?:[^,;\n，；。]{0,300}?"
    r"(?=[.!?]?(?:\s{0,20}$|\s{1,20}(?-i:[A-ZÁÉÍÓÚ¿¡]))|[,;\n，；。]|\s{1,20}(?:and|but|y|pero)\s)"
    r"|[^,;\n，；。]{300}))"
)
"""To the end of the sentence, for a passphrase has spaces; of one without end, the beginning."""
_NAMED: Final = tuple(
    re.compile(pattern + _VALUE, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        r"\b(?:pass(?:word|phrase|code)s?|(?:api|secret|access|private)[ _-]?keys?"
        r"|(?:access|auth|bearer|api) tokens?|cvv|cvc|seed phrase|recovery code"
        r"|(?:door|alarm|gate|safe|lock|entry) code)"
        r"(?: (?:for|of|to) [\w' ]{1,30}?)?\s*(?:\b(?:is|are)\b|=|:)\s*",
        r"\bpin(?: code| number)?(?: (?:for|of) [\w' ]{1,20}?)?\s*(?:\bis\b|=|:)\s*(?=\S{0,100}\d)",
        r"\b(?:contrase(?:ñ|n)as?|claves? (?:de acceso|secretas?|privadas?)"
        r"|c[oó]digo de (?:acceso|la (?:puerta|alarma)))"
        r"(?: (?:de|del|para) [\w ]{1,30}?)?\s*(?:\b(?:es|son)\b|=|:)\s*",
        r"\b(?:mi|nuestr[oa]|la|el) (?:clave|pin)\b[^.!?\n]{0,30}?(?:\bes\b|=|:)\s*(?=\S{0,100}\d)",
        r"(?:密码|密碼|口令|密钥|密鑰|私钥|私鑰|验证码|驗證碼|令牌)(?:[^,，。\n]{0,8}?)(?:是|为|為|：|:|=)\s*",
    )
)


def without_secrets(text: str) -> str:
    """The text with ``[secret]`` where a card number, key or password stood.

    Where only the sentence as a whole gives the secret away, all of it goes.
    """
    masked, kept, at = _masked(text), [], 0
    for sentence in sentences(masked):
        if _tells(sentence.text):
            kept += [masked[at : sentence.start], PLACEHOLDER]
            at = sentence.end
    whole = "".join([*kept, masked[at:]])
    return PLACEHOLDER if any(map(_tells, _windows(whole))) else whole


async def cleared(text: str) -> str:
    """The same of a text that may be long, beside the event loop."""
    return await aside(text, partial(without_secrets, text))


def _windows(text: str) -> Iterator[str]:
    """A text in pieces that overlap: a secret is told in less, and patterns have an end."""
    for start in range(0, max(1, len(text) - _OVERLAP), _WINDOW - _OVERLAP):
        yield text[start : start + _WINDOW]


def _tells(text: str) -> bool:
    """True when a secret still stands in a text that was masked."""
    return screened_as(text.replace(PLACEHOLDER, "")) == "secret"


async def count_screened(state: StateStore, event: Event) -> None:
    """Count what an event's words lost at the door, once however often the turn is run.

    Raises:
        MemoryUnavailableError: the state store is away.
    """
    kinds = await aside(event.user_text, partial(_kinds_in, event.user_text))
    prefix = f"{person_prefix(event.actor)}screened"
    if kinds and await state.claim(f"{prefix}-turn/{event.id}", ttl=_COUNTED_ONCE):
        for kind in kinds:
            await state.increment(f"{prefix}/{kind}")


def _kinds_in(text: str) -> list[Screened]:
    return [kind for one in sentences(text) if (kind := screened_as(one.text))]


async def read_screened(state: StateStore, actor: str) -> Mapping[Screened, int]:
    """How many of a person's sentences were kept out so far, by kind; kinds without any left out.

    Raises:
        MemoryUnavailableError: the state store is away.
    """
    found: dict[Screened, int] = {}
    for kind in SCREENED:
        item = await state.get(f"{person_prefix(actor)}screened/{kind}")
        if item and isinstance(item.value, int):
            found[kind] = item.value
    return found


def _masked(text: str) -> str:
    for start, end in reversed(card_numbers(text)):
        text = text[:start] + PLACEHOLDER + text[end:]
    for pattern in _NAMED:
        text = pattern.sub(lambda m: m[0][: m.start("value") - m.start()] + PLACEHOLDER, text)
    return _REDACT(text)
