"""What a process does when it is told to end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


@contextmanager
def on_signals(
    names: tuple[str, ...], handle: Callable[[signal.Signals], None]
) -> Iterator[Callable[[], None]]:
    """Have the running event loop call ``handle`` at these signals, as far as the system can.

    Windows has no such handlers and not all signals; threads other than the main one may set none.

    Args:
        names: As ``signal`` has them, such as ``SIGTERM``.
        handle: Called in the event loop.

    Yields:
        What ends it early: from then on a signal does what it did before.
    """
    loop = asyncio.get_running_loop()
    signals = [found for name in names if (found := getattr(signal, name, None))]

    def release() -> None:
        for each in signals:
            with suppress(NotImplementedError, ValueError, RuntimeError):
                loop.remove_signal_handler(each)

    for each in signals:
        with suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(each, handle, each)
    try:
        yield release
    finally:
        release()
