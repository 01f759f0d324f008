"""Time in English."""

from __future__ import annotations

from typing import Final

from cloche.memory.extraction.timebound.tables import (
    NEVER,
    TimeWords,
    before,
    behind,
    one_of,
    words,
)

_WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("monday", "mon"),
            ("tuesday", "tue", "tues"),
            ("wednesday",),
            ("thursday", "thu", "thur", "thurs"),
            ("friday", "fri"),
            ("saturday",),
            ("sunday",),
        )
    )
    for name in names
}
_LISTED: Final = rf"(?:{one_of(_WEEKDAYS)}|wed|sat|sun)"
"""A weekday among others; alone the last three are words of their own."""
_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march",),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
_RELATIVE: Final = {
    "the day after tomorrow": 2,
    "tomorrow": 1,
    "today": 0,
    "tonight": 0,
    "midnight": 0,
    "noon": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "right now": 0,
    "just now": 0,
    "yesterday": -1,
    "last night": -1,
    "the day before yesterday": -2,
}
_UNITS: Final = {
    name + ending: unit
    for unit, names in {
        "minute": ("minute", "min"),
        "hour": ("hour", "hr"),
        "day": ("day", "night"),
        "week": ("week",),
        "weekend": ("weekend",),
        "month": ("month",),
        "year": ("year",),
    }.items()
    for name in names
    for ending in ("", "s")
} | {"fortnight": "fortnight"}
_WHICH: Final[dict[str, int | None]] = {
    "": None,
    "the": 0,
    "the coming": None,
    "this coming": None,
    "coming": None,
    "this": 0,
    "next": 1,
    "the following": 1,
}
_NUMBERS: Final[dict[str, float]] = {
    "a couple of": 3,
    "a couple more": 3,
    "a few": 6,
    "a few more": 6,
    "several": 6,
    "some": 6,
    "half a": 0.5,
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "fourteen": 14,
    "twenty": 20,
    "thirty": 30,
}
_MONTH: Final = one_of(_MONTHS)

ENGLISH: Final = TimeWords(
    points=tuple(
        words(point)
        for point in (
            r"(?P<iso>\d{4}-\d\d?-\d\d?)",
            rf"(?:(?P<which>this coming|the coming|this|next|coming) )?"
            rf"(?P<weekday>{one_of(_WEEKDAYS)})(?: (?:morning|afternoon|evening|night|noon))?",
            rf"(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})"
            r"(?:,? (?P<year>(?:19|20)\d\d))?",
            rf"(?P<month>{_MONTH}) (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)"
            r"(?:,? (?P<year>(?:19|20)\d\d))?",
            r"the (?P<day>\d{1,2})(?:st|nd|rd|th)",
            r"(?P<day>\d{1,2})/(?P<month>\d{1,2})(?:/(?P<year>(?:19|20)\d\d))?",
            r"(?:(?:the )?(?:end|middle|beginning|start) of |(?:mid|late|early)[- ])?"
            rf"(?P<month>{_MONTH})"
            r"(?: (?P<year>(?:19|20)\d\d))?",
            rf"(?P<relative>{one_of(_RELATIVE)})(?!'s)",
            r"(?:(?:the )?end of )?(?P<which>this|next|the following) "
            r"(?P<unit>week|weekend|month|year)(?!'s)",
            r"over (?P<which>the) (?P<unit>weekend)",
            r"(?:the )?end of (?P<which>the) (?P<unit>week|month|year)",
            r"(?P<year>20\d\d)(?![-/.:]\d)",
        )
    ),
    weekdays=_WEEKDAYS,
    months=_MONTHS,
    relative=_RELATIVE,
    units=_UNITS,
    which=_WHICH,
    numbers=_NUMBERS,
    length=words(
        rf"(?P<count>\d{{1,4}}|{one_of(_NUMBERS)}) (?P<more>more )?(?P<unit>{one_of(_UNITS)})"
    ),
    until_before=before(
        r"(?:until|till|'?til|through|thru|up to|valid to|lasts? to|by|before|no later than)"
        r"(?: (?:about|around|at least|roughly|maybe|probably|late|early|noon on|sometime))*"
    ),
    until_after=NEVER,
    back_before=before(
        r"(?:(?<!my )(?<!his )(?<!her )back|home|return(?:s|ing)?|reopens?|opens? again"
        r"|resumes?)(?: [a-z]+){0,2}?"
        r"(?: (?:on|by|in|at|from|only))?"
    ),
    back_after=NEVER,
    lasts_before=before(r"for(?: (?:about|around|at least|roughly|maybe|probably|up to))*"),
    lasts_after=NEVER,
    ahead_before=before(
        r"(?:for |over |during )?(?:the )?next|for another|the coming|only another"
    ),
    no_end_before=before(
        r"(?:since|from|starting|beginning|as of|after|last|every|each|all|on (?:most|all)|ever)"
        r"(?: (?:on|about|around|the))?"
    ),
    no_end_after=behind(
        r"on(?:wards?)?(?= ?(?:$|[,.;:!]|i |we |only|always|never|please))|onwards?"
    ),
    recurring=words(
        rf"every (?:other |second )?(?:week|month|year|season|time|{one_of(_WEEKDAYS)})"
        r"|weekly|monthly|yearly|annually|birthday|anniversary|(?:on )?(?:mon|tues|wednes|thurs"
        r"|fri|satur|sun)days|weekdays|weekends|each (?:week|month|year)"
        rf"|{one_of(_WEEKDAYS)} (?:to|through|thru|till|until|-) {one_of(_WEEKDAYS)}"
        # "I work Mon, Wed and Fri" is a habit; "I'm away Monday and Tuesday" is none.
        r"|(?:(?:i|we) (?!leave|fly|arrive|move|travel|return|meet|see|need|want|have|are|were|was"
        r"|will|had|get|got|[a-z]+ed )[a-z]{3,} (?:only )?|days are )(?:on )?"
        rf"{_LISTED}(?:(?:, ?and |, ?| and | ?& ?| ?/ ?)(?:on )?{_LISTED})+"
    ),
    habitual=words(
        r"always|usually|often|normally|generally|never|every (?:day|morning|evening|night)"
        r"|sometimes|most days|as a rule"
    ),
    past=words(
        r"was|were|had|did|didn't|wasn't|weren't|used to|lived|worked|stayed|went|came|spent|ran"
        r"|took|slept|(?!need|bed|red|shed|seed|feed|speed|weed|indeed|closed|booked|allowed"
        r"|supposed|expected|scheduled|planned|rented|borrowed|reserved|grounded|signed|married"
        r")[a-z]{3,}ed|(?:have|has|'ve) (?:been|lived|worked|had|done|[a-z]+ed)"
    ),
    present=words(
        r"am|i'm|we're|is|are|isn't|aren't|it's|[a-z]+'s|they're|will|won't|[a-z]+'ll|going|gonna"
        r"|must|mustn't|can't|cannot|may|have to|has to|need to|needs to|should|don't|doesn't|do"
        r"|does|no|away|off|out|closed|stop|pause|avoid|wait|waiting|keep|keeps|until further"
    ),
    moment=words(
        r"(?:am|i'm|we're|is|are|isn't|aren't|it's|[a-z]+'s|they're|will|won't|[a-z]+'ll)"
        r"(?! (?:usually |only )?open)|gonna|today|tonight|now|away|off"
    ),
    lasting=words(
        r"bought|moved|(?:trans|re)?planted|sow(?:ed|n)|adopted|built|installed|sold|lost|quit"
        r"|joined|retired|inherited|received|got (?:a|an|my|our|two|three|rid|married|engaged)"
        r"|set up|dug|transplanted|repotted|gave (?:away|up)|(?:was|were) born|died|began|started"
        r"|broke|burst|crashed|signed|repaired|replaced|removed|named|learn(?:ed|t)|ordered"
        r"|picked up|harvested"
        # What is gone for good, or hurt, is so on the next day, too.
        r"|(?:pulled|dug|tore|ripped|threw|thrown|took|cut|chopped|sawed|knocked|blew|gave|given)"
        r" (?:[\w'-]+ ){0,4}?(?:out|up|down|away|back)|uprooted|felled|donated|scrapped|binned"
        r"|discarded|destroyed|killed|wrecked|ruined|smashed|stole|stolen|withered|perished"
        r"|(?<!i )(?<!we )ate (?:up |all )?(?:my|our|the|of)|eaten by|no longer (?:have|own)"
        r"|divorced|split up|passed away|cancell?ed (?:my|our|the) (?:\w+ )?(?:membership"
        r"|subscription|contract|account|lease)"
        r"|(?:i|we)(?:'ve| have)? (?:\w+ )?hurt|injured|sprained|twisted|fractured|dislocated"
        r"|strained|tore (?:my|a)"
        r"|notic\w+|found|discover\w+|reali[sz]e\w*|saw|seen|spotted|turn(?:s|ed) out|heard"
        r"|diagnosed|confirmed|told|met|decided|agreed|promised|changed|switched|opened|finished"
    ),
    yearly=words(r"(?:we|you|it) (?:often |still |can )?(?:have|get|gets|has)|there (?:is|are)"),
    owning=words(
        r"(?:i|we)(?:'ve| have)(?: got)? (?:a|an|two|three|four|five|some|many|\d+)"
        r"|(?:i'm|i am|we're|we are) an? (?!bit|little|lot|mess|wreck|few)\w+"
        r"|(?:i|we) own|there (?:is|are)|(?:is|are|am) called|my name|(?:i|we) live|allergic"
    ),
)
