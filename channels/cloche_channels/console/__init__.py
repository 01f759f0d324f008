"""The console: a terminal, a pipe or one message, for the owner of this machine."""

from __future__ import annotations

from cloche.channels import Channel
from cloche.hookspecs import hookimpl
from cloche_channels.console.channel import ConsoleChannel

__all__ = ["ConsoleChannel", "provide_channels"]

cloche_api = 1


@hookimpl
def provide_channels() -> list[type[Channel]]:
    """The console."""
    return [ConsoleChannel]
