"""Logs as JSON, one line each, with the ids of what they are about.

What a line says is decided by ``cloche.log_text``.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TextIO

from cloche.log_ids import ids_now
from cloche.log_text import OWN_LOGGERS, error_of, is_own, message_of, places_of
from cloche.logs import LogHandler
from cloche.redact import Redactor, secrets_in

if TYPE_CHECKING:
    from cloche.settings import Settings

SERVERS: Final = ("bedrock_agentcore", "uvicorn")


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
            "message": self._redact(message_of(record)),
            **ids_now(),
            **(getattr(record, "fields", {}) if is_own(record) else {}),
        }
        if error := error_of(record):
            line["error"] = error
            line["at"] = places_of(record.exc_info[2] if record.exc_info else None)
        return json.dumps(line, ensure_ascii=False, default=str)


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
    for name in ("bedrock_agentcore.app", "uvicorn", "uvicorn.error", "uvicorn.access"):
        theirs = logging.getLogger(name)
        theirs.handlers.clear()
        theirs.setLevel(logging.NOTSET)
        theirs.propagate = True
    for name in SERVERS:
        logging.getLogger(name).setLevel(logging.ERROR)
