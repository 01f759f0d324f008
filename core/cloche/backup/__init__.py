"""One assistant's files in one archive, and back, while the assistant runs."""

from cloche.backup.archive import Manifest
from cloche.backup.making import make_backup
from cloche.backup.restoring import (
    Finished,
    Restored,
    finish_if_cut_off,
    finish_restore,
    restore_backup,
    unfinished,
)

__all__ = [
    "Finished",
    "Manifest",
    "Restored",
    "finish_if_cut_off",
    "finish_restore",
    "make_backup",
    "restore_backup",
    "unfinished",
]
