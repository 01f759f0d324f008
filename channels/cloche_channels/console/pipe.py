"""A pipe, or the one message of ``--once``: answers as plain text, or one JSON object per turn."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from cloche.channels import OwnerOptions, Part
from cloche.messages import Message, Reply
from cloche.texts import say
from cloche.turn import Failure, Remembered, Turn, TurnReport, nothing
from cloche_channels.console.cleaning import safe_text
from cloche_channels.console.reports import remembered_lines, turn_json, turn_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

LEFT_CHARS = 200
"""Of words that were left, so many are shown."""


class Said(Protocol):
    """What the pipe needs of the channel."""

    options: OwnerOptions
    running: asyncio.Event
    said: set[str]

    def found(self, message: Message) -> None:
        """Take over a message that an earlier chat left."""
        ...


class Pipe:
    """Prints turns (``cloche.channels.Watcher``).

    Attributes:
        failed: True when the last message was not answered, or not all of it was read.
        reader_left: True when nobody reads what is printed any more.
        unwritten: True when something could not be printed (a full disk): it is lost to whoever
            waits for it.
    """

    def __init__(self, channel: Said) -> None:
        """Take the channel whose turns are printed."""
        self._channel, self._options = channel, channel.options
        self._turns: deque[Turn] = deque()
        self.failed = False
        self.reader_left = False
        self.unwritten = False

    async def began(self, message: Message) -> None:
        """Tell beside the answers of a message that this chat did not send."""
        await self._channel.running.wait()
        if message.id not in self._channel.said:
            self._channel.found(message)
            self._beside([left_line(message, self._options.language)])

    async def delta(self, piece: str) -> None:
        """Wait for the whole."""

    async def answered(self, turn: Turn) -> None:
        """Keep the turn: JSON tells of what follows, too."""
        self._turns.append(turn)
        self.failed = bool(turn.report.failure or turn.report.unread)

    def show(self, part: Part) -> None:
        """Print a reply, its Markdown as it is and its buttons as a list."""
        if not self._options.as_json:
            lines = [part.text, *(f"- {b.label}: {b.data}" for b in part.buttons)]
            self._print("\n".join(lines))
        elif all(
            turn.id != part.turn for turn in self._turns
        ):  # written by an earlier chat, which was killed before it was sent
            reply = Reply(part.text, part.buttons)
            self._print(turn_json(Turn("", reply, self._options.language, nothing), Remembered()))

    async def followed(self, remembered: Remembered) -> None:
        """Print what the turn took and what was remembered, where that is wanted."""
        if not self._turns:
            return
        turn = self._turns.popleft()  # what follows turns comes in their order
        if self._options.as_json:
            self._print(turn_json(turn, remembered))
            return
        self._beside(turn.report.notices)
        if self._options.verbose:
            self._beside([*turn_lines(turn), *remembered_lines(remembered)])
        if remembered.unsaved:
            self._print(say("nothing_kept", turn.language or self._options.language))

    def refuse(self, sentence: str, failure: Failure) -> None:
        """Print why a message starts no turn."""
        language = self._options.language
        turn = Turn("", Reply(sentence), language, nothing, TurnReport(failure=failure))
        self._print(turn_json(turn, Remembered()) if self._options.as_json else sentence)

    def _beside(self, lines: Sequence[str]) -> None:
        if lines:
            print(*map(safe_text, lines), sep="\n", file=sys.stderr, flush=True)  # noqa: T201

    def _print(self, text: str) -> None:
        if self.unwritten:
            return
        try:
            print(safe_text(text), flush=True)  # noqa: T201
        except BrokenPipeError:
            # Whoever read has left (`| head`): end quietly, also when Python flushes at exit.
            self._end()
        except (OSError, ValueError) as error:  # a full disk; a stream that was closed
            self.unwritten = True
            why = error.strerror if isinstance(error, OSError) else str(error)
            self._beside([say("chat_unwritten", self._options.language, why=why)])
            self._end()

    def _end(self) -> None:
        """Print no more, not even what Python has left to flush at exit."""
        self.reader_left = True
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def left_line(message: Message, language: str) -> str:
    """Says that words of an earlier chat, which was killed, are answered now."""
    words = " ".join(message.text.split())
    shown = words if len(words) <= LEFT_CHARS else f"{words[:LEFT_CHARS]}…"
    return say("chat_left", language, words=shown)
