"""Logging, set up once by the command line: standard error, no secrets, told once per cause.

What a line says is decided by ``cloche.log_text``.
"""

from __future__ import annotations

import logging
import re
import sys
from contextlib import suppress
from threading import Lock
from typing import Final, TextIO

from cloche.log_text import OWN_LOGGERS, error_of, message_of, places_of
from cloche.redact import Redactor, secrets_in
from cloche.settings import Settings

REASON_CHARS: Final = 200


class PlainFormatter(logging.Formatter):
    """Lines for people to read, without secrets; an exception's type and places follow."""

    def __init__(self, redact: Redactor) -> None:
        """Use ``redact`` on every line."""
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """The line; an exception has one more for each place it came through."""
        when = self.formatTime(record)
        lines = [f"{when} {record.levelname} {record.name}: {message_of(record)}"]
        if error := error_of(record):
            came = record.exc_info[2] if record.exc_info else None
            lines += [f"  {error}", *(f"    at {place}" for place in places_of(came))]
        return self._redact("\n".join(lines))


class LogHandler(logging.StreamHandler[TextIO]):
    """The handler ``set_up_logging`` installs; a type of its own, so that it finds its last one."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
        """Tell where a line came from that cannot be written; logging would print its words."""
        told = logging.LogRecord(
            __name__,
            logging.ERROR,
            record.pathname,
            record.lineno,
            "a line of %s could not be written: %s at %s:%d",
            (record.name, sys.exc_info()[0], record.pathname, record.lineno),
            None,
        )
        with suppress(Exception):  # nothing can be written any more
            self.stream.write(f"{self.format(told)}{self.terminator}")
            self.flush()


def set_up_logging(settings: Settings, stream: TextIO | None = None) -> None:
    """Send logs to ``stream`` (None = standard error); a second call replaces the first.

    ``log_level`` is for the host's own loggers. Libraries speak from ``warning`` on: below that
    they log requests whole, words and tokens of people included.
    """
    root = logging.getLogger()
    for handler in [each for each in root.handlers if isinstance(each, LogHandler)]:
        root.removeHandler(handler)
    handler = LogHandler(sys.stderr if stream is None else stream)
    handler.setFormatter(PlainFormatter(Redactor(secrets_in(settings))))
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
