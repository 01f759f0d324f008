"""One SQLite file as our stores use it, and the files that SQLite makes of it."""

from cloche.sqlite.database import (
    Database,
    Migration,
    from_micros,
    to_micros,
    use_write_ahead_log,
)

__all__ = ["Database", "Migration", "from_micros", "to_micros", "use_write_ahead_log"]
