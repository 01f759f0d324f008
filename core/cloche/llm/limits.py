"""How long a model may take, the same for every provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cloche.settings import ModelSettings

CONNECT_SECONDS: Final = 5
PATIENCE_SECONDS: Final = 30
"""A streamed answer that has not begun by then, a second try included, is given up."""

NO_KEY: Final = "not-needed"
"""What a server of one's own gets when no key is set; SDKs insist on one."""


def first_event_seconds(settings: ModelSettings) -> float:
    """How long a stream may take to begin."""
    return min(settings.timeout_seconds, PATIENCE_SECONDS)
