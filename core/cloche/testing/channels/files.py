"""What a channel makes of files that go out with replies."""

from __future__ import annotations

import asyncio
from typing import Final

import pytest

from cloche.channels import Channel, FileToSend, Part, PartFile, SendLaterError, SendRefusedError
from cloche.testing.channels.base import ChannelCases
from cloche.testing.channels.platform import PlatformAnswer
from cloche.testing.channels.sending import FINAL

CONTENT: Final = b"kept \x00\xff bytes"
NAMES: Final = ("plan.txt", "计划 (2).txt", "it's año; b=c.txt")


class FileCases(ChannelCases):
    """``send_file``, where the channel says that it has it."""

    def test_it_sends_files_if_it_says_so(self) -> None:
        """``capabilities.files`` and ``send_file`` go together, within a size."""
        written = self.channel.send_file is not Channel.send_file
        assert self.channel.capabilities.files == written, "declare capabilities.files"
        assert not written or self.channel.limits.sent_file_bytes > 0

    @pytest.mark.parametrize("name", NAMES)
    def test_a_file_is_sent_whole(self, name: str) -> None:
        """Its bytes reach the platform, under a name in any language; else it is refused."""
        asyncio.run(self._send(name))

    def test_a_file_that_fails_is_tried_again(self) -> None:
        """What passes is not final, and a platform that asks to wait is understood."""
        asyncio.run(self._fail())

    async def _send(self, name: str) -> None:
        async with self.opened() as world:
            part, file = self._file(name)
            if not self.channel.capabilities.files:
                with pytest.raises(SendRefusedError):
                    await world.channel.send_file(part, file)
                return
            await world.channel.send_file(part, file)
            bodies = [request.body for request in world.platform.requests]
            assert any(CONTENT in body for body in bodies), "the file's bytes were not sent"

    async def _fail(self) -> None:
        if not self.channel.capabilities.files:
            return
        async with self.opened() as world:
            part, file = self._file(NAMES[0])
            world.platform.troubles.append(self.throttled(17))
            with pytest.raises(SendLaterError):
                await world.channel.send_file(part, file)
            world.platform.troubles.extend([PlatformAnswer({"error": "not now"}, 503)] * 3)
            with pytest.raises(Exception) as raised:  # noqa: PT011 (whatever it raises is tried again)
                await world.channel.send_file(part, file)
            assert not isinstance(raised.value, FINAL), "the host would give the file up"

    def _file(self, name: str) -> tuple[Part, FileToSend]:
        message = self.messages()[0]
        text = "I cannot send that file here."
        where = PartFile("somewhere_-ana", f"made/{name}", name)
        part = Part(
            message.conversation, text, thread=message.thread, key="key-1", plain=text, file=where
        )
        return part, FileToSend(name, "text/plain", CONTENT)
