"""Why the loopback Bot API refuses a call, as its error bodies say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class RefusedError(Exception):
    """An error answer.

    Attributes:
        status: HTTP status and ``error_code``.
        description: What the body says.
        parameters: ``retry_after`` or ``migrate_to_chat_id``, where the error has them.
    """

    status: int
    description: str
    parameters: Mapping[str, int] = field(default_factory=dict)


def bad_request(what: str) -> RefusedError:
    """A call that is wrong in itself."""
    return RefusedError(400, f"Bad Request: {what}")


def forbidden(what: str) -> RefusedError:
    """A chat the bot may not write to."""
    return RefusedError(403, f"Forbidden: {what}")


def too_many(seconds: int) -> RefusedError:
    """Flood control: to be called again after whole seconds."""
    return RefusedError(429, f"Too Many Requests: retry after {seconds}", {"retry_after": seconds})
