"""The console as a channel: one message, lines of a pipe, or a person at a terminal."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, TextIO

from cloche.channels import Handle, OwnerOptions
from cloche.errors import RequestError
from cloche.messages import Address, Attachment, Message, Reply
from cloche.texts import say
from cloche_channels.console.cleaning import safe_text
from cloche_channels.console.reports import remembered_lines, turn_json, turn_lines
from cloche_channels.console.words import parse_image, piped_lines, read_words, wants_to_leave

if TYPE_CHECKING:
    from cloche.agents.agent import OnDelta
    from cloche.turn import Remembered, Turn

logger = logging.getLogger(__name__)

MAX_FILE_MB: Final = 50
"""A file read into memory whole; cameras' pictures stay well below."""


class ConsoleChannel:
    """Acts for the owner of this machine, and for nobody else."""

    name: ClassVar[str] = "console"

    def __init__(self, options: OwnerOptions) -> None:
        """Take what the command line says; ``open`` checks it first."""
        self.options = options
        self._waiting = options.images
        self._named: set[str] = set()
        self._reader_left = False

    @classmethod
    def open(cls, options: OwnerOptions) -> ConsoleChannel:
        """The console, ready to run.

        Raises:
            RequestError: a picture that was named cannot be read; the message is one sentence.
        """
        for path in options.images:
            check_file(path, options.language)
        return cls(options)

    async def run(self, handle: Handle) -> int:
        """Exchange messages until there are no more.

        Returns:
            0, or 1 when the one message of ``--once`` got no answer.
        """
        for stream in (sys.stdout, sys.stderr):
            _speak_utf8(stream)
        if self.options.once is not None:
            turn = await self.turn(handle, self.options.once)
            await self._show(turn)
            return 1 if turn.report.failure else 0
        if self.options.interactive:
            from cloche_channels.console.terminal import Terminal

            return await Terminal(self).run(handle)
        return await self._run_piped(handle)

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

    async def turn(self, handle: Handle, words: str, on_delta: OnDelta | None = None) -> Turn:
        """One message's turn; what goes wrong on the way is a turn that says so."""
        try:
            message = self._message(words)
        except RequestError as error:
            return _unanswered(str(error), self.options.language, "attachment")
        try:
            return await handle(message, on_delta)
        except Exception:
            logger.exception("a turn failed")
            language = self.options.language
            return _unanswered(say("model_failed", language), language, "internal")

    async def follow(self, turn: Turn) -> Remembered:
        """What follows a turn, so that it is remembered; the chat goes on if it fails."""
        from cloche.turn import Remembered

        try:
            return await turn.afterwards()
        except Exception:
            logger.exception("what follows a turn failed")
            return Remembered()

    def _message(self, words: str) -> Message:
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
        return Message(
            id=uuid.uuid4().hex,
            address=Address(self.name, owner),
            conversation=owner,
            text=text,
            attachments=tuple(self._attachment(path) for path in paths),
            sender_name=owner,
        )

    def _attachment(self, path: Path) -> Attachment:
        ref = str(path.absolute())
        self._named.add(ref)
        return Attachment(ref, name=path.name, size=path.stat().st_size)

    async def _run_piped(self, handle: Handle) -> int:
        if sys.stdin is None:  # the process was started with it closed
            return 0

        def tell(key: str) -> None:
            print(say(key, self.options.language), file=sys.stderr, flush=True)  # noqa: T201

        lines = piped_lines(sys.stdin.fileno(), tell)

        async def read_line(_continues: bool) -> str:
            try:
                return await anext(lines)
            except StopAsyncIteration:
                raise EOFError from None

        while not self._reader_left:
            try:
                words = await read_words(read_line)
            except EOFError:
                break
            if wants_to_leave(words):
                break
            if words:
                await self._show(await self.turn(handle, words))
        if self._waiting:  # pictures that no words came with
            await self._show(await self.turn(handle, ""))
        return 0

    async def _show(self, turn: Turn) -> None:
        """Write an answer and let what follows the turn happen; JSON tells of both, so it waits."""
        if self.options.as_json:
            self._print(turn_json(turn, await self.follow(turn)))
            return
        self._print(plain_text(turn.reply))
        self._report(turn_lines(turn))
        remembered = await self.follow(turn)
        self._report(remembered_lines(remembered))
        if remembered.unsaved:
            self._print(say("nothing_kept", turn.language or self.options.language))

    def _report(self, lines: list[str]) -> None:
        if self.options.verbose and lines:
            print(*map(safe_text, lines), sep="\n", file=sys.stderr, flush=True)  # noqa: T201

    def _print(self, text: str) -> None:
        try:
            print(safe_text(text), flush=True)  # noqa: T201
        except BrokenPipeError:
            # Whoever read has left (`| head`): end quietly, also when Python flushes at exit.
            self._reader_left = True
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def plain_text(reply: Reply) -> str:
    """A reply without a terminal's means: its Markdown as it is, its buttons as a list."""
    return "\n".join([reply.text, *(f"- {b.label}: {b.data}" for b in reply.buttons)])


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


def _unanswered(sentence: str, language: str, failure: str) -> Turn:
    from cloche.turn import Turn, TurnReport, nothing

    return Turn("", Reply(sentence), language, nothing, TurnReport(failure=failure))


def _speak_utf8(stream: TextIO) -> None:
    """Whatever the locale says: Python would else refuse to write in a C locale."""
    from io import TextIOWrapper

    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="replace")
