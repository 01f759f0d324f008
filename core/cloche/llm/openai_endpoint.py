"""A loopback endpoint that speaks OpenAI's chat completions and answers for turns under way.

What is asked here is asked of the host's own model, with its retries, time limits and prices, and
is counted for the turn that asked. Only who shows the secret is answered, and only for a model id
that is a live turn's. Failures are answered at once with 400, which clients take as final: their
own retries, that may take minutes, never start.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, aclosing
from contextvars import Context
from typing import TYPE_CHECKING, Final, Protocol

from cloche.errors import ModelError, RequestError
from cloche.llm import openai_wire as wire
from cloche.llm.calls import Question, streamed_answer, usage_of_call, whole_answer
from cloche.llm.providers import ChosenModel
from cloche.llm.usage import Usage
from cloche.state.store import Json

if TYPE_CHECKING:
    from aiohttp import web
    from pydantic_ai.messages import ModelResponse, ToolCallPart

MAX_BODY_BYTES: Final = 64 * 1024 * 1024
NO_ANSWER: Final = "The model gave no answer."
"""All that a client is told of a failure: it may write what it is told into a transcript."""

_log = logging.getLogger(__name__)


class AskingTurn(Protocol):
    """A turn under way, as the endpoint sees it."""

    @property
    def model(self) -> ChosenModel:
        """Who answers."""
        ...

    @property
    def is_heard(self) -> bool:
        """True when somebody listens while the answer is made: the model streams it then."""
        ...

    @property
    def context(self) -> Context:
        """What its work runs in: its log lines' ids, its span. One of its own each time."""
        ...

    def under_way(self) -> AbstractContextManager[None]:
        """Held while the model is asked, however that ends: the caller waits for the model."""
        ...

    def question(self, request: wire.WireRequest) -> Question:
        """What the model is asked.

        Raises:
            ModelError: the turn may ask no more.
        """
        ...

    async def said(self, piece: str) -> None:
        """Take the next piece of an answer's text, before whoever asked gets it."""
        ...

    def hand_out(self, call: ToolCallPart) -> wire.WireCall:
        """A call of the model's, as whoever asked shall make it."""
        ...

    def took(self, usage: Usage) -> None:
        """Count what an answer used, as soon as it is there: saying it may be broken off."""
        ...

    async def answered(self, response: ModelResponse) -> None:
        """Take note of an answer that has been said.

        Raises:
            ModelError: the answer is of no use.
        """
        ...

    def failed(self, error: ModelError) -> None:
        """Take note that there was no answer, and of what the calls took all the same."""
        ...


class OpenAIEndpoint:
    """Serves ``/v1/chat/completions`` on a free port of this machine.

    Attributes:
        secret: What callers must show.
        url: The base address, with ``/v1``, once it is started.
    """

    def __init__(self, find: Callable[[str], AskingTurn | None]) -> None:
        """Take who finds the turn of a model id."""
        self._find = find
        self._runner: web.AppRunner | None = None
        self.secret = secrets.token_urlsafe(32)
        self.url = ""

    async def start(self) -> None:
        """Listen.

        Raises:
            OSError: this machine gives no port.
        """
        from aiohttp import web

        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_post("/v1/chat/completions", self._handle)
        # A caller that goes away gives up its question: the model is not asked to the end.
        self._runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.5
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"

    async def close(self) -> None:
        """Stop; questions under way are given up."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        from aiohttp import web

        shown = request.headers.get("Authorization", "")
        if not hmac.compare_digest(shown.encode(), f"Bearer {self.secret}".encode()):
            return web.json_response(wire.refusal("Who are you?", "unauthorized"), status=401)
        try:
            asked = wire.read_request(await request.json())
        except (ValueError, RecursionError, RequestError) as error:
            told = str(error) if isinstance(error, RequestError) else "the body is not JSON"
            return web.json_response(wire.refusal(told, "invalid_request"), status=400)
        turn = self._find(asked.model)
        if turn is None:
            _log.warning("cause=no_turn | a model was asked for no turn that is under way")
            return web.json_response(wire.refusal("No such turn.", "model_not_found"), status=400)
        return await asyncio.create_task(_answer(request, turn, asked), context=turn.context)


async def _answer(
    request: web.Request, turn: AskingTurn, asked: wire.WireRequest
) -> web.StreamResponse:
    from aiohttp import web

    head: dict[str, Json] = {
        "id": f"chatcmpl-{secrets.token_hex(8)}",
        "created": int(time.time()),
        "model": asked.model,
    }
    try:
        question = turn.question(asked)
        if asked.stream:
            return await _Streaming(request, turn, asked, head).send(question)
        with turn.under_way():
            response = await whole_answer(turn.model, question)
            usage = _counted(turn, response)
            text = _text_of(response) + _mark_of_cut(response)
            await turn.said(text)
            answer = await _taken(turn, response, text)
        return web.json_response(wire.completion(head, answer, usage))
    except ModelError as error:
        turn.failed(error)
        return web.json_response(wire.refusal(NO_ANSWER, error.cause), status=400)
    except Exception as error:  # a listener's, a library's: no answer may be waited for
        _log.error("cause=endpoint | no answer: %s", type(error).__name__)
        turn.failed(ModelError(f"{type(error).__name__}.", cause="server"))
        return web.json_response(wire.refusal(NO_ANSWER, "server"), status=400)


class _Streaming:
    """One streamed answer; its headers wait for its first bytes, so that a failure has a status."""

    def __init__(
        self,
        request: web.Request,
        turn: AskingTurn,
        asked: wire.WireRequest,
        head: Mapping[str, Json],
    ) -> None:
        self._request, self._turn, self._asked, self._head = request, turn, asked, head
        self._response: web.StreamResponse | None = None

    async def send(self, question: Question) -> web.StreamResponse:
        """Ask and send.

        Raises:
            ModelError: there is no answer, and nothing was sent.
        """
        try:
            with self._turn.under_way():
                if self._turn.is_heard:
                    response = await self._pieces(question)
                    usage = _counted(self._turn, response)
                else:
                    response = await whole_answer(self._turn.model, question)
                    usage = _counted(self._turn, response)
                    await self._say(_text_of(response))
                await self._say(_mark_of_cut(response))
                answer = await _taken(self._turn, response, "")
            for data in wire.ending(
                self._head, answer, usage, with_usage=self._asked.include_usage
            ):
                await self._write(data)
        except ModelError as error:
            if self._response is None:
                raise
            self._turn.failed(error)
            await self._write(wire.event(wire.refusal(NO_ANSWER, error.cause)))
        sent = await self._begun()
        await sent.write_eof()
        return sent

    async def _pieces(self, question: Question) -> ModelResponse:
        async with aclosing(streamed_answer(self._turn.model, question)) as pieces:
            async for piece in pieces:
                if not isinstance(piece, str):
                    return piece
                await self._say(piece)
        raise ModelError("the answer never ended.", cause="cut")

    async def _say(self, text: str) -> None:
        if text:
            await self._turn.said(text)
            await self._write(wire.piece(self._head, text, first=self._response is None))

    async def _write(self, data: bytes) -> None:
        sent = await self._begun()
        try:
            await sent.write(data)
        except ConnectionError as error:  # whoever asked has gone away
            raise asyncio.CancelledError from error

    async def _begun(self) -> web.StreamResponse:
        from aiohttp import web

        if self._response is None:
            self._response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
            await self._response.prepare(self._request)
        return self._response


def _counted(turn: AskingTurn, response: ModelResponse) -> Usage:
    """What an answer used, counted for the turn."""
    usage = usage_of_call(turn.model, response)
    turn.took(usage)
    return usage


async def _taken(turn: AskingTurn, response: ModelResponse, text: str) -> wire.WireAnswer:
    """What is left to send of an answer.

    Raises:
        ModelError: it is of no use.
    """
    await turn.answered(response)
    calls = tuple(turn.hand_out(call) for call in response.tool_calls)
    return wire.WireAnswer(text, calls, wire.finish_of(response, calls))


def _text_of(response: ModelResponse) -> str:
    from pydantic_ai.messages import TextPart

    return "".join(part.content for part in response.parts if isinstance(part, TextPart))


def _mark_of_cut(response: ModelResponse) -> str:
    """What is added to an answer that goes no further, so that one sees it."""
    return " …" if response.finish_reason == "length" and _text_of(response) else ""
