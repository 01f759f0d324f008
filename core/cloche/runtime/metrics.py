"""A turn as metrics that CloudWatch reads out of the log: the Embedded Metric Format."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cloche.runtime.observed import Seen

NAMESPACE: Final = "Cloche"
DIMENSION: Final = "Assistant"
NO_FAILURES: Final = ("", "attachment", "stopped")
"""That somebody sent what cannot be read, or had a turn stopped, wakes no operator."""


class EmbeddedMetrics:
    """Writes one line for each turn; it holds numbers and no words, ids or people."""

    def __init__(
        self, assistant: str, write: Callable[[str], None], clock: Callable[[], datetime]
    ) -> None:
        """Take the assistant's name, where lines go, and the present instant."""
        self._assistant, self._write, self._clock = assistant, write, clock

    def __call__(self, seen: Seen) -> None:
        """Write a turn down."""
        usage = seen.usage
        values: dict[str, tuple[float, str]] = {
            "Turns": (1, "Count"),
            "Failures": (int(seen.failure not in NO_FAILURES), "Count"),
            "MemoryAway": (int(bool(seen.degraded)), "Count"),
            "RecallHits": (seen.recalled, "Count"),
            "ToolCalls": (seen.tool_calls, "Count"),
            "TokensIn": (usage.input_tokens, "Count"),
            "TokensOut": (usage.output_tokens, "Count"),
            "TokensCached": (usage.cache_read_tokens, "Count"),
            "ModelCalls": (usage.calls, "Count"),
        }
        if usage.cost_usd is not None:
            values["CostUSD"] = (usage.cost_usd, "None")
        for step, seconds in seen.seconds.items():
            values[f"{step.title()}Latency"] = (round(seconds * 1000, 3), "Milliseconds")
        metrics = [{"Name": name, "Unit": unit} for name, (_, unit) in values.items()]
        directive = {"Namespace": NAMESPACE, "Dimensions": [[DIMENSION]], "Metrics": metrics}
        line = {
            "_aws": {
                "Timestamp": int(self._clock().timestamp() * 1000),
                "CloudWatchMetrics": [directive],
            },
            DIMENSION: self._assistant,
            **{name: value for name, (value, _) in values.items()},
        }
        self._write(json.dumps(line))
