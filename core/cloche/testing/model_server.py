"""What the fake model servers share: they play a script, and fail as it says."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from aiohttp import web

from cloche.clock import Clock, utc_now
from cloche.state.store import Json
from cloche.testing.loopback import LoopbackServer, send_half, send_pieces
from cloche.testing.prompt_cache import Counted, PromptCache, canonical, text_tokens
from cloche.testing.recorded import Recorded
from cloche.testing.script import Asked, Fault, Player, Reply, Script, say

_NOTHING = Counted(0, 0, 0)
_SOME = Reply("I was just about to say something.", (), "end")


class ModelServer(LoopbackServer):
    """A provider's API on loopback; use it as ``with`` or ``async with``.

    Output tokens are counted by the tokenizer that ``cloche.testing.prompt_cache`` states.

    Args:
        script: The answers.
        faults: Faults by call number, from 1.
        clock: The present instant, for the prompt cache's five minutes.

    Attributes:
        requests: Every request, refused and failed ones too; a test may clear it.
        calls: How many there were since the start.
        cache: The prompt cache.
    """

    stream_type: ClassVar[str]

    def __init__(
        self,
        script: Script = lambda _: say("All right."),
        *,
        faults: Mapping[int, Fault] | None = None,
        clock: Clock = utc_now,
    ) -> None:
        """Take the script; nothing listens yet."""
        super().__init__()
        self.requests: list[Recorded] = []
        self.cache = PromptCache(clock)
        self.calls = 0
        self._player = Player(script, faults)

    def record(self, recorded: Recorded) -> None:
        """Keep a request as it arrived, whatever becomes of it."""
        self.calls += 1
        self.requests.append(recorded)

    @abstractmethod
    def whole(self, reply: Reply, request: Recorded, counted: Counted) -> dict[str, Json]:
        """The body of a whole answer."""

    @abstractmethod
    def pieces(self, reply: Reply, request: Recorded, counted: Counted) -> Sequence[bytes]:
        """The pieces of a streamed answer."""

    @abstractmethod
    def error(self, status: int, message: str) -> web.Response:
        """An error as the service answers it."""

    @abstractmethod
    def error_piece(self, status: int, message: str) -> bytes:
        """An error inside a stream that has begun."""

    async def play(
        self, request: web.Request, recorded: Recorded, asked: Asked, *, cache_minimum: int
    ) -> web.StreamResponse:
        """Answer an acceptable request by the script; it is the last of ``requests``."""
        answer = self._player.answer(asked)
        if isinstance(answer, Fault):
            return await self._fail(request, recorded, answer, streamed=asked.stream)
        counted = self.cache.count(recorded.model, recorded.rendered, cache_minimum)
        self.requests[-1] = replace(recorded, counted=counted)
        return await self._send(request, recorded, answer, counted, streamed=asked.stream)

    async def _send(
        self,
        request: web.Request,
        recorded: Recorded,
        reply: Reply,
        counted: Counted,
        *,
        streamed: bool,
    ) -> web.StreamResponse:
        if streamed:
            pieces = self.pieces(reply, recorded, counted)
            return await send_pieces(request, self.stream_type, pieces, pause=reply.pause)
        return web.json_response(self.whole(reply, recorded, counted))

    async def _fail(
        self, request: web.Request, recorded: Recorded, fault: Fault, *, streamed: bool
    ) -> web.StreamResponse:
        if fault.trouble == "slow" and not (streamed and fault.midway):
            return await self.hang(request)
        if fault.trouble == "empty":
            nothing = Reply("", (), "end")
            return await self._send(request, recorded, nothing, _NOTHING, streamed=streamed)
        pieces = list(self.pieces(_SOME, recorded, _NOTHING))
        half = pieces[: len(pieces) // 2]
        if fault.trouble == "slow":
            await send_pieces(request, self.stream_type, half, end=False)
            return await self.hang(request)
        if streamed and fault.midway:
            half.append(self.error_piece(fault.status, fault.message))
            return await send_pieces(request, self.stream_type, half)
        if fault.status:
            response = self.error(fault.status, fault.message)
            if fault.retry_after is not None:
                response.headers["Retry-After"] = f"{fault.retry_after:g}"
            return response
        polite = fault.trouble == "truncated"
        if streamed:
            sent = await send_pieces(request, self.stream_type, half, end=polite)
        else:
            data = canonical(self.whole(_SOME, recorded, _NOTHING))
            sent = await send_half(request, data, honest=polite)
        return sent if polite else await self.drop(request)


def output_tokens(reply: Reply) -> int:
    """Tokens of an answer by the stated tokenizer."""
    calls = (canonical([call.tool, dict(call.arguments)]) for call in reply.calls)
    return text_tokens(reply.text) + sum(map(text_tokens, calls))


def raw_arguments(reply: Reply) -> list[str]:
    """The JSON of each call's arguments, as it is streamed."""
    return [
        call.raw if call.raw is not None else canonical(dict(call.arguments)).decode()
        for call in reply.calls
    ]
