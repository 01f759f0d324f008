"""What is said about a turn's costs after it."""

from __future__ import annotations

from cloche.llm.usage import Usage
from cloche.memory.remembered import Remembered
from cloche_channels.console.reports import remembered_lines


def test_what_remembering_cost_is_told_where_a_model_was_asked() -> None:
    usage = Usage("some-model", 1200, 80, calls=1, cost_usd=0.0016)
    (line,) = remembered_lines(Remembered(usage=usage))
    assert line.startswith("remembering: some-model: 1200 tokens in")
    assert line.endswith("80 out; $0.001600")
    assert remembered_lines(Remembered()) == []
