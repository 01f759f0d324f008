"""Writes that are never lost: to the store, or to the spool until the store is back, in order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from datetime import datetime
from typing import Final

from cloche.errors import MemoryUnavailableError
from cloche.logs import OncePerCause
from cloche.memory.records import Event, MemoryRecord
from cloche.memory.spool import Operation, Spool
from cloche.memory.store import MemoryStore

logger = logging.getLogger(__name__)

WRITE_SECONDS: Final = 3.0
"""A write that takes longer goes to the spool too; ids make the repeat harmless."""


class Writer:
    """Writes events and records; whoever calls it never fails for want of the store."""

    def __init__(self, store: MemoryStore, spool: Spool, notices: OncePerCause) -> None:
        """Take where to write and where to wait."""
        self._store, self._spool, self._notices = store, spool, notices
        self.waiting = 0
        """Operations that waited in the spool when last looked at."""
