"""A loopback server that speaks the Telegram Bot API and enforces its documented limits."""

from __future__ import annotations

from cloche.testing.telegram.flood import NO_FLOOD_CONTROL, Flood, Window
from cloche.testing.telegram.people import Person
from cloche.testing.telegram.server import TelegramServer

__all__ = ["NO_FLOOD_CONTROL", "Flood", "Person", "TelegramServer", "Window"]
