"""What models took beside the answer, kept per person until a turn counts it."""

from __future__ import annotations

from cloche.llm.usage import Usage


class Ledger:
    """Collects usage where a model is asked deep inside a turn, so that none goes uncounted.

    One per process and assistant. What a process that is killed had not handed over is lost.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._used: dict[str, Usage] = {}

    def add(self, actor: str, usage: Usage) -> None:
        """Note what a model took for a person; also when its answer was of no use."""
        if usage.calls:
            self._used[actor] = self._used.get(actor, Usage()) + usage

    def take(self, actor: str) -> Usage:
        """What was noted since it was last taken."""
        return self._used.pop(actor, Usage())
