"""One SQLite file as our stores use it, and the files that SQLite makes of it."""

from cloche.sqlite.database import (
    Database,
    Migration,
    from_micros,
    to_micros,
    use_write_ahead_log,
)
from cloche.sqlite.shape import expect_shape

__all__ = [
    "Database",
    "Migration",
    "expect_shape",
    "from_micros",
    "to_micros",
    "use_write_ahead_log",
]
