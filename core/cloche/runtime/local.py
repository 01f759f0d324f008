"""Whether a request comes from a program of this machine: only those may speak for its owner.

A page elsewhere can have a browser send requests here, and can have its own name point here (DNS
rebinding): a browser says where its requests come from, and which name it was asked for.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.requests import Request

NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
BROWSERS: Final = ("origin", "referer", "sec-fetch-site", "sec-fetch-mode")
"""What browsers send, and programs do not."""


def is_local(request: Request) -> bool:
    """True when it came over loopback, by a loopback name, and from no browser."""
    name, _, port = request.headers.get("host", "").rpartition(":")
    named = name if port.isdecimal() and name else request.headers.get("host", "")
    if named.lower() not in NAMES or any(each in request.headers for each in BROWSERS):
        return False
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False
