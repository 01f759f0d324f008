"""What must never become a memory: secrets, and text that gives the assistant orders about itself.

A memory is quoted to a model on later days. An order smuggled into one would be read again and
again, and a secret would be repeated; so both are refused when written, whoever extracts.
"""

from __future__ import annotations

import re
from typing import Final, Literal, get_args

from cloche.redact import PLACEHOLDER
from cloche.vocabulary import fold

Refusal = Literal["", "secret", "instruction"]
Screened = Literal["secret", "instruction", "markup"]
"""Why a text is kept out, as it is counted: ``markup`` is what only machines write, which no
person's statement holds (role markers, tool calls, fences of a prompt)."""

SCREENED: Final[tuple[Screened, ...]] = get_args(Screened)

_NAMED: Final = (
    r"pass(?:word|phrase|code)s?|api[ _-]?keys?|secret keys?|access keys?"
    r"|private keys?|(?:access|auth|bearer|api) tokens?|cvv|cvc|seed phrase|recovery code"
    r"|(?:door|alarm|gate|safe|lock|entry) code"
    r"|contrasenas?|claves? (?:de acceso|secretas?|privadas?)"
    r"|codigo de (?:acceso|la (?:puerta|alarma))"
)
_SECRETS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # A named secret that is followed by its value.
        rf"\b(?:{_NAMED})\b[^.!?\n]{{0,40}}?(?:\b(?:is|are|es|son)\b|=|:)\s*\S",
        r"\bpin(?: code| number)?(?: (?:of|for) [\w ]{1,20})?\s*(?:\bis\b|=|:)\s*\S*\d",
        r"\b(?:mi|nuestr[oa]|la|el) (?:clave|pin)\b[^.!?\n]{0,30}(?:\bes\b|=|:)\s*\S*\d",
        r"(?:密码|密碼|口令|密钥|密鑰|私钥|私鑰|验证码|驗證碼|令牌).{0,12}(?:是|为|為|:|=)",
        # Values that give themselves away.
        r"-----begin [a-z ]*private key",
        r"\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])*[a-z0-9_-]{16,}",
        r"\b(?:akia|asia)[a-z0-9]{16}\b",
        r"\bgh[pousr]_[a-z0-9]{20,}|\bgithub_pat_[a-z0-9_]{20,}|\bglpat-[a-z0-9_-]{16,}",
        r"\bxox[abprs]-[a-z0-9-]{10,}",
        r"\baiza[a-z0-9_-]{30,}",
        r"\beyj[a-z0-9_-]{8,}\.[a-z0-9_-]{8,}\.[a-z0-9_-]*",
        r"\b\d{8,10}:[a-z0-9_-]{35}\b",
        r"(?<![\w/])(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9+/_-]{32,}={0,2}(?![\w/])",
    )
)
_DIGITS: Final = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?!\d)")

_ORDERS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # English
        r"\b(?:ignore|disregard|forget|override|bypass|drop)\b.{0,40}"
        r"\b(?:instructions?|rules|prompts?|guidelines|restrictions|persona|programming|training"
        r"|everything (?:above|before))\b",
        r"\byou(?: a|')re (?:now|no longer)\b(?! (?:my|our) (?:friend|favou?rite))",
        r"\b(?:system|developer) (?:prompt|message|mode|instructions?)\b|\bjailbreak",
        r"\b(?:reveal|repeat|print|show|output|leak)\b.{0,30}"
        r"\b(?:your|system|hidden|initial) (?:prompt|instructions?|rules)\b",
        r"\b(?:pretend|act|behave|respond)\b.{0,20}\b(?:as if|as though|to be|like you)\b.{0,30}"
        r"\b(?:no|without|unrestricted|admin|root|another)\b",
        r"\b(?:reply|respond|answer|end|start|begin)\b.{0,30}\b(?:admin|secret|api|access|the) "
        r"(?:key|password|token|credentials?)\b",
        r"\bas (?:an?|the|your) (?:admin|administrator|operator)\b",
        r"\bcall (?:the )?\w+ tool\b|\b(?:tool|function)[_ ]call",
        # Spanish, folded
        r"\b(?:ignora|ignore|olvida|olvide|omite|anula|salta(?:te)?)\b.{0,40}"
        r"\b(?:instrucciones|reglas|normas|indicaciones|restricciones)\b",
        r"\b(?:ahora|a partir de ahora|desde ahora) (?:tu )?eres\b|\beres ahora\b|\bya no eres\b",
        r"\b(?:prompt|mensaje|instrucciones) (?:de|del) sistema\b|\bmodo (?:desarrollador|admin)",
        r"\b(?:responde|contesta)\b.{0,30}\b(?:clave|contrasena|token)\b",
        r"\bcomo si no\b.{0,20}\b(?:reglas|normas|limites|restricciones)\b",
        # Chinese
        r"(?:忽略|无视|無視|忘记|忘記|忘掉|跳过|绕过|不要理会).{0,16}"
        r"(?:指令|指示|规则|規則|提示|设定|設定|限制|要求)",
        r"你现在(?:开始)?是|你現在(?:開始)?是|从现在(?:开始|起),?你(?:就)?是|你不再是",
        r"(?:假装|假扮|扮演|装作|当作).{0,12}(?:没有|不受|不用|无).{0,8}(?:规则|限制|约束)",
        r"系统提示|系統提示|开发者模式|開發者模式|管理员(?:模式|密钥|密码)|越狱模式",
    )
)
_MARKS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"<\|?/?(?:im_start|im_end|system|endoftext|eot|begin_of_text)",
        r"</?(?:memory|profile|now|earlier|group|last-time|note|tool[\w-]*|function[\w-]*"
        r"|invoke|parameter|system|assistant|instructions?|antml)\b[^>]*>",
        r"\[/?(?:inst|sys|system|assistant)\]|<<sys>>",
        r"^\W{0,4}(?:system|assistant|developer|tool|human|ai)\s*[:>]",
        r"\{\s*\"(?:name|tool|function|role)\"\s*:",
    )
)


def screen(text: str) -> Refusal:
    """Why a text may not be remembered: it holds a secret, or an instruction; "" = it may."""
    kind = screened_as(text)
    return "instruction" if kind == "markup" else kind


def screened_as(text: str) -> Literal["", "secret", "instruction", "markup"]:
    """The same, told apart as it is counted."""
    folded = fold(text).replace("\u2019", "'")
    if PLACEHOLDER in text or any(p.search(folded) for p in _SECRETS) or card_numbers(folded):
        return "secret"
    if any(pattern.search(folded) for pattern in _MARKS):
        return "markup"
    return "instruction" if any(pattern.search(folded) for pattern in _ORDERS) else ""


def card_numbers(text: str) -> list[tuple[int, int]]:
    """Where numbers of payment cards stand in a text."""
    return [match.span() for match in _DIGITS.finditer(text) if _luhn(re.sub(r"\D", "", match[0]))]


def _luhn(digits: str) -> bool:
    """The check digit rule of payment cards."""
    doubled = [int(d) * (2 - (i + 1) % 2) for i, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0 and len(set(digits)) > 1
