"""Words and shapes by which a text gives a secret away, in a text that was made plain."""

from __future__ import annotations

import re
from typing import Final

_NAMED: Final = (
    r"pass(?:word|phrase|code|wd)s?|pwd?|otp|api[ _-]?keys?|secret (?:keys?|word)|access keys?"
    r"|private keys?|(?:access|auth|bearer|api) tokens?|cvv2?|cvc|seed phrase"
    r"|recovery (?:codes?|phrase|key)|(?:wi-?fi|wlan|network|encryption|license) key"
    r"|one[- ]time code|(?:door|alarm|gate|safe|lock|unlock|entry|garage|security|verification)"
    r" code"
    r"|contrasenas?|claves? (?:de acceso|secretas?|privadas?|(?:del? )?wi-?fi)"
    r"|frase (?:de recuperacion|semilla)|palabra secreta"
    r"|codigo (?:de (?:acceso|seguridad|verificacion|la (?:puerta|alarma|caja))|del portal"
    r"|secreto)"
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
    r"密码|口令|密钥|私钥|验证码|令牌|安全码|门禁码|助记词|(?<![a-z])pin码?|(?<![a-z])cvv"
)
_LOCKED: Final = (
    r"gate|door|alarm|safe|vault|lock|padlock|garage|entry|building|shed|locker"
    r"|puerta|porton|portal|alarma|caja fuerte|candado|garaje|verja"
)
"""What opens by a number."""
_FIVE_DIGITS: Final = r"[a-z]{0,3}\d(?:[ ./-]?\d){4}"
SECRETS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # A named secret that is followed by its value.
        rf"\b(?:{_NAMED})\b[^.!?\n]{{0,40}}?(?:\b(?:is|are|es|son)\b|=|:)\s*\S",
        rf"\b(?:{_NAMED})\b\W{{0,3}}(?=\w{{0,20}}\d)\w{{3,}}",
        rf"\b(?:{_NUMBERED})(?!\w)[^!?\n]{{0,40}}?\b{_FIVE_DIGITS}",
        r"\biban(?!\w)[^!?\n]{0,20}?\b[a-z]{2}\d{2}",
        r"\bpin(?: code| number)?(?: (?:of|for) [\w ]{1,20})?\s*(?:\bis\b|=|:)\s*\S{0,200}\d",
        r"\bpin(?: code| number)?\s+\d{4,8}\b",
        r"\b(?:mi|nuestr[oa]|la|el) (?:clave|pin)\b[^.!?\n]{0,30}(?:\bes\b|=|:)\s*\S{0,200}\d",
        r"\b(?:mi|nuestra) clave(?: del? (?:wifi|correo|banco|movil|telefono|ordenador|cuenta"
        r"|casa|puerta|alarma))?\s*(?:\bes\b|=|:)\s*\S",
        rf"(?:{_NAMED_CHINESE}).{{0,12}}(?:是|为|:|=)(?!什么|多少|空)",
        rf"(?:{_NAMED_CHINESE})\s*(?=\w{{0,60}}\d)[a-z0-9_-]{{4,}}",
        rf"(?:{_NUMBERED_CHINESE}).{{0,12}}?{_FIVE_DIGITS}",
        # The value first, or in the middle of the sentence.
        rf"(?:^|[.!?,;:]\s*)(?!(?:what|which|where|here|this|that|it|who|how|que|cual|esa?o?|este"
        rf"|donde)\b)\S{{1,120}}(?: \S{{1,120}}){{0,3}} (?:is|are|es|son)"
        rf" (?:my|our|the|mi|mis|nuestra|la) (?:[\w-]+ ){{0,2}}(?:{_NAMED}|pin|clave)\b"
        r"(?! (?:manager|hint|policy))",
        rf"\b(?:use[sd]?|using|uso|usamos)\b[^.!?\n]{{1,40}} (?:as|como)"
        rf" (?:the |my |our |a |la |mi )?(?:{_NAMED}|pin|clave)\b",
        rf"(?<![a-z0-9_@#!-])[a-z0-9_@#!-]{{3,}}(?:是|为)(?:我|我们|我家)的?.{{0,6}}"
        rf"(?:{_NAMED_CHINESE})",
        rf"\b(?:{_LOCKED})s?\b[^.!?\n]{{0,30}}\b(?:code|codigo|combination|combinacion|number)\b"
        r"[^.!?\n]{0,12}\d{3,}",
        rf"\b(?:code|codigo) (?:for|to|of|de|del|para) (?:\w+ ){{0,2}}(?:{_LOCKED})s?\b"
        r"[^.!?\n]{0,12}\d{3,}",
        rf"\b(?:{_LOCKED})s?\b[^.!?\n]{{0,12}}\b(?:opens with|se abre con)\W{{0,3}}\d{{3,}}",
        rf"\b(?:combination|combinacion)\b[^.!?\n]{{0,30}}\b(?:{_LOCKED})s?\b[^.!?\n]{{0,12}}\d",
        r"(?:门禁|大门|房门|车库|保险[箱柜]|报警器?|密码锁).{0,8}?(?:码|组合|号).{0,4}?\d{2,}",
        r"\b(?:token|secret|credentials?)\b\s*(?:\b(?:is|es)\b|=|:)\s*(?=\S{0,200}\d)\S{5,}",
        r"\b(?:secret|keys?|token|clave)\b\W{1,3}(?:\w+\W){0,2}?(?=\S{0,200}\d)[a-z0-9+/_-]{20,}",
        # Values that give themselves away.
        r"\b[a-z][a-z0-9+.-]{0,40}://[^\s/:@]+:[^\s/@]+@",
        r"\bbearer [a-z0-9._~+/-]{8,}|\bhf_[a-z0-9]{16,}|\bssh-[a-z0-9]+ aaaa\w+",
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
