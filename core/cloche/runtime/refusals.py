"""What a caller is refused: a status, a stable code and one sentence; never an exception's text."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Final

from cloche.errors import HeldElsewhereError, MemoryUnavailableError, RequestError

logger = logging.getLogger(__name__)

CLOSING: Final = "closing"
INTERNAL: Final = "internal"
INVALID: Final = "invalid_payload"
ELSEWHERE: Final = "elsewhere"
NOT_KEPT: Final = "not_kept"
WRONG_SESSION: Final = "wrong_session"


class RefusedError(RequestError):
    """An invocation that is not done; its message is one sentence for the caller.

    Attributes:
        code: Stable, for programs.
        status: The HTTP status it is answered with.
        field: Which field of the payload is wrong, by names of the schema alone; "" = none.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: HTTPStatus = HTTPStatus.BAD_REQUEST,
        field: str = "",
    ) -> None:
        """Keep the parts apart: they are the fields of an error body."""
        self.code, self.status, self.field = code, status, field
        super().__init__(message)

    def log(self) -> None:
        """Tell the operator of it, without a word of the payload."""
        fields = {"error": self.code, "status": int(self.status), "field": self.field}
        logger.warning("an invocation is refused", extra={"fields": fields})

    @property
    def document(self) -> dict[str, object]:
        """The body it is answered with."""
        body: dict[str, object] = {"error": self.code, "message": str(self)}
        return body | {"field": self.field} if self.field else body


def invalid(field: str, reason: str) -> RefusedError:
    """A payload that cannot be read: which field and why."""
    told = f"{field} {reason}." if field else f"The payload {reason}."
    return RefusedError(INVALID, told, field=field)


def closing() -> RefusedError:
    """Nothing is begun any more; whoever asked asks again, and reaches another process."""
    return RefusedError(
        CLOSING, "This runtime is ending: send it again.", status=HTTPStatus.SERVICE_UNAVAILABLE
    )


def internal() -> RefusedError:
    """Something of ours is broken; what it was stands in the log."""
    return RefusedError(
        INTERNAL,
        "Something went wrong here; the log says what.",
        status=HTTPStatus.INTERNAL_SERVER_ERROR,
    )


def not_kept(error: MemoryUnavailableError) -> RefusedError:
    """It is not taken: whoever sent it sends it again."""
    if error.cause == "closed":
        return closing()
    code, told = NOT_KEPT, "It could not be kept: send it again."
    if isinstance(error, HeldElsewhereError):
        code, told = ELSEWHERE, "Another machine still works on this conversation: send it again."
    return RefusedError(code, told, status=HTTPStatus.SERVICE_UNAVAILABLE)
