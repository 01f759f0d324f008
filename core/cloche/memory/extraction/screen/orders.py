"""Words by which a text gives the assistant orders about itself, in a text that was made plain."""

from __future__ import annotations

import re
from typing import Final

_BEGINS: Final = (
    r"(?:^|[.!?,;:\"“]\s*|\b(?:please|and|then|now|always|from now on|must|should|shall|will|to)"
    r",? )"
)
_NOT_ONES_OWN: Final = "".join(rf"(?<!\b{who} )" for who in ("i", "we", "they", "he", "she", "who"))
"""What people tell of themselves is no order: "I ignore my neighbour's instructions"."""
ORDERS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # English
        rf"{_NOT_ONES_OWN}\b(?:ignore|disregard|forget|override|overwrite|bypass|drop|skip)\b.{{0,40}}"
        r"\b(?:instructions?|rules|prompts?|guidelines|restrictions|persona|programming|training"
        r"|safety checks?|everything (?:above|before)|what you were told)\b",
        r"\b(?:never|not|n't|stop|without)\b(?: \w+){0,3}? your (?:\w+ )?"
        r"(?:rules|guidelines|instructions|polic(?:y|ies)|restrictions|prompt)\b",
        r"\bnew instructions?\s*:|\byour new instructions\b",
        r"\byou(?: a|')re (?:an? )?(?:unrestricted|unfiltered|uncensored|jailbroken|dan\b)",
        r"\b(?:assistant|ai|chat ?bot|language model) (?:should|must|shall) (?:always |never )?"
        r"(?:lie|obey|reveal|agree|comply|ignore)",
        r"\b(?:do not|don't|never) tell the user\b",
        r"\byou (?:must|should|have to|shall|will)(?: always| never)?"
        r" (?:agree with (?:me|everything)|comply|lie\b|reveal)",
        r"\bwhen(?:ever)?\b.{0,60}\b(?:asks?|asked|mentions?)\b.{0,40}\byou"
        r" (?:must|should|have to|shall|will) (?:always |only )?"
        r"(?:say|claim|pretend|lie|answer|reply|swear)\b",
        rf"{_BEGINS}(?:send|forward|post|upload|leak|e-?mail)\b.{{0,20}}\b(?:messages?|data"
        r"|conversations?|memor(?:y|ies)|chats?|secrets?)\b.{0,30}\bto\b",
        r"\byou(?: a|')re (?:now|no longer)\b(?! (?:my|our) (?:friend|favou?rite))",
        r"\b(?:from now on|henceforth),? you(?: a|')re\b|\byou (?:will|shall|must) (?:now )?be"
        r" (?:known|called) as\b",
        r"\byour (?:new )?(?:name|role|identity|persona|task|purpose|mission) (?:is|will be"
        r"|shall be)\b(?![^.!\n]{0,200}\?)",
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
        r"\b(?:no (?:sigas|cumplas|obedezcas|menciones|respetes)|nunca (?:menciones|sigas|cumplas)"
        r"|haz caso omiso|no hagas caso|deja de seguir|sin seguir)\b.{0,20}"
        r"\b(?:reglas|instrucciones|normas|indicaciones|restricciones)\b",
        r"\b(?:responde\w*|contesta\w*|habla\w*)\b.{0,20}\bsin (?:filtros?|limites|censura"
        r"|restricciones)\b",
        r"\beres (?:dan\b|una? (?:ia|asistente) sin\b)",
        r"\b(?:debes|tienes que)\b.{0,12}\b(?:darme (?:siempre )?la razon"
        r"|estar (?:siempre )?de acuerdo|mentir)",
        r"\bcuando\b.{0,50}\b(?:pregunt\w+|mencion\w+)\b.{0,30}\b(?:debes|tienes que|vas a)"
        r" (?:siempre )?(?:decir|contestar|responder|mentir|jurar)",
        rf"{_BEGINS}(?:envia|manda|reenvia|sube)\b.{{0,20}}\b(?:mensajes|datos|conversaciones|memorias)"
        r"\b.{0,30}\ba\b",
        r"\b(?:ignora|ignore|olvida|olvide|omite|anula|salta(?:te)?)\b.{0,40}"
        r"\b(?:instrucciones|reglas|normas|indicaciones|restricciones)\b",
        r"\b(?:ahora|a partir de ahora|desde ahora|de ahora en adelante),? (?:tu )?eres\b"
        r"|\beres ahora\b|\bya no eres\b|\beres (?:el|la|un|una|mi) (?:esclav|sirvient|servidor)",
        r"\btu (?:nuev[oa] )?(?:nombre|papel|rol|mision|identidad|tarea) (?:ahora )?(?:es|sera)\b"
        r"(?![^.!\n]{0,200}\?)",
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
        r"(?:不要|别再?|不用|不必|无需)(?:遵守|遵循|理会|管|听从|执行|提到?|提及).{0,10}"
        r"(?:指令|指示|规则|规定|限制|准则)",
        r"你是(?:一个)?(?:没有|不受)(?:任何)?(?:限制|约束|规则)",
        r"你(?:必须|永远|总是|一定要?|要|得|都)*(?:同意|赞同)我",
        r"(?:问|提).{0,20}你(?:就|都)?(?:必须|一定要|要|得)(?:说|回答)",
        r"(?:^|[,.!;:。\s]|请|总是|永远)把.{0,10}(?:消息|数据|资料|对话|记忆|聊天).{0,6}发(?:送|给|到)",
        r"(?<!我)(?<!我们)(?:忽略|无视|忘记|忘掉|跳过|绕过|不要理会).{0,16}"
        r"(?:指令|指示|规则|提示|设定|限制|要求|准则)",
        r"你现在(?:开始)?(?:就)?是(?!不是)|从(?:现在|今)(?:开始|起|往后)?,?你(?:就)?是|你不再是",
        r"你的?(?:新)?(?:名字|身份|角色|使命|任务)(?:现在|以后)?(?:是|改成|变成)(?!什么|啥|谁)(?!.{0,200}\?)",
        r"我(?:现在|就|才|其实|可)*是你们?的?(?:新|真正的?)?(?:管理员|管理者|开发者|主人|老板|创造者"
        r"|程序员|上司|上级|操作员|领导)|我是(?:本|这个|该)?系统(?:的)?(?:管理员|开发者)",
        r"(?:^|[,.!;:。\s]|请|你|要|给我|来|开始|起)(?:假装|假扮|扮演|装成|装作|模仿)",
        r"(?:假装|假扮|扮演|装作|当作|就当).{0,12}(?:没有|不受|不用|无).{0,8}(?:规则|限制|约束)",
        r"(?:^|[,.!;:。\s]|请|你)(?:要|必须|永远|始终|总是|一定|都|得|绝对|无条件|只能?|以后|每次)*"
        r"(?:服从|遵从|听从|听)我(?!说|讲|唱|家|一)",
        r"我(?:说|让|叫)(?:你)?(?:什么|干什么|做什么|啥)你?就(?:得|要)?(?:做|干|是)",
        r"系统提示|开发者模式|管理员(?:模式|密钥|密码)|越狱模式",
    )
)
