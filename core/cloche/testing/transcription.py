"""A loopback transcription API as OpenAI documents it, for the unmodified SDK.

What the API refuses is refused as it does: no key, no file, a format it does not know by the
file's name, more than 25 MB.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from aiohttp import web

from cloche.testing.loopback import LoopbackServer, headers_of, send_half
from cloche.testing.openai import ERRORS
from cloche.testing.script import Fault

FORMATS: Final = frozenset(
    {"flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm"}
)
MAX_BYTES: Final = 25 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Heard:
    """One request for a transcription, refused and failed ones too.

    Attributes:
        name: The file's name.
        sound: Its bytes.
        model: The model that was asked for.
        headers: HTTP headers, names in lower case.
    """

    name: str
    sound: bytes
    model: str
    headers: Mapping[str, str]


class TranscriptionServer(LoopbackServer):
    """Answers ``POST /v1/audio/transcriptions``; use it as ``with`` or ``async with``.

    Args:
        words: What is said in a recording.
        faults: Faults by call number, from 1.
        usage: What it says it counted, as the API has it; None = nothing.

    Attributes:
        requests: Every request that could be read.
    """

    def __init__(
        self,
        words: Callable[[bytes], str] = lambda _: "All right.",
        *,
        faults: Mapping[int, Fault] | None = None,
        usage: Mapping[str, object] | None = None,
    ) -> None:
        """Take the words; nothing listens yet."""
        super().__init__()
        self.requests: list[Heard] = []
        self._words, self._faults, self._usage = words, dict(faults or {}), usage

    @property
    def base_url(self) -> str:
        """What clients take as base URL."""
        return f"{self.url}/v1"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one call."""
        if request.method != "POST" or request.path != "/v1/audio/transcriptions":
            return _error(404, "Invalid URL")
        form = await request.post()
        file, model = form.get("file"), form.get("model")
        if not isinstance(file, web.FileField) or not isinstance(model, str):
            return _error(400, "file and model are required")
        with file.file:
            headers, sound = headers_of(request), file.file.read()
        self.requests.append(Heard(file.filename, sound, model, headers))
        if not headers.get("authorization", "").startswith("Bearer "):
            return _error(401, "You didn't provide an API key.")
        if PurePath(file.filename).suffix.removeprefix(".").lower() not in FORMATS:
            return _error(400, f"Unrecognized file format. Supported formats: {sorted(FORMATS)}")
        if len(sound) > MAX_BYTES:
            return _error(413, f"Maximum content size limit ({MAX_BYTES}) exceeded")
        if fault := self._faults.get(len(self.requests)):
            return await self._fail(request, fault)
        usage = {"usage": self._usage} if self._usage else {}
        return web.json_response({"text": self._words(sound), **usage})

    async def _fail(self, request: web.Request, fault: Fault) -> web.StreamResponse:
        if fault.trouble == "slow":
            return await self.hang(request)
        if fault.trouble == "empty":
            return web.json_response({})
        if fault.status:
            return _error(fault.status, fault.message)
        polite = fault.trouble == "truncated"
        sent = await send_half(request, b'{"text": "All right."}', honest=polite)
        return sent if polite else await self.drop(request)


def _error(status: int, message: str) -> web.Response:
    kind = ERRORS.get(status, "server_error")
    error = {"message": message, "type": kind, "param": None, "code": None}
    return web.json_response({"error": error}, status=status)
