"""Doors of this machine: what the command line tells a channel it opens for the owner."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

UNNAMED: Final = "owner"
"""Who sits at this machine when nobody is named."""


@dataclass(frozen=True, slots=True)
class OwnerOptions:
    """What the command line tells the channel it opens for the owner of this machine.

    Attributes:
        owner: Who sits here: the sender of every message; never empty.
        persona: How the assistant introduces itself.
        language: Language of the host's own sentences (BCP 47 primary subtag).
        interactive: True when a person types into a terminal and reads from it.
        once: The one message of ``--once``, which may be empty beside pictures; None = read on.
        images: Files that go along with the first message.
        as_json: One JSON object per turn instead of text.
        verbose: Tell after each answer what it took and rested on.
    """

    owner: str
    persona: str = ""
    language: str = "en"
    interactive: bool = False
    once: str | None = None
    images: tuple[Path, ...] = ()
    as_json: bool = False
    verbose: bool = False

    @property
    def name(self) -> str:
        """What they are called; "" = nobody was named."""
        return "" if self.owner == UNNAMED else self.owner
