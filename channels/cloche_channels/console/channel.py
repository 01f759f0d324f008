"""The console as a channel: one message, lines of a pipe, or a person at a terminal."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, TextIO

from cloche.channels import (
    Capabilities,
    Channel,
    ChannelContext,
    ChannelRequest,
    Door,
    FileToSend,
    Incoming,
    Limits,
    OwnerOptions,
    Part,
    UnreachableError,
    Watcher,
)
from cloche.errors import MemoryUnavailableError, RequestError
from cloche.language import detect
from cloche.messages import Address, Attachment, Message, place_of
from cloche.texts import say
from cloche_channels.console.cleaning import safe_text
from cloche_channels.console.pipe import Pipe
from cloche_channels.console.words import parse_image, piped_lines, read_words, wants_to_leave

if TYPE_CHECKING:
    from cloche_channels.console.terminal import Terminal

logger = logging.getLogger(__name__)

MAX_FILE_MB: Final = 50
"""A file read into memory whole; cameras' pictures stay well below."""


class ConsoleChannel(Channel):
    """Acts for the owner of this machine, and for nobody else."""

    name: ClassVar[str] = "console"
    # Nothing is split: a terminal scrolls, and a pipe takes whatever comes.
    limits: ClassVar[Limits] = Limits(
        text=10_000_000,
        text_bytes=40_000_000,
        buttons=100,
        button_label=1_000,
        button_data=10_000,
        file_bytes=MAX_FILE_MB * 1_000_000,
        sent_file_bytes=1_000_000_000,
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        formatting="markdown", buttons=True, files=True, owner_only=True
    )

    def __init__(self, context: ChannelContext) -> None:
        """Take who sits here and what the command line says.

        Raises:
            RequestError: nobody is named, or a picture that was named cannot be read; the message
                is one sentence.
        """
        super().__init__(context)
        self.options = context.owner or OwnerOptions(owner="")
        if not self.options.owner:
            raise RequestError("console: nobody is named as the owner of this machine")
        for path in self.options.images:
            check_file(path, self.options.language)
        self.place = place_of(self.options.owner)
        self.said: set[str] = set()
        self._waiting = self.options.images
        self._named: set[str] = set()
        self.running = asyncio.Event()
        self._screen: Pipe | Terminal | None = None

    def parse(self, request: ChannelRequest) -> Sequence[Incoming]:
        """Refuse: what the owner says comes from the keyboard or a pipe.

        Raises:
            RequestError: always.
        """
        raise RequestError("console: takes no requests of a platform")

    async def send(self, part: Part) -> None:
        """Show a reply, once there is a screen to show it on.

        Raises:
            UnreachableError: it is another owner's, and waits until they come; or there is nothing
                to show it on, and it waits until the next chat.
        """
        if place_of(part.conversation) != self.place:
            raise UnreachableError("console: that owner is not here")
        await self.running.wait()
        if self._screen is None:
            return
        try:
            self._screen.show(part)
        except OSError as error:
            raise UnreachableError(f"console: cannot be written to: {error.strerror}") from error
        if isinstance(self._screen, Pipe) and self._screen.unwritten:
            raise UnreachableError("console: cannot be written to")

    async def send_file(self, part: Part, file: FileToSend) -> None:
        """Say where a file lies: it is on this machine already.

        Raises:
            UnreachableError: as ``send``.
        """
        told = part.text
        if file.path is not None:
            # In the language of the turn: that of what would be said instead of the file.
            language = detect(told.replace(file.name, "")) or self.options.language
            told = say("chat_file_lies", language, name=file.name, path=file.path)
        await self.send(replace(part, text=told))

    def watch(self, place: str) -> Watcher | None:
        """Show the owner's turns while they run."""
        return self._screen if place == self.place else None

    async def open(self) -> None:
        """Make ready to show what an earlier chat left; it waits until this one runs."""
        for stream in (sys.stdout, sys.stderr):
            _speak_utf8(stream)
        if self.options.interactive:
            from cloche_channels.console.terminal import Terminal

            self._screen = Terminal(self)
        else:
            self._screen = Pipe(self)

    async def run(self, door: Door) -> int:
        """Exchange messages until there are no more.

        What an earlier chat left without an answer, because it was killed, is answered first.

        Returns:
            0, or 1 when the one message of ``--once`` got no answer, or an answer could not be
            printed.
        """
        self.running.set()
        pipe = self._screen
        if pipe is None:
            raise RequestError("console: it was not opened")
        if not isinstance(pipe, Pipe):
            return await pipe.run(door)
        await door.finished(self.place)
        if self.options.once is not None:
            await self._exchange(door, pipe, self.options.once)
            return 1 if pipe.failed or pipe.unwritten else 0
        await self._exchange_lines(door, pipe)
        return 1 if pipe.unwritten else 0

    async def fetch(self, attachment: Attachment) -> bytes:
        """The bytes of a file the owner named.

        Raises:
            RequestError: it was not named here, or cannot be read.
        """
        if attachment.ref not in self._named:
            raise RequestError(f"{attachment.ref} was not named by the owner")
        path = Path(attachment.ref)
        check_file(path, self.options.language)
        try:
            return await asyncio.to_thread(path.read_bytes)
        except OSError as error:
            sentence = say("chat_file_unreadable", self.options.language, path=path)
            raise RequestError(sentence) from error

    def message(self, words: str) -> Message:
        """The owner's words and the pictures that go with them.

        Raises:
            RequestError: a file cannot be read; the message is one sentence.
        """
        paths, text = list(self._waiting), words
        if image := parse_image(words):
            if image.path is None:
                raise RequestError(say("chat_image_how", self.options.language))
            check_file(image.path, self.options.language)
            paths, text = [*paths, image.path], image.words
        self._waiting = ()
        owner = self.options.owner
        message = Message(
            id=uuid.uuid4().hex,
            address=Address(self.name, owner),
            conversation=owner,
            text=text,
            attachments=tuple(self._attachment(path) for path in paths),
            sender_name=owner,
            language=self.options.language,
        )
        self.said.add(message.id)
        return message

    def found(self, message: Message) -> None:
        """Read the files of a message that an earlier chat of this owner left."""
        self._named.update(attachment.ref for attachment in message.attachments)

    def _attachment(self, path: Path) -> Attachment:
        ref = str(path.absolute())
        self._named.add(ref)
        return Attachment(ref, name=path.name, size=path.stat().st_size)

    async def _exchange(self, door: Door, pipe: Pipe, words: str) -> None:
        """One message, until it is answered and remembered."""
        pipe.failed = True  # until it is answered
        try:
            await door.accept(self.message(words))
        except RequestError as error:
            pipe.refuse(str(error), "attachment")
        except MemoryUnavailableError as error:
            logger.warning("cause=%s | a message cannot be kept: %s", error.cause, error)
            pipe.refuse(say("chat_not_kept", self.options.language), "state")
        else:
            await door.finished(self.place)

    async def _exchange_lines(self, door: Door, pipe: Pipe) -> None:
        if sys.stdin is None:  # the process was started with it closed
            return

        def tell(key: str) -> None:
            print(say(key, self.options.language), file=sys.stderr, flush=True)  # noqa: T201

        lines = piped_lines(sys.stdin.fileno(), tell)

        async def read_line(_continues: bool) -> str:
            try:
                return await anext(lines)
            except StopAsyncIteration:
                raise EOFError from None

        while not pipe.reader_left:
            try:
                words = await read_words(read_line)
            except EOFError:
                break
            if wants_to_leave(words):
                break
            if words:
                await self._exchange(door, pipe, words)
        if self._waiting:  # pictures that no words came with
            await self._exchange(door, pipe, "")


def check_file(path: Path, language: str) -> None:
    """Refuse what cannot be read as a file.

    Raises:
        RequestError: one sentence in the person's language.
    """
    shown = safe_text(str(path))
    try:
        if path.is_dir():
            raise RequestError(say("chat_file_folder", language, path=shown))
        if not path.exists():
            raise RequestError(say("chat_file_missing", language, path=shown))
        if not (path.is_file() and os.access(path, os.R_OK)):
            raise RequestError(say("chat_file_unreadable", language, path=shown))
        if path.stat().st_size > MAX_FILE_MB * 1_000_000:
            raise RequestError(say("chat_file_too_large", language, path=shown, limit=MAX_FILE_MB))
    except (OSError, ValueError) as error:  # a name too long, a NUL in it, no right to look
        raise RequestError(say("chat_file_unreadable", language, path=shown)) from error


def _speak_utf8(stream: TextIO) -> None:
    """Whatever the locale says: Python would else refuse to write in a C locale."""
    from io import TextIOWrapper

    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="replace")
