"""The web page: chat and memory in a browser of this machine, for its owner."""

from __future__ import annotations

from cloche.channels import Channel
from cloche.hookspecs import hookimpl
from cloche_channels.web.channel import WebChannel

__all__ = ["WebChannel", "provide_channels"]

cloche_api = 1


@hookimpl
def provide_channels() -> list[type[Channel]]:
    """The web page."""
    return [WebChannel]
