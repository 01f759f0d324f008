"""Why a part was not sent, as far as a channel can tell.

Whatever else ``send`` raises (a reset connection, a timeout, a server's 5xx) counts as passing:
the host tries again with back-off, in order.
"""

from __future__ import annotations

from cloche.errors import ClocheError


class SendError(ClocheError):
    """A part was not sent; the message is for the operator and holds no secret."""


class SendLaterError(SendError):
    """The platform asks to wait."""

    def __init__(self, message: str, *, seconds: float) -> None:
        """Take how long to wait."""
        self.seconds = seconds
        super().__init__(message)


class SendRefusedError(SendError):
    """The platform will not take this part as it is.

    The host tries once without formatting, its buttons written out as text.
    """


class UnreachableError(SendError):
    """The person blocked the assistant or left: their conversation pauses until they write."""


class ThreadClosedError(UnreachableError):
    """The part's thread takes nothing: what is to be said there waits for its next message."""


class MovedError(SendError):
    """The conversation has a new id; the host keeps it and sends there."""

    def __init__(self, message: str, *, conversation: str) -> None:
        """Take the new id."""
        self.conversation = conversation
        super().__init__(message)
