"""What the page asks of the memory: to be shown, mended, forgotten, carried away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from urllib.parse import quote

from aiohttp import web

from cloche.channels import Desk, Known, NotKeptError
from cloche_channels.web.guard import object_of, refusal


class MemoryRoutes:
    """The handlers; the guard has checked who asks before any of them."""

    def __init__(self, desk: Desk, forgot: Callable[[], None]) -> None:
        """Take the memory, and whom to tell when something of it was forgotten."""
        self._desk, self._forgot = desk, forgot

    async def known(self, request: web.Request) -> web.Response:
        """What the assistant knows, or what of it fits words."""
        words = request.query.get("words", "").strip()
        language, past = request.query.get("language", ""), request.query.get("past") == "1"
        every = await self._desk.known(past=past and not words, language=language)
        found = await self._desk.search(words, language=language) if words else every
        return web.json_response({"records": [_record(one) for one in found], "total": len(every)})

    async def why(self, request: web.Request) -> web.Response:
        """Where a record is from."""
        language = request.query.get("language", "")
        told = await self._desk.why(request.match_info["id"], language)
        return web.json_response({"text": told}) if told else refusal(404, "record")

    async def correct(self, request: web.Request) -> web.Response:
        """Say a record anew."""
        text = (await object_of(request)).get("text")
        if not isinstance(text, str):
            return refusal(400, "request")
        try:
            known = await self._desk.correct(request.match_info["id"], text)
        except NotKeptError as error:
            return refusal(422, f"unkept_{error.why}")
        return web.json_response({"record": _record(known)}) if known else refusal(404, "record")

    async def forget(self, request: web.Request) -> web.Response:
        """Remove a record, and show the talk without what told it."""
        if not await self._desk.forget(request.match_info["id"]):
            return refusal(404, "record")
        self._forgot()
        return web.json_response({})

    async def kept(self, request: web.Request) -> web.Response:
        """One of the owner's files, to be saved; no browser shows it as a page."""
        file = await self._desk.file(request.query.get("key", ""))
        if file is None:
            return refusal(404, "kept")
        called = f"attachment; filename*=UTF-8''{quote(file.name, safe='')}"
        return web.Response(
            body=file.content,
            content_type=file.media_type,
            headers={"Content-Disposition": called},
        )

    async def export(self, request: web.Request) -> web.Response:
        """Everything kept of the owner, to be saved."""
        return web.Response(body=await self._desk.export(), content_type="application/jsonl")


def _record(known: Known) -> dict[str, object]:
    return asdict(known) | {
        "said_at": known.said_at.isoformat(),
        "until": known.until.isoformat() if known.until else None,
    }
