"""Chats that were told to wait (flood control)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from cloche.channels import SendLaterError
from cloche.clock import Clock


class Waits:
    """Until when each chat has to wait, as far as Telegram has told."""

    def __init__(self, clock: Clock) -> None:
        """Take the clock."""
        self._clock = clock
        self._until: dict[str, datetime] = {}

    def holds(self, conversation: str) -> bool:
        """Whether a chat has to wait now."""
        until = self._until.get(conversation)
        return until is not None and until > self._clock()

    @contextmanager
    def noted(self, conversation: str) -> Iterator[None]:
        """Keep how long a chat has to wait, where a call in it says so."""
        try:
            yield
        except SendLaterError as error:
            now = self._clock()
            self._until = {chat: until for chat, until in self._until.items() if until > now}
            self._until[conversation] = now + timedelta(seconds=error.seconds)
            raise
