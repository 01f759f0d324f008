"""Time in Chinese; plain words have simplified characters."""

from __future__ import annotations

import re
from typing import Final

from cloche.memory.extraction.timebound.tables import TimeWords, one_of


def _numerals() -> dict[str, int]:
    """``一`` to ``九十九``, and ``两``."""
    digits = "一二三四五六七八九"
    found = {digit: number for number, digit in enumerate(digits, start=1)} | {"两": 2}
    for tens, left in enumerate(("", *digits[1:]), start=1):
        found[f"{left}十"] = tens * 10
        for ones, right in enumerate(digits, start=1):
            found[f"{left}十{right}"] = tens * 10 + ones
    return found


_NUMERALS: Final = _numerals()
_NUMBERS: Final[dict[str, float]] = {
    "半": 0.5,
    "几": 6,
    "好几": 6,
    "一两": 2,
    "两三": 3,
} | _NUMERALS
_MONTHS: Final = {
    written: number
    for number in range(1, 13)
    for written in (str(number), next(n for n, v in _NUMERALS.items() if v == number))
} | {"": 0}
_WEEKDAYS: Final = {day: number for number, day in enumerate("一二三四五六日")} | {
    "天": 6,
    **{str(number + 1): number for number in range(7)},
}
_RELATIVE: Final = {
    "大后天": 3,
    "后天": 2,
    "明天": 1,
    "明早": 1,
    "明晚": 1,
    "今天": 0,
    "今晚": 0,
    "今早": 0,
    "今日": 0,
    "刚才": 0,
    "刚刚": 0,
    "昨天": -1,
    "昨晚": -1,
    "前天": -2,
}
_UNITS: Final = {
    "分钟": "minute",
    "小时": "hour",
    "钟头": "hour",
    "天": "day",
    "日": "day",
    "晚": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "年": "year",
    "周末": "weekend",
}
_WHICH: Final[dict[str, int | None]] = {
    "": None,
    "这": 0,
    "这个": 0,
    "本": 0,
    "今": 0,
    "下": 1,
    "下个": 1,
    "明": 1,
    "下下": 2,
    "下下个": 2,
}
_NUMBER: Final = rf"\d{{1,4}}|{one_of(_NUMBERS)}"
_WEEK: Final = "(?:周|星期|礼拜)"

CHINESE: Final = TimeWords(
    points=tuple(
        re.compile(point)
        for point in (
            r"(?P<iso>(?<!\d)\d{4}-\d\d?-\d\d?(?!\d))",
            rf"(?P<which>下下个?|下个?|这个?|本)?{_WEEK}(?P<weekday>[一二三四五六日天1-7])"
            r"(?![一二三四五六七八九\d]|周|个)(?:早上|上午|中午|下午|晚上)?",
            r"(?:(?P<year>(?:19|20)\d\d)年)?(?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月"
            rf"份?(?P<day>3[01]|[12]?\d|{one_of(_NUMERALS)})[日号]?",
            rf"(?<![\d月])(?P<day>3[01]|[12]?\d|{one_of(_NUMERALS)})号(?!\w{{0,20}}(?:线|楼|店|机))",
            r"(?:(?P<year>(?:19|20)\d\d)年)?(?P<month>(?<![\d个])(?:1[0-2]|[1-9]|十[一二]?"
            r"|[一二三四五六七八九]))月(?:份|底|末|初|中旬?)?(?!\d)",
            rf"(?P<relative>{one_of(_RELATIVE)})(?:早上|上午|中午|下午|晚上)?",
            r"(?P<which>下下个?|下个?|这个?|本)(?P<unit>周末|周|星期|礼拜)(?![一二三四五六日天\d])",
            r"(?P<which>下下个|下个|这个|本)(?P<unit>月)[底末]?",
            r"(?P<which>今|明)(?P<unit>年)[底末]?(?!\d)",
            r"(?<![\d一二三四五六七八九十年])(?P<unit>月|年)[底末]",
            r"(?<![下这本])(?P<unit>周末)",
            r"(?P<year>20\d\d)年(?!\d|[一二三四五六七八九十])",
        )
    ),
    weekdays=_WEEKDAYS,
    months=_MONTHS,
    relative=_RELATIVE,
    units=_UNITS,
    which=_WHICH,
    numbers=_NUMBERS,
    length=re.compile(
        rf"(?P<count>{_NUMBER})(?:个)?(?P<unit>分钟|小时|钟头|天|晚|周(?!末|[一二三四五六日])|星期|礼拜|月(?!\d)|年)"
    ),
    until_before=re.compile(
        r"(?:直到|一直到|持续到|等到|延到|截止到?|截至|最晚|最迟|(?<![迟报达送买收想])到|至)$"
    ),
    until_after=re.compile(r"(?:为止|之前|以前|前(?![面天几些]))"),
    back_before=re.compile(r"(?:回来|返回|回家)(?:是|在|要到)?$"),
    back_after=re.compile(r"(?:才|再|就|会|能|要|早上|下午|晚上)*(?:回(?!答|复)|返)"),
    lasts_before=re.compile(
        r"(?:(?:我|我们|她|他|咱)?(?:要|得|会|将|需要|打算|准备|暂停|停|休假|休息|请假|出差|放假|度假|住院|借|闭馆"
        r"|停业|隔离|禁食|忌口)(?!了|过)[^,。!?;]{0,6})$"
    ),
    lasts_after=re.compile(r"(?:内|之内|以内)?(?:都)?(?:不|别|没法|不能|不在|休息|放假)"),
    ahead_before=re.compile(r"(?:接下来|未来|今后|往后|再过?|还要|还得|还有|这)(?:的)?$"),
    no_end_before=re.compile(
        r"(?:每个?|逢|自从?|从|打|上个?|去|自|大前|周[一二三四五六日]|星期[一二三四五六日])$"
    ),
    no_end_after=re.compile(r"(?:起|开始|以来|以后|之后|后(?![天])|以降|至今)"),
    recurring=re.compile(
        r"每(?:个)?(?:周|星期|礼拜|月|年)|生日|纪念日|[周星期][一二三四五六]到周?[一二三四五六日]"
        r"|我们?只?(?:周|星期|礼拜)[一二三四五六日天]"
        r"(?:[、，,和及与]?(?:周|星期|礼拜)?[一二三四五六日天])+"
        r"(?!.{0,6}(?:要|会|去|不|没|出差|请假|休假|放假|度假|见|回|飞|搬|有))"
    ),
    habitual=re.compile(
        r"总是|通常|平时|经常|一向|从来|从不|每天|每晚|天天|一般都|(?<![到至下这本])(?:周|星期|礼拜)[一二三四五六日天末].{0,2}都(?:有|要|得)"
    ),
    past=re.compile(
        r"(?:住|待|呆|休息|工作|上班|学|等|玩|去|做|干|花)(?:了|过)|已经|曾经|以前|过去|当时|原来"
    ),
    present=re.compile(
        r"(?:在|要|会|得|将|不|别|没空|休假|出差|放假|度假|请假|生病|病了|感冒|发烧|忙|住院|回不来|借)"
    ),
    moment=re.compile(r"今|正在|现在|不在|出差|外出|请假|停[电水]|要(?!求)"),
    lasting=re.compile(
        r"(?:买|搬|种|栽|移栽|装|建|盖|养|捡|卖|换|扦插|播|嫁接|丢|送|租|订|拆|修|画|织"
        r"|拔(?!草)|挖|砍|扔|铲(?!雪)|锯|偷|打碎|摔[坏碎])"
        r"(?:[^,。!?;]{0,8})?(?:了|到|好|成|下)(?!水)|领养|收养|结婚|退休|离婚|辞职|毕业|出生|去世|开始|决定|坏了|断了|裂了"
        # What is gone for good, or hurt, is so on the next day, too.
        r"|[拔挖砍扔铲锯毁偷除清处理吃啃咬死枯烂]掉|[吃啃咬]光|枯萎|枯了|烂了|毁了|送人|送走"
        r"|把(?![^,。!?;]{0,8}[药饭餐面菜]吃)[^,。!?;]{1,10}[吃啃]了|蛞蝓[^,。!?;]{0,8}吃了"
        r"|(?<![累热冷饿困烦气忙笑急疼痛])(?<!天冻)(?<!我冻)(?<!要冻)死了"
        r"|扭伤|拉伤|摔伤|受伤|骨折|撕裂|崴了?|分手|取消了?(?:会员|订阅|合同)"
        r"|收到|继承|学会|改成|改用|换成|发现|注意到|看到|看见|得知|听说|查出|确诊|知道了|认识了|收获"
    ),
    yearly=re.compile(r"有(?!空|事|课|会)|会下|容易"),
    owning=re.compile(
        r"我(?:们)?(?:家)?(?:还)?有(?!空|事|点|时间|课|会)|名叫|叫做|我叫|我(?:们)?住|过敏"
    ),
)
