"""Turns in which something was used, said as what they were: words, files, or forgotten."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from cloche.cli.grounds import grounds
from cloche.memory.why import Reasons, Used
from cloche.memory.why_in_words import in_words
from cloche.testing.samples import make_record
from cloche.texts import languages, say

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
USES = (
    Used("t1", AT, "How is it?"),
    Used("t2", AT, "", files=2),
    Used("t3", AT, ""),
    Used("t4", AT, "", forgotten=True),
)


def found() -> Reasons:
    return Reasons(make_record(1, "My bed is dry.", actor="a"), (), (), None, USES)


@pytest.mark.parametrize("language", languages())
def test_only_what_was_forgotten_is_called_so(language: str) -> None:
    person: Any = SimpleNamespace(language=language, zone=ZoneInfo("UTC"))
    said = [line.split(": ", 1)[1] for line in in_words(found(), person)[-4:]]
    assert said == [
        "How is it?",
        say("why_used_files", language, count=2),
        say("why_used_wordless", language),
        say("why_used_forgotten", language),
    ]


def test_the_table_says_the_same() -> None:
    texts = [row.text for row in grounds(found(), "ana") if row.part == "used"]
    assert texts == ["How is it?", "(files without words: 2)", "(without words)", "(forgotten)"]
