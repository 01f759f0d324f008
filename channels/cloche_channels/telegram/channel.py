"""Telegram as a channel, on the Bot API (https://core.telegram.org/bots/api)."""

from __future__ import annotations

import json
import logging
import re
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Final

from cloche.channels import (
    Authentication,
    Capabilities,
    Channel,
    ChannelContext,
    ChannelRequest,
    FileToSend,
    Incoming,
    Limits,
    Part,
    Pointers,
    Polled,
    Secret,
    SendError,
    SharedSecret,
)
from cloche.errors import FileTooLargeError, MemoryUnavailableError, SettingsError
from cloche.messages import Attachment, Message, place_of
from cloche_channels.telegram.api import BotApi, TokenError, TopicGoneError, WebhookSetError
from cloche_channels.telegram.content import MAX_FILE_BYTES, MAX_SENT_BYTES
from cloche_channels.telegram.formatting import entities_out
from cloche_channels.telegram.health import look
from cloche_channels.telegram.menu import send_menu
from cloche_channels.telegram.parsing import NAME, POINTERS, UPDATES, Bot, parse_update, pressed
from cloche_channels.telegram.targets import chat_of, keyboard_of, thread_of
from cloche_channels.telegram.waits import Waits

logger = logging.getLogger(__name__)

POLL_SECONDS: Final = 25
"""How long Telegram holds a poll open; the host allows about 30 s."""
OPEN_SECONDS: Final = 10.0
MAX_PRESSES: Final = 100
USERNAME: Final = "username"
"""Keepsake: the bot's user name, for a start at which Telegram is away."""

_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{1,256}")


class TelegramChannel(Channel):
    """A bot: private chats, groups, topics."""

    name: ClassVar[str] = NAME
    limits: ClassVar[Limits] = Limits(
        text=4096,
        unit="utf16",
        text_bytes=32_768,
        entities=100,
        buttons=20,
        button_label=64,
        button_data=64,
        attachments=10,
        file_bytes=MAX_FILE_BYTES,
        sent_file_bytes=MAX_SENT_BYTES,
        # https://core.telegram.org/bots/faq: one a second in a chat, 20 a minute in a group,
        # about 30 a second in all.
        conversation_seconds=1.0,
        group_seconds=3.0,
        per_second=25.0,
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        formatting="entities",
        buttons=True,
        typing_seconds=4.0,
        edits=True,
        threads=True,
        files=True,
    )
    secrets: ClassVar[tuple[Secret, ...]] = (
        Secret("token", "the bot's token, from @BotFather"),
        Secret(
            "secret",
            "what Telegram shows with each request: 1 to 256 letters, digits, _ and -",
            needed="webhook",
        ),
        Secret("api_url", "address of a Bot API server of your own", needed="never"),
    )
    authentication: ClassVar[Authentication | None] = SharedSecret(
        header="x-telegram-bot-api-secret-token",
        secret="secret",  # noqa: S106 - the setting's name
    )
    pointers: ClassVar[Pointers | None] = POINTERS

    def __init__(self, context: ChannelContext) -> None:
        """Take what the host gives.

        Raises:
            SettingsError: the token or the API's address cannot be one.
        """
        super().__init__(context)
        self._api = BotApi(context.http, context.secret("token"), context.secret("api_url"))
        self._bot = Bot(self._api.bot)
        # Buttons show that they wait until they are answered; a start forgets them, and so do they.
        self._pressed: deque[tuple[str, str]] = deque(maxlen=MAX_PRESSES)
        self._waits = Waits(context.clock)

    def parse(self, request: ChannelRequest) -> Sequence[Incoming]:
        """The message an update holds."""
        document = request.document()
        found = parse_update(document, self._bot)
        if query := pressed(document):
            messages = (each for each in found if isinstance(each, Message))
            self._pressed.extend((message.place, query) for message in messages)
        return found

    async def send(self, part: Part) -> None:
        """Send a text with its entities, or without any."""
        answers = int(part.answers) if part.answers.isdecimal() else None
        await self._in_topic(
            part,
            lambda thread: self._api.call(
                "sendMessage",
                chat_id=chat_of(part.conversation),
                text=part.text,
                entities=entities_out(part.text, part.entities) or None,
                message_thread_id=thread,
                reply_parameters=None
                if answers is None
                else {"message_id": answers, "allow_sending_without_reply": True},
                reply_markup=keyboard_of(part),
                # A preview is fetched from whatever address a model was talked into writing.
                link_preview_options={"is_disabled": True},
            ),
        )

    async def send_file(self, part: Part, file: FileToSend) -> None:
        """Send a document, called and typed as it is, whatever Telegram would make of it."""
        await self._in_topic(
            part,
            lambda thread: self._api.upload(
                "sendDocument",
                "document",
                file,
                chat_id=chat_of(part.conversation),
                message_thread_id=thread,
                disable_content_type_detection=True,
            ),
        )

    async def _in_topic(self, part: Part, send: Callable[[int | None], Awaitable[Any]]) -> None:
        """Send where a part is for; what is for a topic that is gone goes to the forum itself."""
        await self._release(part.conversation, part.thread)
        thread = thread_of(part.thread)
        with self._waits.noted(part.conversation):
            try:
                await send(thread)
            except TopicGoneError:
                if thread is None:
                    raise
                await send(None)

    async def fetch(self, attachment: Attachment) -> bytes:
        """The bytes of a file.

        Raises:
            FileTooLargeError: it has more than 20 MB.
            RequestError: there is no such file.
        """
        if attachment.size is not None and attachment.size > MAX_FILE_BYTES:
            raise FileTooLargeError(f"{attachment.size} bytes", most=MAX_FILE_BYTES)
        return await self._api.download(attachment.ref, most=MAX_FILE_BYTES)

    async def typing(self, conversation: str, thread: str) -> None:
        """Show "typing" for five seconds, and that a pressed button was noticed.

        Nothing is shown in a chat that was told to wait: each call there makes the wait longer.
        """
        await self._release(conversation, thread)
        if self._waits.holds(conversation):
            return
        with self._waits.noted(conversation):
            await self._api.call(
                "sendChatAction",
                chat_id=chat_of(conversation),
                action="typing",
                message_thread_id=thread_of(thread),
            )

    async def open(self) -> None:
        """Learn who the bot is, and set its menu where that changed.

        Raises:
            SettingsError: Telegram does not know the token.
        """
        try:
            await self._learn()
        except TokenError as error:
            raise SettingsError(
                f"CLOCHE_CHANNELS__TELEGRAM__TOKEN: is not accepted; @BotFather shows it. {error}"
            ) from None
        except SendError as error:
            self._bot = Bot(self._api.bot, await self._remembered())
            logger.info("Telegram is away: %s", error.told)  # the first poll will tell
            return
        context = self.context
        await send_menu(self._api, context.commands, context.keepsakes, context.clock)

    async def register(self, address: str, *, drop_pending: bool = False) -> None:
        """Set the webhook, with its secret.

        Raises:
            SettingsError: there is no secret, or Telegram would not take it.
            SendError: Telegram refused.
        """
        secret = self.context.secret("secret")
        if not _SECRET.fullmatch(secret):
            raise SettingsError(
                "CLOCHE_CHANNELS__TELEGRAM__SECRET: a webhook needs one, "
                "1 to 256 letters, digits, _ and -."
            )
        await self._api.call(
            "setWebhook",
            url=address,
            secret_token=secret,
            allowed_updates=list(UPDATES),
            drop_pending_updates=drop_pending,
        )

    async def unregister(self) -> None:
        """Remove the webhook; what waits stays."""
        await self._api.call("deleteWebhook", drop_pending_updates=False)

    async def poll(self, cursor: str) -> Polled:
        """Wait for updates.

        Raises:
            SendError: Telegram is away, a webhook is set, or somebody else polls.
        """
        if not self._bot.username:
            with suppress(SendError):  # what is wrong, the poll will tell
                await self._learn()
        try:
            updates = await self._api.call(
                "getUpdates",
                seconds=POLL_SECONDS + OPEN_SECONDS,
                offset=int(cursor) if cursor.isdecimal() else None,
                timeout=POLL_SECONDS,
                allowed_updates=list(UPDATES),
            )
        except WebhookSetError:
            # Set while this runs, by a server that ended or by hand: who polls is who is started.
            await self.unregister()
            raise
        found = updates if isinstance(updates, list) else []
        numbers = [each["update_id"] for each in found if type(each.get("update_id")) is int]
        return Polled(
            tuple(_request(each) for each in found),
            # Not the highest ever: after a quiet week Telegram starts anew at any number.
            str(max(numbers) + 1) if numbers else cursor,
        )

    async def check(self) -> Sequence[tuple[bool, str]]:
        """Who the bot is, and where its updates go."""
        return await look(self._api)

    async def _learn(self) -> None:
        """Ask who the bot is, and keep the answer."""
        me = await self._api.call("getMe", seconds=OPEN_SECONDS)
        username = str(me.get("username", ""))
        self._bot = Bot(self._api.bot, username)
        try:
            if await self.context.keepsakes.get(USERNAME) != username:
                await self.context.keepsakes.put(USERNAME, username)
        except MemoryUnavailableError as error:
            logger.warning("the bot's name is asked for again at the next start: %s", error)

    async def _remembered(self) -> str:
        try:
            known = await self.context.keepsakes.get(USERNAME)
        except MemoryUnavailableError:
            return ""
        return known if isinstance(known, str) else ""

    async def _release(self, conversation: str, thread: str) -> None:
        """Answer the buttons pressed in a place; a failure is nobody's loss."""
        place = place_of(conversation, thread)
        waiting = [query for where, query in self._pressed if where == place]
        self._pressed = deque((each for each in self._pressed if each[0] != place), MAX_PRESSES)
        for query in waiting:
            try:
                await self._api.call("answerCallbackQuery", callback_query_id=query)
            except SendError as error:
                logger.debug("a pressed button was not answered: %s", error.told)


def _request(update: Any) -> ChannelRequest:
    headers = {"content-type": "application/json"}
    return ChannelRequest(json.dumps(update).encode(), headers)
