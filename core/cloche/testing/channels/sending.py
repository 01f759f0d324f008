"""What a channel makes of a platform that fails, and what people get in the end."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import pytest

from cloche.channels import (
    MovedError,
    Part,
    SendError,
    SendLaterError,
    SendRefusedError,
    UnreachableError,
)
from cloche.delivery.rendering import render
from cloche.testing.channels.base import ChannelCases, Opened
from cloche.testing.channels.hosting import SaysTheSame, served
from cloche.testing.channels.platform import PlatformAnswer, Trouble
from cloche.testing.clock import FakeClock

PASSING: Final[tuple[PlatformAnswer | Trouble, ...]] = (
    *(PlatformAnswer({"error": "not now"}, status) for status in (500, 502, 503, 504)),
    "reset",
)
FINAL: Final = (SendRefusedError, UnreachableError, MovedError)
LONGEST_PART: Final = 30_000
TROUBLES: Final = 5
"""Failures in the middle of one reply."""


class SendingCases(ChannelCases):
    """Failures of ``send``, alone and under the host's outbox."""

    def test_a_part_is_sent(self) -> None:
        """``send`` asks the platform and returns when it has taken the part."""
        asyncio.run(self._send_one())

    def test_a_platform_that_asks_to_wait_is_understood(self) -> None:
        """429 is a ``SendLaterError`` with the platform's seconds."""
        asyncio.run(self._wait())

    @pytest.mark.parametrize("trouble", PASSING, ids=["500", "502", "503", "504", "reset"])
    def test_what_passes_is_tried_again(self, trouble: PlatformAnswer | Trouble) -> None:
        """``send`` says that it failed, and not that it failed for good."""
        asyncio.run(self._pass(trouble))

    def test_a_platform_that_hangs_is_waited_for_and_given_up(self) -> None:
        """``send`` does not say that it is done, and can be stopped."""
        asyncio.run(self._hang())

    def test_a_reply_arrives_whole_and_in_order_through_all_failures(self, tmp_path: Path) -> None:
        """429, 5xx and resets in the middle of a long one."""
        asyncio.run(self._get_through(tmp_path))

    def test_a_restart_in_the_middle_of_a_reply_loses_nothing(self, tmp_path: Path) -> None:
        """The next process sends the rest; at most the part in flight comes twice."""
        asyncio.run(self._restart(tmp_path))

    async def _send_one(self) -> None:
        async with self.opened() as world:
            await world.channel.send(self._part())
            assert world.platform.requests, "send did not ask the platform"

    async def _wait(self) -> None:
        async with self.opened() as world:
            world.platform.troubles.append(self.throttled(17))
            with pytest.raises(SendLaterError) as raised:
                await world.channel.send(self._part())
            assert raised.value.seconds >= 17, "the platform asked for 17 seconds"
            self._tells_no_secret(raised.value)
            await world.channel.send(self._part())

    async def _pass(self, trouble: PlatformAnswer | Trouble) -> None:
        async with self.opened() as world:
            # A connection that breaks may be tried once more by the HTTP client itself.
            world.platform.troubles.extend([trouble] * 3)
            with pytest.raises(Exception) as raised:  # noqa: PT011 (whatever it raises is tried again)
                await world.channel.send(self._part())
            assert not isinstance(raised.value, FINAL), "the host would give the part up"
            self._tells_no_secret(raised.value)
            world.platform.troubles.clear()
            await world.channel.send(self._part())

    async def _hang(self) -> None:
        async with self.opened() as world:
            world.platform.troubles.append("hang")
            sending = asyncio.create_task(world.channel.send(self._part()))
            await world.platform.until_asked(1)
            await asyncio.sleep(0.05)
            assert not sending.done(), "send says it is done, and the platform has said nothing"
            sending.cancel()
            await asyncio.wait([sending], timeout=5)
            assert sending.done(), "send cannot be stopped"
            await world.channel.send(self._part())

    async def _get_through(self, folder: Path) -> None:
        reply, expected = self._long_reply()
        async with self.opened() as world:
            world.platform.troubles.extend(
                [
                    self.throttled(3),
                    PlatformAnswer({}, 500),
                    "reset",
                    PlatformAnswer({}, 503),
                    self.throttled(1),
                ]
            )
            _note_parts(world)
            async with served(world.channel, SaysTheSame(reply), folder, world.clock) as delivery:
                await delivery.accept(self.messages()[0])
                async with asyncio.timeout(30):
                    await delivery.idle()
            assert [part.text for part in world.sent] == expected
            wanted = len(expected) + TROUBLES
            assert len(world.platform.requests) >= wanted, "a part never reached the platform"

    async def _restart(self, folder: Path) -> None:
        reply, expected = self._long_reply()
        clock = FakeClock()
        async with self.opened() as first:
            _note_parts(first, hang_at=len(expected) // 2)
            async with served(first.channel, SaysTheSame(reply), folder, clock) as delivery:
                await delivery.accept(self.messages()[0])
                await _until_hanging(first)
        async with self.opened() as second:
            _note_parts(second)
            assistant = SaysTheSame("another answer")
            async with served(second.channel, assistant, folder, clock) as delivery:
                async with asyncio.timeout(30):
                    await delivery.idle()
            assert assistant.heard == [], "what was answered was answered again"
        texts = [part.text for part in (*first.sent, *second.sent)]
        assert texts == expected

    def _part(self) -> Part:
        message = self.messages()[0]
        text = "Hello, ana."
        return Part(message.conversation, text, thread=message.thread, key="key-1", plain=text)

    def _long_reply(self) -> tuple[str, list[str]]:
        """A reply of several parts, where the limits make that possible."""
        limits = self.channel.limits
        wanted = min(limits.text, limits.text_bytes, LONGEST_PART) * 4
        sentences = (f"Sentence {number} of the reply. " for number in range(1, 10_000))
        reply = ""
        while len(reply) < wanted:
            reply += next(sentences)
        parts = render(reply, limits, self.channel.capabilities.formatting)
        return reply, [part.text for part in parts]

    def _tells_no_secret(self, error: BaseException) -> None:
        if isinstance(error, SendError):
            for secret in self.given().values():
                assert secret not in str(error), "an error's text is logged: it holds a secret"


def _note_parts(world: Opened, *, hang_at: int | None = None) -> None:
    """Note each part the platform took; have it hang from one part on."""
    send = world.channel.send

    async def noting(part: Part) -> None:
        if hang_at is not None and len(world.sent) == hang_at:
            world.platform.troubles.append("hang")
        await send(part)
        world.sent.append(part)

    async def typing(conversation: str, thread: str) -> None:
        """Would take the troubles that are meant for parts."""

    world.channel.send = noting  # type: ignore[method-assign] # the author's own, looked at
    world.channel.typing = typing  # type: ignore[method-assign] # beside the point here


async def _until_hanging(world: Opened) -> None:
    async with asyncio.timeout(30):
        while world.platform.hanging == 0:  # noqa: ASYNC110 (on another thread)
            await asyncio.sleep(0.002)
