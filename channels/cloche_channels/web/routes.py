"""What the page asks of the server: the page itself, the way in, the talk and its files."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from aiohttp import web
from aiohttp.typedefs import Handler

from cloche.channels import Door
from cloche.messages import Address, Attachment, Message, without_surrogates
from cloche_channels.web.guard import (
    SESSION,
    add_headers,
    bound_port,
    cookie_name,
    guard,
    object_of,
    refusal,
)
from cloche_channels.web.items import shown
from cloche_channels.web.memory_routes import MemoryRoutes
from cloche_channels.web.reminder_routes import ReminderRoutes
from cloche_channels.web.sessions import KEPT, Sessions
from cloche_channels.web.showing import changes, set_out, snapshot
from cloche_channels.web.taking_back import taken_back, words_json
from cloche_channels.web.talks import Listener, Talk
from cloche_channels.web.uploads import Upload, media_type_of
from cloche_channels.web.wording import page_languages, page_texts

if TYPE_CHECKING:
    from cloche_channels.web.channel import WebChannel

logger = logging.getLogger(__name__)

STATIC: Final[Mapping[str, tuple[str, str]]] = {
    "/": ("page.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
    "/chat.js": ("chat.js", "text/javascript"),
    "/composer.js": ("composer.js", "text/javascript"),
    "/memory.js": ("memory.js", "text/javascript"),
    "/confirm.js": ("confirm.js", "text/javascript"),
    "/reminders.js": ("reminders.js", "text/javascript"),
    "/server.js": ("server.js", "text/javascript"),
    "/dom.js": ("dom.js", "text/javascript"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
QUIET_SECONDS: Final = 15.0
"""After so long a sign of life, so that a page notices when the server is gone."""
LEAST_SECONDS: Final = 0.06
"""Between two states of an answer that is being written."""
MOST_SECONDS: Final = 1.0
"""However much an answer takes to be set out, it is seen to grow."""
REQUEST_BYTES: Final = 2_000_000
"""Of words; files have their own limit."""
NAME_CHARS: Final = 200
LANGUAGE_CHARS: Final = 35
"""Of a language tag, as RFC 5646 has it."""

_MESSAGE_ID: Final = re.compile(r"[0-9a-f-]{36}")


def page_of(channel: WebChannel, door: Door, sessions: Sessions) -> web.Application:
    """The page and what it asks for, behind the guard."""
    page = Page(channel, door, sessions)
    app = web.Application(middlewares=[guard(sessions)], client_max_size=REQUEST_BYTES)
    app.on_response_prepare.append(add_headers)
    for path, (name, kind) in STATIC.items():
        app.router.add_get(path, _static(name, kind))
    app.router.add_get("/texts/{language}.json", page.texts)
    app.router.add_post("/api/enter", page.enter)
    app.router.add_get("/api/hello", page.hello)
    app.router.add_get("/api/talk", page.talk)
    app.router.add_post("/api/messages", page.message)
    app.router.add_post("/api/stop", page.stop)
    app.router.add_post("/api/files", page.upload)
    app.router.add_get("/api/files/{id}", page.file)
    memory = MemoryRoutes(door.desk, channel.forgot)
    app.router.add_get("/api/memory", memory.known)
    app.router.add_get("/api/memory/{id}/why", memory.why)
    app.router.add_post("/api/memory/{id}/correct", memory.correct)
    app.router.add_post("/api/memory/{id}/forget", memory.forget)
    app.router.add_get("/api/export", memory.export)
    app.router.add_get("/api/kept", memory.kept)
    reminders = ReminderRoutes(door.desk)
    app.router.add_get("/api/reminders", reminders.planned)
    app.router.add_post("/api/reminders/{id}/answer", reminders.answer)
    app.router.add_post("/api/reminders/{id}/cancel", reminders.cancel)
    app.router.add_post("/api/language", reminders.language)
    return app


class Page:
    """The handlers; the guard has checked who asks before any of them."""

    def __init__(self, channel: WebChannel, door: Door, sessions: Sessions) -> None:
        """Take the channel, the host's side and who reads cookies."""
        self._channel, self._door, self._sessions = channel, door, sessions

    async def texts(self, request: web.Request) -> web.Response:
        """What the page says in a language; not secret."""
        language, known = request.match_info["language"], page_languages()
        if language == "languages":
            return web.json_response(known)
        if language not in [one["code"] for one in known]:
            return refusal(404, "request")
        return web.json_response(page_texts(language))

    async def enter(self, request: web.Request) -> web.Response:
        """Let a browser in that has the word of the link."""
        word = (await object_of(request)).get("word")
        if not isinstance(word, str) or not self._channel.entrance.admits(word):
            return refusal(401, "session")
        name = cookie_name(bound_port(request))
        session = self._sessions.begin(request.cookies.get(name, ""))
        response = web.json_response({"token": self._sessions.token(session)})
        response.set_cookie(
            name,
            self._sessions.cookie(session),
            max_age=int(KEPT.total_seconds()),
            path="/api/",
            httponly=True,
            samesite="Strict",
        )
        self._channel.tell_link("web_open_again")
        return response

    async def hello(self, request: web.Request) -> web.Response:
        """Who talks to whom, what can be asked with a slash, and which files are taken."""
        options = self._channel.options
        return web.json_response(
            {
                "persona": options.persona,
                "owner": options.name,
                "commands": {
                    language: [[name, clause] for name, clause in commands]
                    for language, commands in self._channel.context.commands.items()
                },
                "fileBytes": self._channel.limits.file_bytes,
                "files": self._channel.limits.attachments,
            }
        )

    async def talk(self, request: web.Request) -> web.StreamResponse:
        """The talk from the beginning, then what changes, one JSON object a line, until left."""
        session, listener = request[SESSION], Listener()
        talk, response = self._channel.talk(session.id), web.StreamResponse()
        response.content_type = "application/x-ndjson"
        talk.listeners.add(listener)
        try:
            line, pause = await self._untold(talk, listener, session.id)
            await response.prepare(request)
            while line:
                await response.write(line)
                await asyncio.sleep(pause)
                line, pause = await self._untold(talk, listener, session.id)
        except ConnectionResetError:
            pass  # the page was closed
        except Exception:
            if not response.prepared:
                raise
            logger.exception("web page: a talk broke off")  # the page asks for it anew
        finally:
            talk.listeners.discard(listener)
        return response

    async def _untold(
        self, talk: Talk, listener: Listener, conversation: str
    ) -> tuple[bytes, float]:
        """What a page was not told yet (empty = no more comes), and how long to rest then."""
        anew, items = await listener.next(QUIET_SECONDS)
        if listener.ended:
            return b"", 0.0
        if anew:
            told = await snapshot(talk, self._door.desk, conversation)
        else:
            told = changes(talk, items)
        line, seconds = await asyncio.to_thread(set_out, told)
        return line, rest_after(seconds)

    async def message(self, request: web.Request) -> web.Response:
        """Take a message; when this is answered, it is kept."""
        session, body = request[SESSION], await object_of(request)
        id_, text, ids = body.get("id"), body.get("text"), body.get("files")
        language, label = body.get("language", ""), body.get("label", "")
        if not isinstance(id_, str) or not _MESSAGE_ID.fullmatch(id_):
            return refusal(400, "request")
        if not isinstance(text, str) or not isinstance(ids, list):
            return refusal(400, "request")
        if not isinstance(language, str) or not isinstance(label, str):
            return refusal(400, "request")
        if len(ids) > self._channel.limits.attachments:
            return refusal(422, "files")
        attachments = self._attachments(session.id, ids)
        if attachments is None:
            return refusal(410, "file")
        text = without_surrogates(text)
        if not text.strip() and not attachments:
            return refusal(422, "empty")
        talk, options = self._channel.talk(session.id), self._channel.options
        message = Message(
            id=id_,
            address=Address(self._channel.name, options.owner),
            conversation=session.id,
            text=text,
            attachments=attachments,
            sender_name=options.owner,
            ref=id_,
            language=language[:LANGUAGE_CHARS],
        )
        if await self._door.knows(message):
            return web.json_response({})  # sent again: the page did not get the first answer
        label = without_surrogates(label)[:NAME_CHARS]
        item = talk.say(id_, text, tuple(map(shown, attachments)), label)
        if item is None:
            return web.json_response({})  # sent twice at once
        try:
            await self._door.accept(message)
        except BaseException:
            talk.take_back(item)
            raise
        return web.json_response({})

    async def stop(self, request: web.Request) -> web.Response:
        """Stop what is being answered; where nothing is, give back what waits."""
        session = request[SESSION]
        talk = self._channel.talk(session.id)
        stopped = await self._door.stop(session.id)
        if stopped:
            talk.stop()
        address = Address(self._channel.name, self._channel.options.owner)
        back = [] if stopped else await taken_back(talk, self._door, address, session.id)
        return web.json_response({"stopped": stopped} | words_json(back))

    async def upload(self, request: web.Request) -> web.Response:
        """Take a file; its content decides what it is."""
        most = self._channel.limits.file_bytes
        content = bytearray()
        async for piece in request.content.iter_chunked(64_000):
            content += piece
            if len(content) > most:
                return refusal(413, "file_large")
        media_type = media_type_of(bytes(content))
        if not media_type:
            return refusal(422, "file_empty")
        name = without_surrogates(request.query.get("name", ""))[:NAME_CHARS]
        upload = Upload(request[SESSION].id, name, media_type, bytes(content))
        id_ = await asyncio.to_thread(self._channel.uploads.hold, upload)
        return web.json_response({"id": id_, "name": name, "type": media_type})

    async def file(self, request: web.Request) -> web.Response:
        """A file this browser sent, while it is held."""
        upload = self._channel.uploads.of(request[SESSION].id, request.match_info["id"])
        if upload is None:
            return refusal(404, "file")
        return web.Response(body=upload.content, content_type=upload.media_type)

    def _attachments(self, session: str, ids: list[object]) -> tuple[Attachment, ...] | None:
        """The files named; None when one is not here any more."""
        found = []
        for id_ in ids:
            upload = self._channel.uploads.of(session, id_) if isinstance(id_, str) else None
            if upload is None or not isinstance(id_, str):
                return None
            size = len(upload.content)
            found.append(Attachment(id_, upload.name, upload.media_type, size))
        return tuple(found)


def rest_after(seconds: float) -> float:
    """How long a page is told nothing more, by the work that its last line took.

    A long answer takes longer to be set out, and is shown less often while it grows. Waiting is
    no work: neither a busy machine nor a slow memory keeps an answer from the page.
    """
    return min(max(LEAST_SECONDS, 10 * seconds), MOST_SECONDS)


def _static(name: str, kind: str) -> Handler:
    content = files("cloche_channels.web").joinpath("static", name).read_bytes()

    async def serve(request: web.Request) -> web.Response:
        return web.Response(body=content, content_type=kind, charset="utf-8")

    return serve
