"""From the words of a statement to what it claims, by three languages and one vocabulary."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Final

from cloche.language import detect
from cloche.memory.spelling import folded
from cloche.memory.truth.claims import CORE, Reading, Token
from cloche.memory.truth.correcting import without_lead
from cloche.memory.truth.lexicon import LANGUAGES, Lexicon, Meaning, lexicon
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
        self._patterns: dict[str, re.Pattern[str]] = {}
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
        bare, corrects = without_lead(text, words)
        plain = _written_out(bare, words)
        spans: list[tuple[Token, int, int]] = [
            (token, *match.span())
            for match in self._pattern(language, words).finditer(plain)
            if match[0] == "、" or match[0].isalnum() or not CJK.match(match[0])
            for token in self._meant(match[0], language, words)
        ]
        key = tuple(_words_of(folded(bare))) or (folded(text),)
        thing = _as_written(_thing(plain, spans), bare)
        return Reading(
            language, key, _settled([s[0] for s in spans], is_at=not words.spaced), corrects, thing
        )

    def _pattern(self, language: str, words: Lexicon) -> re.Pattern[str]:
        if language not in self._patterns:
            tags: dict[str, Token] = {}
            for spelling, token in self._values:
                tags.setdefault(_written_out(spelling, words), token)
            tags.pop("", None)
            self._tags[language] = tags
            phrases = sorted({*words.meanings, *tags}, key=lambda p: (-len(p), p))
            near = "|".join(re.escape(p) for p in phrases if CJK.search(p)) or "(?!)"
            apart = "|".join(_escaped(p) for p in phrases if not CJK.search(p)) or "(?!)"
            self._patterns[language] = re.compile(
                rf"{_NUMBER}|(?<![a-z0-9])(?:{apart})(?![a-z0-9])|(?:{near})"
                rf"|{CJK.pattern}|[^\W{_CJK_ONLY}]+[+#]*|[%€$£°]|[,;、]"
            )
        return self._patterns[language]

    def _meant(self, phrase: str, language: str, words: Lexicon) -> list[Token]:
        if tag := self._tags[language].get(phrase):
            written = " ".join(words.stem(word) for word in phrase.split())
            return [Token(tag.kind, tag.value, written)]
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


def _as_written(phrase: str, text: str) -> str:
    """A folded phrase as it stands in the text, with its capitals and accents."""
    wanted = _words_of(phrase)
    words = [(folded(match[0]), *match.span()) for match in _WORDS.finditer(text)]
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
    # "Written" is a matter of things only: varieties of a plant share its value.
    return tuple(t if t.kind == "thing" else Token(t.kind, t.value) for t in tokens)


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


def _escaped(phrase: str) -> str:
    return r"\s+".join(re.escape(word) for word in phrase.split())


_NUMBER: Final = r"(?<![a-z0-9.])-?[0-9]+(?:[.,:/][0-9]+)*"
_CJK_ONLY: Final = CJK.pattern.strip("[]")
_GLUED: Final = re.compile(r"(\d)([a-z%€$£°])")
_WORDS: Final = re.compile(rf"-?\d+(?:[.,:/]\d+)*|{CJK.pattern}|[^\W{_CJK_ONLY}]+[+#]*|[%€$£°]")
