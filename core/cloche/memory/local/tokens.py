"""Words of a text for the full-text index, in any language.

SQLite's tokenizer takes a Chinese sentence for one word. So the index is given words made here:
runs of Chinese, Japanese and Korean as every single character and every pair of neighbours, other
scripts as words. SQLite then folds accents and cuts English endings (``lanterns`` ->
``lantern``, which does for most Spanish plurals too).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from cloche.language import detect

MAX_QUERY_WORDS: Final = 64
"""Of a longer text the first and the last 32 words are searched: where a question stands."""

UNSPACED: Final = (
    r"\u3005-\u3007\u3031-\u3035\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"
    r"\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb"
    r"\uf900-\ufad9\U00020000-\U0003ffff"
)
_RUN: Final = re.compile(rf"(?P<unspaced>[{UNSPACED}]+)|(?P<word>(?:(?![{UNSPACED}])[^\W_])+)")
_SPANISH_PLURAL: Final = re.compile(r".{2,}[bcdfghjklmnñpqrstvwxyz]es")

_ENGLISH: Final = frozenset(
    "a about am an and any are as at be been but by can could d did do does for from had has have "
    "he her him his how i if in is it its just ll m me my no not of on or our re s she so some t "
    "than that the their them then there these they this those to us ve was we were what when "
    "where which who why will with would you your".split()
)
_SPANISH: Final = frozenset(  # also as typed without accents
    "al algo algun alguna algún como con cual cuál cuando cuándo cuantos cuántos cómo de del donde "
    "dónde el ella ellas ellos en era eres es esa ese eso esta estaba estan estas este esto estoy "
    "está están fue ha has hay he la las le les lo los mas me mi mis más mí ni nos o os para pero "
    "por que quien quién qué se ser si sin sobre son soy su sus sí te tengo tiene tu tus tú un una "
    "unas uno unos y ya yo él".split()
)
_MEANINGFUL: Final = frozenset("al como con era hay las los son sin".split())
"""Of these, what says something in the other language: a "son" is a child, "hay" is fodder."""
_STOP_WORDS: Final = {"en": _ENGLISH, "es": _SPANISH}
"""By language; where it is unclear, what says nothing in any."""
_ANY_STOP_WORDS: Final = (_ENGLISH | _SPANISH) - _MEANINGFUL
_STOP_PHRASES: Final = re.compile(
    "为什么|什么样|怎么样|什么|怎么|哪里|哪儿|哪些|哪个|多少|几个|我们|你们|他们|她们|它们|这个|那个|这些|那些|"
    "没有|是否|可以|一下|[的了吗呢吧啊呀嘛我你您他她它们是在有和与也都就还很这那哪]"
)


def index_words(text: str) -> list[str]:
    """Every word of a text under which it shall be found, with repeats."""
    words: list[str] = []
    for unspaced, word in _runs(text):
        if unspaced:
            words += (*unspaced, *_pairs(unspaced))
        else:
            words += _forms(word)
    return words


def query_words(text: str) -> list[str]:
    """The words to search for: without its language's stop words, unless there are only such."""
    stop_words = _STOP_WORDS.get(detect(text), _ANY_STOP_WORDS)
    telling = [word for run in _runs(text) for word in _telling(*run, stop_words)]
    words = telling or [
        word
        for unspaced, spaced in _runs(text)
        for word in (_pairs(unspaced) or list(unspaced) if unspaced else _forms(spaced))
    ]
    distinct = list(dict.fromkeys(words))
    if len(distinct) > MAX_QUERY_WORDS:
        distinct = distinct[: MAX_QUERY_WORDS // 2] + distinct[-MAX_QUERY_WORDS // 2 :]
    return distinct


def match_expression(words: list[str]) -> str:
    """An FTS5 expression for any of the words; quoted, so that none is an operator."""
    return " OR ".join(f'"{word}"' for word in words)


def _runs(text: str) -> Iterator[tuple[str, str]]:
    """Runs of unspaced script and words, in order: one of each pair is empty."""
    for match in _RUN.finditer(_plain(text)):
        yield match["unspaced"] or "", match["word"] or ""


def _plain(text: str) -> str:
    """Compatibility forms made one, case folded, without marks that stand alone."""
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    if text.isascii():
        return text
    return "".join(char for char in text if not unicodedata.category(char).startswith("M"))


def _telling(unspaced: str, word: str, stop_words: frozenset[str]) -> list[str]:
    """What of a run is worth searching: cut at stop phrases, a piece of one stands alone."""
    if not unspaced:
        return [] if word in stop_words else _forms(word)
    pieces = _STOP_PHRASES.sub(" ", unspaced).split()
    return [word for piece in pieces for word in _pairs(piece) or [piece]]


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def _forms(word: str) -> list[str]:
    """A word, and its singular where it looks like a Spanish plural on a consonant."""
    return [word, word[:-2]] if _SPANISH_PLURAL.fullmatch(word) else [word]
