"""One part on its way: what a channel's failure means, and when the part is tried again."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final, Literal

from cloche.channels.channel import Channel
from cloche.channels.declared import Limits
from cloche.channels.failures import (
    MovedError,
    SendError,
    SendLaterError,
    SendRefusedError,
    ThreadClosedError,
    UnreachableError,
    told_of,
)
from cloche.channels.parts import FileToSend, Part, PartFile
from cloche.channels.units import length_of
from cloche.delivery.moves import Moves
from cloche.delivery.pace import Pace
from cloche.delivery.waits import Sleep, back_off, ordered_wait, until_kept
from cloche.errors import MemoryUnavailableError
from cloche.logs import OncePerCause, reason_of

logger = logging.getLogger(__name__)

SEND_SECONDS: Final = 60.0
"""A channel that takes longer over one part hangs: the part is tried again."""
SLOWEST_BYTES: Final = 16_000
"""Of a file that goes out in a second: what is slower hangs too."""
BREAK_OFF_SECONDS: Final = 5.0
"""A channel that is told to stop sending has so long."""
FIRST_WAIT: Final = 0.5
LONGEST_WAIT: Final = 60.0
LONGEST_ORDERED_WAIT: Final = 3600.0
"""No platform's word makes a conversation wait longer than this at once."""
PATIENCE_SECONDS: Final = 86_400.0
"""So long is one part tried in all; then it is given up, so that others can follow."""
FILE_PATIENCE_SECONDS: Final = 3600.0
"""So long is a file tried; then its part's text says that it cannot be sent."""
FILE_UNANSWERED: Final = 2
"""So often may a file be without an answer: the platform may have taken it each time."""

Fate = Literal["sent", "given_up", "unreachable", "closed"]


FilesToSend = Callable[[PartFile], Awaitable[FileToSend | None]]
"""Gives a file as it is now; None = it is gone. Raises ``MemoryUnavailableError``."""


class FileGoneError(SendError):
    """A file was removed or forgotten before it was sent: nothing is said of it."""

    def __init__(self) -> None:
        """Tell no name: it may be what was forgotten."""
        super().__init__("the file is gone")


class Sender:
    """Sends the parts of one channel, each until something became of it."""

    def __init__(
        self,
        channel: Channel,
        moves: Moves,
        pace: Pace,
        sleep: Sleep,
        files: FilesToSend | None = None,
    ) -> None:
        """Take the channel, where conversations moved to, its pace, how to wait, and files."""
        self._channel, self._moves, self._pace, self._sleep = channel, moves, pace, sleep
        self._files = files
        self._notices = OncePerCause(logger)

    async def send(self, part: Part, *, group: bool, held: Callable[[], None]) -> Fate:
        """Send one part; returns when it is sent or never will be.

        Args:
            part: What to send, its conversation by its first id.
            group: Whether a group's pace holds.
            held: Called when it has to wait after a failure.
        """
        waits, plain, moved = back_off(FIRST_WAIT, LONGEST_WAIT), False, False
        begun, unanswered = self._pace.now(), 0
        while (tried := self._pace.now() - begun) < PATIENCE_SECONDS:
            if part.file and (unanswered >= FILE_UNANSWERED or tried >= FILE_PATIENCE_SECONDS):
                plain = True
            await self._pace.turn(part.conversation, group=group)
            failure = await self._attempt(self._addressed(part, plain=plain))
            if failure is None:
                return "sent"
            if fate := self._settled(failure):
                return fate
            if isinstance(failure, SendRefusedError):
                self._tell("refused", failure)
                if plain:
                    return "given_up"
                plain = True
                continue
            if isinstance(failure, MovedError) and failure.conversation and not moved:
                moved = True
                await self._follow(part.conversation, failure.conversation)
                continue
            if isinstance(failure, SendLaterError):
                ordered = ordered_wait(
                    failure.seconds, waits, least=FIRST_WAIT, most=LONGEST_ORDERED_WAIT
                )
                self._pace.told(part.conversation, ordered)
                seconds = ordered * (1 + random.random() / 10)  # noqa: S311 (jitter)
            else:
                self._tell(type(failure).__name__, failure)
                unanswered += isinstance(failure, TimeoutError)
                seconds = next(waits)
            held()
            await self._sleep(seconds)
        logger.error("channel=%s | a part was given up after a day of failures", self._channel.name)
        return "given_up"

    async def once(self, part: Part) -> None:
        """Send a part that nobody keeps, once; what comes in the way is logged."""
        await self._pace.turn(part.conversation, group=False)
        if failure := await self._attempt(self._addressed(part, plain=False)):
            self._tell(type(failure).__name__, failure)

    def _settled(self, failure: BaseException) -> Fate | None:
        """What became of a part that is not tried again; None = it may be."""
        if isinstance(failure, FileGoneError):
            logger.info("channel=%s | a file is gone before it was sent", self._channel.name)
            return "given_up"
        if isinstance(failure, ThreadClosedError):
            return "closed"
        return "unreachable" if isinstance(failure, UnreachableError) else None

    async def _attempt(self, part: Part) -> BaseException | None:
        """Have the channel send, and tell what came in the way, whatever that is; None = sent.

        A file goes with its bytes as they are now, and has longer the more they are.
        """
        if part.file is None:
            return await _bounded(lambda: self._channel.send(part), SEND_SECONDS)
        try:
            file = await asyncio.wait_for(self._found(part.file), SEND_SECONDS)
        except TimeoutError:  # the platform has nothing of it
            return MemoryUnavailableError("a file is not read in time", cause="slow")
        except Exception as error:
            return error
        if file is None:
            return FileGoneError()
        seconds = SEND_SECONDS + len(file.content) / SLOWEST_BYTES
        return await _bounded(lambda: self._channel.send_file(part, file), seconds)

    async def _found(self, file: PartFile) -> FileToSend | None:
        return await self._files(file) if self._files else None

    def _addressed(self, part: Part, *, plain: bool) -> Part:
        """The part as it is sent now: to the newest id, formatted and with buttons or neither."""
        newest = self._moves.newest(part.conversation)
        if plain:
            # What was refused may as well be a button: choices can be read and written.
            text = _with_choices(part, self._channel.limits)
            return replace(part, conversation=newest, text=text, entities=(), buttons=(), file=None)
        return replace(part, conversation=newest) if newest != part.conversation else part

    async def _follow(self, conversation: str, new: str) -> None:
        old = self._moves.newest(conversation)
        await until_kept(lambda: self._moves.move(old, new), self._sleep)

    def _tell(self, cause: str, error: BaseException) -> None:
        """Log each reason once, without what a platform says: it repeats what it refuses."""
        about, name = told_of(error), self._channel.name
        self._notices.warn(
            f"{cause} {reason_of(about)}", "channel=%s cause=%s | not sent: %s", name, cause, about
        )


async def _bounded(send: Callable[[], Awaitable[None]], seconds: float) -> BaseException | None:
    """What an attempt raised, ``TimeoutError`` when it takes longer; None = it is through.

    In a task of its own: what an author's code raises there, a cancellation too, is not ours.
    """

    async def attempt() -> None:
        await send()

    task = asyncio.ensure_future(attempt())
    try:
        await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task}, timeout=BREAK_OFF_SECONDS)
        raise
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=BREAK_OFF_SECONDS)
        return TimeoutError()
    return asyncio.CancelledError() if task.cancelled() else task.exception()


def _with_choices(part: Part, limits: Limits) -> str:
    """The part's plain text and below it its buttons as lines, as many as there is room for."""
    text, between = part.plain, "\n\n"
    for button in part.buttons:
        label, data = button.label.strip(), button.data.strip()
        shown = ": ".join(dict.fromkeys(each for each in (label, data) if each))
        longer = f"{text}{between}- {shown}"
        size = length_of(longer, "bytes")
        if not shown or length_of(longer, limits.unit) > limits.text or size > limits.text_bytes:
            continue
        text, between = longer, "\n"
    return text
