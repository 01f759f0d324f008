"""What a tool call gives: an answer, or why there is none, for a model and for a person."""

from __future__ import annotations

from dataclasses import dataclass

from cloche.errors import ToolError
from cloche.texts import say


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gives the model: an answer, or one sentence on why there is none.

    Attributes:
        text: For the model.
        ok: False when there is no answer.
        told: The same for a person, in their language, where that is another text; else "".
        absent: True where there is only nothing of the kind that was asked for.
        silent: True where that is not worth a word: the words were for the tool only if there were.
    """

    text: str
    ok: bool
    told: str = ""
    absent: bool = False
    silent: bool = False


def told_to_a_person(error: ToolError, language: str) -> str:
    """What a person is told in their language; "" where nobody wrote it."""
    return say(error.key, language, **error.slots) if error.key else ""
