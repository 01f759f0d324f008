"""What turns and what follows them took, counted whatever becomes of them."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from cloche.delivery.apart import apart
from cloche.delivery.gate import Answering, Gate
from cloche.llm.usage import Usage
from cloche.messages import Message
from cloche.turn import BrokenOff, Remembered, Turn

logger = logging.getLogger(__name__)

ASKED_SECONDS: Final = 60.0
"""Gate and assistant have so long for what takes a moment."""
AFTERWARDS_SECONDS: Final = 600.0
"""What follows a turn asks models, too."""


class Costs:
    """Counts with the gate; a failure to count is logged and touches no turn."""

    def __init__(self, assistant: Answering, gate: Gate) -> None:
        """Take who knows what was taken, and who counts."""
        self._assistant, self._gate = assistant, gate

    async def afterwards(self, message: Message, turn: Turn) -> Remembered:
        """Do what follows a turn, whose own costs are counted by then."""
        try:
            remembered = await apart(turn.afterwards, AFTERWARDS_SECONDS)
        except asyncio.CancelledError:
            await self.broke_off(message, "closed")
            raise
        except Exception:
            logger.exception("what follows turn %s failed", turn.id)
            await self.broke_off(message, "internal")
            return Remembered()
        if remembered.usage != Usage():
            await self.spent(message, remembered.usage)
        return remembered

    async def broke_off(self, message: Message, why: BrokenOff) -> None:
        """Count what models took for what was begun and has no end that tells of it."""
        try:
            usage = await apart(lambda: self._assistant.broken_off(message, why), ASKED_SECONDS)
        except Exception:
            logger.exception("what a turn took that was broken off is not known")
        else:
            await self.spent(message, usage)

    async def spent(self, message: Message, usage: Usage) -> None:
        """Count what models took for whoever wrote a message."""
        try:
            await apart(lambda: self._gate.spent(message, usage), ASKED_SECONDS)
        except Exception:
            logger.exception("what a turn took was not counted")
