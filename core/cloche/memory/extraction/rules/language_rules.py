"""What the rules of one language are made of, and how words are made ready for them.

``en.toml``, ``es.toml`` and ``zh.toml`` hold the patterns: a line is an alternative, a line
indented by four spaces goes on with the one above, ``{name}`` stands for a part. All are written
for *bare* words: NFKC, case folded, without combining marks, straight apostrophes, traditional
Chinese as simplified, longer quotations left out (somebody else may have said them), single
spaces, and greetings and interjections at the start taken off.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Final

from cloche.vocabulary import fold

LANGUAGES: Final = ("en", "es", "zh")


@dataclass(frozen=True, slots=True)
class LanguageRules:
    """The patterns of one language. Those in ``AT_THE_START`` are matched there, others anywhere.

    Attributes:
        lead: Greetings, thanks, interjections at the start, which say nothing.
        trail: The same at the end, and hedges ("..., I think").
        remember: "Remember that ...": what follows was given to be kept.
        question: Asked, with or without a question mark.
        wondering: Not known to the person ("I don't know whether ...").
        command: Something to do now, once.
        imagined: Supposed or wished against the facts.
        hearsay: Said by others; what is about the person stands after it.
        own: In hearsay, marks what is about the person or theirs.
        weather: Talk of weather or the day.
        habitual: "When it rains, ...": weather as part of a standing fact.
        chatter: Feelings, plans and doings of the moment.
        other_sense: Eaten, slept in, said as an idiom: words of a field mean something else in it.
        passing: Today, right now, yesterday.
        lasting: Doings that change what there is (bought, moved, built).
        rule: A standing wish about what the assistant does.
        preference: What the person likes, hates, only or never does.
        fragment_preference: The same without a subject ("Only organic.").
        decision: What the person decided.
        identity: Name, home, work, age.
        personal: First person, or something of theirs.
        possessive: "My ...", "our ...": something of theirs as such.
        stative: A thing described as it is ("the ... faces south", "there is a ... behind the").
        measure: Numbers with units, directions: what a described thing has.
        anaphor: Begins by pointing at what the sentence before named ("It gets ...").
        others: The subject is somebody else; group 1 names them.
        outsiders: Of those, people who do not live with the person.
    """

    lead: re.Pattern[str]
    trail: re.Pattern[str]
    remember: re.Pattern[str]
    question: re.Pattern[str]
    wondering: re.Pattern[str]
    command: re.Pattern[str]
    imagined: re.Pattern[str]
    hearsay: re.Pattern[str]
    own: re.Pattern[str]
    weather: re.Pattern[str]
    habitual: re.Pattern[str]
    chatter: re.Pattern[str]
    other_sense: re.Pattern[str]
    passing: re.Pattern[str]
    lasting: re.Pattern[str]
    rule: re.Pattern[str]
    preference: re.Pattern[str]
    fragment_preference: re.Pattern[str]
    decision: re.Pattern[str]
    identity: re.Pattern[str]
    personal: re.Pattern[str]
    possessive: re.Pattern[str]
    stative: re.Pattern[str]
    measure: re.Pattern[str]
    anaphor: re.Pattern[str]
    others: re.Pattern[str]
    outsiders: re.Pattern[str]


AT_THE_START: Final = frozenset(
    ("lead", "remember", "command", "fragment_preference", "stative", "anaphor", "others")
)


@cache
def rules_of(language: str) -> LanguageRules:
    """The rules of one of ``LANGUAGES``, read and compiled when first asked for.

    Raises:
        ValueError: the file has other names than ``LanguageRules``, or a pattern is broken.
    """
    text = files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    parts: dict[str, str] = {}
    for name, lines in data["parts"].items():
        parts[name] = f"(?:{_alternatives(lines, parts)})"
    wanted = {field.name for field in fields(LanguageRules)}
    if wanted != set(data["patterns"]):
        raise ValueError(f"{language}.toml: {sorted(wanted ^ set(data['patterns']))}")
    spaced = bool(data["spaced"])
    return LanguageRules(
        **{
            name: re.compile(_bounded(name, _alternatives(lines, parts), spaced=spaced))
            for name, lines in data["patterns"].items()
        }
    )


def _is_name(quoted: str) -> bool:
    """True for a name in quotation marks: few words, and no sentence."""
    few = len(quoted.split()) <= 3 and len(quoted) <= (24 if quoted.isascii() else 12)
    return few and not quoted.rstrip().endswith(tuple(".,!?\u3002\uff0c\uff01\uff1f"))


def _alternatives(lines: str, parts: Mapping[str, str]) -> str:
    joined = re.sub(r"\n {4}", "", lines.strip("\n"))
    return _PART.sub(lambda part: parts[part[1]], joined.replace("\n", "|"))


def _bounded(name: str, alternatives: str, *, spaced: bool) -> str:
    """Whole words in languages with spaces; lead and trail say themselves where they end."""
    if not spaced or name in ("lead", "trail"):
        return alternatives
    before = "" if name in AT_THE_START else r"(?<!\w)"
    return rf"{before}(?:{alternatives})(?!\w)"


def folded(text: str) -> str:
    """Words as they are compared: folded, straight apostrophes, simplified, single spaces."""
    return " ".join(fold(text.translate(_APOSTROPHES)).translate(_SIMPLIFIED).split())


def plain(text: str) -> str:
    """Words as the patterns are written, all of them."""
    text = _QUOTED.sub(lambda quote: quote[1] if _is_name(quote[1]) else " ", text)
    return folded(text)


def bare(text: str, rules: LanguageRules) -> str:
    """Plain words without what only greets or fills at the start."""
    rest = plain(text).lstrip(_EDGES)
    while lead := rules.lead.match(rest):
        if not lead.end():
            break
        rest = rest[lead.end() :].lstrip(_EDGES)
    while trail := rules.trail.search(rest):
        rest = rest[: trail.start()]
    return rest


_PART: Final = re.compile(r"\{([a-z_]+)\}")
_EDGES: Final = " ,.:;!\u00a1\u00bf\u2014\u2013-\u3001\u3002~\u2026*_#"
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u00b4`", "'"))
_QUOTED: Final = re.compile(
    '["\u201c\u201d\u00ab\u300c\u300e]([^"\u201c\u201d\u00ab\u00bb\u300c-\u300f\n]{1,400})'
    '["\u201d\u00bb\u300d\u300f]'
)
_TRADITIONAL: Final = (
    "們個這來為說話請給訴記從後總愛歡厭惡討對過會時東邊陽裡裏種養買賣開關樹麼嗎還沒點樣問間幾講聽讀寫學習練彈畫師媽爺婦兒孫鄰貓雞魚見現發國幫實應該讓換裝蓋鋪掛廚頂門"
    "臺溫長寬圍牆陰熱風氣颱雲顧絕隻僅堅專煩謝歲職業場產動務辦員區鎮鄉號樓層葉結決計劃準備剛離著鐘頭輕鬆壞濕乾鹼無機農藥質類約兩塊條參與屬於認覺願寧慣極"
)
_SIMPLE: Final = (
    "们个这来为说话请给诉记从后总爱欢厌恶讨对过会时东边阳里里种养买卖开关树么吗还没点样问间几讲听读写学习练弹画师妈爷妇儿孙邻猫鸡鱼见现发国帮实应该让换装盖铺挂厨顶门"
    "台温长宽围墙阴热风气台云顾绝只仅坚专烦谢岁职业场产动务办员区镇乡号楼层叶结决计划准备刚离着钟头轻松坏湿干碱无机农药质类约两块条参与属于认觉愿宁惯极"
)
_SIMPLIFIED: Final = str.maketrans(dict(zip(_TRADITIONAL, _SIMPLE, strict=True)))
