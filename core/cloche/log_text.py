"""What a line of the log may say: our own words, and of an exception its type and places only.

What an exception says may be what somebody wrote. So may what a library says, of which only what
stands literally in its code is told.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Mapping, Set
from datetime import date, time, timedelta
from decimal import Decimal
from pathlib import PurePath
from types import FrameType, TracebackType
from typing import Final
from uuid import UUID

from cloche.errors import (
    AwayError,
    ManifestError,
    MemoryUnavailableError,
    ModelError,
    PluginError,
    SettingsError,
)

OWN_LOGGERS: Final = ("cloche", "cloche_channels", "cloche_deploy", "cloche_manifests")
FRAMES: Final = 12
"""The innermost places an exception came through."""
FOR_OPERATORS: Final = (
    AwayError,
    ManifestError,
    MemoryUnavailableError,
    ModelError,
    PluginError,
    SettingsError,
)
"""Errors that quote neither people nor providers."""
_NUMBERS: Final = (int, float, Decimal, timedelta)
_OWN: Final = (str, PurePath, UUID, date, time)
_LEFT_OUT: Final = "…"


def is_own(record: logging.LogRecord) -> bool:
    """Whether a line is the host's, which quotes nobody."""
    return record.name.partition(".")[0] in OWN_LOGGERS


def message_of(record: logging.LogRecord) -> str:
    """The message, with the types of errors and objects in place of what they would say."""
    own, template = is_own(record), record.msg
    if not isinstance(template, str):
        return type(template).__name__
    if not own and not _is_literal(template, record):
        return f"what it says is left out, at {record.pathname}:{record.lineno} {record.funcName}"
    arguments = record.args
    if not arguments:
        return template
    try:
        if isinstance(arguments, tuple):
            return template % tuple(_shown(one, own=own) for one in arguments)
        return template % {name: _shown(each, own=own) for name, each in arguments.items()}
    except Exception:  # the wrong arguments for it: logging would print them all
        return template


def error_of(record: logging.LogRecord) -> str:
    """The type of the exception that a line is about; "" = it is about none."""
    kind = record.exc_info[0] if record.exc_info else None
    return kind.__name__ if kind else ""


def places_of(came: TracebackType | None) -> list[str]:
    """The innermost places an exception came through, the last one where it was raised."""
    return [
        f"{frame.filename}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(came)[-FRAMES:]
    ]


def _is_literal(template: str, record: logging.LogRecord) -> bool:
    """Whether the code that logs has the text in it, so that nothing was put into it before."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        code = frame.f_code
        if code.co_filename == record.pathname and code.co_name == record.funcName:
            return template in code.co_consts
        frame = frame.f_back
    return False


def _shown(value: object, *, own: bool) -> object:
    """A value as it may be told."""
    if value is None or isinstance(value, _NUMBERS) or (own and isinstance(value, _OWN)):
        return value
    if isinstance(value, FOR_OPERATORS):
        return str(value)
    if isinstance(value, Mapping):
        return {_shown(key, own=own): _shown(each, own=own) for key, each in value.items()}
    if isinstance(value, list | tuple | Set):
        return tuple(_shown(each, own=own) for each in value)
    if isinstance(value, str):
        return _LEFT_OUT
    return value.__name__ if isinstance(value, type) else type(value).__name__
