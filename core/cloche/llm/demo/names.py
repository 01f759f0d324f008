"""Who is called what: a question for somebody's name, and who a line calls by one. Pure."""

from __future__ import annotations

import re
from typing import Final

from cloche.memory.extraction.rules.language_rules import plain

_ASKS_A_NAME: Final = re.compile(
    r"\bnames? of (?!me\b)|\bwhat(?:'s| is| was| are| were) (?!my names?\b|your names?\b)"
    r"[^?]{1,60}?(?:\bnames?\b|\bcalled\b)|\bhow (?:is|was) [^?]{1,60}?\bcalled\b"
    r"|\bcomo se llama(?:n|ba|ban)?\b|\bnombres? (?:de(?!l usuario)|tiene)\b"
    r"|\bcual(?:es)? (?:es|era|son) (?:su|el|los) nombres?\b"
    r"|(?<!我)(?<!我们)(?<!你)(?:都)?叫(?:什么|啥)|(?<!我)(?<!我们)(?<!你)的名字"
)
_TELLS_A_NAME: Final = re.compile(
    r"\bname(?:s|d|'s)?\b|\b(?:am|is|are|was|were|'m|'s) called\b|\bse llam\w+|\bnombres?\b"
    r"|叫|名字|姓"
)
_OWN_NAME: Final = re.compile(
    r"\b(?:my|our) (?:\w+ )?names? (?:is|are)\b|\bmy name's\b|\bi(?: am|'m) called\b|\bi go by\b"
    r"|\bcall(?:s|ed)? me\b|\b(?:me llam\w+|mi nombre)\b|我(?:的名字)?(?:叫|是叫|姓)|我的名字|叫我"
)
NAMING: Final = frozenset(
    "name named called call calls llama llaman llamaba llamo nombre nombres"
    " 叫什 么名 名字 的名".split()
)
"""Words of such a question that say nothing of whose name it is."""
_CALLED: Final = re.compile(
    r"\b(?:my|our|mis?|nuestr[oa]s?) \w+ (?P<name>[A-Z\u00c0-\u00de]\w{1,30})\b", re.IGNORECASE
)


def asks_for_a_name(words: str) -> bool:
    """True for a question for the name of somebody or something else than who asks."""
    return bool(_ASKS_A_NAME.search(plain(words)))


def tells_a_name(text: str) -> bool:
    """True for a statement that says what somebody or something is called."""
    said = plain(text)
    return bool(_TELLS_A_NAME.search(said) or _OWN_NAME.search(said))


def tells_own_name(text: str) -> bool:
    """True for a statement of the person's own name that says nobody else's."""
    said = plain(text)
    return bool(_OWN_NAME.search(said)) and not _TELLS_A_NAME.search(_OWN_NAME.sub(" ", said))


def called_in(text: str) -> frozenset[str]:
    """Names that a statement gives to who is the person's: Leo, in "my son Leo is 7"."""
    found = (match["name"] for match in _CALLED.finditer(text))
    return frozenset(name for name in found if name[0].isupper())
