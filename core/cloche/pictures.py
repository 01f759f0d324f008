"""From the attachments of a message to pictures a model can look at."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from cloche.errors import RequestError, TurnError
from cloche.messages import Attachment, Message
from cloche.prompt import Image
from cloche.texts import say

MAX_PICTURES: Final = 5
"""Per turn: enough for an album of one subject, few enough to answer in time."""

MAX_MESSAGE_CHARS: Final = 100_000
"""AgentCore's CreateEvent takes at most so many characters of one message."""

Fetch = Callable[[Attachment], Awaitable[bytes]]


class Pictures:
    """Fetches attachments through their channel and makes pictures of them."""

    def __init__(self, fetch: Fetch | None) -> None:
        """Take the channel's ``fetch``; without one, a message with files is refused politely."""
        self._fetch = fetch

    async def of(self, message: Message, language: str) -> tuple[Image, ...]:
        """The pictures of a message, in order.

        Raises:
            TurnError: there are neither words nor files, the words are too many, or a file cannot
                be had or is no picture a model takes; ``user_message`` says which and why in one
                sentence.
        """
        if not message.text.strip() and not message.attachments:
            raise TurnError("an empty message", user_message=say("nothing_said", language))
        if len(message.text) > MAX_MESSAGE_CHARS:
            raise TurnError(
                f"{len(message.text)} characters",
                user_message=say("message_too_long", language, most=MAX_MESSAGE_CHARS),
            )
        if len(message.attachments) > MAX_PICTURES:
            raise TurnError(
                f"{len(message.attachments)} attachments",
                user_message=say("pictures_too_many", language, most=MAX_PICTURES),
            )
        return tuple([await self._picture(a, language) for a in message.attachments])

    async def _picture(self, attachment: Attachment, language: str) -> Image:
        from cloche.llm.images import prepare_image

        try:
            if self._fetch is None:
                raise RequestError("this channel cannot fetch files")
            data = await self._fetch(attachment)
        except RequestError as error:
            raise TurnError(
                str(error), user_message=say("picture_unreadable", language, name=attachment.name)
            ) from error
        return await asyncio.to_thread(prepare_image, data, attachment.name, language)
