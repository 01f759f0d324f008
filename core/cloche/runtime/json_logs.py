"""Logs as JSON, one line each, with the ids of what they are about.

What an exception says may be what somebody wrote, so of an exception only its type and the places
it came through are told; what errors of ours say is told where they are made for operators.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TextIO

from cloche.errors import (
    ManifestError,
    MemoryUnavailableError,
    ModelError,
    PluginError,
    SettingsError,
)
from cloche.logs import OWN_LOGGERS, LogHandler
from cloche.redact import Redactor, secrets_in

if TYPE_CHECKING:
    from cloche.settings import Settings

FRAMES: Final = 12
"""The innermost places an exception came through."""
SERVERS: Final = ("bedrock_agentcore", "uvicorn")
FOR_OPERATORS: Final = (
    ManifestError,
    MemoryUnavailableError,
    ModelError,
    PluginError,
    SettingsError,
)
"""Errors that quote neither people nor providers."""
_ids: ContextVar[Mapping[str, str]] = ContextVar("ids", default=MappingProxyType({}))


@contextmanager
def logged(**ids: str) -> Iterator[None]:
    """Every line written in the block carries these ids, beside those there are already."""
    token = _ids.set({**_ids.get(), **{name: id_ for name, id_ in ids.items() if id_}})
    try:
        yield
    finally:
        _ids.reset(token)


class JsonFormatter(logging.Formatter):
    """One JSON object to a line, without secrets."""

    def __init__(self, redact: Redactor) -> None:
        """Use ``redact`` on every text."""
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self._redact(_message(record)),
            **_ids.get(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0]:
            kind, _, came = record.exc_info
            line["error"] = kind.__name__
            line["at"] = [
                f"{frame.filename}:{frame.lineno} {frame.name}"
                for frame in traceback.extract_tb(came)[-FRAMES:]
            ]
        return json.dumps(line, ensure_ascii=False, default=str)


def _message(record: logging.LogRecord) -> str:
    """The message, with the types of errors in place of what they say."""
    arguments = record.args
    if isinstance(arguments, tuple):
        arguments = tuple(
            type(one).__name__
            if isinstance(one, BaseException) and not isinstance(one, FOR_OPERATORS)
            else one
            for one in arguments
        )
    return str(record.msg) % arguments if arguments else str(record.msg)


def set_up_json_logs(settings: Settings, stream: TextIO | None = None) -> None:
    """Send logs to ``stream`` (None = standard error); a second call replaces the first.

    Unless the operator set a level, the host tells of each turn. Libraries speak from ``warning``
    on: below that they log requests whole.
    """
    root = logging.getLogger()
    for old in [each for each in root.handlers if isinstance(each, LogHandler)]:
        root.removeHandler(old)
    handler = LogHandler(sys.stderr if stream is None else stream)
    handler.setFormatter(JsonFormatter(Redactor(secrets_in(settings))))
    root.addHandler(handler)
    chosen = settings.source_of("log_level") != "default"
    level = logging.getLevelNamesMapping()[settings.log_level.upper() if chosen else "INFO"]
    root.setLevel(max(level, logging.WARNING))
    for name in OWN_LOGGERS:
        logging.getLogger(name).setLevel(level)


def quiet_servers() -> None:
    """Have what the SDK and the server log go through our handler: theirs quote exceptions.

    What is refused we tell ourselves, with its ids.
    """
    for name in SERVERS:
        logging.getLogger(name).setLevel(logging.ERROR)
    for name in ("bedrock_agentcore.app", "uvicorn", "uvicorn.error", "uvicorn.access"):
        theirs = logging.getLogger(name)
        theirs.handlers.clear()
        theirs.setLevel(logging.NOTSET)
        theirs.propagate = True
