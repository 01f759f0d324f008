"""Logging, set up once by the command line: standard error, no secrets, told once per cause."""

from __future__ import annotations

import logging
import re
import sys
from threading import Lock
from typing import Final, TextIO

from cloche.redact import Redactor, secrets_in
from cloche.settings import Settings

OWN_LOGGERS: Final = ("cloche", "cloche_channels", "cloche_deploy", "cloche_manifests")
REASON_CHARS: Final = 200
FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class RedactingFormatter(logging.Formatter):
    """Takes secrets out of the finished line, so that tracebacks are covered too."""

    def __init__(self, redact: Redactor) -> None:
        """Use ``redact`` on every line."""
        super().__init__(FORMAT)
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """The line without secrets."""
        return self._redact(super().format(record))


class LogHandler(logging.StreamHandler[TextIO]):
    """The handler ``set_up_logging`` installs; a type of its own, so that it finds its last one."""


def set_up_logging(settings: Settings, stream: TextIO | None = None) -> None:
    """Send logs to ``stream`` (None = standard error); a second call replaces the first.

    ``log_level`` is for the host's own loggers. Libraries speak from ``warning`` on: below that
    they log requests whole, words and tokens of people included.
    """
    root = logging.getLogger()
    for handler in [each for each in root.handlers if isinstance(each, LogHandler)]:
        root.removeHandler(handler)
    handler = LogHandler(sys.stderr if stream is None else stream)
    handler.setFormatter(RedactingFormatter(Redactor(secrets_in(settings))))
    root.addHandler(handler)
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    root.setLevel(max(level, logging.WARNING))
    for name in OWN_LOGGERS:
        logging.getLogger(name).setLevel(level)


def reason_of(text: str) -> str:
    """A failure's text as a cause: what differs from case to case, its numbers, left out."""
    return re.sub(r"\d+", "#", text)[:REASON_CHARS]


class UntilBack:
    """Tells the operator once per cause that something fails, and once that it works again."""

    def __init__(self, logger: logging.Logger) -> None:
        """Log through ``logger``; make one for each thing that may fail."""
        self._logger = logger
        self._told: set[str] = set()

    def failed(self, cause: str, message: str, *args: object) -> None:
        """Log a warning the first time for this cause since it last worked.

        Args:
            cause: What tells it from other failures.
            message: As for ``logging``, with ``%s`` for each of ``args``.
            args: What the message is about; never people's words.
        """
        level = logging.DEBUG if cause in self._told else logging.WARNING
        self._told.add(cause)
        self._logger.log(level, message, *args)

    def works(self, message: str, *args: object) -> None:
        """Log that it works again, where it was told that it does not."""
        if self._told:
            self._told.clear()
            self._logger.warning(message, *args)


class OncePerCause:
    """Tells the operator once per cause and process; later cases go to the debug log."""

    def __init__(self, logger: logging.Logger) -> None:
        """Log through ``logger``; make one per process and subject."""
        self._logger = logger
        self._told: set[str] = set()
        self._lock = Lock()

    def warn(self, cause: str, message: str, *args: object) -> bool:
        """Log a warning the first time for this cause.

        Args:
            cause: Stable short code, such as ``ModelError.cause``.
            message: As for ``logging``, with ``%s`` for each of ``args``.
            args: What the message is about; never people's words.

        Returns:
            True when it was the first time.
        """
        with self._lock:
            first = cause not in self._told
            self._told.add(cause)
        self._logger.log(logging.WARNING if first else logging.DEBUG, message, *args)
        return first
