"""What a person says they have to do, and that it is done, by rules in three languages. Pure."""

from __future__ import annotations

import re
from typing import Final

from cloche.memory.extraction.rules.language_rules import LANGUAGES, plain, rules_of
from cloche.memory.extraction.timebound.chinese import CHINESE
from cloche.memory.extraction.timebound.english import ENGLISH
from cloche.memory.extraction.timebound.spanish import SPANISH
from cloche.vocabulary import CJK

SHARED: Final = 0.6
"""So much of a task's words a sentence must share to tell that it is done."""

_TO_DO: Final = re.compile(
    r"\b(?:i|we)(?:'ve)? (?:(?:still|also|really|just) )*(?:need|have|ought|want|plan|intend"
    r"|promised|mean) to\b|\b(?:i|we) (?:still )?(?:must|should)\b(?!n't| have)"
    r"|\bremind me to\b|\bdon't let me forget\b|\bon my to-?do\b"
    r"|\b(?:tengo|tenemos) que\b|\b(?:debo|debemos|necesito|necesitamos|quiero|pienso|planeo"
    r"|deberia|deberiamos) \w+(?:ar|er|ir)(?:me|nos|l[oae]s?)?\b|\bhay que\b|\bme falta\b"
    r"|\bqueda pendiente\b|\brecuerdame que\b"
    r"|(?:我|我们|咱们?)(?:还|也|今天|明天|后天|这周|下周|周末|改天)*(?:得|要|需要|必须|应该|打算|准备|计划)"
    r"(?!是|么|不要|的)|提醒我|别忘了"
)
_ASKED_FOR: Final = re.compile(
    r"\bremind me\b|\brecuerdame\b|提醒我|别忘了|\bdon't let me forget\b"
)
_NOT_TO_DO: Final = re.compile(
    r"\b(?:don't|do not|didn't|never) (?:need|have|want|plan) to\b|\bno (?:tengo|tenemos) que\b"
    r"|\bno (?:debo|necesito|quiero|pienso)\b|不(?:用|需要|必|想|打算|准备|应该|要)"
)
_DONE: Final = re.compile(
    r"\b(?:done|finished|sorted|already|finally)\b|\b(?:i|we)(?:'ve| have)? (?:(?:just|already"
    r"|finally|now|even) )*(?!need|want|plan)[a-z]+(?:ed|ght|de|nt|id|ew|t)\b"
    r"|\bya\b|\b(?:he|hemos) \w+(?:do|to|cho)\b|\bhech[oa]s?\b|\blist[oa]s?\b"
    r"|\b(?!debe|que|de|me|se)\w{3,}(?:e|i|amos|imos)\b"
    r"|了|完|过"
)
_NOT_DONE: Final = re.compile(
    r"\b(?:not|n't|never|still|yet)\b|n't\b|\b(?:todavia|aun) no\b|\bno (?:he|hemos)\b|没|还得|还要"
)
_FILLER: Final = frozenset(
    """
    a about also an and at been before by do for from get got have i in is it just me more must my
    need not now of off on ought our out plan really should some still that the them then there
    this to too up want we will with
    al algo antes con de debo del el ella en es esta este falta hay he la las lo los me mi mis
    necesito nos para pienso por que quiero se sin su tengo tenemos un una unos ya yo
    """.split()
)
_BASES: Final = {
    past: line.split()[0]
    for line in """
    bring brought; build built; burn burnt; buy bought; catch caught; choose chose chosen
    come came; cut cut; dig dug; do did done; draw drew drawn; drive drove driven
    eat ate eaten; feed fed
    fight fought; find found; fly flew flown; forget forgot forgotten; get got gotten
    give gave given; go went gone; grind ground; grow grew grown; hang hung; hold held
    keep kept; lay laid; lead led
    leave left; lend lent; let let; light lit; make made; meet met; pay paid; put put; read read
    ride rode ridden; ring rang rung; rise rose risen; run ran; say said; see saw seen; seek sought
    sell sold; send sent; set set; sew sewn; shake shook shaken; shut shut; sing sang sung; sow sown
    speak spoke spoken; spend spent; spin spun; spread spread; stand stood; steal stole stolen
    stick stuck; swear swore sworn; sweep swept; swim swam swum; take took taken; teach taught
    tear tore torn; tell told; think thought; throw threw thrown; wake woke woken; wear wore worn
    weave wove woven; win won; wind wound; write wrote written
    abrir abierto; cubrir cubierto; dar di dimos dado; decir dije dijimos dicho
    devolver devuelto; escribir escrito; freir frito; hacer hice hicimos hecho; imprimir impreso
    ir fui fuimos ido; morir muerto; poner puse pusimos puesto; poder pude pudimos; querer quise
    resolver resuelto; romper roto; tener tuve tuvimos; traer traje trajimos; venir vine vinimos
    ver vi vimos visto; volver vuelto; elegir elegi elegido; servir servi servido
    """.replace("\n", ";").split(";")
    if line.strip()
    for past in line.split()[1:]
}
"""Verbs whose past begins or ends otherwise."""
_ENDING: Final = re.compile(
    r"(?<=[a-z]{3})(?:ed|ing|es|s|ar(?:l[oae]s?)?|er(?:l[oae]s?)?|ir(?:l[oae]s?)?|amos|emos|imos|ad[oa]s?"
    r"|id[oa]s?|e|i|o)$"
)
_CHINESE_FILLER: Final = frozenset(
    "我们咱还也得要需必须应该打算准备计划了的个一把给去来就都再已经好完过在是有吧呢今明后天这下周末"
)


def is_to_do(sentence: str) -> bool:
    """True when a sentence tells of something that is left to do, once."""
    words = plain(sentence)
    if words.rstrip().endswith("?") or not _TO_DO.search(words) or _NOT_TO_DO.search(words):
        return False
    if any(one.recurring.search(words) or one.habitual.search(words) for one in _TIMES):
        return False
    of_the_moment = any(rules_of(language).chatter.search(words) for language in LANGUAGES)
    return bool(_content(words)) and (not of_the_moment or bool(_ASKED_FOR.search(words)))


def tells_done(sentence: str, task: str) -> bool:
    """True when a sentence tells that a task is done: the same words, and that it was."""
    words = plain(sentence)
    done = _DONE.search(words) or any(_BASES.get(word, word) != word for word in words.split())
    if not done or _NOT_DONE.search(words) or is_to_do(sentence):
        return False
    wanted = _content(plain(task))
    return bool(wanted) and len(wanted & _content(words)) >= SHARED * len(wanted)


def _content(words: str) -> frozenset[str]:
    """What words are about: beginnings of words, so that an ending changes nothing."""
    latin = re.findall(r"[^\W\d_]+|\d+", "".join(" " if CJK.match(c) else c for c in words))
    chinese = {char for char in words if CJK.match(char)} - _CHINESE_FILLER
    return frozenset(
        {_stem(word) for word in latin if word not in _FILLER and len(word) > 1} | chinese
    )


def _stem(word: str) -> str:
    """The beginning of a word, the same for what is to do and what is done (bought, buy)."""
    word = _BASES.get(word, word)
    word = re.sub(r"(?<=[a-z]{2})(gu|qu)(?=e$)", lambda m: m[1].replace("qu", "c")[0], word)
    while (shorter := _ENDING.sub("", word)) != word:
        word = shorter
    return word[:4]


_TIMES: Final = (ENGLISH, SPANISH, CHINESE)
