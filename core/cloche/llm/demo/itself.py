"""What a person asks of the stand-in itself or of the host: who it is, the date, to forget."""

from __future__ import annotations

import re
from typing import Final, Literal

from cloche.llm.demo.seen import Seen
from cloche.memory.extraction.rules.language_rules import plain
from cloche.prompt import MONTHS, WEEKDAYS
from cloche.texts import say

Matter = Literal["", "who", "now", "forget", "correct"]

_WHO: Final = re.compile(
    # English
    r"\b(?:who|what) are you\W*$|\bwho am i (?:talking|speaking) (?:to|with)\b"
    r"|\bwhat(?:'s| is) your name\b|\bwhat (?:all )?(?:can|do|could) you do(?: for me)?\W*$"
    r"|\bhow (?:can|could|do) you help(?: me)?\W*$|\bwhat (?:can|do) you help\b"
    r"|\bintroduce yourself\b|\btell me about yourself\b|\bwhat are you (?:for|good at)\b"
    r"|\bare you (?:an? )?(?:ro)?(?:bot|ai|human|machine|real|person|language model)\b"
    r"|^\W*help(?: me)?\W*$|\bwhat (?:are your )?skills\b"
    # Spanish, folded
    r"|\b(?:quien|que) eres\b|\bcomo te llamas\b|\bcual es tu nombre\b|\bcon quien hablo\b"
    r"|\bque (?:cosas )?(?:puedes|sabes|podrias) hacer\b|\bque haces tu\b|\bpara que sirves\b"
    r"|\b(?:en que|como) (?:me )?(?:puedes|podrias) ayudar(?:me)?\W*$|\bpresentate\b"
    r"|\beres (?:una? )?(?:robot|bot|humano|persona|ia|maquina|modelo)\b|^\W*ayuda\W*$"
    # Chinese
    r"|你(?:是谁|到底是什么|是什么(?:人|东西|程序)?\W*$|叫什么|的名字)|你(?:都|还)?(?:会|能|可以)(?:帮我|为我)?(?:做|干)?"
    r"(?:些|点)?(?:什么|啥|哪些)\W*$|你(?:都)?(?:会|能)(?:做|干|帮我)(?:什么|啥|哪些)|你有(?:什么|哪些|啥)(?:用|功能|本事|技能)"
    r"|介绍一?下(?:你)?自己|自我介绍|你是(?:不是)?(?:个|一个)?(?:机器人|真人|人工智能|人吗|ai)|^\W*帮助\W*$"
)
_NOW: Final = re.compile(
    r"\bwhat(?:'s| is)? (?:the )?(?:(?:current )?(?:date|time)|day of the week)"
    r"(?: today| now| is it)?\W*$|\bwhat (?:day|date|time|weekday) (?:is|do we have)"
    r"(?: it| today)?(?: (?:today|now))?\W*$"
    r"|\bwhat(?:'s| is) today(?:'s date)?\W*$|\bwhich day is (?:it|today)\b"
    r"|\bque (?:dia|fecha|hora)(?: de la semana)? (?:es|son|tenemos)(?: (?:hoy|ahora|ya))?\W*$"
    r"|\ba (?:que|cuantos) (?:dia |fecha )?estamos\b|\b(?:dime|tienes) (?:la )?(?:hora|fecha)\b"
    r"|\bcual es la fecha\b|\bque dia es\b"
    r"|(?:今天|现在|今儿|当前)(?:是|的)?(?:几月)?(?:几号|几月|星期几|周几|礼拜几|什么日子|几点|什么时间|日期是?什么?)"
    r"|^\W*(?:几点了?|星期几|周几|几号)\W*$"
)
_FORGET: Final = re.compile(
    r"^\W*(?:(?:please|can you|could you|will you|would you|now|just) )*(?:forget(?! to\b| it\W*$)"
    r"|delete|erase|remove|wipe)\b"
    r"|^\W*(?:(?:por favor|puedes|podrias|quiero que|ahora)[ ,]{0,3})*(?:olvid(?:a|e|es|ar|ate|alo"
    r"|ala|arte|emos)|borr(?:a|e|es|ar|alo|ala)|elimin(?:a|e|es|ar|alo|ala))\b"
    r"|^\W*(?:请|麻烦|帮我|能不能|可以|你|给我|把)*(?:.{1,20})?(?:忘掉|忘记|忘了|删掉|删除|删了|清除|抹掉)"
    r"(?!了吗|没)"
)

_CORRECT: Final = re.compile(
    r"^\W*(?:please )?(?:correct (?:that|this)|set that right|update (?:my|your) memory)\b"
    r"|^\W*(?:please )?(?:replace|swap|change) [^,.;]{1,60} (?:with|by|to) "
    r"|^\W*(?:por favor,? )?(?:corrige (?:eso|esto)|actualiza (?:mi|tu) memoria)\b"
    r"|^\W*(?:por favor,? )?(?:cambia|sustituye|reemplaza) [^,.;]{1,60} por "
    r"|^\W*请?(?:更正|纠正)(?:这条|一下)?|^\W*请?更新(?:你的|我的)?记忆"
    r"|^\W*(?:请|帮我)*把.{1,20}(?:改成|换成|替换成)[^了]{1,20}$"
)
_DO_NOT: Final = re.compile(
    r"^\W*(?:please )?(?:don't|do not|stop) (?:remember|remembering)\b"
    r"|^\W*(?:por favor,? )?(?:no (?:recuerdes|te acuerdes)|deja de recordar)\b"
    r"|^\W*(?:请|你)*(?:别|不要)(?:再)?(?:记着|记住|记得)"
)


def matter_of(words: str) -> Matter:
    """What the words ask of the stand-in itself, "" when nothing of the kind."""
    said = plain(words)
    if _FORGET.search(said) or _DO_NOT.search(said):
        return "forget"
    if _CORRECT.search(said):
        return "correct"
    if _WHO.search(said):
        return "who"
    return "now" if _NOW.search(said) else ""


def told_of(matter: Matter, seen: Seen) -> str:
    """The answer to a matter, in the person's language; "" when what it takes was not shown."""
    if not matter:
        return ""
    if matter == "now":
        return _now(seen)
    if matter in ("forget", "correct"):
        return say(f"demo_{matter}", seen.language)
    who = say("demo_who" if seen.name else "demo_who_nameless", seen.language, name=seen.name)
    if not seen.skills:
        return who
    names = "\n".join(f"- {name}" for name in seen.skills)
    return f"{who}\n\n{say('demo_skills', seen.language)}\n\n{names}"


def _now(seen: Seen) -> str:
    """The date and time as the host gave them."""
    found = _DATE.search(seen.now)
    if not found:
        return ""
    weekday, day, month, year, time, zone = found.groups()
    return say(
        "demo_now",
        seen.language,
        weekday=say("demo_weekdays", seen.language).split()[WEEKDAYS.index(weekday)],
        month=say("demo_months", seen.language).split()[MONTHS.index(month)],
        day=day,
        year=year,
        time=time,
        zone=zone,
    )


_DATE: Final = re.compile(
    rf"({'|'.join(WEEKDAYS)}) (\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{1,4}}), (\d\d:\d\d), (\S+)"
)
