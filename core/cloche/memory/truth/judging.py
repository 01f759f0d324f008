"""How a new statement stands to what was said before: the verdicts, and who gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from cloche.language import detect
from cloche.memory.records import MemoryRecord
from cloche.memory.truth.claims import Reading
from cloche.memory.truth.comparing import about_same, compare, refers_back
from cloche.memory.truth.completing import Fragment, completed, fragment_of
from cloche.memory.truth.reading import Reader
from cloche.memory.truth.relations import BOTH, Comparison, Relation, Rule
from cloche.memory.truth.slots import asked_by_slot
from cloche.vocabulary import Vocabulary, fold

MAX_ASKED: Final = 5
"""Old records a model is asked about at once: the nearest ones."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the new statement stands to one record, and by which rule."""

    record_id: str
    relation: Relation
    rule: Rule


class Judge(Protocol):
    """Tells how a new record stands to old ones of the same person."""

    async def compare(self, new: MemoryRecord, old: Sequence[MemoryRecord]) -> Sequence[Verdict]:
        """One verdict per old record, in their order.

        Raises:
            ModelError: a model was needed and gave nothing.
        """
        ...


class RulesJudge:
    """Judges by deterministic rules for English, Spanish and Chinese."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Take the vocabulary that names things, sections, and whatever else can differ."""
        self._reader, self._vocabulary = Reader(vocabulary), vocabulary

    async def compare(self, new: MemoryRecord, old: Sequence[MemoryRecord]) -> Sequence[Verdict]:
        """One verdict per old record; what the rules cannot tell is kept beside it."""
        return [
            Verdict(record.id, found.relation, found.rule)
            for record, found in zip(old, self.comparisons(new, old), strict=True)
        ]

    def comparisons(self, new: MemoryRecord, old: Sequence[MemoryRecord]) -> tuple[Comparison, ...]:
        """The same with what is unsure marked so."""
        language = self._reader.read(new.text).language
        reading = self.read(new, language)
        if refers_back(reading):
            return self._referring(reading, old)
        unsaid = not detect(new.text)  # few words are of any language: of the other's, then
        found = [
            self._one(new, self.read(new, detect(one.text)) if unsaid else reading, one, language)
            for one in old
        ]
        return _only_newest_meant(found, new, old)

    def refers_back(self, record: MemoryRecord) -> bool:
        """True when it says "it" of what only an earlier record names."""
        return refers_back(self.read(record))

    def corrects(self, record: MemoryRecord) -> bool:
        """True when it begins by saying that something was wrong."""
        said = (record.text, record.source.quote)
        return any(self._reader.read(text).corrects for text in said)

    def fragment(self, record: MemoryRecord) -> Fragment | None:
        """The piece of a statement that a record's text is, when it corrects with one."""
        return fragment_of(record.text, self._reader)

    def complete(self, piece: MemoryRecord, old: MemoryRecord) -> str:
        """An old record's text with a piece put in; "" when it has no place for it."""
        fragment = fragment_of(piece.text, self._reader, self._reader.read(old.text).language)
        return (fragment and completed(fragment, old.text, self._reader)) or ""

    def slot_of(self, record: MemoryRecord) -> str:
        """Words to find what else was said of the same slot by; "" when it is of none."""
        return asked_by_slot(self.read(record))

    def thing_of(self, record: MemoryRecord) -> str:
        """What a record is about, in its own words; "" when that cannot be told."""
        return record.subject or self._reader.read(record.text).thing

    def read(self, record: MemoryRecord, hint: str = "") -> Reading:
        """A record, read; where it refers back, its subject stands for what it refers to."""
        reading = self._reader.read(record.text, hint)
        if not reading.corrects and record.source.quote:
            quoted = self._reader.read(record.source.quote)
            # A model left the "no" out of the text.
            reading = replace(reading, corrects=quoted.corrects, firm=quoted.firm)
        if not (record.subject and refers_back(reading)):
            return reading
        core = self._reader.read(record.subject, reading.language).core
        at = next((i for i, token in enumerate(reading.tokens) if token.kind == "it"), 0)
        kept = tuple(token for token in reading.tokens if token.kind != "it")
        # Before the verb of being or place, after one of liking.
        at = len(kept) if reading.valence else at
        return replace(
            reading, key=(*reading.key, record.subject), tokens=(*kept[:at], *core, *kept[at:])
        )

    def _one(
        self, new: MemoryRecord, reading: Reading, record: MemoryRecord, language: str
    ) -> Comparison:
        other = self.read(record, language)
        if self._subject(new, reading) != self._subject(record, other):
            return Comparison("both", "other_person")
        found = compare(reading, other)
        if found.rule == "same_meaning" and self._tagged_otherwise(new, record):
            return Comparison("both", "other_value")
        return found

    def _subject(self, record: MemoryRecord, reading: Reading) -> str:
        """Whom it is about; the subject that was added for an "it" is part of the statement."""
        added = reading.has("it") or refers_back(self._reader.read(record.text))
        return "" if added else " ".join(fold(record.subject).split())

    def _tagged_otherwise(self, new: MemoryRecord, old: MemoryRecord) -> bool:
        """True when an open key names other things in the one than in the other."""
        for key in self._vocabulary.keys:
            mine, theirs = new.metadata.get(key.id), old.metadata.get(key.id)
            if key.closed or not (isinstance(mine, tuple) and isinstance(theirs, tuple)):
                continue
            if mine and theirs and not {t.id for t in mine} & {t.id for t in theirs}:
                return True
        return False

    def _referring(self, new: Reading, old: Sequence[MemoryRecord]) -> tuple[Comparison, ...]:
        """The newest record it can refer to gets the verdict; it has nothing to do with others."""
        found = [BOTH] * len(old)
        newest = sorted(range(len(old)), key=lambda i: _age(old[i]), reverse=True)
        for i in newest:
            comparison = about_same(new, self.read(old[i], new.language))
            if comparison.relation != "both":
                found[i] = comparison
                break
        return tuple(found)


class ModelAfterRules:
    """Asks a model only where the rules cannot tell; when it gives nothing, both are kept."""

    def __init__(self, rules: RulesJudge, model: Judge) -> None:
        """Take both judges."""
        self._rules, self._model = rules, model

    async def compare(self, new: MemoryRecord, old: Sequence[MemoryRecord]) -> Sequence[Verdict]:
        """One verdict per old record.

        Raises:
            ModelError: the model gave nothing; the rules' own verdicts are in ``RulesJudge``.
        """
        found = self._rules.comparisons(new, old)
        unsure = [record for record, one in zip(old, found, strict=True) if one.unsure]
        asked = {
            verdict.record_id: verdict
            for verdict in (await self._model.compare(new, unsure[:MAX_ASKED]) if unsure else ())
        }
        return [
            asked.get(record.id, Verdict(record.id, one.relation, one.rule))
            if one.unsure
            else Verdict(record.id, one.relation, one.rule)
            for record, one in zip(old, found, strict=True)
        ]


def _only_newest_meant(
    found: Sequence[Comparison], new: MemoryRecord, old: Sequence[MemoryRecord]
) -> tuple[Comparison, ...]:
    """Where several may be meant the newest is; where it only shares words, the last one told."""
    loose = [i for i, one in enumerate(found) if one.loose]
    firm = any(one.relation == "changed" and not one.loose for one in found)
    newest = max(loose, key=lambda i: (not found[i].just_told, _age(old[i])), default=-1)
    here = [one for one in old if one.source.conversation == new.source.conversation]
    last = max((_age(record) for record in here), default=(0.0, ""))
    return tuple(
        BOTH
        if one.loose and (firm or i != newest or (one.just_told and _age(old[i]) != last))
        else one
        for i, one in enumerate(found)
    )


def _age(record: MemoryRecord) -> tuple[float, str]:
    return record.validity.updated_at.timestamp(), record.id
