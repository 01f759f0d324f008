"""A person at a terminal: a prompt with editing and history, answers as they are written.

Ctrl-C stops the running turn or clears the line, Ctrl-D ends. What is typed while an answer is
written stands at the next prompt. What follows a turn runs while the person types, and is done
before the next turn begins and before the chat ends.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.history import InMemoryHistory
from rich.console import Console
from rich.text import Text

from cloche.channels import Handle, OwnerOptions
from cloche.texts import say
from cloche_channels.console.answers import StreamedAnswer
from cloche_channels.console.cleaning import safe_text
from cloche_channels.console.keyboard import Keyboard
from cloche_channels.console.reports import remembered_lines, turn_lines
from cloche_channels.console.words import read_words, wants_to_leave

if TYPE_CHECKING:
    from cloche.agents.agent import OnDelta
    from cloche.turn import Remembered, Turn


class Turns(Protocol):
    """What the terminal needs of the channel."""

    options: OwnerOptions

    async def turn(self, handle: Handle, words: str, on_delta: OnDelta | None = None) -> Turn:
        """One message's turn."""
        ...

    async def follow(self, turn: Turn) -> Remembered:
        """What follows it."""
        ...


class Terminal:
    """One chat at a terminal."""

    def __init__(self, channel: Turns) -> None:
        """Take the channel whose messages are exchanged."""
        self._channel = channel
        self._options = channel.options
        self._console = Console(file=sys.stdout, markup=False, emoji=False, highlight=False)
        self._following: asyncio.Task[Remembered] | None = None
        # Asking a terminal where its cursor is puts the answer among what is typed meanwhile.
        os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
        # The history ends with the chat: a file of a person's words would outlive a forget.
        self._prompt: PromptSession[str] = PromptSession(history=InMemoryHistory())
        self._keyboard = Keyboard(self._prompt)

    async def run(self, handle: Handle) -> int:
        """Exchange messages until Ctrl-D; always 0."""
        with self._keyboard.held():
            await self._exchange_until_ctrl_d(handle)
        await self._followed()
        return 0

    async def _exchange_until_ctrl_d(self, handle: Handle) -> None:
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
                await self._exchange(handle, words)

    async def _read_line(self, continues: bool) -> str:
        label = "... " if continues else f"{safe_text(self._options.owner)}> "
        return await self._prompt.prompt_async(label)

    async def _exchange(self, handle: Handle, words: str) -> None:
        with StreamedAnswer(self._console, self._options.persona) as answer:
            turn = await self._interruptible(self._answered(handle, words, answer))
            if turn is not None:
                await answer.finish(turn.reply.text)
        if turn is None:
            self._hint("chat_stopped")
            return
        for button in turn.reply.buttons:
            self._console.print(Text(safe_text(f"- {button.label}: {button.data}")))
        self._report(turn_lines(turn))
        self._following = asyncio.create_task(self._channel.follow(turn))

    async def _interruptible(self, work: Coroutine[None, None, Turn]) -> Turn | None:
        """The turn, or None when the person stopped it with Ctrl-C."""
        task = asyncio.create_task(work)
        with self._keyboard.kept(on_ctrl_c=task.cancel):
            try:
                return await task
            except asyncio.CancelledError:
                current = asyncio.current_task()
                if current is not None and current.cancelling():
                    task.cancel()
                    raise  # not the turn, the whole chat is to end
                return None

    async def _answered(self, handle: Handle, words: str, answer: StreamedAnswer) -> Turn:
        await self._followed()
        return await self._channel.turn(handle, words, answer.add)

    async def _followed(self) -> None:
        """Wait for what follows the turn before; stopping the wait does not stop it."""
        if self._following is not None:
            remembered = await asyncio.shield(self._following)
            self._following = None
            self._report(remembered_lines(remembered))
            if remembered.unsaved:
                self._hint("nothing_kept")

    def _report(self, lines: list[str]) -> None:
        for line in lines if self._options.verbose else []:
            self._console.print(Text(safe_text(line), style="dim"))

    def _hint(self, key: str) -> None:
        self._console.print(Text(say(key, self._options.language), style="dim"))
