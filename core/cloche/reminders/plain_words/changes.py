"""Sentences that move, put off or cancel a reminder, also where they do not call it one. Pure.

What is moved must be followed by a time, or by an amount of it, and nothing else; which reminder is
meant is told by what there is: none, and nothing is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from cloche.reminders.plain_words.amounts import ANY_INSTANT, boundaries, part_amount, read_amount
from cloche.reminders.plain_words.reading import read_clock, read_words
from cloche.reminders.plain_words.references import read_reference

MAX_CHARS: Final = 200
"""Nobody says more to move a reminder."""
_EDGES: Final = " \t\r\n,.;:!?¡¿，。；：！？"
_POLITE: Final = re.compile(
    r"^(?:(?:please|can you|could you|would you|will you|ok|okay|actually|now|also|and"
    r"|por favor|puedes|podr[ií]as|me puedes|me podr[ií]as|me|y|tambi[eé]n|adem[aá]s|ahora)\b[\s,]*"
    r"|[请請]|麻烦|麻煩|[帮幫]我|能不能|能|可以|可不可以|再|也|另外|还有|然后|并且?|[,，])+",
    re.IGNORECASE,
)
_POLITE_BEHIND: Final = re.compile(
    r"(?:[\s,，]{0,4}\b(?:please|thanks|por favor|gracias)"
    r"|[,，]?(?:谢谢|好吗|行吗|可以吗|吗|吧)){1,4}$",
    re.IGNORECASE,
)
_INSTEAD: Final = re.compile(
    r"(?<![\s,])[\s,]+(?:instead(?: of .+)?|en vez de(?:l)? .+|en lugar de(?:l)? .+)$",
    re.IGNORECASE,
)
_NOT_NAMED: Final = re.compile(
    r"^(?:(?:the|my|that|this|our|doing|do|have)\b|(?:el|la|los|las|lo|mi|mis)\b(?! de)|[把将將]"
    r"|我的)\s*|^(?:reminder (?:to|about|for|of)|(?:recordatorio|alarma) (?:del?|para))\s+"
    r"|(?<=\S)\s+reminder$|(?<=.)的?提醒$",
    re.IGNORECASE,
)


def _start(*verbs: str) -> re.Pattern[str]:
    return re.compile(rf"^(?:{'|'.join(verbs)})\s*(?P<rest>.+)$", re.IGNORECASE | re.DOTALL)


_LATER: Final = (
    re.compile(r"^(?:push|put) (?P<rest>.+) (?:back|off)(?P<much>(?: by| for)? .+)$", re.I),
    _start(r"(?:push|put) (?:back|off)\b"),
    _start(r"push\b"),
    _start(r"(?:postpone|delay|defer|snooze)\b"),
    _start(
        r"(?:apl[aá]za(?:me|lo|la|r|s)?|retr[aá]sa(?:me|r|s)?|posp[oó]n(?:er|es|me)?|atr[aá]sa(?:r|s|me)?"
        r"|demora(?:r|s)?|posterga(?:r|s)?)\b"
    ),
    _start("(?:推迟|推遲|延后|延後|推后|推後|延迟|延遲|顺延)(?![到至])"),
)
_EARLIER: Final = (
    re.compile(r"^(?:bring|pull) (?P<rest>.+) forward(?P<much>(?: by)? .+)$", re.I),
    _start(r"(?:bring|pull) forward\b"),
    _start(r"adel[aá]nta(?:r|s|me)?\b"),
    _start("(?:提前|提早)(?![到至])"),
)
_BY_WAY: Final = re.compile(
    r"^(?:(?:make|move|set|have|put|shift|push)|remind me (?:of|about)"
    r"|(?:pon(?:er|me)?|mueve|mover|pasa(?:r|s)?|deja(?:r)?|cambia(?:r)?)"
    r"|(?:recu[eé]rdame|av[ií]same)(?= lo\b))\s+(?P<rest>.+?)\s+"
    r"(?:(?P<later>later|m[aá]s tarde|despu[eé]s|m[aá]s adelante)"
    r"|(?:earlier|sooner|antes|m[aá]s temprano|m[aá]s pronto))"
    r"(?: (?:than (?:planned|that|now|before)|de lo (?:previsto|planeado)))?$",
    re.IGNORECASE,
)
_TO_BEHIND: Final = re.compile(r"\s(?:to|until|till|for|a|para|hasta)$", re.IGNORECASE)
"""What is moved "to in 30 minutes" is moved to a time, and by no amount."""
_CHINESE_BY: Final = re.compile(
    r"^[把将將]?(?P<rest>.+?)(?:往后|往後)?(?:(?P<later>推迟|推遲|延后|延後|推后|推後|延迟|延遲|顺延|推|晚)"
    r"|提前|提早|往前提?|早)(?:了|个)?(?P<much>.{1,12}?)(?:再?提醒我|再说|再做)?$"
)
_MOVE: Final = (
    _start(
        r"(?:(?:can|could) we )?(?:move|shift|change|reschedule|postpone|delay|push|switch|defer"
        r"|put off)\b"
    ),
    _start(
        r"(?:pasa(?:r|s|me)?|mueve|mover|mueves|cambia(?:r|s)?|traslada(?:r)?|apl[aá]za(?:r|s)?"
        r"|retr[aá]sa(?:r)?|posp[oó]n(?:er)?|deja(?:r)?|reprograma(?:r)?|adel[aá]nta(?:r)?)\b"
    ),
)
_TO: Final = re.compile(
    r"\s(?:to|until|till|for|a|para|hasta)\s|\s(?=al\s)|\s(?=on\s)", re.IGNORECASE
)
_CHINESE_TO: Final = re.compile(
    r"^[把将將]?(?P<rest>.+?)(?:改到|改成|改为|改為|挪到|移到|调到|調到|推迟到|推遲到|延到|延后到|提前到|换到|換到)"
    r"(?P<when>.+)$"
)
_RATHER: Final = (
    # English says "instead" as well: "let's eat on Sunday" moves nothing.
    (re.compile(r"^(?:let'?s|i'?d rather|shall we|can we|could we)\s+(?P<rest>.+)$", re.I), True),
    (re.compile(r"^(?:mejor|prefiero)\s+(?P<rest>.+)$", re.IGNORECASE), False),
)
_CHINESE_RATHER: Final = re.compile(
    r"^(?P<rest>.+?)(?:还是|還是)(?P<when>.{1,40}?)再(?P<do>.{1,10})$"
)
_CANCEL: Final = (
    _start(r"(?:cancel|delete|remove|drop|scrap|forget(?: about)?|erase|get rid of)\b"),
    _start(
        r"(?:canc[eé]la|b[oó]rra|qu[ií]ta|elim[ií]na|an[uú]la|olv[ií]da|supr[ií]me|desc[aá]rta)"
        r"(?:r|s|me|te de)?\b"
    ),
    _start("(?:取消|删除|刪除|删掉|刪掉|去掉|撤销)"),
    re.compile(
        r"^i (?:don'?t|do not) (?:need|want) (?P<rest>.+?)(?: any ?more| any longer)?$", re.I
    ),
    re.compile(r"^我?不(?:需要|要|用)(?P<rest>.+?)了?$"),
    re.compile(r"^ya no (?:necesito|quiero|hace falta) (?P<rest>.+)$", re.IGNORECASE),
    re.compile(
        r"^[把将將]?(?P<rest>.+?)(?:取消|删掉|刪掉|删除|刪除|去掉|删了|不需要|不要|不用)[了掉]*$"
    ),
)
_REMINDER: Final = re.compile(
    r"\b(?:reminder|alarm|recordatorio|alarma)s?\b|提醒|闹钟|鬧鐘", re.IGNORECASE
)
_THE_ONE: Final = re.compile(
    r"\bone\b|['’]s$|^(?:el|la) (?:del?|de las?)\b|那[个個条條次]|这[个個条條次]", re.IGNORECASE
)
_NAMED_ONE: Final = re.compile(
    r"(?:the|my|that) (?P<en>\w[\w' -]{1,40}) one"
    r"|(?:el|la) (?:del? (?:la |los |las )?)(?P<es>\w[\w -]{1,40})"
    r"|(?P<zh>[\u4e00-\u9fff]{1,12}?)的?那[个個条條]",
    re.IGNORECASE,
)
"""One of what was listed, by what it is about: "the rent one", "el del alquiler"."""
_FORGETS: Final = re.compile(r"forget\b|olv[ií]da", re.IGNORECASE)
_ANOTHER: Final = re.compile(
    r"(?:[,;，；]\s*(?:and\s|y\s)?|\s(?:and|y)\s(?:also |then )?|然后|，?再)"
)
_ALL: Final = re.compile(
    r"\b(?:all|every|everything|both|tod[oa]s?|ambos)\b|所有|全部|都", re.IGNORECASE
)


def hear_reminder_change(text: str) -> dict[str, str] | None:
    """Which reminder a sentence moves, and to when ("+PT2H" = so much later); None = it does not.

    Args:
        text: The words, in any of the languages.
    """
    said = _plain(text)
    if not said:
        return None
    for which, when in _ways(_INSTEAD.sub("", said), rather=bool(_INSTEAD.search(said))):
        named = which.strip(_EDGES)
        while (shorter := _NOT_NAMED.sub("", named, count=1).strip(_EDGES)) != named:
            named = shorter
        if named and not _ALL.search(named):
            return {"which": named, "when": when}
    return None


def hear_reminder_cancel(text: str) -> dict[str, str] | None:
    """Which reminder a sentence cancels; None where it calls it no reminder, and says no time."""
    said = _plain(text)
    for pattern in _CANCEL if said else ():
        found = pattern.match(said)
        if not found or _ALL.search(found["rest"]):
            continue
        which = found["rest"].strip(_EDGES)
        if _says_more(which):
            return None
        if _REMINDER.search(which) or (_THE_ONE.search(which) and _says_time_alone(which)):
            return {"which": re.sub(r"^the (?=.* one$)", "", which, flags=re.IGNORECASE)}
        if named := pattern in _CANCEL[:3] and _NAMED_ONE.fullmatch(which):
            if not _FORGETS.match(said):
                return {"which": next(filter(None, named.groups()))}
    return None


def _plain(text: str) -> str:
    said = text.strip(_EDGES)
    if len(said) > MAX_CHARS or "\n" in said:
        return ""
    return _POLITE_BEHIND.sub("", _POLITE.sub("", said)).strip(_EDGES)


def _ways(said: str, *, rather: bool) -> Iterator[tuple[str, str]]:
    """Ways to take a sentence: what is moved, and to when."""
    yield from _by_amount(said)
    for pattern in _MOVE:
        if found := pattern.match(said):
            yield from _parted(found["rest"], [at.span() for at in _TO.finditer(found["rest"])])
    if (found := _CHINESE_TO.match(said)) and (when := _time(found["when"])):
        yield found["rest"], when
    if (found := _CHINESE_RATHER.match(said)) and (when := _time(found["when"])):
        yield f"{found['rest']}{found['do']}", when
    for pattern, instead in _RATHER:
        if (found := pattern.match(said)) and (rather or not instead):
            yield from _parted(found["rest"], [(at, at) for at in boundaries(found["rest"])])


def _parted(rest: str, joints: list[tuple[int, int]]) -> Iterator[tuple[str, str]]:
    for start, end in joints:
        if when := _time(rest[end:]):
            yield rest[:start], when


def _by_amount(said: str) -> Iterator[tuple[str, str]]:
    for sign, patterns in (("+", _LATER), ("-", _EARLIER)):
        for pattern in patterns:
            found = pattern.match(said)
            if not found:
                continue
            if "much" in pattern.groupindex:
                which, much = str(found["rest"]), read_amount(found["much"])
            else:
                which, much = part_amount(found["rest"]) or ("", "")
            if much and not _TO_BEHIND.search(which):
                yield which, sign + much
    if (found := _BY_WAY.match(said)) and (parted := part_amount(found["rest"])):
        yield parted[0], ("+" if found["later"] else "-") + parted[1]
    if (found := _CHINESE_BY.match(said)) and (much := read_amount(found["much"])):
        yield found["rest"], ("+" if found["later"] else "-") + much


def _time(text: str) -> str:
    """A text where it says a time and nothing else, else ""."""
    said = text.strip(_EDGES)
    said = re.sub(r"^al ", "el ", said)
    if not said or len(said) > MAX_CHARS:
        return ""
    for whole in (said, f"a {said}"):
        if read_clock(whole) or read_words(whole, now=ANY_INSTANT, zone="UTC"):
            return whole
    return ""


def _says_more(which: str) -> bool:
    """Whether another thing to do follows, which is a request of its own: "... and move ..."."""
    parts = _ANOTHER.split(which)[1:]
    moves = (*_MOVE, *_LATER, *_EARLIER, _CHINESE_TO)
    return any(one.match(part.strip(_EDGES)) for part in parts if part for one in moves)


def _says_time_alone(which: str) -> bool:
    told = read_reference(which)
    return told.bits is not None and not told.words
