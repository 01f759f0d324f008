"""What must never become a memory: secrets, and text that gives the assistant orders about itself.

A memory is quoted to a model on later days. An order smuggled into one would be read again and
again, and a secret would be repeated; so both are refused when written, whoever extracts.
"""

from __future__ import annotations

import re
from typing import Final, Literal, get_args

from cloche.memory.extraction.chinese import simplified
from cloche.redact import PLACEHOLDER
from cloche.vocabulary import fold

Refusal = Literal["", "secret", "instruction"]
Screened = Literal["secret", "instruction", "markup"]
"""Why a text is kept out, as it is counted: ``markup`` is what only machines write, which no
person's statement holds (role markers, tool calls, fences of a prompt)."""

SCREENED: Final[tuple[Screened, ...]] = get_args(Screened)

_NAMED: Final = (
    r"pass(?:word|phrase|code)s?|api[ _-]?keys?|secret keys?|access keys?"
    r"|private keys?|(?:access|auth|bearer|api) tokens?|cvv2?|cvc|seed phrase"
    r"|recovery (?:code|phrase)"
    r"|(?:door|alarm|gate|safe|lock|entry|security|verification) code"
    r"|contrasenas?|claves? (?:de acceso|secretas?|privadas?)"
    r"|codigo (?:de (?:acceso|seguridad|verificacion|la (?:puerta|alarma|caja))|secreto)"
)
_NUMBERED: Final = (
    r"(?:credit |debit |bank )?card (?:number|no\.?|nr\.?)|(?:credit|debit|bank) card|iban|bic"
    r"|(?:bank |savings )?account (?:number|no\.?)|bank account|sort code|routing number|ssn"
    r"|social (?:security|insurance)(?: number| no\.?)?|national insurance(?: number| no\.?)?"
    r"|passport(?: number| no\.?)?|(?:driv\w+ licen[cs]e|identity card|id card|national id"
    r"|tax(?:payer)? id|id) (?:number|no\.?)|identity card|id card|tax id|health insurance number"
    r"|dni|nie|nif|cif|curp|rfc|clabe|cbu|cedula(?: de \w+)?|pasaporte"
    r"|(?:numero|n\.?o|nro\.?) de (?:la |mi |el )?(?:tarjeta|cuenta|pasaporte|seguridad social"
    r"|seguro social|afiliacion|identidad|carne[t]?|licencia)|tarjeta(?: de (?:credito|debito))?"
    r"|cuenta (?:bancaria|corriente)|(?:seguridad|seguro) social"
    r"|carne[t]? de (?:identidad|conducir)"
)
"""Numbers that stand for a person or their money."""
_NUMBERED_CHINESE: Final = (
    r"身份证|证件号|护照|银行卡|信用卡|储蓄卡|借记卡|卡号|银行账[号户]|账号|社保|社会(?:安全|保险)号"
    r"|驾驶?[证照]|医保|税号"
)
_NAMED_CHINESE: Final = (
    r"密码|口令|密钥|私钥|验证码|令牌|安全码|助记词|(?<![a-z])pin码?|(?<![a-z])cvv"
)
_FIVE_DIGITS: Final = r"[a-z]{0,3}\d(?:[ ./-]?\d){4}"
_SECRETS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # A named secret that is followed by its value.
        rf"\b(?:{_NAMED})\b[^.!?\n]{{0,40}}?(?:\b(?:is|are|es|son)\b|=|:)\s*\S",
        rf"\b(?:{_NAMED})\b\W{{0,3}}(?=\w{{0,20}}\d)\w{{3,}}",
        rf"\b(?:{_NUMBERED})(?!\w)[^!?\n]{{0,40}}?\b{_FIVE_DIGITS}",
        r"\biban(?!\w)[^!?\n]{0,20}?\b[a-z]{2}\d{2}",
        r"\bpin(?: code| number)?(?: (?:of|for) [\w ]{1,20})?\s*(?:\bis\b|=|:)\s*\S*\d",
        r"\bpin(?: code| number)?\s+\d{4,8}\b",
        r"\b(?:mi|nuestr[oa]|la|el) (?:clave|pin)\b[^.!?\n]{0,30}(?:\bes\b|=|:)\s*\S*\d",
        r"\b(?:mi|nuestra) clave(?: del? (?:wifi|correo|banco|movil|telefono|ordenador|cuenta"
        r"|casa|puerta|alarma))?\s*(?:\bes\b|=|:)\s*\S",
        rf"(?:{_NAMED_CHINESE}).{{0,12}}(?:是|为|:|=)(?!什么|多少|空)",
        rf"(?:{_NAMED_CHINESE})\s*(?=\w*\d)[a-z0-9_-]{{4,}}",
        rf"(?:{_NUMBERED_CHINESE}).{{0,12}}?{_FIVE_DIGITS}",
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
        # A citizen's number of China (its middle is a date of birth), of the United States; a card
        # of UnionPay, whose last digit checks nothing; an account in the shape of an IBAN.
        r"(?<!\d)[1-9]\d{5}(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dx](?!\d)",
        r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])",
        r"(?<![\d.])62\d{2}(?:[ -]?\d{4}){3}(?:[ -]?\d{1,3})?(?!\d)",
        r"(?<![a-z0-9])[a-z]{2}\d{2}(?:[ -]?[a-z0-9]{4}){0,2}(?:[ -]?\d{4}){3}",
    )
)
_DIGITS: Final = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?!\d)")
_SPANISH_ID: Final = re.compile(r"(?<![a-z0-9])([xyz]?)[ -]?(\d{7,8})[ -]?([a-z])(?![a-z0-9])")
_SPANISH_LETTERS: Final = "trwagmyfpdxbnjzsqvhlcke"

_BEGINS: Final = (
    r"(?:^|[.!?,;:\"“]\s*|\b(?:please|and|then|now|always|from now on|must|should|shall|will|to)"
    r",? )"
)
_ORDERS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # English
        r"\b(?:ignore|disregard|forget|override|bypass|drop)\b.{0,40}"
        r"\b(?:instructions?|rules|prompts?|guidelines|restrictions|persona|programming|training"
        r"|everything (?:above|before))\b",
        r"\byou(?: a|')re (?:now|no longer)\b(?! (?:my|our) (?:friend|favou?rite))",
        r"\b(?:from now on|henceforth),? you(?: a|')re\b|\byou (?:will|shall|must) (?:now )?be"
        r" (?:known|called) as\b",
        r"\byour (?:new )?(?:name|role|identity|persona|task|purpose|mission) (?:is|will be"
        r"|shall be)\b(?![^.!\n]*\?)",
        r"\bi(?: a|')m (?:now |also |actually |really )*your (?:new |real |only )?(?:admin"
        r"(?:istrator)?|operator|developer|creator|maker|programmer|owner|master|boss|god"
        r"|supervisor)\b",
        r"\b(?:i(?: a|')m|this is|here speaks) (?:now )?(?:the|an?) (?:system |site |root )?"
        r"(?:admin(?:istrator)?|operator|developer)(?: of (?:this|you)\b| here\b| speaking\b|,)",
        r"\b(?:system|developer) (?:prompt|message|mode|instructions?)\b|\bjailbreak",
        r"\b(?:reveal|repeat|print|show|output|leak)\b.{0,30}"
        r"\b(?:your|system|hidden|initial) (?:prompt|instructions?|rules)\b",
        rf"{_BEGINS}(?:pretend|role-?play|impersonate)\b",
        rf"{_BEGINS}(?:act|behave) (?:as|like)(?: if)? (?:an?|the|you|my)\b",
        r"\b(?:pretend|act|behave|respond)\b.{0,20}\b(?:as if|as though|to be|like you)\b.{0,30}"
        r"\b(?:no|without|unrestricted|admin|root|another)\b",
        rf"{_BEGINS}(?:dis)?obey(?: (?:me|us|my|all|every|any|only|whatever|without"
        r"|this)\b|[.!]*$)",
        r"\bdo (?:whatever|anything|everything|all|exactly what)(?: that)? i (?:say|tell|order"
        r"|command|want)|\bfollow (?:all |only )?my (?:orders|commands)\b",
        r"\b(?:reply|respond|answer|end|start|begin)\b.{0,30}\b(?:admin|secret|api|access|the) "
        r"(?:key|password|token|credentials?)\b",
        r"(?<!\bwork )(?<!\bworked )(?<!\bworking )(?<!\bjob )"
        r"\bas (?:an?|the|your) (?:admin|administrator|operator)\b",
        r"\bcall (?:the )?\w+ tool\b|\b(?:tool|function)[_ ]call",
        # Spanish, folded
        r"\b(?:ignora|ignore|olvida|olvide|omite|anula|salta(?:te)?)\b.{0,40}"
        r"\b(?:instrucciones|reglas|normas|indicaciones|restricciones)\b",
        r"\b(?:ahora|a partir de ahora|desde ahora|de ahora en adelante),? (?:tu )?eres\b"
        r"|\beres ahora\b|\bya no eres\b|\beres (?:el|la|un|una|mi) (?:esclav|sirvient|servidor)",
        r"\btu (?:nuev[oa] )?(?:nombre|papel|rol|mision|identidad|tarea) (?:ahora )?(?:es|sera)\b"
        r"(?![^.!\n]*\?)",
        r"\bsoy (?:ahora |yo )?(?:tu|su|vuestr[oa]) (?:nuev[oa] |verdader[oa] )?(?:admin"
        r"|administrador|operador|desarrollador|creador|duen|am[oa]\b|jef[ea]|programador|dios"
        r"|supervisor)",
        r"\bsoy (?:el|la) (?:admin|administrador|operador|desarrollador)a?\b(?: (?:de (?:este|esta)"
        r"|del sistema)|,)",
        r"\b(?:finge|fingid|simula|haz|hazte pasar|hazte|actua|comportate|imita)"
        r" (?:que (?:eres|no)|ser|como(?: si| un| una| el| la)|por un)",
        r"\bobedece(?:me|nos)\b|(?:^|[.,;:!]\s*|\bsiempre |\bdebes |\btienes que )obedece",
        r"\bhaz (?:siempre )?(?:todo )?(?:lo que|cuanto) (?:yo )?(?:te )?(?:diga|pida|mande|ordene)"
        r"|\b(?:sigue|cumple) (?:todas )?mis ordenes\b",
        r"\b(?:prompt|mensaje|instrucciones) (?:de|del) sistema\b|\bmodo (?:desarrollador|admin)",
        r"\b(?:responde|contesta)\b.{0,30}\b(?:clave|contrasena|token)\b",
        r"\bcomo si no\b.{0,20}\b(?:reglas|normas|limites|restricciones)\b",
        # Chinese
        r"(?:忽略|无视|忘记|忘掉|跳过|绕过|不要理会).{0,16}"
        r"(?:指令|指示|规则|提示|设定|限制|要求|准则)",
        r"你现在(?:开始)?(?:就)?是(?!不是)|从(?:现在|今)(?:开始|起|往后)?,?你(?:就)?是|你不再是",
        r"你的?(?:新)?(?:名字|身份|角色|使命|任务)(?:现在|以后)?(?:是|改成|变成)(?!什么|啥|谁)(?!.*\?)",
        r"我(?:现在|就|才|其实|可)*是你们?的?(?:新|真正的?)?(?:管理员|管理者|开发者|主人|老板|创造者"
        r"|程序员|上司|上级|操作员|领导)|我是(?:本|这个|该)?系统(?:的)?(?:管理员|开发者)",
        r"(?:^|[,.!;:。\s]|请|你|要|给我|来|开始|起)(?:假装|假扮|扮演|装成|装作|模仿)",
        r"(?:假装|假扮|扮演|装作|当作|就当).{0,12}(?:没有|不受|不用|无).{0,8}(?:规则|限制|约束)",
        r"(?:^|[,.!;:。\s]|请|你)(?:你|请|要|必须|永远|始终|总是|一定|都|得|绝对|无条件|只能?|以后|每次)*"
        r"(?:服从|遵从|听从|听)我(?!说|讲|唱|家|一)",
        r"我(?:说|让|叫)(?:你)?(?:什么|干什么|做什么|啥)你?就(?:得|要)?(?:做|干|是)",
        r"系统提示|开发者模式|管理员(?:模式|密钥|密码)|越狱模式",
    )
)
_MARKS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"<\|?/?(?:im_start|im_end|system|endoftext|eot|begin_of_text)",
        r"</?(?:memory|profile|now|language|earlier|group|last-time|note|tool[\w-]*|function[\w-]*"
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
    folded = simplified(fold(text).replace("\u2019", "'"))
    if (
        PLACEHOLDER in text
        or any(p.search(folded) for p in _SECRETS)
        or _has_checked_number(folded)
    ):
        return "secret"
    if any(pattern.search(folded) for pattern in _MARKS):
        return "markup"
    return "instruction" if any(pattern.search(folded) for pattern in _ORDERS) else ""


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
