"""From the words of a statement to what it claims, by three languages and one vocabulary."""

from __future__ import annotations

import re
from collections import OrderedDict
from functools import lru_cache
from typing import Final

from cloche.language import detect
from cloche.memory.spelling import folded
from cloche.memory.truth.claims import CORE, Reading, Token
from cloche.memory.truth.correcting import contrast, told
from cloche.memory.truth.hedges import is_hedged
from cloche.memory.truth.lexicon import LANGUAGES, Lexicon, Meaning, lexicon
from cloche.memory.truth.tense import tells_of_the_past
from cloche.vocabulary import CJK, Vocabulary

_REMEMBERED: Final = 512


class Reader:
    """Reads statements by the words of three languages and of one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Take the vocabulary; only its open keys name things (closed ones sort them)."""
        self._values = [
            (spelling, Token("thing" if key.inventory else "tag", f"{key.id}:{value.id}"))
            for key in vocabulary.keys
            if not key.closed
            for value in key.values
            for spelling in value.spellings
        ]
        self._tags: dict[str, dict[str, Token]] = {}
        self._patterns: dict[tuple[str, bool], re.Pattern[str]] = {}
        self._read: OrderedDict[tuple[str, str], Reading] = OrderedDict()

    def read(self, text: str, hint: str = "") -> Reading:
        """A statement, read; ``hint`` is the language to take when the text does not tell."""
        language = detect(text) or hint
        if language not in LANGUAGES:
            language = "zh" if CJK.search(text) else "en"
        known = self._read.get((text, language))
        if known is None:
            known = self._read[text, language] = self._new(text, language)
            while len(self._read) > _REMEMBERED:
                self._read.popitem(last=False)
        return known

    def _new(self, text: str, language: str) -> Reading:
        words = lexicon(language)
        left = told(text, words)
        plain, spans = self.spans(left.text, language)
        key = tuple(_words_of(folded(left.text))) or (folded(text),)
        thing = as_written(_thing(plain, spans), left.text)
        tokens = _settled([s[0] for s in spans], is_at=not words.spaced)
        return Reading(
            language,
            key,
            tokens,
            left.corrects,
            thing,
            left.firm,
            self._rather(left.text, language),
            tells_of_the_past(left.text, language, words),
            is_hedged(left.text, language),
        )

    def _rather(self, text: str, language: str) -> tuple[Reading, frozenset[str]] | None:
        found = contrast(text, language)
        if found is None or not found.whole:
            return None
        denied = self._new(found.denied, language)
        values = denied.literal.named
        return (self._new(found.stated, language), values) if values else None

    def spans(self, text: str, language: str) -> tuple[str, list[tuple[Token, int, int]]]:
        """A text written out, and its tokens as they stand there, before they are settled."""
        words = lexicon(language)
        plain = _written_out(text, words)
        return plain, [
            (token, *match.span())
            for match in self._pattern(language, words).finditer(plain)
            if match[0] == "、" or match[0].isalnum() or not CJK.match(match[0])
            for token in self._meant(match[0], language, words)
        ]

    def _pattern(self, language: str, words: Lexicon, *, tags: bool = True) -> re.Pattern[str]:
        if (language, tags) not in self._patterns:
            if language not in self._tags:
                named: dict[str, Token] = {}
                for spelling, token in self._values:
                    named.setdefault(_written_out(spelling, words), token)
                named.pop("", None)
                self._tags[language] = named
            known = {*words.meanings, *(self._tags[language] if tags else ())}
            phrases = sorted(known, key=lambda p: (-len(p), p))
            near = "|".join(re.escape(p) for p in phrases if CJK.search(p)) or "(?!)"
            apart = "|".join(_escaped(p) for p in phrases if not CJK.search(p)) or "(?!)"
            self._patterns[language, tags] = _compiled(
                rf"{_NUMBER}|(?<![a-z0-9])(?:{apart})(?![a-z0-9])|(?:{near})"
                rf"|{CJK.pattern}|[^\W{_CJK_ONLY}]+[+#]*|[%€$£°]|[,;、]"
            )
        return self._patterns[language, tags]

    def _wording(self, phrase: str, language: str, words: Lexicon) -> str:
        """The words a place is called by, whatever form and order they have."""
        found = self._pattern(language, words, tags=False).findall(phrase)
        plain = [token for word in found for token in _plainly(word, words)]
        return " ".join(sorted(t.value for t in plain if t.kind not in ("drop", "def", "at")))

    def _meant(self, phrase: str, language: str, words: Lexicon) -> list[Token]:
        if tag := self._tags[language].get(phrase):
            if tag.kind == "tag":
                return [Token(tag.kind, tag.value, self._wording(phrase, language, words))]
            written = " ".join(words.stem(word) for word in phrase.split())
            return [Token(tag.kind, tag.value, written)]
        return _plainly(phrase, words)


def _plainly(phrase: str, words: Lexicon) -> list[Token]:
    """What a word or phrase means whatever the vocabulary knows."""
    if meanings := words.meanings.get(phrase):
        return [_token(meaning, phrase) for meaning in meanings]
    if phrase in ",;、":
        return [Token("and", "")]
    if phrase[0].isdecimal() or (phrase[0] == "-" and len(phrase) > 1):
        return [Token("number", _number(phrase))]
    return [Token("word", words.stem(phrase))]


def _written_out(text: str, words: Lexicon) -> str:
    """A text folded, with its contractions written out."""
    plain = folded(text)
    for pattern, written in words.expand:
        plain = pattern.sub(written, plain)
    return _GLUED.sub(r"\1 \2", plain) if words.spaced else plain


def _thing(plain: str, spans: list[tuple[Token, int, int]]) -> str:
    """The words for what is liked, or for what stands before the verb of being or place."""
    kinds = [token.kind for token, _, _ in spans]
    after = kinds.index("stance") if "stance" in kinds else len(kinds)
    before = next((i for i, kind in enumerate(kinds) if kind in ("be", "at", "stance")), 0)
    for part in (spans[after + 1 :], spans[:before]):
        named = [(start, end) for token, start, end in part if _names(token)]
        if named:
            return plain[named[0][0] : named[-1][1]]
    return ""


def _names(token: Token) -> bool:
    return (
        token.kind in CORE - {"stance"}
        or token.kind in ("side", "number")
        or (token.kind.startswith("class."))
    )


def _words_of(text: str) -> list[str]:
    return [word for word in _WORDS.findall(text) if word.isalnum() or not CJK.match(word)]


def words_in(text: str) -> list[tuple[str, int, int]]:
    """The words of a text as they stand in it; every Chinese character is one."""
    return [
        (match[0], *match.span())
        for match in _WORDS.finditer(text)
        if match[0].isalnum() or not CJK.match(match[0])
    ]


def as_written(phrase: str, text: str) -> str:
    """A folded phrase as it stands in the text, with its capitals and accents."""
    wanted = _words_of(phrase)
    words = [(folded(word), start, end) for word, start, end in words_in(text)]
    for i in range(len(words) - len(wanted) + 1):
        if wanted and [word for word, _, _ in words[i : i + len(wanted)]] == wanted:
            return text[words[i][1] : words[i + len(wanted) - 1][2]]
    return phrase


def _token(meaning: Meaning, phrase: str) -> Token:
    kind = (
        "live" if meaning.kind == "locate" and meaning.value in ("live", "work") else meaning.kind
    )
    return Token(kind, meaning.value or (phrase if kind == "single" else ""), phrase)


def _settled(found: list[Token], *, is_at: bool) -> tuple[Token, ...]:
    """Tokens whose meaning hangs on their neighbours get it; dropped words go."""
    moved = any(token.kind in ("locate", "live") for token in found)
    tokens: list[Token] = []
    for meant in found:
        token = _among(meant, tokens, moved=moved)
        if token.kind == "time" and tokens and tokens[-1].kind == "at":
            tokens.pop()  # "in the morning" is no place
            if is_at and meant is found[-1]:
                tokens.append(Token("be", ""))  # the one word for "is on" and "in"
        elif token.kind in ("time", "number"):
            while len(tokens) > 1 and tokens[-1].kind == "def" and tokens[-2].kind == "at":
                del tokens[-2:]
        if token.kind != "drop":
            tokens.append(token)
    if moved and not any(token.kind in CORE for token in _before_place(tokens)):
        tokens = [Token("live", "live") if t.kind == "locate" else t for t in tokens]
    # "Written" is a matter of things only: varieties of a plant share its value, and
    # of places: a word that stands for one in the vocabulary may be another to the person.
    kept = ("thing", "tag")
    return tuple(t if t.kind in kept else Token(t.kind, t.value) for t in tokens)


def _among(token: Token, before: list[Token], *, moved: bool) -> Token:
    """A token as those before it have it meant."""
    if token.kind == "to":
        return Token("at", "in") if moved else Token("drop", "")
    if token.kind == "unit":
        return _with_unit(token, before)
    if token.kind == "live" and before and before[-1].kind == "def":
        return Token("word", token.value)  # "my work", "el trabajo"
    return token


def _before_place(tokens: list[Token]) -> list[Token]:
    at = next((i for i, token in enumerate(tokens) if token.kind == "at"), len(tokens))
    return tokens[:at]


def _with_unit(unit: Token, tokens: list[Token]) -> Token:
    """The number before a unit, in the base unit of its measure."""
    base, _, factor = unit.value.partition("*")
    if tokens and tokens[-1].kind == "number" and _plain_number(tokens[-1].value):
        return Token("number", f"{float(tokens.pop().value) * float(factor):g} {base}")
    if unit.written and not unit.written.isascii():
        return Token("word", unit.written)
    return Token("word", base)


def _plain_number(value: str) -> bool:
    return bool(re.fullmatch(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", value))


def _number(written: str) -> str:
    """One spelling per number: 1,000 is 1000, 1,5 is 1.5; times and dates stay as they are."""
    if re.fullmatch(r"-?\d{1,3}(?:,\d{3})+", written):
        written = written.replace(",", "")
    if re.fullmatch(r"-?\d+(?:[.,]\d+)?", written):
        return f"{float(written.replace(',', '.')):.12g}"
    return written


@lru_cache(maxsize=32)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Of thousands of words: kept for every reader of the same ones, which `re` itself does not."""
    return re.compile(pattern)


def _escaped(phrase: str) -> str:
    return r"\s+".join(re.escape(word) for word in phrase.split())


_NUMBER: Final = r"(?<![a-z0-9.])-?[0-9]+(?:[.,:/][0-9]+)*"
_CJK_ONLY: Final = CJK.pattern.strip("[]")
_GLUED: Final = re.compile(r"(\d)([a-z%€$£°])")
_WORDS: Final = re.compile(rf"-?\d+(?:[.,:/]\d+)*|{CJK.pattern}|[^\W{_CJK_ONLY}]+[+#]*|[%€$£°]")
