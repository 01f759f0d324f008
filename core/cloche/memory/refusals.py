"""What a tool or a command must not keep, as one sentence for the model and one for the person."""

from __future__ import annotations

from typing import Final

from cloche.errors import ToolError
from cloche.memory.extraction import screen

SAYS_SO: Final = "It says just that already."
"""What is answered to a correction that corrects nothing: nothing was done, nothing is wrong."""


def refuse_unkept(*texts: str) -> None:
    """Refuse secrets and orders to the assistant.

    Raises:
        ToolError: one of the texts holds such a thing.
    """
    for text in texts:
        if kind := screen(text):
            what = "a secret" if kind == "secret" else "instructions to the assistant"
            raise ToolError(
                f"This holds {what}, which is never stored; tell the person so.",
                key="demo_refused_secret" if kind == "secret" else "demo_refused_instruction",
            )


def refuse_same(text: str, old: str) -> None:
    """Refuse a correction that corrects nothing.

    Raises:
        ToolError: both are the same words.
    """
    if text.split() == old.split():
        raise ToolError(SAYS_SO, key="refused_same")


def no_such_memory(record_id: str) -> ToolError:
    """What is said of an id that stands for nothing that holds."""
    return ToolError(
        f"There is no memory {record_id!r}; list them to see the ids.",
        key="command_forget_none",
        id=record_id,
    )
