"""A file on its way to Telegram, given up by silence: a slow line needs its time."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

UPLOAD_SECONDS: Final = 55.0
"""No piece goes out, or no answer comes, for so long: the line is dead."""
SLOWEST_BYTES: Final = 16_000
"""What a slow line carries in a second."""
HELD_BYTES: Final = 4_000_000
"""So much of what is sent may still lie with the operating system."""


class Outgoing(io.BytesIO):
    """The bytes of a file, which know how long to wait for the next piece to be taken.

    Attributes:
        is_begun: True once a piece was asked for: there is a line.
    """

    def __init__(self, content: bytes) -> None:
        """Take the bytes; none is out."""
        super().__init__(content)
        self._size = len(content)
        self.is_begun = False
        self._silence: asyncio.Timeout | None = None

    @property
    def is_out(self) -> bool:
        """True once the last byte is asked for: the platform may have the file."""
        return self.is_begun and self.tell() >= self._size

    def read(self, size: int | None = -1, /) -> bytes:
        """The next piece, asked for when the one before is taken."""
        piece = super().read(size)
        self.is_begun = True
        if self._silence is not None and not self._silence.expired():
            seconds = UPLOAD_SECONDS
            if self.is_out:
                seconds += min(self._size, HELD_BYTES) / SLOWEST_BYTES
            self._silence.reschedule(asyncio.get_running_loop().time() + seconds)
        return piece

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Wait no longer than the next piece, or the answer, may take.

        Raises:
            TimeoutError: there was silence.
        """
        async with asyncio.timeout(UPLOAD_SECONDS) as silence:
            self._silence = silence
            try:
                yield
            finally:
                self._silence = None
