"""A person at a terminal: a prompt with editing and history, answers as they are written.

Ctrl-C stops the running turn or clears the line, Ctrl-D ends. What is typed while an answer is
written stands at the next prompt. What follows a turn runs while the person types, and is done
before the next turn begins and before the chat ends.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.history import InMemoryHistory
from rich.console import Console
from rich.text import Text

from cloche.channels import Door, OwnerOptions, Part
from cloche.errors import MemoryUnavailableError, RequestError
from cloche.messages import Button, Message
from cloche.texts import say
from cloche.turn import Remembered, Turn
from cloche_channels.console.answers import Block, StreamedAnswer
from cloche_channels.console.cleaning import safe_text
from cloche_channels.console.keyboard import Keyboard
from cloche_channels.console.pipe import left_line
from cloche_channels.console.reports import remembered_lines, turn_lines
from cloche_channels.console.words import read_words, wants_to_leave

logger = logging.getLogger(__name__)

STOP_SECONDS = 0.05
"""How often stopping is tried, while what came before the turn is still being remembered."""
SHOWN_TURNS = 1_000
"""Turns of which a reply is known to be shown already when it is sent."""


class Owner(Protocol):
    """What the terminal needs of the channel."""

    options: OwnerOptions
    place: str
    running: asyncio.Event
    said: set[str]

    def message(self, words: str) -> Message:
        """What the person typed, as a message."""
        ...

    def found(self, message: Message) -> None:
        """Take over a message that an earlier chat left."""
        ...


class Terminal:
    """One chat at a terminal (``cloche.channels.Watcher``)."""

    def __init__(self, channel: Owner) -> None:
        """Take the channel whose messages are exchanged."""
        self._channel = channel
        self._options = channel.options
        self._console = Console(file=sys.stdout, markup=False, emoji=False, highlight=False)
        self._answer: StreamedAnswer | None = None
        self._shown: deque[str] = deque(maxlen=SHOWN_TURNS)
        self._last: Turn | None = None
        self._answered = asyncio.Event()
        self._stopped = False
        self._remembered: list[Remembered] = []
        # Asking a terminal where its cursor is puts the answer among what is typed meanwhile.
        os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
        # The history ends with the chat: a file of a person's words would outlive a forget.
        self._prompt: PromptSession[str] = PromptSession(history=InMemoryHistory())
        self._keyboard = Keyboard(self._prompt)

    async def run(self, door: Door) -> int:
        """Exchange messages until Ctrl-D; always 0."""
        with self._keyboard.held():
            with self._keyboard.kept(on_ctrl_c=lambda: None):
                await door.finished(self._channel.place)  # what an earlier chat left
            await self._exchange_until_ctrl_d(door)
        await door.finished(self._channel.place)
        self._tell_of_memory()
        return 0

    async def began(self, message: Message) -> None:
        """Show that an answer is on its way, and to what when this chat did not say it."""
        await self._channel.running.wait()
        self._tell_of_memory()
        if message.id not in self._channel.said:
            self._channel.found(message)
            line = left_line(message, self._options.language)
            self._console.print(Text(safe_text(line), style="dim"))

    async def delta(self, piece: str) -> None:
        """Show the next piece."""
        if self._answer:
            await self._answer.add(piece)

    async def answered(self, turn: Turn) -> None:
        """Show the answer as it is after all."""
        self._shown.append(turn.id)
        self._last = turn
        if self._answer:
            await self._answer.finish(turn.reply.text)
        else:
            self._show(turn.reply.text, turn.reply.buttons)
            self._report(turn)
        self._answered.set()

    def show(self, part: Part) -> None:
        """Show a reply that no turn of this chat has shown, and where a file lies."""
        if part.turn in self._shown and part.file is None:
            return
        if self._prompt.app.is_running:  # above what is being typed, which stays
            run_in_terminal(lambda: self._show(part.text, part.buttons))
        else:
            self._show(part.text, part.buttons)

    async def followed(self, remembered: Remembered) -> None:
        """Keep what is to be told: a person may be typing."""
        self._remembered.append(remembered)

    async def _exchange_until_ctrl_d(self, door: Door) -> None:
        while True:
            try:
                words = await read_words(self._read_line)
            except KeyboardInterrupt:
                self._hint("chat_ctrl_d")
                continue
            except EOFError:
                return
            if wants_to_leave(words):
                return
            if words:
                await self._exchange(door, words)

    async def _read_line(self, continues: bool) -> str:
        label = "... " if continues else f"{safe_text(self._options.owner)}> "
        return await self._prompt.prompt_async(label)

    async def _exchange(self, door: Door, words: str) -> None:
        try:
            message = self._channel.message(words)
        except RequestError as error:
            self._show(str(error))
            return
        turn = None
        with StreamedAnswer(self._console, self._options.persona) as self._answer:
            try:
                turn = await self._until_answered(door, message)
            except MemoryUnavailableError as error:
                logger.warning("cause=%s | a message cannot be kept: %s", error.cause, error)
                await self._answer.finish(say("chat_not_kept", self._options.language))
        self._answer = None
        if turn is not None:
            self._list(turn.reply.buttons)
            self._report(turn)
        elif self._stopped:
            self._hint("chat_stopped")

    async def _until_answered(self, door: Door, message: Message) -> Turn | None:
        """Hand the message in; its turn, None when the person stopped it."""
        self._answered.clear()
        self._stopped, self._last = False, None
        place = self._channel.place
        tasks: list[asyncio.Task[object]] = []

        def stop() -> None:
            if not self._stopped:
                self._stopped = True
                tasks.append(asyncio.create_task(self._stop(door)))

        with self._keyboard.kept(on_ctrl_c=stop):
            try:
                await door.accept(message)
                over = [
                    asyncio.create_task(door.finished(place)),
                    asyncio.create_task(self._answered.wait()),
                ]
                tasks += over
                await asyncio.wait(over, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
        return self._last

    async def _stop(self, door: Door) -> None:
        while not await door.stop(self._channel.place):  # noqa: ASYNC110 (no event tells it)
            await asyncio.sleep(STOP_SECONDS)

    def _tell_of_memory(self) -> None:
        """Tell what followed the turns before."""
        told, self._remembered = self._remembered, []
        for remembered in told:
            self._tell(remembered_lines(remembered) if self._options.verbose else [])
            if remembered.unsaved:
                self._hint("nothing_kept")

    def _show(self, text: str, buttons: tuple[Button, ...] = ()) -> None:
        self._console.print(Block(safe_text(text)))
        self._console.print()
        self._list(buttons)

    def _list(self, buttons: tuple[Button, ...]) -> None:
        for button in buttons:
            self._console.print(Text(safe_text(f"- {button.label}: {button.data}")))

    def _report(self, turn: Turn) -> None:
        wanted = turn_lines(turn) if self._options.verbose else []
        self._tell([*turn.report.notices, *wanted])

    def _tell(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._console.print(Text(safe_text(line), style="dim"))

    def _hint(self, key: str) -> None:
        self._console.print(Text(say(key, self._options.language), style="dim"))
