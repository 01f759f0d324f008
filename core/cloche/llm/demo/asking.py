"""What a person wants of the stand-in: everything remembered, or a few friendly words."""

from __future__ import annotations

import re
from typing import Final, Literal

from cloche.memory.extraction.rules.language_rules import plain

Small = Literal["greeting", "thanks", "goodbye", "well", "chat"]

_RECALL: Final = re.compile(
    # English
    r"\b(?:do|can|could|will) you (?:still )?(?:remember|recall|know)\b(?!.{0,12}\b(?:how to|any "
    r"good|why)\b)|\bwhat (?:all )?(?:do|did|can) you (?:still )?(?:remember|recall|know)\b"
    r"|\b(?:what|everything|all)(?: that)? (?:have )?i(?:'ve| have| did)? (?:told|tell|say|said"
    r"|mentioned?)\b|\b(?:tell|show|give|list|remind) me (?:about )?(?:everything|all|what|which)\b"
    r".{0,40}\b(?:you (?:know|remember|have)|i (?:have|told|said|planted|own|grow|use))\b"
    r"|\bwhat(?:'s| is) in your memory\b|\bremind me (?:what|which|where|who|how many|of)\b"
    # Spanish, folded
    r"|\b(?:te acuerdas|recuerdas|recuerda usted|se acuerda)\b|\bque (?:mas )?(?:sabes|recuerdas"
    r"|tienes guardado)\b|\b(?:que|todo lo que|lo que) te (?:he )?(?:conte|contado|dije|dicho)\b"
    r"|\b(?:dime|cuentame|muestrame|recuerdame|ensename) (?:todo lo que|lo que|que|cuales|donde)\b"
    r"|\bcuales recuerdas\b|\brecordas\b|\bte acordas\b"
    # Chinese
    r"|(?:还|是否|你)?记得(?!提醒|浇|买|去|给|带).*(?:吗|么|什么|哪|多少|\?)|记得(?:吗|么|不)"
    r"|你(?:都|还)?(?:知道|记得|记住|了解)(?:了|我)?.{0,12}(?:什么|哪些|多少|吗)|我(?:都)?(?:跟|和|对|告诉)过?你"
    r".{0,6}(?:说|讲|提)?(?:过)?(?:什么|哪些)|我说过(?:什么|哪些)|(?:告诉我|说说|列出)你(?:知道|记得)"
)
_GREETING: Final = re.compile(
    r"\W*(?:hi+|hello|hey+|hiya|howdy|good (?:morning|afternoon|evening|day)|morning|evening"
    r"|hola|holi|buenas|buenos dias|buenas (?:tardes|noches)|saludos"
    r"|你好|您好|大家好|嗨|哈喽|哈啰|早上好|早安|早|上午好|中午好|下午好|晚上好|在吗)(?!\w*[a-z])"
)
_THANKS: Final = re.compile(
    r"\b(?:thanks|thank you|thx|cheers|gracias|agradezco|agradecid[oa])\b|谢谢|多谢|感谢|谢啦|辛苦"
)
_GOODBYE: Final = re.compile(
    r"\b(?:bye|goodbye|see you|good night|talk (?:soon|later|tomorrow)|speak (?:soon|later)"
    r"|take care|adios|chao|hasta (?:luego|manana|pronto|la vista)|nos vemos|buenas noches"
    r"|hablamos)\b|再见|拜拜|晚安|回头见|下次聊|明天聊|回聊|先不聊|下次见"
)
_HOW_ARE_YOU: Final = re.compile(
    r"\bhow(?:'s| is| are| was| were| have| did) (?:you|things|it|life|everything|your|u)\b"
    r"|\bwhat(?:'s| is) (?:up|new)\b|\b(?:did|have) you (?:sleep|slept|rest|eat|eaten)\b"
    r"|\bque tal\b|\bcomo (?:estas|esta usted|va|vas|andas|te va|amaneciste)\b|\bque me cuentas\b"
    r"|\bhas (?:dormido|descansado|comido)\b|你好吗|还好吗|你.{0,4}怎么样|吃了吗|睡得(?:好|怎)"
    r"|最近(?:好|如何|怎么样|忙)|有什么新鲜事"
)


def asks_to_recall(words: str) -> bool:
    """True when the words ask what is remembered at all ("do you remember ...?")."""
    return bool(_RECALL.search(plain(words)))


def is_pleasantry(words: str) -> bool:
    """True for questions that only greet ("how are you?")."""
    return bool(_HOW_ARE_YOU.search(plain(words)))


def small_talk(words: str) -> Small:
    """Which friendly line fits words that hold nothing to keep and ask nothing."""
    said = plain(words)
    if is_pleasantry(words):
        return "well"
    if _THANKS.search(said):
        return "thanks"
    if _GOODBYE.search(said):
        return "goodbye"
    return "greeting" if _GREETING.match(said) else "chat"
