"""One spelling of words for whatever compares them, in the languages the host's rules know."""

from __future__ import annotations

from typing import Final

from cloche.vocabulary import fold
from cloche.words import split


def folded(text: str) -> str:
    """Words as they are compared: folded, straight apostrophes, simplified, single spaces."""
    return " ".join(fold(text.translate(_APOSTROPHES)).translate(_SIMPLIFIED).split())


def holds(text: str, statement: str) -> bool:
    """True when a text has all words of a statement, one after the other."""
    said, wanted = ([word.folded for word in split(one).words] for one in (text, statement))
    starts = range(len(said) - len(wanted) + 1)
    return bool(wanted) and any(said[at : at + len(wanted)] == wanted for at in starts)


_APOSTROPHES: Final = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u00b4`", "'"))
_TRADITIONAL: Final = (
    "們個這來為說話請給訴記從後總愛歡厭惡討對過會時東邊陽裡裏種養買賣開關樹麼嗎還沒點樣問間幾講聽讀寫學習練彈畫師媽爺婦兒孫鄰貓雞魚見現發國幫實應該讓換裝蓋鋪掛廚頂門"
    "臺溫長寬圍牆陰熱風氣颱雲顧絕隻僅堅專煩謝歲職業場產動務辦員區鎮鄉號樓層葉結決計劃準備剛離著鐘頭輕鬆壞濕乾鹼無機農藥質類約兩塊條參與屬於認覺願寧慣極"
)
_SIMPLE: Final = (
    "们个这来为说话请给诉记从后总爱欢厌恶讨对过会时东边阳里里种养买卖开关树么吗还没点样问间几讲听读写学习练弹画师妈爷妇儿孙邻猫鸡鱼见现发国帮实应该让换装盖铺挂厨顶门"
    "台温长宽围墙阴热风气台云顾绝只仅坚专烦谢岁职业场产动务办员区镇乡号楼层叶结决计划准备刚离着钟头轻松坏湿干碱无机农药质类约两块条参与属于认觉愿宁惯极"
)
_SIMPLIFIED: Final = str.maketrans(dict(zip(_TRADITIONAL, _SIMPLE, strict=True)))
