"""What the stand-in says or calls, from what it sees. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from cloche.llm.demo.asking import (
    Small,
    asks_for_all_owned,
    asks_for_tasks,
    asks_for_wishes,
    asks_of_last_talk,
    asks_to_recall,
    is_pleasantry,
    seeks_agreement,
    small_talk,
)
from cloche.llm.demo.calling import Call, Outcome, progress
from cloche.llm.demo.finding import (
    about_inventory,
    everything,
    fitting,
    of_then,
    open_tasks,
    wishes,
)
from cloche.llm.demo.itself import matter_of, told_of
from cloche.llm.demo.seen import Seen, Unavailable
from cloche.memory.extraction import Draft, asked_of_us, extract_drafts, screen
from cloche.memory.extraction.sentences import sentences
from cloche.memory.looking_back import asks_of_decisions, asks_of_then
from cloche.prompt import RecalledLine
from cloche.texts import say, say_day
from cloche.utterances import Example
from cloche.vocabulary import CJK, Vocabulary, fold

MOST: Final = 30
"""Lines of a list that are shown; of more, only how many there are."""

Reasons = Mapping[str, Mapping[str, str]]
"""By skill and language: why it is not available, one clause."""


Reply = str | Call


def reply_to(
    seen: Seen, vocabulary: Vocabulary, examples: Sequence[Example], reasons: Reasons
) -> Reply:
    """A tool call, or the answer: never empty, in the person's language."""
    if seen.results or not seen.pictures:
        calls = progress(seen, examples)
        if calls.next:
            return calls.next
        outcomes = sorted(calls.outcomes, key=lambda outcome: not outcome.first)
        told = [_came_of(one, seen.language, vocabulary) for one in outcomes]
        heard = any(outcome.text for outcome in calls.outcomes)  # else it was for no tool after all
        if seen.results and heard and any(told):
            return _introduced(seen, [part for part in told if part])
    return _introduced(seen, _answer(seen, vocabulary, reasons))


def _came_of(outcome: Outcome, language: str, vocabulary: Vocabulary) -> str:
    """What is said of one request, or of words beside it; "" = nothing.

    What is told is remembered as ever; what is asked for and not understood is not left unsaid.
    """
    if outcome.text and not outcome.perhaps:
        return outcome.text.strip() or say("tool_done", language)
    if drafts := extract_drafts(outcome.words, vocabulary):
        return "\n\n".join(_kept(drafts, language))
    asked = outcome.joined or (asked_of_us(outcome.words) and not is_pleasantry(outcome.words))
    if not outcome.text and asked and not seeks_agreement(f", {outcome.words}"):
        return say("demo_not_heard", language, words=" ".join(outcome.words.split()))
    return outcome.text.strip()


def _introduced(seen: Seen, parts: Sequence[str]) -> str:
    """The answer; in the first of a session, after a sentence that says what is answering."""
    opening = [say("demo_stand_in", seen.language)] if seen.first else []
    return "\n\n".join([*opening, *parts])


def _answer(seen: Seen, vocabulary: Vocabulary, reasons: Reasons) -> list[str]:
    parts = _about_pictures(seen, vocabulary) if seen.pictures else []
    if not seen.words.strip():
        return parts or [_small(seen)]
    drafts = extract_drafts(seen.words, vocabulary)
    refused = _refused(seen)
    parts += _kept(drafts, seen.language) + refused
    matter = matter_of(seen.words)
    if matter == "correct" and drafts:
        matter = ""  # "更正：..." puts right what it says
    if not refused and (told := told_of(matter, seen)):
        return [*parts, told]
    if asks_of_last_talk(seen.words):
        return [*parts, _last_talk(seen)]
    if asks_of_then(seen.words) and asked_of_us(seen.words) and (then := _then(seen, vocabulary)):
        return [*parts, then]
    # What was told just now answers what is asked in the same breath.
    edited = [draft for words in seen.edited for draft in extract_drafts(words, vocabulary)]
    known = replace(seen, recalled=(*map(_line, [*drafts, *edited]), *seen.recalled))
    if found := _looked_up(known, vocabulary):
        return [*parts, found]
    if wanted := asked_of_us(seen.words):
        answer = _asked(known, vocabulary, wanted, reasons, own=frozenset(map(_line, drafts)))
        return [*parts, answer] if answer else parts
    return parts or [_small(seen)]


def _line(draft: Draft) -> RecalledLine:
    text = " ".join(draft.text.split())
    return RecalledLine(draft.kind, None, draft.stated, "fits", text)


def _looked_up(seen: Seen, vocabulary: Vocabulary) -> str:
    """What is asked of memory as such; "" when nothing is."""
    if asks_for_wishes(seen.words) and asked_of_us(seen.words):
        lines = wishes(seen.recalled)
        key = "demo_wishes" if lines else "demo_no_wishes"
        return _list(key, lines, seen.language)
    if asks_for_tasks(seen.words):
        lines = open_tasks(seen.recalled, seen.last.tasks)
        return _list("demo_tasks" if lines else "demo_no_tasks", lines, seen.language)
    if asks_to_recall(seen.words):
        lines = everything(seen.words, seen.recalled, vocabulary)
        return _list("demo_recalled" if lines else "demo_nothing_yet", lines, seen.language)
    if asks_for_all_owned(seen.words) and (lines := about_inventory(seen.recalled, vocabulary)):
        return _list("demo_inventory", lines, seen.language)
    return ""


def _about_pictures(seen: Seen, vocabulary: Vocabulary) -> list[str]:
    """It sees nothing; what may be in the picture is what the person has."""
    lines = about_inventory(seen.recalled, vocabulary)
    listed = [_list("demo_inventory", lines, seen.language)] if lines else []
    return [say("demo_no_pictures", seen.language), *listed]


def _kept(drafts: Sequence[Draft], language: str) -> list[str]:
    """What the rules will keep of these words, by the very same rules."""
    quotes = [" ".join(draft.text.split()) for draft in drafts]
    if len(quotes) > 1:
        return [_bullets(say("demo_kept_all", language), quotes)]
    return [say("demo_kept", language, quote=quote) for quote in quotes]


def _refused(seen: Seen) -> list[str]:
    """Why something of these words will not be kept."""
    refusals = {screen(sentence.text) for sentence in sentences(seen.words)} - {""}
    return [say(f"demo_refused_{refusal}", seen.language) for refusal in sorted(refusals)]


def _asked(
    seen: Seen,
    vocabulary: Vocabulary,
    wanted: Literal["question", "command"],
    reasons: Reasons,
    own: frozenset[RecalledLine],
) -> str:
    """The answer; "" when the very words (``own``) that were confirmed just now are all of it."""
    remark = seeks_agreement(seen.words)
    if not remark and (missing := _named(seen.unavailable, seen.words)):
        reason = reasons.get(missing.name, {}).get(seen.language, missing.reason)
        return say("demo_unavailable", seen.language, name=missing.name, reason=reason)
    if lines := fitting(seen.words, seen.recalled, vocabulary):
        return "" if own.issuperset(lines) else _list("demo_found", lines, seen.language)
    if remark or is_pleasantry(seen.words):
        return _small(seen)
    return say("demo_unknown" if wanted == "question" else "demo_cannot", seen.language)


def _last_talk(seen: Seen) -> str:
    """What the session before came to, with its day; else the last words of it."""
    last = seen.last
    quotes = last.summary or " ".join(
        say("demo_quote", seen.language, quote=words) for words in last.said
    )
    if not quotes:
        return say("demo_no_last_talk", seen.language)
    key = "demo_last_talk" if last.day else "demo_last_talk_undated"
    day = say_day(last.day, seen.language) if last.day else ""
    return say(key, seen.language, day=day, quote=quotes)


def _then(seen: Seen, vocabulary: Vocabulary) -> str:
    """What was said of it on earlier days, each with its day; "" = nothing fits."""
    decisions = asks_of_decisions(seen.words)
    lines = of_then(seen.words, seen.recalled, vocabulary, decisions=decisions)
    return "\n".join(
        say(
            f"demo_then_{_THEN.get(line.kind, 'told')}",
            seen.language,
            day=say_day(line.day, seen.language),
            quote=" ".join(line.text.split()),
        )
        for line in lines
        if line.day
    )


_THEN: Final = {"decision": "decided", "summary": "talked"}


def _named(skills: Sequence[Unavailable], words: str) -> Unavailable | None:
    """The unavailable skill that the words name, if any."""
    said = f" {' '.join(_letters(words).split())} "
    for skill in skills:
        for called in skill.called:
            wanted = " ".join(_letters(called).split())
            if wanted and (wanted in said if CJK.search(wanted) else f" {wanted} " in said):
                return skill
    return None


def _letters(text: str) -> str:
    return "".join(char if char.isalnum() else " " for char in fold(text))


def _small(seen: Seen) -> str:
    kind: Small = small_talk(seen.words)
    if kind == "chat" and seen.files:  # "here"
        names = ", ".join(f"`{name.replace('`', chr(39))}`" for name in seen.files)
        return say("demo_received", seen.language, names=names)
    return say(f"demo_{kind}", seen.language)


def _list(key: str, lines: Sequence[RecalledLine], language: str) -> str:
    if not lines:
        return say(key, language)
    listed = _bullets(say(key, language), [line.text for line in lines[:MOST]])
    if key == "demo_recalled":  # what a turn is given is not always all there is
        hidden = len(lines) - MOST
        more = say("demo_more", language, count=hidden) if hidden > 0 else say("demo_all", language)
        return f"{listed}\n\n{more}"
    return listed


def _bullets(heading: str, items: Sequence[str]) -> str:
    return "\n".join([heading, "", *(f"- {item}" for item in items)])
