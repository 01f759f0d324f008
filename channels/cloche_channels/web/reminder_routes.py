"""What the page asks of the reminders: to be listed, answered, cancelled; and which language."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

from aiohttp import web

from cloche.channels import Desk, Outcome
from cloche_channels.web.guard import object_of, refusal

OUTCOMES: Final[dict[str, Outcome]] = {"done": "done", "snooze": "snooze", "skip": "skip"}


class ReminderRoutes:
    """The handlers; the guard has checked who asks before any of them."""

    def __init__(self, desk: Desk) -> None:
        """Take the owner's reminders."""
        self._desk = desk

    async def planned(self, request: web.Request) -> web.Response:
        """What waits for an answer, and what is to come."""
        found = await self._desk.reminders(language=request.query.get("language", ""))
        return web.json_response({"reminders": [asdict(one) for one in found]})

    async def answer(self, request: web.Request) -> web.Response:
        """Take an answer to one that was told."""
        body = await object_of(request)
        outcome, language = OUTCOMES.get(str(body.get("outcome"))), body.get("language", "")
        if outcome is None or not isinstance(language, str):
            return refusal(400, "request")
        id_ = request.match_info["id"]
        told = await self._desk.answer_reminder(id_, outcome, language=language)
        return web.json_response({"text": told}) if told else refusal(404, "reminder")

    async def cancel(self, request: web.Request) -> web.Response:
        """Remove one."""
        await object_of(request)
        there = await self._desk.cancel_reminder(request.match_info["id"])
        return web.json_response({}) if there else refusal(404, "reminder")

    async def language(self, request: web.Request) -> web.Response:
        """Speak the language that was chosen on the page."""
        language = (await object_of(request)).get("language")
        if not isinstance(language, str) or not await self._desk.choose_language(language):
            return refusal(422, "language")
        return web.json_response({})
