from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from cloche.memory.records import MemoryRecord, Source, Validity

NOW = datetime(2026, 5, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("subject", "text", "told"),
    [
        ("", "I own a harp.", "I own a harp."),
        ("Ada", "Owns a harp.", "Ada: Owns a harp."),
        ("my neighbour", "My neighbour owns a harp.", "My neighbour owns a harp."),
        ("mi companera", "Mi compañera toca el arpa.", "Mi compañera toca el arpa."),
        ("邻居", "邻居喜欢鼓。", "邻居喜欢鼓。"),
    ],
)
def test_whom_a_statement_is_about_is_told_once(subject: str, text: str, told: str) -> None:
    record = MemoryRecord(
        id="mem-1", actor="ada", scope="long_term", kind="fact", text=text, subject=subject,
        source=Source(), validity=Validity(NOW, NOW),
    )  # fmt: skip
    assert record.told == told
    assert replace(record, subject="").told == text
