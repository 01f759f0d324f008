"""What nobody handles is told by the log, by type and place: Python itself would print its words.

Where no log is set up, as in a command that prints a list, all stays as Python has it.
"""

from __future__ import annotations

import logging
import sys
import threading
import warnings
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

logger = logging.getLogger(__name__)


def tell_unhandled() -> None:
    """Have the log told of what nobody handles, of this process's every thread, and of warnings."""
    sys.excepthook = _ended
    threading.excepthook = _thread_ended
    sys.unraisablehook = _unraisable
    warnings.showwarning = _warned
    logging.raiseExceptions = False  # handlers print what they could not write


def _is_set_up() -> bool:
    return bool(logging.getLogger().handlers)


def _ended(kind: type[BaseException], error: BaseException, came: TracebackType | None) -> None:
    if not _is_set_up():
        sys.__excepthook__(kind, error, came)
        return
    logger.critical("ended by what nobody handled", exc_info=(kind, error, came))


def _thread_ended(ended: threading.ExceptHookArgs) -> None:
    if not _is_set_up() or ended.exc_value is None:
        threading.__excepthook__(ended)
    elif ended.exc_type is not SystemExit:
        about = (ended.exc_type, ended.exc_value, ended.exc_traceback)
        logger.error("a thread ended by what nobody handled", exc_info=about)


def _unraisable(found: UnraisableHookArgs) -> None:
    if not _is_set_up() or found.exc_value is None:
        sys.__unraisablehook__(found)
        return
    about = (found.exc_type, found.exc_value, found.exc_traceback)
    logger.error("an exception that could not be raised", exc_info=about)


_warn = warnings.showwarning


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if not _is_set_up() or file is not None:
        _warn(message, category, filename, lineno, file, line)
        return
    logger.warning("%s at %s:%d", category, filename, lineno)
