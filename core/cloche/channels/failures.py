"""Why a part was not sent, as far as a channel can tell.

Whatever else ``send`` raises (a reset connection, a timeout, a server's 5xx) counts as passing:
the host tries again with back-off, in order.
"""

from __future__ import annotations

from cloche.errors import ClocheError


class SendError(ClocheError):
    """A part was not sent; the message is for whoever runs a command and holds no secret.

    Attributes:
        told: What the log says of it: the channel's own words, such as ``sendMessage 400``, and
            none of its platform's, which may repeat what somebody wrote; by default its type.
    """

    def __init__(self, message: str, *, told: str = "") -> None:
        """Take the message and what the log says."""
        self.told = told or type(self).__name__
        super().__init__(message)


class SendLaterError(SendError):
    """The platform asks to wait."""

    def __init__(self, message: str, *, seconds: float, told: str = "") -> None:
        """Take how long to wait."""
        self.seconds = seconds
        super().__init__(message, told=told)


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

    def __init__(self, message: str, *, conversation: str, told: str = "") -> None:
        """Take the new id."""
        self.conversation = conversation
        super().__init__(message, told=told)


def told_of(error: BaseException) -> str:
    """What a log may say of an error that a channel raised."""
    return error.told if isinstance(error, SendError) else type(error).__name__
