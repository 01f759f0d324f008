"""What the doctor finds in a person's records, and what it does not complain of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from cloche.memory import contradictions as pairs
from cloche.memory.contradictions import contradictions
from cloche.memory.doctor import (
    growth,
    shared_slugs,
    unknown_tags,
    used_after_end,
    without_source,
)
from cloche.memory.records import MemoryRecord, Source, Tag, Validity
from cloche.memory.truth.judging import RulesJudge
from cloche.memory.use_log import Use
from cloche.vocabulary import MetadataKey, Value, Vocabulary

NOW = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
VOCABULARY = Vocabulary(
    (
        MetadataKey("mood", "Mood.", closed=True, values=(Value("calm"), Value("tense"))),
        MetadataKey("thing", "What it is about."),
    )
)


def record(number: int, text: str, days_ago: int = 0, **changes: object) -> MemoryRecord:
    at = NOW - days_ago * DAY
    made = MemoryRecord(
        f"mem-{number:08x}",
        "ana",
        "long_term",
        "fact",
        text,
        Source(ref=f"turn-{number}", quote=text),
        Validity(at, at),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def many(old: int, new: int) -> list[MemoryRecord]:
    return [record(n, f"Fact {n}.", 1 if n < new else 30) for n in range(old + new)]


@pytest.mark.parametrize(
    ("old", "new", "status"), [(100, 20, "ok"), (100, 21, "warning"), (0, 60, "warning")]
)
def test_growth_over_a_fifth_in_a_week_is_told(old: int, new: int, status: str) -> None:
    finding = growth(many(old, new), NOW)
    assert finding.status == status
    assert bool(finding.remedy) == (status == "warning")
    assert len(finding.records) == (new if status == "warning" else 0)


def test_a_new_persons_first_week_is_no_growth_to_tell() -> None:
    assert growth(many(0, 30), NOW).status == "ok"
    assert growth([], NOW).status == "ok"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I love oolong.", "I hate oolong."),
        ("Me encanta el té verde.", "Odio el té verde."),
        ("我喜欢绿茶。", "我讨厌绿茶。"),
        ("The lamp is in the hall.", "The lamp is in the kitchen."),
    ],
)
async def test_two_that_exclude_each_other_are_found(old: str, new: str) -> None:
    records = [record(2, new, 1), record(1, old, 5), record(3, "My dog is called Trufa.", 9)]
    finding = await contradictions(records, NOW, RulesJudge(VOCABULARY))
    assert finding.status == "warning"
    assert finding.records == ("mem-00000002", "mem-00000001")
    assert f"“{new}” (00000002) and “{old}” (00000001)" in finding.value
    assert "Do both hold?" in finding.remedy
    for one, other in (("00000001", "00000002"), ("00000002", "00000001")):
        assert f"`cloche memory revive {one} --instead {other}`" in finding.remedy
    assert "forget" not in finding.remedy


async def test_what_holds_no_longer_or_elsewhere_contradicts_nothing() -> None:
    new, old = record(2, "I hate oolong.", 1), record(1, "I love oolong.", 5)
    judge = RulesJudge(VOCABULARY)
    ended = replace(old, validity=replace(old.validity, archived_at=NOW - DAY))
    group = replace(old, source=replace(old.source, conversation="family", group=True))
    note = replace(old, kind="note")
    for other in (ended, group, note, record(1, "I love coffee.", 5)):
        assert (await contradictions([new, other], NOW, judge)).status == "ok"


async def test_where_there_are_too_many_pairs_rare_words_come_first_and_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pairs, "MAX_PAIRS", 30)
    records: Sequence[MemoryRecord] = [
        record(1, "I hate oolong."),
        *(record(n, f"I know {chr(87 + n) * 4}ton.") for n in range(10, 36)),
        record(2, "I love oolong.", 5),
    ]
    finding = await contradictions(records, NOW, RulesJudge(VOCABULARY))
    assert finding.records == ("mem-00000001", "mem-00000002")
    assert "not all" in finding.value


def test_use_after_the_end_is_found_and_use_before_it_is_not() -> None:
    at = NOW - 5 * DAY
    ended = record(1, "On holiday.", 9)
    ended = replace(ended, validity=replace(ended.validity, expires_at=at))
    archived = record(2, "Was so.", 9)
    archived = replace(archived, validity=replace(archived.validity, archived_at=at))
    before = Use("turn-a", at - DAY, (ended.id, archived.id), ())
    during = Use("turn-b", at + timedelta(minutes=1), (archived.id,), ())
    after = Use("turn-c", at + DAY, (ended.id,), (archived.id,))
    assert used_after_end([ended, archived], [before, during]).status == "ok"
    finding = used_after_end([ended, archived], [after, during, before])
    assert (finding.status, finding.records) == ("warning", (ended.id,))
    assert "turn-c" in finding.value


def test_tags_that_the_vocabulary_lost_are_found_by_key_and_by_closed_value() -> None:
    fine = record(1, "a", metadata={"mood": (Tag("calm", "calm"),), "thing": (Tag("x", "x"),)})
    key = record(2, "b", metadata={"gone": (Tag("x", "x"),)})
    value = record(3, "c", metadata={"mood": (Tag("angry", "angry"),)})
    assert unknown_tags([fine], VOCABULARY).status == "ok"
    finding = unknown_tags([fine, key, value], VOCABULARY)
    assert finding.records == (key.id, value.id)
    assert "gone (1), mood=angry (1)" in finding.value


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [("柿子", "狮子", "warning"), ("Jardín", "jardin", "ok"), ("Jardín sur", "jardin-sur", "ok")],
)
def test_two_labels_under_one_tag_are_found_but_not_two_spellings(
    first: str, second: str, status: str
) -> None:
    records = [
        record(n, "a", metadata={"thing": (Tag("shizi", label),)})
        for n, label in enumerate((first, second))
    ]
    assert shared_slugs(records).status == status


def test_records_that_do_not_say_where_they_are_from_are_found() -> None:
    lost = record(1, "a", source=Source())
    made = record(2, "b", source=Source(derived_from=("turn-1",)))
    assert without_source([made, record(3, "c")]).status == "ok"
    assert without_source([lost, made]).records == (lost.id,)
