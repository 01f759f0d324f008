"""Native libraries that do not take every core for themselves.

Both numpy's OpenBLAS and the engine's OpenMP start a thread per core and let them spin while they
wait for one another. Beside a chat that is a loss: with two busy cores one question took 145 ms
with two threads and 17 ms with one. An operator who wants more sets the variables.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

BLAS: Final = ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "MKL_NUM_THREADS")
OPENMP: Final = ("OMP_NUM_THREADS",)


@contextmanager
def one_thread(*variables: str) -> Iterator[None]:
    """Libraries loaded inside use one thread, unless the operator has said how many.

    They read the variables once, when they are loaded; afterwards the environment is as it was, so
    that programs started from here do not inherit it.
    """
    ours = [name for name in variables if name not in os.environ]
    os.environ.update(dict.fromkeys(ours, "1"))
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)


def load_numpy() -> None:
    """Import numpy with one thread; does nothing when it is loaded already.

    Raises:
        ImportError: it is not installed.
    """
    with one_thread(*BLAS, *OPENMP):
        import numpy  # noqa: F401
