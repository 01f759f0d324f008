"""The garbage collector keeps out of the way of a start: it takes a fifth of it and finds nothing.

Everything that is loaded stays: looking through it again and again, as the collector does while
hundreds of modules are imported, is what makes a first answer late, and a ``/ping`` later on.

What a start took and freed again is given back once: little, but an eighth of the memory
where modules had to be compiled.
"""

from __future__ import annotations

import gc
from contextlib import suppress
from typing import Final

LATEST_SECONDS: Final = 60.0
"""A process that nobody asks anything begins to collect so long after its doors are open."""


def collect_nothing() -> None:
    """Until ``collect`` is called."""
    gc.disable()


def collect() -> None:
    """Collect from now on what becomes garbage; what is there now is not looked at any more."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
        _give_back()


def _give_back() -> None:
    """Have glibc give what is free to the system; it keeps it between what is in use, else."""
    import ctypes

    with suppress(AttributeError, OSError, TypeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)
