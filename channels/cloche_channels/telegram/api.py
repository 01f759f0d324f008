"""Calls to the Bot API. The token is part of every address, so no address leaves this module."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from cloche.channels import (
    FileToSend,
    MovedError,
    SendError,
    SendLaterError,
    SendRefusedError,
    ThreadClosedError,
    UnreachableError,
)
from cloche.errors import FileTooLargeError, RequestError, SettingsError
from cloche_channels.telegram.uploading import Outgoing

if TYPE_CHECKING:
    from collections.abc import Callable

    import aiohttp

API_URL: Final = "https://api.telegram.org"
CALL_SECONDS: Final = 30.0
CONNECT_SECONDS: Final = 10.0
FILE_SECONDS: Final = 120.0
_TOKEN: Final = re.compile(r"(?P<bot>\d{1,20}):[A-Za-z0-9_-]+")
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_DEFAULT_WAIT: Final = 5.0
"""Seconds to wait where flood control does not say how long."""

_GONE: Final = (
    "chat not found",
    "user not found",
    "peer_id_invalid",
    "have no rights to send a message",
    "not enough rights to send",
    "chat_write_forbidden",
    "chat_restricted",
    "chat_send_plain_forbidden",
)
"""Refusals that no other text would change: nobody can be written to there."""
_CLOSED: Final = ("topic_closed",)
"""Refusals of one topic of a forum; the others go on, and it may be opened again."""
_NO_TOPIC: Final = ("message thread not found", "topic_deleted", "topic_id_invalid")
"""Refusals of a topic that is deleted, which none comes back from."""
_CODES: Final = {
    "can't parse": "unreadable",
    "too long": "too_long",
    "must be non-empty": "empty",
    "text is empty": "empty",
    "too big": "too_big",
    "wrong file": "file",
    "chat not found": "no_chat",
    "terminated by other getupdates": "polled_elsewhere",
    "webhook": "webhook",
}
"""What the log calls a refusal, by words of its description, which is not repeated."""
_LONGEST_WAIT: Final = 10**6
_LATE: Final = "no answer in time"


class WebhookSetError(SendError):
    """Telegram delivers to an address, so that nobody can poll."""


class TopicGoneError(SendRefusedError):
    """The topic was deleted; its forum takes messages."""


class UnansweredError(SendError, TimeoutError):
    """A file was on its way and no answer came: Telegram may have taken it."""


class TokenError(SendError):
    """Telegram does not know the token."""


class BotApi:
    """The methods of one bot."""

    def __init__(self, session: Callable[[], aiohttp.ClientSession], token: str, url: str) -> None:
        """Take the bot's token and the address of the API; "" = Telegram's own.

        Raises:
            SettingsError: the token cannot be one, or it would travel unencrypted.
        """
        found = _TOKEN.fullmatch(token)
        if not found:
            raise SettingsError(
                "CLOCHE_CHANNELS__TELEGRAM__TOKEN: is not a token as @BotFather gives it, "
                "digits, a colon, then letters and digits."
            )
        parts = urlsplit(url or API_URL)
        here = parts.scheme == "http" and parts.hostname in _LOOPBACK
        if not parts.hostname or not (parts.scheme == "https" or here):
            raise SettingsError(
                "CLOCHE_CHANNELS__TELEGRAM__API_URL: must start with https://, or be on this "
                "machine: the token is part of every request."
            )
        self.bot = int(found["bot"])
        self._session, self._token = session, token
        self._url = (url or API_URL).rstrip("/")

    async def call(
        self, method: str, *, seconds: float = CALL_SECONDS, **parameters: object
    ) -> Any:
        """The result of a method; parameters that are None are left out.

        Raises:
            SendError: it failed; the subclass says what that means for a conversation.
        """
        given = {name: value for name, value in parameters.items() if value is not None}
        status, body = await self._request(method, f"bot{self._token}/{method}", seconds, given)
        answer = _object(body)
        if status == 200 and answer.get("ok") is True:
            return answer.get("result")
        raise self._refusal(method, status, answer)

    async def upload(self, method: str, name: str, file: FileToSend, **parameters: object) -> Any:
        """The result of a method that takes a file under a name.

        Raises:
            SendError: as ``call``; ``UnansweredError`` where it was on its way.
        """
        import aiohttp

        content = Outgoing(file.content)
        form = aiohttp.FormData(quote_fields=False)  # else names in most languages would be escaped
        for key, value in parameters.items():
            if value is not None:
                form.add_field(key, value if isinstance(value, str) else json.dumps(value))
        form.add_field(name, content, filename=file.name, content_type=file.media_type)
        address = f"bot{self._token}/{method}"
        failure: SendError | None = None
        status, body = 0, b""
        unanswered = False
        try:
            async with content.watched():
                status, body = await self._request(method, address, None, form)
        except TimeoutError:
            failure, unanswered = _unreached(_LATE), content.is_begun
        except SendError as error:
            failure, unanswered = error, content.is_out
        if failure:
            raise UnansweredError(str(failure), told=failure.told) if unanswered else failure
        answer = _object(body)
        if status == 200 and answer.get("ok") is True:
            return answer.get("result")
        raise self._refusal(method, status, answer)

    async def download(self, file_id: str, *, most: int) -> bytes:
        """The bytes of a file.

        Raises:
            FileTooLargeError: it has more than ``most`` bytes.
            RequestError: there is no such file.
            SendError: it cannot be had at present.
        """
        try:
            file = await self.call("getFile", file_id=file_id)
        except SendRefusedError as error:
            if "too big" in str(error):
                raise FileTooLargeError("the file is too large for a bot", most=most) from None
            raise RequestError("Telegram has no such file") from None
        path = file.get("file_path") if isinstance(file, dict) else None
        if not isinstance(path, str) or ".." in path.split("/"):
            raise RequestError("Telegram does not say where the file is")
        address = f"file/bot{self._token}/{quote(path)}"
        status, body = await self._request("download", address, FILE_SECONDS, None, most=most)
        if status == 404:
            raise RequestError("Telegram has no such file any more")
        if status != 200:
            told = f"download: Telegram answered {status}"
            raise SendError(told, told=told)
        return body

    async def _request(
        self,
        what: str,
        address: str,
        seconds: float | None,
        parameters: Mapping[str, object] | aiohttp.FormData | None,
        *,
        most: int | None = None,
    ) -> tuple[int, bytes]:
        """Status and body. What fails on the way is told without its cause: that has the token."""
        import aiohttp

        url = f"{self._url}/{address}"
        timeout = aiohttp.ClientTimeout(total=seconds, sock_connect=CONNECT_SECONDS)
        method = "GET" if parameters is None else "POST"
        form = parameters if isinstance(parameters, aiohttp.FormData) else None
        told = None if isinstance(parameters, aiohttp.FormData) else parameters
        try:
            # A redirect would hand the token on to wherever it points.
            async with self._session().request(
                method, url, json=told, data=form, timeout=timeout, allow_redirects=False
            ) as response:
                body = await _read(response, most)
        except TimeoutError:
            failure = _LATE
        except (aiohttp.ClientError, OSError) as error:
            failure = _why(error)
        else:
            if body is None:
                raise FileTooLargeError("the file is larger than was said", most=most or 0)
            return response.status, body
        # Outside of the except clause, so that no traceback is chained to it.
        raise _unreached(failure)

    def _refusal(self, method: str, status: int, answer: Mapping[str, Any]) -> SendError:
        """What an error body means (https://core.telegram.org/bots/api#responseparameters)."""
        reason = answer.get("description")
        reason = reason.replace(self._token, "[secret]") if isinstance(reason, str) else ""
        text = f"{method}: Telegram answered {status}{f' ({reason})' if reason else ''}"
        code = next((code for words, code in _CODES.items() if words in reason.lower()), "")
        told = f"{method}: Telegram answered {status} {code}".strip()
        found = answer.get("parameters")
        parameters = found if isinstance(found, dict) else {}
        wait, moved = parameters.get("retry_after"), parameters.get("migrate_to_chat_id")
        if type(moved) is int:
            return MovedError(text, conversation=str(moved), told=told)
        if status == 429:
            told_wait = min(wait, _LONGEST_WAIT) if isinstance(wait, int) else 0
            seconds = float(told_wait) if told_wait > 0 else _DEFAULT_WAIT
            return SendLaterError(text, seconds=seconds, told=told)
        if status == 409 and "webhook" in reason.lower():
            return WebhookSetError(text, told=told)
        if status == 400 and any(closed in reason.lower() for closed in _CLOSED):
            return ThreadClosedError(text, told=told)
        if status == 400 and any(gone in reason.lower() for gone in _NO_TOPIC):
            return TopicGoneError(text, told=told)
        if status in (401, 404):
            return TokenError(text, told=told)
        if status == 403 or (status == 400 and any(gone in reason.lower() for gone in _GONE)):
            return UnreachableError(text, told=told)
        kind = SendRefusedError if status in (400, 413) else SendError
        return kind(text, told=told)


def _unreached(why: str) -> SendError:
    told = f"Telegram cannot be reached ({why})"
    return SendError(told, told=told)


def _why(error: Exception) -> str:
    """What is wrong on the way, without the address: that has the token."""
    import aiohttp

    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "its name is not found"
    if isinstance(error, aiohttp.ClientSSLError):
        return "no safe connection"
    number = getattr(getattr(error, "os_error", error), "errno", None)
    return os.strerror(number) if isinstance(number, int) and number > 0 else "it broke off"


async def _read(response: aiohttp.ClientResponse, most: int | None) -> bytes | None:
    """The body; None when it has more than ``most`` bytes."""
    if most is None:
        return await response.read()
    pieces, size = [], 0
    async for piece in response.content.iter_chunked(65_536):
        size += len(piece)
        if size > most:
            return None
        pieces.append(piece)
    return b"".join(pieces)


def _object(body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}
