"""Time zones by their IANA names: those that people name, and the system's own."""

from __future__ import annotations

from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def find_zone(name: str) -> ZoneInfo | None:
    """The zone of an IANA name, or None when there is no such zone."""
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


@cache
def system_zone() -> str:
    """IANA name of the system's zone, "UTC" when it has none that is known."""
    import tzlocal

    try:
        name = tzlocal.get_localzone_name()
    except (LookupError, ValueError, OSError):
        return "UTC"
    return name if name and find_zone(name) else "UTC"
