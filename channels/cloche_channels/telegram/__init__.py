"""Telegram: private chats, groups and topics, by long polling or webhook."""

from __future__ import annotations

from cloche.channels import Channel
from cloche.hookspecs import hookimpl
from cloche_channels.telegram.channel import TelegramChannel

__all__ = ["TelegramChannel", "provide_channels"]

cloche_api = 1


@hookimpl
def provide_channels() -> list[type[Channel]]:
    """Telegram."""
    return [TelegramChannel]
