"""Which questions may reach a tool that writes: only what is put to it, not what asks of it.

"My town is what?" has the form of "my town is Oslo", and "I live in Oslo?" its words: who asks must
not be taken for somebody who tells. A tool that is asked things (one of its examples is a question)
is reached by questions as ever, and so is every tool by an order, however politely it is put ("can
you note that ...?").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from cloche.memory.extraction import asked_of_us
from cloche.memory.extraction.rules.language_rules import LANGUAGES, bare, plain, rules_of

_POLITE: Final = re.compile(
    r"^\W*(?:(?:please|kindly|can you|could you|would you|will you|can we|can i|could i|may i"
    r"|i(?:'d| would) like (?:you )?to|i (?:want|need)(?: you)? to|i need|i want"
    r"|por favor|puedes|podrias|podria|puede|me puedes|me podrias|quiero|quisiera|necesito"
    r"|me gustaria|(?:me|nos) \w{3,40}[ae]s(?! dicho))\b"
    r"|请|麻烦|帮|能|可以|可不可以|你?能不能|你?能|你?可以|给|把|我(?:想|要|需要))"
)
"""An order or a wish, not a thing told: whatever is asked in it is part of what is to be done."""
_ASKS_FIRST: Final = re.compile(
    r"^\W*(?:(?:did|have|has|had|do|does|is|are|was|were|am|will|shall|should|would) (?:i|we|my|our"
    r"|the|there)\b|(?:what'?s?|which|when|where|why|how|que|cual(?:es)?|donde|cuando|como|cuant[oa]s?)\b"
    r"|(?:he|hemos|ha|han) \w+(?:ado|ido|to|cho)\b)"
)
_ASKED_WORD: Final = re.compile(
    r"\W*(?:(?:what|which|where|when|who|whose|how (?:much|many))\b|cual(?:es)?\b|quien(?:es)?\b"
    r"|donde\b|cuant[oa]s?\b|(?:有|是|写|记|说|在)*了?(?:什么|些什么|啥|哪|谁|多少|几[个条])"
    r"|[呢吗么]\W*$)"
)
"""How what should be told begins where it is asked for instead; folded."""
MAX_ASKED_CHARS: Final = 7
"""So short a thing is the question word alone ("what", "which", cuáles, 有什么)."""
_ASKED_WHAT: Final = re.compile(r"\W*qu[\u00e9\u00c9]\b")
"""Only with its accent: "que" without is how what is told begins."""
_LABEL: Final = re.compile(
    r"(?:the|an?|my|our|that|this|new|today'?s|workout|trained|everything|all"
    r"|notes?(?! (?:that|down)\b))\b"
    r"|(?:la|el|una?|mi|mis|todo|esa|ese|nota|nueva|entreno|lo)\b"
)
"""How a template begins that names what follows ("note: ...") and gives no order."""
_ORDERS: Final = re.compile(
    "记一|记下|记个|记录|记住|记得|写上|写下|写一|写个|加一|加个|做|提醒|设|定|改|更正|更新|修改|纠正|取消|推迟"
    "|删|忘|应该|别|用|保存|新建|打卡|安排|撤销|叫|请|帮|把|给|查|看|列|告诉"
)
_CHINESE: Final = re.compile("[\u4e00-\u9fff]")


def asks_a_thing(words: str) -> bool:
    """True for what stands in a slot where the question for it is put ("where", 是什么)."""
    return bool(_ASKED_WORD.match(plain(words)) or _ASKED_WHAT.match(words))


def is_order(text: str) -> bool:
    """True for what is asked to be done, politely or not ("can you note that ...?")."""
    return bool(_POLITE.match(plain(text)))


@lru_cache(maxsize=256)
def is_question(text: str) -> bool:
    """True where a text asks something, with or without a question mark."""
    return asked_of_us(text) == "question"


def tells(text: str) -> bool:
    """True for words that would tell something of the person, were they not asked."""
    if _ASKS_FIRST.match(plain(text)):
        return True
    for rules in map(rules_of, LANGUAGES):
        words = bare(text, rules)
        if rules.personal.match(words) or rules.identity.match(words):
            return True
    return False


@lru_cache(maxsize=4096)
def is_label(template: str) -> bool:
    """True for a template that names what its slots take, and orders nothing."""
    words = plain(re.sub(r"\[[^\[\]]*\]|\{[^{}]*\}", " ", template)).strip()
    if _CHINESE.search(words):
        return not _ORDERS.search(words)
    return bool(_LABEL.match(words.lstrip(" :,")))


@lru_cache(maxsize=4096)
def asks(sentence: str) -> bool:
    """True for an example that is a question: its tool is one that is asked things."""
    return is_question(sentence) and not is_order(sentence)


def told_by_template(text: str, template: str, slots: Mapping[str, str]) -> bool:
    """Whether what a template's slots took is told; False where it may be asked for instead.

    Args:
        text: What was said.
        template: The template that fits it.
        slots: What its slots took.
    """
    if is_order(text) or _ASKS_FIRST.match(plain(template)):
        return True
    if not ((label := is_label(template)) or tells(text)):
        return True
    return bool(label and slots and _is_marked(text, template)) or not is_question(text)


def names_a_thing(text: str, template: str, slots: Mapping[str, str]) -> bool:
    """False where a slot took a question word for what is told: it fits no tool at all."""
    asked = [value for value in slots.values() if asks_a_thing(value)]
    if not asked:
        return True
    if any(len(value) <= MAX_ASKED_CHARS for value in asked):
        return False  # "remind me to what?"
    return is_order(text) or not (is_label(template) or tells(text))


def told_by_itself(text: str) -> bool:
    """Whether what a tool hears by itself is told it; False where it may be asked for instead."""
    return is_order(text) or not (tells(text) and is_question(text))


def _is_marked(text: str, template: str) -> bool:
    """True for "note: why is it so?": what stands behind the colon is what is to be noted."""
    return any(mark in template for mark in ":：") and any(mark in text for mark in ":：")
