"""Whether a model was found lately not to answer at all."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from cloche.errors import ModelError

OUTAGE_SECONDS: Final = 30.0
"""So long after it gave no answer is a model not asked for what can be done without it."""
_GIVES_NOTHING: Final = frozenset({"timeout", "unreachable"})


class Outage:
    """When a model was last found not to answer; every use of the model tells."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Begin with a model that answers."""
        self._now = now
        self._until = 0.0

    @property
    def is_on(self) -> bool:
        """True when asking it would most likely take long and give nothing."""
        return self._now() < self._until

    def note(self, error: ModelError) -> None:
        """Take note of a failure; one that came with an answer of whatever kind is none."""
        if error.cause in _GIVES_NOTHING:
            self._until = self._now() + OUTAGE_SECONDS
