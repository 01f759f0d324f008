"""A prompt cache by byte prefix, as the fake model servers keep it.

A request is rendered as a row of blocks of bytes (tools, system, messages), with cache points
between them. What a provider documents and is kept here: a prefix shorter than the model's
minimum is not cached; an entry lives for five minutes, and again five from every read; a cache
point finds an entry that ends at most twenty blocks before it; entries belong to one model.

The tokenizer, stated once: a block of text has a token for every four bytes of its canonical
JSON in UTF-8, rounded up; a picture has a token for every 750 pixels, rounded up.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Final

from cloche.clock import Clock

LIFETIME: Final = timedelta(minutes=5)
LOOKBACK_BLOCKS: Final = 20
BYTES_PER_TOKEN: Final = 4
PIXELS_PER_TOKEN: Final = 750


def canonical(value: object) -> bytes:
    """JSON without spaces, in the order of the keys as they were sent: order is bytes too."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def text_tokens(text: str | bytes) -> int:
    """Tokens of a text by the stated tokenizer."""
    data = text if isinstance(text, bytes) else text.encode()
    return math.ceil(len(data) / BYTES_PER_TOKEN)


def image_tokens(width: int, height: int) -> int:
    """Tokens of a picture by the stated tokenizer."""
    return math.ceil(width * height / PIXELS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a rendered request."""

    data: bytes
    tokens: int

    @classmethod
    def of(cls, value: object) -> Block:
        """A block of text or JSON."""
        data = canonical(value)
        return cls(data, text_tokens(data))


@dataclass(frozen=True)
class Rendered:
    """A request as the cache sees it.

    Attributes:
        blocks: Tools, then system, then messages.
        points: For each cache point, how many blocks stand before it.
    """

    blocks: tuple[Block, ...]
    points: tuple[int, ...]

    @property
    def data(self) -> bytes:
        """All of it."""
        return b"".join(block.data for block in self.blocks)

    @property
    def prefixes(self) -> tuple[bytes, ...]:
        """The bytes up to each cache point."""
        return tuple(b"".join(b.data for b in self.blocks[:point]) for point in self.points)


@dataclass(frozen=True, slots=True)
class Counted:
    """Input tokens of one request: read from the cache, written to it, and all the others."""

    read: int
    written: int
    fresh: int

    @property
    def all(self) -> int:
        """Input tokens together."""
        return self.read + self.written + self.fresh


class PromptCache:
    """What prefixes were cached when, per model.

    Args:
        clock: The present instant; tests move it.
    """

    def __init__(self, clock: Clock) -> None:
        """Start empty."""
        self._clock = clock
        self._expires: dict[tuple[str, bytes], datetime] = {}

    def __len__(self) -> int:
        """How many live entries there are."""
        now = self._clock()
        return sum(expires > now for expires in self._expires.values())

    def count(self, model: str, rendered: Rendered, minimum: int) -> Counted:
        """Count a request's tokens, refresh what it reads and keep what it writes.

        Args:
            model: Whose cache.
            rendered: The request.
            minimum: Fewest tokens of a prefix that the model caches; 0 = it caches nothing.
        """
        lengths = list(accumulate((block.tokens for block in rendered.blocks), initial=0))
        names = list(accumulate(rendered.blocks, _extend, initial=b""))
        points = [p for p in rendered.points if minimum and lengths[p] >= minimum]
        now, until = self._clock(), self._clock() + LIFETIME
        read = self._longest_entry(model, names, points, now)
        for point in {*points, read} - {0}:
            self._expires[model, names[point]] = until
        written = max(lengths[max(points, default=0)] - lengths[read], 0)
        return Counted(lengths[read], written, lengths[-1] - lengths[read] - written)

    def _longest_entry(
        self, model: str, names: Sequence[bytes], points: Sequence[int], now: datetime
    ) -> int:
        reachable = {
            b for point in points for b in range(max(0, point - LOOKBACK_BLOCKS), point + 1)
        }
        live = (b for b in reachable if self._expires.get((model, names[b]), now) > now)
        return max(live, default=0)


def _extend(name: bytes, block: Block) -> bytes:
    """The name of a prefix one block longer: the length in it keeps block borders apart."""
    return hashlib.sha256(name + len(block.data).to_bytes(8) + block.data).digest()
