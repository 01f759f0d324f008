"""How the loopback Bot API delivers updates: by long polling, or to a webhook."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp

from cloche.testing.telegram.arguments import Arguments
from cloche.testing.telegram.refusal import RefusedError, bad_request
from cloche.testing.telegram.world import Json, World

SECRET_HEADER: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - its name
MAX_TIMEOUT: Final = 50
UNASKED: Final = frozenset({"chat_member", "message_reaction", "message_reaction_count"})
"""Kinds that are delivered only when they are asked for by name."""

_KINDS: Final = frozenset(
    {
        "message", "edited_message", "channel_post", "edited_channel_post", "callback_query",
        "my_chat_member", "chat_member", "poll", "poll_answer", "message_reaction",
        "message_reaction_count", "inline_query", "chat_join_request",
    }
)  # fmt: skip
_SECRET_CHARS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


@dataclass
class Webhook:
    """Where updates go.

    Attributes:
        url: The address; "" = nowhere.
        secret: What the secret header carries; "" = there is none.
        error: Why the last delivery failed.
        error_at: When, in seconds since 1970.
    """

    url: str = ""
    secret: str = ""
    error: str = ""
    error_at: int = 0


class Updates:
    """The queue of updates; lives on the server's loop.

    Args:
        world: What happens.
        retry_seconds: Wait before an update that a webhook refused is delivered again.
        answer_seconds: How long a webhook may take to answer.
    """

    def __init__(self, world: World, *, retry_seconds: float, answer_seconds: float) -> None:
        """Begin with nobody listening."""
        self.webhook = Webhook()
        self._world, self._retry, self._patience = world, retry_seconds, answer_seconds
        self._woken = asyncio.Event()
        self._poller: object | None = None
        self._pump: asyncio.Task[None] | None = None
        self._busy: set[int] = set()

    def wake(self) -> None:
        """There may be something to deliver; on the server's loop."""
        self._woken.set()

    async def get(self, arguments: Arguments) -> list[Json]:
        """Answer ``getUpdates``.

        Raises:
            RefusedError: a webhook is set, or another call took this one's place.
        """
        if self.webhook.url:
            raise RefusedError(
                409,
                "Conflict: can't use getUpdates method while webhook is active; "
                "use deleteWebhook to delete the webhook first",
            )
        self._choose(arguments)
        loop, me = asyncio.get_running_loop(), object()
        deadline = loop.time() + min(MAX_TIMEOUT, max(0, arguments.integer("timeout")))
        self._poller = me
        self._woken.set()  # whoever polled before is told to go
        limit = min(100, max(1, arguments.integer("limit", 100)))
        while True:
            found = self._from(arguments.integer("offset"), limit)
            left = deadline - loop.time()
            if found or left <= 0:
                return found
            self._woken.clear()
            try:
                async with asyncio.timeout(left):
                    await self._woken.wait()
            except TimeoutError:
                return []
            if self._poller is not me:
                raise RefusedError(
                    409,
                    "Conflict: terminated by other getUpdates request; "
                    "make sure that only one bot instance is running",
                )

    def _from(self, offset: int, limit: int) -> list[Json]:
        """What waits from an offset on; what stands before it is confirmed and gone."""
        with self._world.lock:
            pending, before = self._world.pending, len(self._world.pending)
            if offset < 0:
                del pending[:offset]
            elif pending and offset <= pending[-1]["update_id"] + 1:
                pending[:] = [each for each in pending if each["update_id"] >= offset]
            found, confirmed = pending[:limit], len(pending) < before
        if confirmed:
            self._world.changed()
        return found

    def set_webhook(self, arguments: Arguments) -> None:
        """Answer ``setWebhook``. Plain HTTP is taken on loopback alone.

        Raises:
            RefusedError: the address or the secret is none.
        """
        url, secret = arguments.text("url"), arguments.text("secret_token")
        parts = urlsplit(url)
        if url and parts.scheme != "https" and parts.hostname not in ("127.0.0.1", "localhost"):
            raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
        if len(secret) > 256:
            raise bad_request("secret token is too long")
        if not _SECRET_CHARS.issuperset(secret):
            raise bad_request("secret token contains unallowed characters")
        self._choose(arguments)
        self._drop(arguments)
        self.webhook = Webhook(url, secret)
        self._poller = None
        self._woken.set()
        if url and self._pump is None:
            self._pump = asyncio.create_task(self._deliver())

    def delete_webhook(self, arguments: Arguments) -> None:
        """Answer ``deleteWebhook``."""
        self._drop(arguments)
        self.webhook = Webhook()

    def info(self) -> Json:
        """Answer ``getWebhookInfo``."""
        info: Json = {
            "url": self.webhook.url,
            "has_custom_certificate": False,
            "pending_update_count": len(self._world.pending),
        }
        if self.webhook.error:
            info["last_error_date"] = self.webhook.error_at
            info["last_error_message"] = self.webhook.error
        if self._world.allowed is not None:
            info["allowed_updates"] = sorted(self._world.allowed)
        return info

    def _choose(self, arguments: Arguments) -> None:
        """Take the kinds of updates that are wanted; those of the last call stay where none are."""
        wanted = arguments.json("allowed_updates") if arguments.given("allowed_updates") else None
        if isinstance(wanted, list):
            known = _KINDS.intersection(map(str, wanted))
            self._world.allowed = known or _KINDS - UNASKED
        elif self._world.allowed is None:
            self._world.allowed = _KINDS - UNASKED

    def _drop(self, arguments: Arguments) -> None:
        if arguments.boolean("drop_pending_updates"):
            with self._world.lock:
                self._world.pending.clear()

    async def _deliver(self) -> None:
        """Post what waits: one at a time for each chat, chats beside each other."""
        timeout = aiohttp.ClientTimeout(total=self._patience)
        async with aiohttp.ClientSession(timeout=timeout) as session, asyncio.TaskGroup() as tasks:
            while True:
                await self._woken.wait()
                self._woken.clear()
                for update in self._next() if self.webhook.url else ():
                    tasks.create_task(self._post(session, update))

    def _next(self) -> Sequence[Json]:
        """The first update of each chat that none is under way to."""
        with self._world.lock:
            first: dict[int, Json] = {}
            for update in self._world.pending:
                first.setdefault(_chat_of(update), update)
        found = [update for chat, update in first.items() if chat not in self._busy]
        self._busy.update(map(_chat_of, found))
        return found

    async def _post(self, session: aiohttp.ClientSession, update: Json) -> None:
        webhook = self.webhook
        headers = {SECRET_HEADER: webhook.secret} if webhook.secret else {}
        try:
            async with session.post(webhook.url, json=update, headers=headers) as response:
                good, error = response.status < 300, f"{response.status} {response.reason}"
        except (aiohttp.ClientError, TimeoutError) as failure:
            good, error = False, type(failure).__name__
        if good:
            with self._world.lock:
                if update in self._world.pending:
                    self._world.pending.remove(update)
        else:
            webhook.error = f"Wrong response from the webhook: {error}"
            webhook.error_at = self._world.now()
            await asyncio.sleep(self._retry)
        self._busy.discard(_chat_of(update))
        self._woken.set()
        self._world.changed()


def _chat_of(update: Json) -> int:
    value: Any = next((v for k, v in update.items() if k != "update_id"), {})
    chat = value.get("chat") or value.get("message", {}).get("chat") or {}
    return int(chat.get("id", 0))
