"""Where writes wait while a store is away: an append-only file, one document per line.

A document says whose it is (``actor``) and what is to be done; what that means, its owner knows.

Any number of processes may append and drain at the same time. Two locks keep them apart: a short
one around every access to the file, and one that a drain (or a purge) holds from end to end, so
that operations reach the store in order and once. A crash between applying and cutting off what
was applied has those operations applied again, which their ids make harmless.
"""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from cloche.clock import Clock
from cloche.durable import append_durably, replace_durably, rewritten
from cloche.errors import MemoryUnavailableError
from cloche.memory.codec import Document, dump_line, load_line
from cloche.state.store import Json

logger = logging.getLogger(__name__)

LOCK_SECONDS: Final = 10.0
"""The short lock is held for the length of a file access; longer means something is broken."""
PURGE_SECONDS: Final = 30.0
"""A purge waits for a drain that is under way."""
POLL_SECONDS: Final = 0.005
BATCH: Final = 100
"""Lines applied before the file is cut: what a crash may have applied again."""

_ACTOR: Final = re.compile(rb'"actor":("(?:[^"\\]|\\.)*")')


Apply = Callable[[Document], Awaitable[object]]
"""Does what a document says, again without harm; ValueError = it never can be done."""


@dataclass(slots=True)
class _Progress:
    """What became of the first lines: all that are done with, and those to set aside."""

    applied: int = 0
    done: list[bytes] = field(default_factory=list)
    bad: list[bytes] = field(default_factory=list)
    stopped: bool = False


class Waiting:
    """Writes that wait, of one assistant and one store. Made without touching the disk."""

    def __init__(self, path: Path, clock: Clock) -> None:
        """Take the file; locks, what is set aside and what is being rewritten lie beside it."""
        self._path, self._clock = path, clock
        self._bad = path.with_name(f"{path.name}.bad")
        self._lock, self._drain_lock = lock_paths(path)

    async def add(self, document: Mapping[str, Json]) -> None:
        """Have a document wait; it is on disk when this returns.

        Raises:
            ValueError: it has no actor, or cannot be written as JSON.
            MemoryUnavailableError: the file cannot be written.
        """
        _require(document.get("actor"))
        line = dump_line({**document, "queued_at": self._clock().isoformat()}) + b"\n"
        await asyncio.to_thread(self._append, line)

    async def work_off(self, apply: Apply) -> int:
        """Apply what waits, in order, until the store fails or nothing is left; how many were.

        What the store did not take stays, in order. Lines that are no document, or that the
        store refuses, are set aside in ``<file>.bad``. Returns 0 when another drain is under way.

        Raises:
            MemoryUnavailableError: the file cannot be read or written.
        """
        if not await asyncio.to_thread(self._path.exists):
            return 0
        lock = FileLock(self._drain_lock, thread_local=False)
        try:
            await asyncio.to_thread(lock.acquire, timeout=0)
        except Timeout:
            return 0
        except OSError as error:
            raise _unavailable(error, self._path) from error
        try:
            applied = 0
            while lines := await asyncio.to_thread(self._head):
                progress = await self._apply(lines, apply)
                await asyncio.to_thread(self._cut, progress)
                applied += progress.applied
                if progress.stopped:
                    break
            return applied
        finally:
            lock.release()

    async def purge(self, actor: str) -> int:
        """Remove an actor's lines, also from what was set aside; how many.

        Lines set aside that are too damaged to tell whose they are go too. To forget somebody,
        purge first: what is drained afterwards would be back in the store.

        Raises:
            ValueError: the actor is empty.
            MemoryUnavailableError: the files cannot be written, or a drain does not end.
        """
        _require(actor)
        return await asyncio.to_thread(self._purge, actor)

    async def pending(self, actor: str | None = None) -> int:
        """How many operations wait, of one actor or of all.

        Raises:
            ValueError: the actor is empty.
            MemoryUnavailableError: the file cannot be read.
        """
        if actor is not None:
            _require(actor)
        return await asyncio.to_thread(self._pending, actor)

    async def documents(self, actor: str) -> list[Document]:
        """What waits of an actor, in order; lines that are no document are left out.

        Raises:
            ValueError: the actor is empty.
            MemoryUnavailableError: the file cannot be read.
        """
        _require(actor)
        return await asyncio.to_thread(self._documents, actor)

    async def _apply(self, lines: Sequence[bytes], apply: Apply) -> _Progress:
        progress = _Progress()
        for line in lines:
            try:
                if line.strip():
                    await apply(_parse(line))
                    progress.applied += 1
            except MemoryUnavailableError as error:
                logger.info("cause=%s | the store is away, writes go on waiting", error.cause)
                progress.stopped = True
                break
            except Exception as error:
                if not isinstance(error, ValueError):
                    fault = type(error).__name__
                    logger.warning("fault=%s | the store failed, writes go on waiting", fault)
                    progress.stopped = True
                    break
                # Our messages name a field, not what a person wrote in it.
                if line.endswith(b"\n"):
                    logger.warning("file=%s reason=%s | line set aside", self._bad, error)
                    progress.bad.append(line)
                else:
                    logger.warning("file=%s | line cut by a crash dropped", self._path)
            progress.done.append(line)
        return progress

    def _append(self, line: bytes) -> None:
        with self._exclusive():
            append_durably(self._path, line)

    def _head(self) -> list[bytes]:
        with self._exclusive():
            if not self._path.exists():
                return []
            with self._path.open("rb") as file:
                return list(islice(file, BATCH))

    def _cut(self, progress: _Progress) -> None:
        """Take the lines done with off; what was appended meanwhile stands behind them."""
        done = b"".join(progress.done)
        with self._exclusive():
            content = self._path.read_bytes() if done else b""
            # A drain that was cancelled may cut late, after another has: never cut what it
            # has not applied. What stays is applied again, which does no harm.
            if done and content.startswith(done):
                if progress.bad:
                    append_durably(self._bad, b"".join(progress.bad))
                replace_durably(self._path, content[len(done) :])

    def _purge(self, actor: str) -> int:
        with self._exclusive(self._drain_lock, PURGE_SECONDS), self._exclusive():
            return _without(self._path, actor) + _without(self._bad, actor)

    def _pending(self, actor: str | None) -> int:
        if not self._path.exists():
            return 0
        with self._exclusive():
            lines = [line for line in _lines(self._path) if line.strip()]
        return sum(actor is None or _belongs(line, actor) is True for line in lines)

    def _documents(self, actor: str) -> list[Document]:
        if not self._path.exists():
            return []
        with self._exclusive():
            lines = _lines(self._path)
        found = []
        for line in lines:
            with suppress(ValueError):
                found.append(_parse(line))
        return [document for document in found if document.get("actor") == actor]

    @contextmanager
    def _exclusive(self, lock: Path | None = None, seconds: float = LOCK_SECONDS) -> Iterator[None]:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with FileLock(lock or self._lock, timeout=seconds, poll_interval=POLL_SECONDS):
                yield
        except OSError as error:
            raise _unavailable(error, self._path) from error


def lock_paths(path: Path) -> tuple[Path, Path]:
    """The files locked while a spool is read or written, and while it is drained."""
    return path.with_name(f"{path.name}.lock"), path.with_name(f"{path.name}.drain.lock")


def _parse(line: bytes) -> Document:
    document = load_line(line)
    document.pop("queued_at", None)
    return document


def _belongs(line: bytes, actor: str) -> bool | None:
    """Whether a line is the actor's; None when it is too damaged to tell."""
    try:
        return load_line(line).get("actor") == actor
    except ValueError:
        found = _ACTOR.findall(line)
        return _spelled(actor) in found if found else None


def _spelled(actor: str) -> bytes:
    return json.dumps(actor, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _lines(path: Path) -> list[bytes]:
    if not path.exists():
        return []
    with path.open("rb") as file:
        return list(file)


def _without(path: Path, actor: str) -> int:
    """Rewrite a file without an actor's lines and without those nobody can tell whose they are."""
    lines = _lines(path)
    kept = [line for line in lines if _belongs(line, actor) is False]
    # Also when nothing goes: what a crash left half rewritten may hold the actor's words.
    if lines or rewritten(path).exists():
        replace_durably(path, b"".join(kept))
    return sum(bool(line.strip()) for line in lines) - sum(bool(line.strip()) for line in kept)


def _unavailable(error: OSError, path: Path) -> MemoryUnavailableError:
    if isinstance(error, Timeout):
        return MemoryUnavailableError(f"{path}: another process holds the lock", cause="locked")
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return MemoryUnavailableError(f"{path}: {error}", cause="disk_full" if full else "io")


def _require(actor: Json) -> None:
    if not actor:
        raise ValueError("actor is empty; nobody is acted for without one")
