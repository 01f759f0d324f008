"""What a plugin must not take from the host while its code runs: the streams, and Ctrl-C."""

from __future__ import annotations

import contextlib
import io
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import TextIO


class _Lent(io.TextIOBase):
    """A stream that writes where another does, and whose closing closes nothing."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(text) if self._stream is not None else len(text)

    def flush(self) -> None:
        if self._stream is not None:
            self._stream.flush()

    def close(self) -> None:
        """Nothing: the stream is only lent."""


@contextlib.contextmanager
def streams_kept() -> Iterator[None]:
    """Lend standard error for both streams, and put back what was there before."""
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Lent(sys.stderr), _Lent(sys.stderr)
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


@contextlib.contextmanager
def ctrl_c_noticed() -> Iterator[list[int]]:
    """Tell a Ctrl-C that a person pressed from a ``KeyboardInterrupt`` that code raises.

    The list is empty until one is pressed. Where Python's own handler is not in place (in a
    thread, in an event loop) nothing is noticed, and the handler that is there does its work.
    """
    pressed: list[int] = []

    def notice(number: int, frame: FrameType | None) -> None:
        pressed.append(number)
        signal.default_int_handler(number, frame)

    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield pressed
        return
    signal.signal(signal.SIGINT, notice)
    try:
        yield pressed
    finally:
        # What the plugin may have set in its place goes, too.
        signal.signal(signal.SIGINT, signal.default_int_handler)
