"""Which of the recalled lines answer a question. Pure; it compares words and understands none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from itertools import pairwise
from typing import Final

from cloche.language import detect
from cloche.llm.demo.names import (
    NAMING,
    asks_for_a_name,
    called_in,
    tells_a_name,
    tells_own_name,
)
from cloche.memory.records import Tag
from cloche.memory.summarising.tasks import is_to_do, tells_done
from cloche.memory.truth.asking import of_one_matter, same_slot
from cloche.prompt import RecalledLine
from cloche.vocabulary import CJK, Vocabulary, fold
from cloche.words import split

BEST: Final = 6
THEN: Final = 3
QUOTED_CHARS: Final = 300
"""The longest summary that is told as an answer."""
WORD: Final = 1.0
"""What a shared word is worth."""


_UNTELLING_ENGLISH: Final = frozenset(
    """
    a about again all also am an and any are as at be been but by can could did do does for from
    get go good had has have here how i if im in is it its ive just know like me mine more most
    much my need now of on or our out please put really remember say see should so some tell than
    that the their them then there these they thing things this those time to too us was we were
    what when where which who why will with would yes you your
    ago chat chatted decide decided discuss discussed earlier last mention mentioned said spoke
    talk talked told yesterday
    """.split()
)
_UNTELLING_SPANISH: Final = frozenset(
    """
    al algo aqui asi bien cada como con cual cuales cuando cuanto de debo decir del desde donde el
    ella en era eres es esa ese eso esta estan estas este esto estoy favor fue gracias ha hace hay
    he la las le les lo los mas me mi mis mucho muy necesito no nos nuestra nuestro o para pero por
    porque puede puedes puedo que quien recuerdas sabes se ser si sin sobre son soy su sus tal
    tambien te tengo tiene todo tu tus un una uno unos va y ya yo
    ayer conte contado decidi decidido decidimos dicho dije dijimos hablado hablamos ultima vez
    """.split()
)
_MEANINGFUL: Final = frozenset("con como era hay sin son".split())
"""What says something in the other language."""
_UNTELLING: Final = {"en": _UNTELLING_ENGLISH, "es": _UNTELLING_SPANISH}
_UNTELLING_IN_ANY: Final = (_UNTELLING_ENGLISH | _UNTELLING_SPANISH) - _MEANINGFUL
_UNTELLING_CHINESE: Final = frozenset(
    """
    一下 一个 不是 不能 为什 么时 什么 你的 你还 可以 告诉 哪些 哪里 在哪 多少
    如何 应该 得我 怎么 我们 我家 我有 我的 我该 时候 是不 有什 有哪 没有 现在
    知道 能不 记得 该怎 诉我 还记 这个 那个 里有 需要
    上次 上回 之前 以前 决定 我说 说过 聊过 我决 次我 们决 们聊 说到 聊到 昨天 什么
    """.split()
)


def everything(
    words: str, recalled: Iterable[RecalledLine], vocabulary: Vocabulary
) -> tuple[RecalledLine, ...]:
    """Every recalled line once, those that fit first.

    Where the words name a thing, or a kind of thing that memory listed, only these.
    """
    lines = _of_whom(words, _statements(recalled), vocabulary)
    scores = {line: _score(words, line, vocabulary) for line in lines}
    asked = _things(words, vocabulary)
    # "Do you remember my harp?" is no question on drums.
    named = [line for line in lines if asked & _things(line.text, vocabulary)]
    if not asked and any(key.named_in(words) for key in vocabulary.keys if not key.closed):
        # What has no place in the vocabulary may still be of the kind, but only if it is told of.
        named = [
            line
            for line in lines
            if line.why != "other" or scores[line] or vocabulary.mentions(line.text)
        ]
    lines = named or lines
    return tuple(sorted(lines, key=lambda line: -scores[line]))


def open_tasks(
    recalled: Iterable[RecalledLine], carried: Iterable[str] = ()
) -> tuple[RecalledLine, ...]:
    """What the person still has to do, each once: carried over, or told since and not yet done."""
    told = _statements(recalled)
    lines = [RecalledLine("task_state", None, True, "profile", text) for text in carried]
    lines += [line for line in told if line.kind == "task_state" or is_to_do(line.text)]
    once = {" ".join(fold(line.text).split()): line for line in lines[::-1]}
    return tuple(
        line
        for line in list(once.values())[::-1]
        if not any(tells_done(other.text, line.text) for other in told)
    )


def fitting(
    words: str, recalled: Iterable[RecalledLine], vocabulary: Vocabulary
) -> tuple[RecalledLine, ...]:
    """The best few lines that share words, or what the vocabulary names, with a question.

    When the question names a thing, only lines that name it too fit. When it names a kind of thing
    ("which tools ..."), the lines that memory listed for it are all there.
    """
    told = lines = _of_whom(words, _statements(recalled), vocabulary)
    if asked := _things(words, vocabulary):
        shared = {line: len(asked & _things(line.text, vocabulary)) for line in lines}
        lines = [line for line in lines if shared[line] == max(shared.values(), default=0) > 0]
    elif any(key.named_in(words) for key in vocabulary.keys if not key.closed):
        listed = [line for line in lines if line.why == "listed"]
        if listed:
            return tuple(listed)
    scores = {line: _score(words, line, vocabulary) for line in lines}
    # To be of one sort is little where another line has the very words.
    enough = WORD if max(scores.values(), default=0) >= WORD else 0
    fit = [line for line in lines if scores[line] and scores[line] >= enough]
    if not fit:  # told in another language, or in other words
        alike = (line for line in lines if of_one_matter(words, line.text, vocabulary))
        meant = (line for line in lines if line.why == "meaning")
        return tuple(dict.fromkeys((*meant, *alike)))[:BEST]
    # Of where they live the newest comes first, as it was recalled, however often it shares a word.
    of_slot = [line for line in fit if same_slot(words, line.text, vocabulary)]
    scores |= dict.fromkeys(of_slot, max((scores[line] for line in of_slot), default=0))
    best = sorted(fit, key=lambda line: -scores[line])[:BEST]
    return tuple(dict.fromkeys((*best, *_of_the_same(best, told))))[:BEST]


def _of_whom(words: str, lines: list[RecalledLine], vocabulary: Vocabulary) -> list[RecalledLine]:
    """Without what tells another's name, where the name of somebody or something is asked for."""
    if not asks_for_a_name(words):
        return lines
    asked, language = _tokens(words) - set(map(_stem, NAMING)), detect(words)

    def may_tell(line: RecalledLine) -> bool:
        if not tells_a_name(line.text) or asked & _tokens(line.text):
            return True
        if _things(words, vocabulary) & _things(line.text, vocabulary):
            return True
        return detect(line.text) != language and not tells_own_name(line.text)

    return [line for line in lines if may_tell(line)]


def _of_the_same(best: Iterable[RecalledLine], lines: Iterable[RecalledLine]) -> list[RecalledLine]:
    """What else was told of whom the best lines name: of "my son Leo", that "Leo is 8 now"."""
    names = {fold(name) for line in best for name in called_in(line.text)}
    return [line for line in lines if names & {word.folded for word in split(line.text).words}]


def wishes(recalled: Iterable[RecalledLine]) -> tuple[RecalledLine, ...]:
    """The person's preferences and rules."""
    return tuple(line for line in _statements(recalled) if line.kind in ("preference", "rule"))


def of_then(
    words: str, recalled: Iterable[RecalledLine], vocabulary: Vocabulary, *, decisions: bool
) -> tuple[RecalledLine, ...]:
    """What was said of it on earlier days, best first: statements, else messages, else summaries.

    Args:
        words: The question.
        recalled: What memory gave.
        vocabulary: What things are called.
        decisions: True when the question is about what was decided.
    """
    lines = [line for line in recalled if line.kind != "answer"]
    # A long summary is made for a model to read: quoted to a person, it is no answer.
    lines = [one for one in lines if one.kind != "summary" or len(one.text) <= QUOTED_CHARS]
    scores = {line: _score(words, line, vocabulary) for line in lines}
    if decisions:
        decided = [line for line in scores if line.kind == "decision" and scores[line]]
        scores = {line: scores[line] for line in decided} or scores
    for kinds in (None, ("event",), ("summary",)):
        fit = [
            line
            for line, score in scores.items()
            if score and (line.kind in kinds if kinds else line.kind not in ("event", "summary"))
        ]
        if fit:
            enough = max(scores[line] for line in fit) / 2
            best = sorted(
                fit, key=lambda line: (-scores[line], -(line.day or date.min).toordinal())
            )
            return tuple(line for line in best if scores[line] > enough)[:THEN]
    return ()


def about_inventory(
    recalled: Iterable[RecalledLine], vocabulary: Vocabulary
) -> tuple[RecalledLine, ...]:
    """The lines that name something of the inventory; all that memory listed counts as such."""
    return tuple(
        line
        for line in _statements(recalled)
        if line.why == "listed" or any(key.mentions(line.text) for key in vocabulary.inventory)
    )


def _statements(recalled: Iterable[RecalledLine]) -> list[RecalledLine]:
    """What the person told, each statement once; whole earlier messages only where nothing else.

    An earlier answer is never quoted: it was no memory, only what was made of one.
    """
    lines = [line for line in recalled if line.kind not in ("answer", "summary")]
    told = [line for line in lines if line.kind != "event"] or lines
    once: dict[str, RecalledLine] = {}
    for line in told:
        once.setdefault(" ".join(fold(line.text).split()), line)
    return list(once.values())


def _things(text: str, vocabulary: Vocabulary) -> set[tuple[str, str]]:
    """The things a text names; values of a closed key only say of which sort a thing is."""
    return {
        (key_id, tag.id)
        for key_id, tags in vocabulary.mentions(text).items()
        if not vocabulary[key_id].closed
        for tag in tags
    }


def _score(words: str, line: RecalledLine, vocabulary: Vocabulary) -> float:
    asked, told = vocabulary.mentions(words), vocabulary.mentions(line.text)
    shared = 0.0
    for key_id, tags in asked.items():
        # A closed key's values say only of which sort a thing is: worth less than the thing.
        weight = 0.5 if vocabulary[key_id].closed else 2.0
        shared += weight * len({tag.id for tag in tags} & {t.id for t in told.get(key_id, ())})
    shared += same_slot(words, line.text, vocabulary)
    shared += any(noun in line.text for noun in _ASKED_NOUN.findall(words))
    said, called = _tokens(line.text), _called(told, vocabulary)
    return shared + len(_tokens(words) & (said | called))


def _called(told: Mapping[str, tuple[Tag, ...]], vocabulary: Vocabulary) -> set[str]:
    """Words of the names of things that a line names: a pear is a "pear tree"."""
    return {
        token
        for key_id, tags in told.items()
        if not vocabulary[key_id].closed
        for tag in tags
        for value in vocabulary[key_id].values
        if value.id == tag.id
        for spelling in value.spellings
        for token in _tokens(spelling)
    }


def _tokens(text: str) -> set[str]:
    """Words that tell something, without a plural's ending; of Chinese, pairs of characters."""
    untelling = _UNTELLING.get(detect(text), _UNTELLING_IN_ANY)
    folded = [word.folded for word in split(text).words]
    chinese = {a + b for a, b in pairwise(folded) if CJK.match(a) and CJK.match(b)}
    latin = {word for word in folded if len(word) > 2 and not CJK.match(word)}
    return {_stem(word) for word in latin - untelling} | (chinese - _UNTELLING_CHINESE)


def _stem(word: str) -> str:
    """A word without its plural's ending: "trees" and "tree", "flores" and "flor" are one."""
    for ending in ("s", "e"):
        if word.endswith(ending) and len(word) > 3:
            word = word[:-1]
    return word


_ASKED_NOUN: Final = re.compile(
    r"(?:什么|哪些|多少|几)(?:[只个条辆棵把张盆本台件双口匹头])?([\u4e00-\u9fff])(?=\W*$)"
)
"""A thing with a name of one character, which makes no pair: 我有什么车？"""
