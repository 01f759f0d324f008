"""How long to wait before something is tried again."""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Awaitable, Callable, Iterator
from typing import Final, TypeVar

from cloche.errors import MemoryUnavailableError

logger = logging.getLogger(__name__)

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[object]]
"""Waits for so many seconds."""

STORE_FIRST: Final = 0.1
STORE_MOST: Final = 10.0


def back_off(first: float, most: float) -> Iterator[float]:
    """Seconds to wait, doubling up to ``most``, each between half and one and a half of that.

    The jitter keeps conversations that failed together from coming back together.
    """
    seconds = first
    while True:
        yield seconds * (0.5 + random.random())  # noqa: S311 (no secret depends on it)
        seconds = min(most, seconds * 2)


def ordered_wait(seconds: object, waits: Iterator[float], *, least: float, most: float) -> float:
    """How long to wait at a platform's word; what is no such word counts as an ordinary failure.

    Args:
        seconds: The word, as a channel passed it on.
        waits: Seconds to wait after ordinary failures.
        least: What is waited at least; at no word a loop becomes tight.
        most: What is waited at most.
    """
    if not isinstance(seconds, int | float) or isinstance(seconds, bool):
        return next(waits)
    if math.isnan(seconds) or seconds <= 0:
        return max(least, next(waits))
    return min(max(least, seconds), most)


async def until_kept(write: Callable[[], Awaitable[T]], sleep: Sleep) -> T:
    """Write to the StateStore, again and again while it is away: what is at stake is a message.

    Raises:
        MemoryUnavailableError: the store is closed, so that waiting is in vain.
    """
    for seconds in back_off(STORE_FIRST, STORE_MOST):
        try:
            return await write()
        except MemoryUnavailableError as error:
            if error.cause == "closed":
                raise
            logger.warning("cause=%s | the state store is away, delivery waits", error.cause)
            await sleep(seconds)
    raise AssertionError("waiting does not end by itself")
