"""A person at a terminal: a prompt with editing and history, answers as they are written.

Ctrl-C stops the running turn or clears the line, Ctrl-D ends. What follows a turn runs while the
person types, and is done before the next turn begins and before the chat ends.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.history import InMemoryHistory
from rich.console import Console
from rich.text import Text

from cloche.channels import Handle, OwnerOptions
from cloche.texts import say
from cloche_channels.console.answers import StreamedAnswer
from cloche_channels.console.cleaning import safe_text
from cloche_channels.console.reports import turn_lines
from cloche_channels.console.words import read_words

if TYPE_CHECKING:
    from cloche.agents.agent import OnDelta
    from cloche.turn import Turn


class Turns(Protocol):
    """What the terminal needs of the channel."""

    options: OwnerOptions

    async def turn(self, handle: Handle, words: str, on_delta: OnDelta | None = None) -> Turn:
        """One message's turn."""
        ...

    async def follow(self, turn: Turn) -> list[str]:
        """What follows it."""
        ...


class Terminal:
    """One chat at a terminal."""

    def __init__(self, channel: Turns) -> None:
        """Take the channel whose messages are exchanged."""
        self._channel = channel
        self._options = channel.options
        self._console = Console(file=sys.stdout, markup=False, emoji=False, highlight=False)
        self._following: asyncio.Task[list[str]] | None = None
        # Asking a terminal where its cursor is puts the answer among what is typed meanwhile.
        os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
        # The history ends with the chat: a file of a person's words would outlive a forget.
        self._prompt: PromptSession[str] = PromptSession(history=InMemoryHistory())

    async def run(self, handle: Handle) -> int:
        """Exchange messages until Ctrl-D; always 0."""
        while True:
            try:
                words = await read_words(self._read_line)
            except KeyboardInterrupt:
                self._hint("chat_ctrl_d")
                continue
            except EOFError:
                break
            if words:
                await self._exchange(handle, words)
        await self._followed()
        return 0

    async def _read_line(self, continues: bool) -> str:
        label = "... " if continues else f"{safe_text(self._options.owner)}> "
        return await self._prompt.prompt_async(label)

    async def _exchange(self, handle: Handle, words: str) -> None:
        with StreamedAnswer(self._console, self._options.persona) as answer:
            turn = await _interruptible(lambda: self._answered(handle, words, answer))
            if turn is not None:
                await answer.finish(turn.reply.text)
        if turn is None:
            self._hint("chat_stopped")
            return
        for button in turn.reply.buttons:
            self._console.print(Text(safe_text(f"- {button.label}: {button.data}")))
        if self._options.verbose:
            self._dim(turn_lines(turn))
        self._following = asyncio.create_task(self._channel.follow(turn))

    async def _answered(self, handle: Handle, words: str, answer: StreamedAnswer) -> Turn:
        await self._followed()
        return await self._channel.turn(handle, words, answer.add)

    async def _followed(self) -> None:
        """Wait for what follows the turn before; stopping the wait does not stop it."""
        if self._following is not None:
            took = await asyncio.shield(self._following)
            self._following = None
            if self._options.verbose:
                self._dim(took)

    def _dim(self, lines: list[str]) -> None:
        for line in lines:
            self._console.print(Text(safe_text(line), style="dim"))

    def _hint(self, key: str) -> None:
        self._console.print(Text(say(key, self._options.language), style="dim"))


async def _interruptible(work: Callable[[], Awaitable[Turn]]) -> Turn | None:
    """The turn, or None when the person stopped it with Ctrl-C."""
    task = asyncio.ensure_future(work())
    with _on_interrupt(task.cancel):
        try:
            return await task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                task.cancel()
                raise  # not the turn, the whole chat is to end
            return None


@contextmanager
def _on_interrupt(stop: Callable[[], object]) -> Iterator[None]:
    """Call ``stop`` on the event loop when Ctrl-C is pressed inside the block."""
    loop = asyncio.get_running_loop()

    def pressed(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(stop)

    before = signal.signal(signal.SIGINT, pressed)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
