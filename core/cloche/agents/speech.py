"""An answer's text as it grows: what is handed out piece by piece is the text in the end."""

from __future__ import annotations

from cloche.agents.agent import OnDelta
from cloche.messages import without_surrogates


class Speech:
    """Joins what a model says over several calls, and hands it out on the way.

    White space around the whole is dropped; what is said after a tool call is a new paragraph.

    Attributes:
        text: All that was said so far; the pieces handed out, joined, are the same.
    """

    def __init__(self, on_delta: OnDelta | None) -> None:
        """Hand out to ``on_delta``; None only collects."""
        self.text = ""
        self._on_delta = on_delta
        self._held = ""
        self._at_start = True

    @property
    def is_heard(self) -> bool:
        """True when somebody listens."""
        return self._on_delta is not None

    @property
    def was_heard(self) -> bool:
        """True when a part of the text has been handed out already."""
        return bool(self.text) and self._on_delta is not None

    async def say(self, piece: str) -> None:
        """Add a piece; white space at its end waits for what follows."""
        pending = self._held + without_surrogates(piece)
        if self._at_start:
            pending = pending.lstrip()
        said = pending.rstrip()
        self._held = pending[len(said) :]
        if not said:
            return
        said = self._opening() + said
        self._at_start = False
        self.text += said
        if self._on_delta is not None:
            await self._on_delta(said)

    def new_paragraph(self) -> None:
        """What is said next stands in a paragraph of its own."""
        self._held, self._at_start = "", True

    def _opening(self) -> str:
        return "\n\n" if self._at_start and self.text else ""
