"""The loopback Bot API server: HTTP, faults, and what a test sees of both sides."""

from __future__ import annotations

import asyncio
import copy
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from cloche.clock import Clock, utc_now
from cloche.testing.loopback import LoopbackServer
from cloche.testing.script import Fault
from cloche.testing.telegram.arguments import Arguments, read_arguments
from cloche.testing.telegram.chats import Channel, Group
from cloche.testing.telegram.flood import DOCUMENTED, Flood, FloodControl
from cloche.testing.telegram.methods import Methods
from cloche.testing.telegram.people import Person
from cloche.testing.telegram.refusal import RefusedError
from cloche.testing.telegram.updates import Updates, Webhook
from cloche.testing.telegram.world import Chat, Json, World

TOKEN: Final = "7000000001:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bE"  # noqa: S105 - nobody's
"""The token of the bot when a test names none."""


@dataclass(frozen=True, slots=True)
class Called:
    """One call of the bot, as it arrived: the method as it was spelled, and its arguments."""

    method: str
    arguments: Arguments


class TelegramServer(LoopbackServer):
    """A Bot API server on loopback, with the people who write to its bot.

    Use it as ``with`` or ``async with``; point a bot at ``url``. It enforces the documented
    limits and answers in the documented error bodies. It is stricter than the service in that
    formatting which the service would drop is refused, and kinder in that a webhook may be plain
    HTTP on loopback. People are made by ``person``; what they do returns at once and is delivered
    by polling or to the webhook.

    Args:
        token: The bot's.
        username: The bot's.
        flood: What flood control lets through.
        clock: The present instant: of messages and of flood control.
        retry_seconds: Wait before an update that a webhook refused is delivered again.
        answer_seconds: How long a webhook may take to answer.

    Attributes:
        token: The bot's.
        calls: Every call, refused and failed ones too.
    """

    def __init__(
        self,
        *,
        token: str = TOKEN,
        username: str = "cloche_test_bot",
        flood: Flood = DOCUMENTED,
        clock: Clock = utc_now,
        retry_seconds: float = 0.05,
        answer_seconds: float = 5.0,
    ) -> None:
        """Take the bot; nothing listens yet."""
        super().__init__()
        self.token = token
        self.calls: list[Called] = []
        self.world = World(_bot(token, username), clock)
        self.world.watchers.append(self._wake)
        self._updates = Updates(
            self.world, retry_seconds=retry_seconds, answer_seconds=answer_seconds
        )
        self._methods = Methods(self.world, self._updates, FloodControl(flood, clock))
        self._faults: dict[str, deque[tuple[Fault, bool]]] = defaultdict(deque)

    @property
    def sent(self) -> list[Json]:
        """Every message the bot sent and that was taken, oldest first."""
        with self.world.lock:
            return copy.deepcopy(self.world.sent)

    @property
    def webhook(self) -> Webhook:
        """Where updates go."""
        return self._updates.webhook

    def texts(self, chat: int | None = None) -> list[str]:
        """The texts the bot sent, to one chat or to all."""
        return [
            str(each.get("text", each.get("caption", "")))
            for each in self.sent
            if chat is None or each["chat"]["id"] == chat
        ]

    def person(
        self, name: str, *, username: str = "", language: str = "", new: bool = False
    ) -> Person:
        """Somebody with a private chat; ``new`` has not started the bot yet."""
        with self.world.lock:
            id_ = 4_200_001 + len(self.world.users)
            user: Json = {"id": id_, "is_bot": False, "first_name": name}
            user |= {"username": username} if username else {}
            user |= {"language_code": language} if language else {}
            self.world.users[id_] = user
            self.world.chats[id_] = Chat(id_, "private", name, "never" if new else "member")
        return Person(self.world, user)

    def group(self, title: str, *, supergroup: bool = False, forum: bool = False) -> Group:
        """A group the bot is a member of and reads everything in (its privacy mode is off)."""
        return Group.found(self.world, title, supergroup=supergroup or forum, forum=forum)

    def channel(self, title: str) -> Channel:
        """A channel the bot is a member of."""
        return Channel.found(self.world, title)

    def fails(self, method: str, *faults: Fault, after: bool = False) -> None:
        """The next calls of a method go wrong; ``after`` = when they have been carried out."""
        self._faults[method.lower()].extend((fault, after) for fault in faults)

    async def until(self, holds: Callable[[], bool], seconds: float = 10.0) -> None:
        """Return when a condition holds; it is looked at after every change.

        Raises:
            TimeoutError: it does not, in that time.
        """
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def tell() -> None:
            loop.call_soon_threadsafe(changed.set)

        self.world.watchers.append(tell)
        try:
            async with asyncio.timeout(seconds):
                while not holds():
                    await changed.wait()
                    changed.clear()
        finally:
            self.world.watchers.remove(tell)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request of the bot."""
        parts = request.path.strip("/").split("/")
        if len(parts) >= 3 and parts[0] == "file" and parts[1].startswith("bot"):
            return self._file(parts[1].removeprefix("bot"), "/".join(parts[2:]))
        if len(parts) != 2 or not parts[0].startswith("bot"):
            return _refused(RefusedError(404, "Not Found"))
        if parts[0].removeprefix("bot") != self.token:
            return _refused(RefusedError(401, "Unauthorized"))
        try:
            return await self._call(request, parts[1], await read_arguments(request))
        except RefusedError as refusal:
            return _refused(refusal)

    async def _call(
        self, request: web.Request, method: str, arguments: Arguments
    ) -> web.StreamResponse:
        self.calls.append(Called(method, arguments))
        self.world.changed()
        faults = self._faults[method.lower()]
        fault, after = faults.popleft() if faults else (None, False)
        if fault is not None and not after:
            return await self._fail(request, fault)
        result = await self._methods.call(method, arguments)
        if fault is not None:
            return await self._fail(request, fault)
        return web.json_response({"ok": True, "result": result})

    async def _fail(self, request: web.Request, fault: Fault) -> web.StreamResponse:
        self.world.changed()
        if fault.trouble == "slow":
            return await self.hang(request)
        if fault.trouble in ("cut", "truncated"):
            return await self.drop(request)
        if fault.trouble == "empty":
            return web.Response()
        if fault.status >= 500:  # of a proxy before the service: no JSON
            return web.Response(status=fault.status, text=f"<html>{fault.message}</html>")
        wait = {} if fault.retry_after is None else {"retry_after": int(fault.retry_after)}
        return _refused(RefusedError(fault.status, fault.message, wait))

    def _file(self, token: str, path: str) -> web.StreamResponse:
        found = [each for each in self.world.files.values() if each.path == path]
        if token != self.token or not found:
            return _refused(RefusedError(404, "Not Found"))
        return web.Response(body=found[0].data, content_type="application/octet-stream")

    def _wake(self) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._updates.wake)


def _refused(refusal: RefusedError) -> web.Response:
    body: dict[str, Any] = {
        "ok": False,
        "error_code": refusal.status,
        "description": refusal.description,
    }
    headers = {}
    if refusal.parameters:
        body["parameters"] = dict(refusal.parameters)
    if wait := refusal.parameters.get("retry_after"):
        headers["Retry-After"] = str(wait)
    return web.json_response(body, status=refusal.status, headers=headers)


def _bot(token: str, username: str) -> Json:
    return {
        "id": int(token.partition(":")[0]),
        "is_bot": True,
        "first_name": "Cloche",
        "username": username,
        "can_join_groups": True,
        "can_read_all_group_messages": True,
        "supports_inline_queries": False,
    }
