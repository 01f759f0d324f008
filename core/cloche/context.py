"""What the host hands to the factories that plugins provide."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cloche.clock import Clock
from cloche.settings import Settings


@dataclass(frozen=True, slots=True)
class BuildContext:
    """Where and with what one assistant is built.

    Attributes:
        assistant: Name of the assistant, the entry point's.
        settings: The operator's settings.
        clock: The present instant.
        folder: ``CLOCHE_HOME/<assistant>``, private to the assistant; exists.
    """

    assistant: str
    settings: Settings
    clock: Clock
    folder: Path
