"""Where something is sent, as the Bot API has it, and the choices under it."""

from __future__ import annotations

from typing import Any, Final

from cloche.channels import Part, SendRefusedError

GENERAL: Final = "1"
"""A forum's General topic, which is written to by naming none."""


def chat_of(conversation: str) -> int:
    """A chat's number.

    Raises:
        SendRefusedError: it is none.
    """
    try:
        return int(conversation)
    except ValueError:
        raise SendRefusedError("a chat of Telegram is a whole number") from None


def thread_of(thread: str) -> int | None:
    """A topic's number; None where none is to be named."""
    return int(thread) if thread.isdecimal() and thread != GENERAL else None


def keyboard_of(part: Part) -> dict[str, Any] | None:
    """One button a row: labels are whole sentences at times."""
    rows = [[{"text": each.label, "callback_data": each.data}] for each in part.buttons]
    return {"inline_keyboard": rows} if rows else None
