"""What Telegram says about the bot, for ``cloche doctor``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

from cloche.channels import SendError
from cloche_channels.telegram.api import BotApi

SECONDS: Final = 10.0


async def look(api: BotApi) -> Sequence[tuple[bool, str]]:
    """Whether the token works, and where updates go; never fails."""
    try:
        me = await api.call("getMe", seconds=SECONDS)
        hook = await api.call("getWebhookInfo", seconds=SECONDS)
    except SendError as error:
        return [(False, str(error))]
    rows = [(True, f"the bot is @{me.get('username')}")]
    if not me.get("can_read_all_group_messages"):
        rows.append((True, "in groups it hears only what is said to it (its privacy mode is on)"))
    return [*rows, *_about(hook)]


def _about(hook: dict[str, Any]) -> list[tuple[bool, str]]:
    """Where updates go, without the address's path, and what went wrong there."""
    waiting = hook.get("pending_update_count", 0)
    url = str(hook.get("url") or "")
    if not url:
        return [(True, f"no webhook is set: it is polled; {waiting} waiting")]
    rows = [(True, f"updates go to {urlsplit(url).hostname}; {waiting} waiting")]
    if reason := hook.get("last_error_message"):
        at = datetime.fromtimestamp(int(hook.get("last_error_date", 0)), UTC)
        rows.append((not waiting, f"last failed {at:%Y-%m-%d %H:%M} UTC: {reason}"))
    return rows
