"""Events and records to test with: one whole of each, and any number of different ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

from cloche.memory.records import (
    KINDS,
    Event,
    Kind,
    MemoryRecord,
    Metadata,
    Source,
    Tag,
    Trust,
    Validity,
    no_metadata,
)

START: Final = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)

SENTENCES: Final = (
    "The kettle stands on the left shelf.",
    "I prefer two short trips to one long trip.",
    "Mi hermana toca el violín los jueves, ¿sabes?",
    "El camión llegó tarde; había niebla en el túnel.",
    "我在阳台上放了三盏灯。",
    "他每个星期二去图书馆借书,不喜欢咖啡馆。",
    "Ночной поезд опоздал на час.",
    "العربية تُكتب من اليمين",
    "Ça coûte 12,50 € — naïve façade",
    "Line one\nline two\ttabbed \u2028 separator",
    "Quotes \" and ' and \\ and % and _ and ; DROP TABLE records; --",
    "\U0001f9ed \U0001f468\u200d\U0001f469\u200d\U0001f467 family",
    "x",
    "",
)


def make_event(number: int = 1, actor: str = "console_-ana", **changes: object) -> Event:
    """The ``number``-th event of an actor: a minute after the one before."""
    event = Event(
        id=f"turn-{number:04}",
        actor=actor,
        session="s-console_-1",
        conversation="c-console_-1",
        at=START + timedelta(minutes=number),
        user_text=f"Words number {number}.",
        assistant_text=f"Answer number {number}.",
    )
    return replace(event, **changes)  # type: ignore[arg-type]  # names and types are the caller's


def whole_event(actor: str = "console_-ana") -> Event:
    """An event in which no field has its default."""
    return Event(
        id="turn-whole",
        actor=actor,
        session="s-group_-7",
        conversation="c-group_-7",
        at=datetime(2026, 3, 1, 23, 59, 59, 999_999, tzinfo=UTC),
        user_text="¿Qué dice 这个 sign? \U0001f9ed",
        assistant_text=None,
        group=True,
        attachments=("sign.jpg", "地图.png"),
        given=("made/计划.txt",),
        language="es",
        speaker="Mei",
    )


def make_record(
    number: int = 1,
    text: str = "The kettle stands on the left shelf.",
    *,
    actor: str = "console_-ana",
    kind: Kind = "fact",
    scope: str = "long_term",
    subject: str = "",
    metadata: Metadata | None = None,
    conversation: str = "c-console_-1",
    expires_at: datetime | None = None,
    archived_at: datetime | None = None,
) -> MemoryRecord:
    """The ``number``-th record of an actor: updated a minute after the one before."""
    at = START + timedelta(minutes=number)
    return MemoryRecord(
        id=f"mem-{number:036}",
        actor=actor,
        scope=scope,
        kind=kind,
        subject=subject,
        text=text,
        metadata=no_metadata() if metadata is None else metadata,
        source=Source(ref=f"turn-{number:04}", quote=text, conversation=conversation),
        validity=Validity(at, at, expires_at=expires_at, archived_at=archived_at),
    )


def whole_record(actor: str = "console_-ana") -> MemoryRecord:
    """A record in which no field has its default, with metadata of every type."""
    return MemoryRecord(
        id="mem-6f1c5d2e-4f6b-4a55-9a57-8f0f5d6a2c11",
        actor=actor,
        scope="project",
        scope_key="attic",
        kind="decision",
        subject="el desván",
        text="Pintamos el desván de azul, 不用白色。",
        metadata={
            "colours": (Tag("azul", "Azul añil"), Tag("bai-se", "白色")),
            "nothing": (),
            "litres": 12.75,
            "due": datetime(2026, 4, 1, 10, 30, tzinfo=UTC),
        },
        source=Source(
            stated=False,
            type="import",
            ref="notes.md",
            start=3,
            end=19,
            quote="el desván de azul",
            conversation="c-group_-7",
            group=True,
            derived_from=("mem-a", "mem-b"),
        ),
        validity=Validity(
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
            updated_at=datetime(2026, 2, 1, 0, 0, 0, 1, tzinfo=UTC),
            expires_at=datetime(2031, 1, 1, tzinfo=UTC),
            review_after=datetime(2027, 1, 1, tzinfo=UTC),
            archived_at=None,
            supersedes=("mem-c",),
        ),
        trust=Trust(0.125, 5, 3, datetime(2026, 2, 2, tzinfo=UTC)),
    )


def any_event(random: Random, actor: str) -> Event:
    """Some event of the actor, of few ids, sessions and conversations."""
    return make_event(
        random.randrange(40),
        actor,
        session=f"s-{random.randrange(3)}",
        conversation=f"c-{random.randrange(2)}",
        at=START + timedelta(seconds=random.randrange(1_000_000), microseconds=random.randrange(9)),
        user_text=random.choice(SENTENCES),
        assistant_text=random.choice((None, *SENTENCES)),
    )


def any_record(random: Random, actor: str) -> MemoryRecord:
    """Some record of the actor, of few ids, scopes and tags."""
    tags = tuple(Tag(f"tag-{i}", f"Tag {i}") for i in range(random.randrange(4)))
    record = make_record(
        random.randrange(40),
        " ".join(random.sample(SENTENCES, 2)),
        actor=actor,
        kind=random.choice(KINDS),
        scope=random.choice(("long_term", "personal")),
        subject=random.choice(("", "Luis", "妈妈")),
        metadata={"topics": tags, "weight": random.random()},
        conversation=f"c-{random.randrange(2)}",
    )
    updated_at = record.validity.created_at + timedelta(seconds=random.randrange(1_000_000))
    return replace(record, validity=replace(record.validity, updated_at=updated_at))
