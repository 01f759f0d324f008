"""What gateways say on their way out: one file of the last run, one of the run before.

It is for operators, and may have people's words in it: a forget empties both.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

NAME: Final = "stderr.log"
MOST_BYTES: Final = 262_144
"""Of each file; of more, the last part is kept."""


def before(path: Path) -> Path:
    """Where the run before is."""
    return path.with_name(f"{path.stem}.1{path.suffix}")


def open_for_run(path: Path) -> int:
    """A descriptor of an empty file, for its owner only; what was said before is kept.

    Raises:
        OSError: it cannot be written.
    """
    with suppress(FileNotFoundError):
        if path.stat().st_size:
            path.replace(before(path))
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC
    return os.open(path, flags, 0o600)


def empty(path: Path) -> None:
    """Take the words away; whoever writes goes on in the same file."""
    for each in (path, before(path)):
        with suppress(OSError):  # mostly: it is not there
            os.truncate(each, 0)
