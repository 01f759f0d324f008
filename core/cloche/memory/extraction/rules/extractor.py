"""From a person's words to drafts, by rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final, Literal

from cloche.aside import aside
from cloche.language import detect
from cloche.memory.extraction.draft import LEANING, Draft, Extracted
from cloche.memory.extraction.rules.judge import Kept, Verdict, judge
from cloche.memory.extraction.rules.language_rules import (
    LANGUAGES,
    LanguageRules,
    bare,
    rules_of,
)
from cloche.memory.extraction.screen import screen
from cloche.memory.extraction.sentences import Sentence, clauses, sentences
from cloche.memory.looking_back import is_of_talk
from cloche.memory.records import Event, MetadataValue
from cloche.memory.truth.comparing import refers_back
from cloche.memory.truth.completing import fragment_of
from cloche.memory.truth.correcting import may_correct
from cloche.memory.truth.reading import Reader
from cloche.vocabulary import Vocabulary

MINED_CHARS: Final = 20_000
"""Of a longer text only the beginning is mined: nobody tells about themselves at such length."""
MAX_DRAFTS: Final = 40
"""Of one message: a pasted book must not become a memory."""
MAX_LEAD_CHARS: Final = 80
MAX_MERGED_CHARS: Final = 300

_NO_WORDS: Final = Vocabulary()
_AGAINST: Final[tuple[Verdict, ...]] = ("refused", "ordered", "asked", "idle")


class RulesExtractor:
    """Extracts without a model; used with the demo model and when a model gives nothing."""

    async def extract(self, event: Event, vocabulary: Vocabulary) -> Extracted:
        """The event's sentences that the rules keep; ``text`` is the sentence as it was said."""
        text = event.user_text
        return Extracted(await aside(text, partial(extract_drafts, text, vocabulary)))


def extract_drafts(text: str, vocabulary: Vocabulary) -> tuple[Draft, ...]:
    """The sentences of a text that tell about the person, each as a draft, in order.

    Every draft's text is ``text[start:end]``. A sentence that goes on about the one before it
    ("It stands by the door.") becomes one draft with it.
    """
    text = text[:MINED_CHARS]
    said = sentences(text)
    language = detect(text)
    # Who gives orders about the rules in one sentence may not set a rule in the next.
    ordered = any(screen(sentence.text) == "instruction" for sentence in said)
    found: list[Draft] = []
    previous_end = -1
    for whole_sentence in said:
        rules = _rules_for(whole_sentence.text, language)
        verdict = _verdict(whole_sentence.text, rules, vocabulary)
        sentence = whole_sentence
        if isinstance(verdict, Kept):
            sentence = _ungreeted(_given(whole_sentence, rules))
        if found and found[-1].end == previous_end and _goes_on(sentence, verdict, rules):
            whole = Sentence(text[found[-1].start : sentence.end], found[-1].start, sentence.end)
            found[-1] = _extended(found[-1], whole, vocabulary)
        else:
            drafts = _drafts(sentence, verdict, rules, vocabulary)
            found += [draft for draft in drafts if not (ordered and draft.kind == "rule")]
        previous_end = sentence.end
    return tuple(found[:MAX_DRAFTS])


def asked_of_us(text: str) -> Literal["", "question", "command"]:
    """What a text wants: an answer, something done, or ("") neither."""
    language, found = detect(text), set[Verdict]()
    for sentence in sentences(text):
        rules = _rules_for(sentence.text, language)
        found.add(_verdict(sentence.text, rules, _NO_WORDS))
    if "asked" in found:
        return "question"
    return "command" if "ordered" in found else ""


def _rules_for(sentence: str, language: str) -> tuple[LanguageRules, ...]:
    """The rules of the sentence's language, else the text's, else all of them."""
    known = detect(sentence) or language
    return tuple(rules_of(one) for one in ((known,) if known in LANGUAGES else LANGUAGES))


def _verdict(text: str, rules: tuple[LanguageRules, ...], vocabulary: Vocabulary) -> Verdict:
    """One verdict; where the language is unclear, one language's refusal counts for all."""
    if screen(text):
        return "refused"
    if text.rstrip().endswith(_UNFINISHED) and is_of_talk(text):
        return "nothing"  # the beginning of a question, before its "¿"
    verdicts = [judge(text, one, vocabulary) for one in rules]
    if "asked" not in verdicts and "ordered" not in verdicts:
        # A piece of a statement ("No, on Tuesday"): it is kept as part of the one it corrects.
        # What small talk leaves nothing of ("No, thanks") is none.
        says = any(bare(text, one) for one in rules)
        if says and may_correct(text) and fragment_of(text, _reader(vocabulary)):
            return Kept("fact", LEANING, firm=False)
    for against in _AGAINST:
        if against in verdicts:
            return against
    kept: list[Kept] = [verdict for verdict in verdicts if isinstance(verdict, Kept)]
    surest = sorted(kept, key=lambda verdict: -verdict.confidence)
    if (
        not surest
        and "refused" not in verdicts
        and may_correct(text)
        and _corrects(text, vocabulary)
    ):
        return Kept("fact", LEANING, firm=False)
    return surest[0] if surest else "nothing"


_UNFINISHED: Final = (",", ":", "，", "：")


def _corrects(text: str, vocabulary: Vocabulary) -> bool:
    """True for "No, it's in the hall": only what was said before tells of what."""
    read = _reader(vocabulary).read(text)
    return read.corrects and refers_back(read)


@lru_cache(maxsize=8)
def _reader(vocabulary: Vocabulary) -> Reader:
    return Reader(vocabulary)


def _given(sentence: Sentence, rules: tuple[LanguageRules, ...]) -> Sentence:
    """What was given to be kept, without the "please remember" before it."""
    for one in rules:
        words = bare(sentence.text, one)
        if not (given := one.remember.match(words)) or not (
            left := bare(words[given.end() :], one)
        ):
            continue
        for at in range(1, min(len(sentence.text), MAX_LEAD_CHARS)):
            rest = sentence.text[at:]
            inside = rest[0].isascii() and sentence.text[at - 1].isalnum()
            if rest[0].isalnum() and not inside and bare(rest, one) == left:
                return Sentence(rest, sentence.start + at, sentence.end)
    return sentence


def _ungreeted(sentence: Sentence) -> Sentence:
    """What was said, without the greeting before it: "Hi, I'm Ana" tells "I'm Ana"."""
    greeting = _GREETING.match(sentence.text)
    if greeting is None:
        return sentence
    at = greeting.end()
    return Sentence(sentence.text[at:], sentence.start + at, sentence.end)


_GREETING: Final = re.compile(
    r"(?:(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening|day))(?: there)?"
    r"|hola|buenas(?: tardes| noches)?|buenos d[ií]as"
    r"|你好|您好|大家好|嗨|哈喽|早上好|上午好|下午好|晚上好)"
    r"(?:\s*[,;:，；：~\u2013\u2014-])+\s*(?=\w)",
    re.IGNORECASE,
)
"""A greeting and the sign that ends it."""


def _drafts(
    sentence: Sentence, verdict: Verdict, rules: tuple[LanguageRules, ...], vocabulary: Vocabulary
) -> Iterator[Draft]:
    if isinstance(verdict, Kept):
        yield _draft(sentence, verdict, vocabulary)
    elif verdict in ("asked", "idle"):
        yield from _told_while_asking(sentence, rules, vocabulary)


def _told_while_asking(
    sentence: Sentence, rules: tuple[LanguageRules, ...], vocabulary: Vocabulary
) -> Iterator[Draft]:
    """Statements that stand in a question or command ("I rent a flat, may I ...?")."""
    parts = clauses(sentence)
    if len(parts) < 2 or any(one.hearsay.search(bare(sentence.text, one)) for one in rules):
        return
    run: list[Sentence] = []
    firm: Kept | None = None
    for part in (*parts, None):
        verdict = _verdict(part.text, rules, vocabulary) if part else "asked"
        if part and isinstance(verdict, Kept) and verdict.firm and not firm:
            firm = verdict
        if part and verdict not in _AGAINST and not is_of_talk(part.text):
            run.append(part)
            continue
        if firm and run:
            start, end = run[0].start, run[-1].end
            text = sentence.text[start - sentence.start : end - sentence.start]
            yield _draft(Sentence(text, start, end), replace(firm, confidence=0.7), vocabulary)
        run, firm = [], None


def _goes_on(sentence: Sentence, verdict: Verdict, rules: tuple[LanguageRules, ...]) -> bool:
    """True when a sentence only makes sense with the one before it."""
    if verdict in _AGAINST or (isinstance(verdict, Kept) and verdict.kind != "fact"):
        return False
    return any(one.anaphor.match(bare(sentence.text, one)) for one in rules)


def _extended(draft: Draft, whole: Sentence, vocabulary: Vocabulary) -> Draft:
    if len(whole.text) > MAX_MERGED_CHARS or "\n" in whole.text:
        return draft
    metadata = _metadata(whole.text, vocabulary)
    return replace(draft, text=whole.text, end=whole.end, metadata=metadata)


def _draft(sentence: Sentence, kept: Kept, vocabulary: Vocabulary) -> Draft:
    return Draft(
        kind=kept.kind,
        text=sentence.text,
        start=sentence.start,
        end=sentence.end,
        subject=kept.outsider,
        metadata=_metadata(sentence.text, vocabulary, theirs=not kept.outsider),
        stated=kept.stated,
        confidence=kept.confidence,
        importance=kept.importance,
    )


def _metadata(
    text: str, vocabulary: Vocabulary, *, theirs: bool = True
) -> Mapping[str, MetadataValue]:
    """Known values the text names; what is an outsider's is no part of the person's inventory."""
    found: dict[str, MetadataValue] = {}
    for key_id, tags in vocabulary.mentions(text).items():
        key = vocabulary[key_id]
        if theirs or not key.inventory:
            found[key_id] = tags[:1] if key.type == "string" else tags
    return found
