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
    r"|\b(?:summari[sz]e|sum up|recap|list|show)\b.{0,12}\b(?:what|everything|all)\b.{0,12}\byou"
    r"(?:'ve| have)? (?:know|remember|learned|got|stored|kept)\b"
    r"|\b(?:show|list|tell|give|read)\b.{0,10}\b(?:my|your|all|the) memor(?:y|ies)\b"
    r"|\bmy memories\W*$|\b(?:tell|show) me (?:everything|all of it|it all)\W*$"
    r"|\bsummary of (?:what you|everything|my memor)|\beverything you (?:know|remember)\b"
    r"|\bwhat(?:'s| is) in your memory\b|\bremind me (?:what|which|where|who|how many|of)\b"
    # Spanish, folded
    r"|\b(?:te acuerdas|recuerdas|recuerda usted|se acuerda)\b|\bque (?:mas )?(?:sabes|recuerdas"
    r"|tienes guardado)\b|\b(?:que|todo lo que|lo que) te (?:he )?(?:conte|contado|dije|dicho)\b"
    r"|\b(?:dime|cuentame|muestrame|recuerdame|ensename) (?:todo lo que|lo que|que|cuales|donde)\b"
    r"|\b(?:resume|resumeme|resumir|lista|haz(?:me)? un resumen de) (?:todo )?lo que"
    r" (?:sabes|recuerdas)"
    r"|\b(?:muestra|ensena|lista|lee)(?:me)? (?:todos )?(?:mis|tus|los) recuerdos\b"
    r"|\bmis recuerdos\W*$"
    r"|\b(?:dime|cuenta|cuentame|muestrame) ?(?:lo )?todo\W*$|\btodo lo que (?:sabes|recuerdas)\b"
    r"|\bcuales recuerdas\b|\brecordas\b|\bte acordas\b"
    # Chinese
    r"|(?:还|是否|你)?记得(?!提醒|浇|买|去|给|带).{0,60}(?:吗|么|什么|哪|多少|\?)|记得(?:吗|么|不)"
    r"|(?:总结|概括|说说|列出|告诉我|讲讲).{0,6}你(?:都|所)?(?:知道|记得|记住|了解)的?|把?你(?:所)?(?:知道|记得|记住)的.{0,4}"
    r"(?:都|全部|一切)?.{0,3}(?:告诉我|说|列)|(?:显示|看看|查看|列出|给我看看?|总结).{0,6}(?:我的)?(?:记忆|回忆)"
    r"|我的记忆\W*$|(?:告诉我|说说)(?:一切|所有|全部)"
    r"|你(?:都|还)?(?:知道|记得|记住|了解)(?:了|我)?.{0,12}(?:什么|哪些|多少|吗)|我(?:都)?(?:跟|和|对|告诉)过?你"
    r".{0,6}(?:说|讲|提)?(?:过)?(?:什么|哪些)|我说过(?:什么|哪些)|(?:告诉我|说说|列出)你(?:知道|记得)"
)
_WISHES: Final = re.compile(
    r"\b(?:what|which|list|show|tell|give|are|remember|know)\b.{0,30}\b(?:my|our) (?:\w+ )?"
    r"(?:preferences?|rules?|likes|dislikes|wishes|favou?rites)\b"
    r"|^\W*my (?:preferences|rules)\W*$|\bwhat (?:do|don't) i (?:not )?(?:like|prefer|hate|want"
    r"|avoid|dislike)\W*$|\bwhat should you (?:never|not|always)\b"
    r"|\b(?:que|cual(?:es)?|dime|lista|listame|muestra|muestrame|cuentame|sabes|recuerdas)\b.{0,30}"
    r"\b(?:mis|nuestras) (?:preferencias|reglas|normas|gustos|deseos)\b"
    r"|^\W*mis (?:preferencias|reglas|gustos)\W*$|\bque (?:no )?(?:me (?:gusta|disgusta)|prefiero"
    r"|odio|quiero|evito)\W*$|\bque no (?:debes|me debes|tienes que)\b"
    r"|我(?:的|都|们的)*(?:有)?(?:什么|哪些)?(?:偏好|规则|喜好|规矩|口味|要求)(?:是|有|都|呢|吗|什么|哪些|\W|$)"
    r"|我(?:不)?(?:喜欢|讨厌|爱|想要)(?:什么|哪些|啥)|你(?:不能|不可以|应该)(?:给我)?(?:推荐|建议)?(?:我)?什么"
)
_TASKS: Final = re.compile(
    r"\b(?:what|which|list|show|tell|give|any|are|read)\b.{0,30}\b(?:my|our|i) (?:\w+ )?(?:tasks?"
    r"|to-?dos?|to do list|chores|errands)\b|\bwhat tasks\b"
    r"|\bwhat(?:'s| is| are)? (?:there )?(?:still )?(?:left|open|pending|outstanding)"
    r"(?: (?:for me|for us|to do|to be done|on my list))*\W*$"
    r"|\bwhat (?:else )?(?:do|did|should|must) (?:i|we) (?:still |also )?(?:(?:have|need|got)"
    r" (?:left )?to )do\W*$|\bon my (?:to-?do )?list\W*$|^\W*my (?:tasks|to-?dos?|chores)\W*$"
    r"|\b(?:que|cuales|lista|dime|muestra|muestrame|hay|ensename)\b.{0,25}\b(?:mis|nuestras)"
    r" (?:tareas|pendientes)\b|\bque (?:me|nos) (?:queda|quedan|falta|faltan)(?: pendientes?)?"
    r"(?: (?:por|que))?(?: hacer)?\W*$|\bque (?:tengo|tenemos) (?:todavia |aun )?(?:pendiente"
    r"|que hacer|por hacer)(?: (?:todavia|aun))?\W*$|\bque (?:otras )?(?:tareas|pendientes)"
    r" (?:tengo|tenemos|me quedan|hay)\b|^\W*mis (?:tareas|pendientes)\W*$"
    r"|我的?(?:还有|有)?(?:什么|哪些)?(?:任务|待办事项|待办)|(?:我|咱们?)(?:们)?(?:还|都|现在)*(?:有|剩|得|要|该|需要)*"
    r"(?:什么|哪些|啥)(?:事情?|任务)?(?:没做|没办|要做|要办|得做|该做)|(?:还|都)(?:有|剩)(?:下)?(?:什么|哪些|啥)(?:事情?)?"
    r"(?:没做|没办|要做|要办|得做)|我还(?:得|要|需要)做(?:什么|哪些|啥)"
)
_LAST_TALK: Final = re.compile(
    r"\bwhat (?:all )?(?:did|have|were) we (?:last )?(?:been )?(?:talk(?:ed|ing)?|speak|spoken"
    r"|speaking|chat(?:ted|ting)?|discuss(?:ed|ing)?)(?: about)?(?: (?:the )?"
    r"(?:last (?:time|week|month)|yesterday|the other day|before|earlier|(?:most )?recently))*\W*$"
    r"|\bwhat was (?:our|the) last (?:talk|chat|conversation)(?: about)?\W*$"
    r"|\bwhere did we leave off\b|\b(?:de|sobre) que (?:hablamos|charlamos|conversamos|estuvimos"
    r" hablando|hemos hablado)(?: (?:la (?:ultima|otra) vez|ayer|el otro dia|antes|ultimamente"
    r"|la semana pasada))*\W*$|\bque (?:comentamos|tratamos|discutimos)(?: (?:la (?:ultima|otra)"
    r" vez|ayer|el otro dia))\W*$|\b(?:en|por) donde (?:lo dejamos|nos quedamos)\b"
    r"|\b(?:de que|sobre que) (?:fue|trato) nuestra ultima (?:conversacion|charla)\b"
    r"|(?:上次|上回|昨天|之前|前几天|最近)(?:我们|咱们|我跟你|我和你)?(?:都)?(?:在)?(?:聊|谈|讨论|说)(?:了|过|到|的是|的|些)*"
    r"(?:什么|哪些|啥)(?:事情?|内容|话题)?(?:来着|呢)?\W*$"
    r"|(?:我们|咱们)(?:上次|上回|昨天|之前|前几天|最近)?(?:都)?(?:聊|谈|讨论)(?:了|过|到|的是|的|些)*"
    r"(?:什么|哪些|啥)(?:事情?|内容|话题)?(?:来着|呢)?\W*$"
)
_OWNED: Final = re.compile(
    r"\bwhat (?:all )?(?:do|have|did) i (?:now |currently )?(?:have|got|own)(?: now| here"
    r"| again)?\W*$"
    r"|\bque (?:es lo que )?(?:tengo|tenemos)(?: (?:ahora|aqui|yo))?\W*$"
    r"|我(?:现在|都|家|这里)*有(?:些|了)?(?:什么|哪些|啥)(?:东西)?\W*$"
)
_AGREEMENT: Final = re.compile(
    r",\s*(?:(?:is|are|was|were|does|do|has|have|did|will)n't|right|eh|huh|innit|no"
    r"|don't you think)(?: (?:it|they|he|she|we|you|there))?\W*$"
    r"|[,\s\u00bf](?:verdad|no|no crees|eh|cierto|a que si|o no)\s*\?\W*$"
    r"|(?:对吧|是吧|吧|不是吗|对不对|是不是|对吗|呢)\W*$"
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
    r"|hablamos|gotta go|i'm off|so long|me voy|me despido|hasta otra|ciao)\b"
    r"|再见|再会|拜拜|拜啦?$|(?:先|就)(?:这样|到这)(?:里|儿)?(?:吧|了|啦)|(?:明天|明儿|改天|回头|后天|周.|待会儿?)(?:再)?见"
    r"|(?:改天|回头|有空|晚点|下回)再?聊|(?:我)?(?:先|得|要|该)(?:走|撤|下|忙|睡)(?:了|啦|去了)|我走(?:了|啦)|去睡了|走啦"
    r"|后会有期|保重|^88+$|晚安|回头见|下次聊|明天聊|回聊|先不聊|下次见"
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


def asks_for_wishes(words: str) -> bool:
    """True when the words ask for the person's own preferences and rules."""
    return bool(_WISHES.search(plain(words)))


def asks_for_tasks(words: str) -> bool:
    """True when the words ask what the person still has to do."""
    return bool(_TASKS.search(plain(words)))


def asks_of_last_talk(words: str) -> bool:
    """True when they ask what the talk before was about, whatever it was."""
    return bool(_LAST_TALK.search(plain(words)))


def asks_for_all_owned(words: str) -> bool:
    """True when the words ask what the person has, whatever it is ("what do I have?")."""
    return bool(_OWNED.search(plain(words)))


def seeks_agreement(words: str) -> bool:
    """True for a remark that only ends as a question ("Lovely evening, isn't it?")."""
    return bool(_AGREEMENT.search(plain(words)))


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
