"""The ``cloche`` command, and ``python -m cloche``: it ends well from the very start."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import Final

SERVERS: Final = ("runtime", "serve")


def main() -> None:
    """Run the command line and end the process: the console script."""
    if sys.argv[1:2] and sys.argv[1] in SERVERS:
        # What they load takes a second, in which nothing has begun that has to finish. As the first
        # process of a container they would not even hear a signal that nobody handles.
        with suppress(ValueError):  # no main thread
            signal.signal(signal.SIGTERM, _end)
    from cloche.cli.app import main as run

    run()


def _end(_signal: int, _frame: object) -> None:
    """Not by an exception: one that is raised while a plugin is loaded is held to be its fault."""
    os._exit(0)


if __name__ == "__main__":
    main()
