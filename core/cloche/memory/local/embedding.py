"""Vectors in the background: what is stored waits for one, and search works meanwhile.

A write is acknowledged before anything is embedded. Then a task on the running loop embeds what
waits, a few texts at a time, and stands back while somebody searches. What it has not done when the
process ends waits in the file for the next one.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from contextvars import Context
from datetime import datetime, timedelta
from typing import Final

from cloche.clock import Clock
from cloche.embedders import Embedder
from cloche.errors import ClocheError, MemoryUnavailableError
from cloche.memory.local import vectors as kept
from cloche.sqlite import Database

logger = logging.getLogger(__name__)

Vector = tuple[float, ...]

BATCH: Final = 4
"""Texts embedded at once in the background: a question waits for no more than these."""
PATIENCE_SECONDS: Final = 1.0
"""A question whose vector takes longer is searched by its words alone."""
PAUSE: Final = timedelta(minutes=1)
"""An embedder that failed is left alone for so long."""
QUESTIONS_KEPT: Final = 64
"""One message is searched for among records and events: its vector is made once."""


class Embedding:
    """Vectors of one embedder for one file. Owns the embedder."""

    def __init__(self, database: Database, embedder: Embedder, clock: Clock) -> None:
        """Take the file, the embedder and the present instant."""
        self.model_id, self.dimensions = embedder.model_id, embedder.dimensions
        self._database, self._embedder, self._clock = database, embedder, clock
        self._questions: OrderedDict[str, Vector] = OrderedDict()
        self._paused_until: datetime | None = None
        self._task: asyncio.Task[None] | None = None
        self._work = self._closed = False
        self._asking = 0
        self._embedding = asyncio.Lock()  # so that one process embeds nothing twice
        self._quiet = asyncio.Event()
        self._quiet.set()

    async def question(self, text: str) -> Vector | None:
        """The vector of a question; None when the embedder fails or takes too long."""
        if text in self._questions:
            self._questions.move_to_end(text)
            return self._questions[text]
        if self._closed or self._is_paused():
            return None
        self._asking += 1
        self._quiet.clear()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                (vector,) = await self._embed([text], query=True)
        except TimeoutError:
            logger.info("a question got no vector within %s s", PATIENCE_SECONDS)
            return None
        except (ClocheError, ValueError) as error:
            self._pause(error)
            return None
        finally:
            self._asking -= 1
            if not self._asking:
                self._quiet.set()
        self._questions[text] = vector
        while len(self._questions) > QUESTIONS_KEPT:
            self._questions.popitem(last=False)
        return vector

    def wake(self) -> None:
        """Have what waits embedded in the background, by a task on the running loop."""
        self._work = True
        if self._closed or self._is_paused():
            return
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), context=Context())

    def begin(self) -> None:
        """Wake once for what other processes left, and again while something is left to do."""
        if self._work or self._task is None:
            self.wake()

    async def embed_pending(self, limit: int) -> int:
        """Embed at most so many of the items that wait; how many were.

        Raises:
            ModelError: the embedder failed.
            ValueError: it gave something else than vectors of its length.
            MemoryUnavailableError: the file cannot be used.
        """
        async with self._embedding:
            return await self._embed_some(limit)

    async def pending(self) -> int:
        """How many items wait for a vector."""
        return await self._database.read(
            lambda c: kept.count_pending(c, self.model_id, self.dimensions)
        )

    async def close(self) -> None:
        """Stop at once; what waits is done by the next process."""
        if self._closed:
            return
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await self._embedder.close()

    async def _run(self) -> None:
        try:
            while self._work:
                self._work = False
                while await self.embed_pending(BATCH):
                    await self._quiet.wait()
        except MemoryUnavailableError as error:
            self._work = True
            logger.info("nothing is embedded while the file cannot be used: %s", error)
        except (ClocheError, ValueError) as error:
            self._pause(error)
        except Exception as error:
            logger.exception("the embedder %s failed", self.model_id)
            self._pause(error)

    async def _embed_some(self, limit: int) -> int:
        waiting, known = await self._database.read(
            lambda c: kept.pending(c, self.model_id, self.dimensions, limit)
        )
        if not waiting:
            return 0
        new = list(dict.fromkeys(one.text for one in waiting if one.hash not in known))
        vectors = dict(known)
        if new:
            embedded = await self._embed(new, query=False)
            for text, vector in zip(new, embedded, strict=True):
                vectors[kept.text_hash(text)] = kept.packed(vector)
        done = [(one, vectors[one.hash]) for one in waiting]
        await self._database.write(
            lambda c: kept.set_vectors(c, self.model_id, self.dimensions, done)
        )
        return len(waiting)

    async def _embed(self, texts: Sequence[str], *, query: bool) -> list[Vector]:
        vectors = await self._embedder.embed(texts, query=query)
        if len(vectors) != len(texts):
            raise ValueError(f"{len(vectors)} vectors for {len(texts)} texts")
        return [_unit(vector, self.dimensions) for vector in vectors]

    def _is_paused(self) -> bool:
        return self._paused_until is not None and self._clock() < self._paused_until

    def _pause(self, error: Exception) -> None:
        self._paused_until = self._clock() + PAUSE
        self._work = True
        logger.warning(
            "the embedder %s failed, search goes by words meanwhile: %s: %s",
            self.model_id,
            type(error).__name__,
            error,
        )


def _unit(vector: Sequence[float], dimensions: int) -> Vector:
    """The vector at length 1.

    Raises:
        ValueError: it has another number of dimensions, or is nothing to compare with.
    """
    values = tuple(float(value) for value in vector)
    size = math.sqrt(sum(value * value for value in values))
    if len(values) != dimensions or not math.isfinite(size) or size == 0:
        raise ValueError(f"a vector of {len(values)} floats, length {size}, not of {dimensions}")
    return tuple(value / size for value in values)
