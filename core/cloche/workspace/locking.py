"""One process of this machine at a time, by a lock on a file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from cloche.errors import MemoryUnavailableError
from cloche.spool import LOCK_SECONDS, POLL_SECONDS


@asynccontextmanager
async def locked(path: Path, seconds: float = LOCK_SECONDS) -> AsyncIterator[None]:
    """Nobody else who asks for this lock has it meanwhile, in whichever process.

    Raises:
        MemoryUnavailableError: another has it for longer than that many seconds, or the disk
            refuses.
    """
    lock = FileLock(path, thread_local=False, poll_interval=POLL_SECONDS)
    try:
        await asyncio.to_thread(_acquire, lock, path.parent, seconds)
    except Timeout as error:
        told = f"{path}: another process holds it"
        raise MemoryUnavailableError(told, cause="locked") from error
    except OSError as error:
        told = f"{path}: {error.strerror or type(error).__name__}"
        raise MemoryUnavailableError(told, cause="io") from error
    try:
        yield
    finally:
        lock.release()


def _acquire(lock: FileLock, folder: Path, seconds: float) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock.acquire(timeout=seconds)
