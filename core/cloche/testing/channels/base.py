"""What an author of a channel gives, and what the cases need around it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import ClassVar

import aiohttp
import pytest
from pydantic import SecretStr

from cloche.channels import (
    Channel,
    ChannelContext,
    ChannelRequest,
    Document,
    Incoming,
    OwnerOptions,
    Part,
)
from cloche.errors import RequestError
from cloche.messages import Message
from cloche.testing.channels.platform import FlakyPlatform, PlatformAnswer, PlatformRequest
from cloche.testing.channels.signing import signed
from cloche.testing.clock import FakeClock


@dataclass
class Opened:
    """A channel whose platform is on loopback.

    Attributes:
        channel: The author's; what it sent is noted.
        platform: Whom it sends to.
        clock: The time it and the host go by.
        sent: The parts the platform took.
    """

    channel: Channel
    platform: FlakyPlatform
    clock: FakeClock
    sent: list[Part] = field(default_factory=list)


class ChannelCases:
    """The channel an author names, and samples of what its platform sends.

    Everything but ``channel`` and ``samples`` may stay as it is.
    """

    channel: ClassVar[type[Channel]]
    """The channel's class."""
    samples: ClassVar[Sequence[ChannelRequest]] = ()
    """Requests as the platform sends them, each of which holds a message; signatures are made
    anew. ``recorded`` reads those of ``cloche channel record``."""
    ignored: ClassVar[Sequence[ChannelRequest]] = ()
    """Authentic requests without a message: joins, reactions, receipts."""
    settings: ClassVar[Mapping[str, str]] = {}
    """Values of the channel's settings, where made-up ones will not do."""

    def accepted(self, request: PlatformRequest) -> PlatformAnswer:
        """What the platform answers when it has taken a request."""
        return PlatformAnswer()

    def throttled(self, seconds: int) -> PlatformAnswer:
        """What the platform answers to who sends too fast."""
        wait = {"retry_after": seconds}
        return PlatformAnswer(
            {"ok": False, "parameters": wait} | wait, 429, {"Retry-After": str(seconds)}
        )

    def given(self) -> dict[str, str]:
        """Every setting the channel needs."""
        needed = [each.key for each in self.channel.secrets if each.needed != "never"]
        return {key: f"made-up-{key}-for-tests" for key in needed} | dict(self.settings)

    def made(
        self,
        clock: FakeClock | None = None,
        platform: FlakyPlatform | None = None,
        session: aiohttp.ClientSession | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> Channel:
        """A channel of the author's class; without a platform it reaches nobody."""

        def http() -> aiohttp.ClientSession:
            if session is None:
                pytest.fail("parse called somebody: it must only read.", pytrace=False)
            return session

        given = self.given() if settings is None else settings
        return self.channel(
            ChannelContext(
                settings={key: SecretStr(value) for key, value in given.items()},
                http=http,
                clock=clock or FakeClock(),
                keepsakes=_Keepsakes(),
                commands={"en": (("help", "what can be asked"),)},
                owner=OwnerOptions("ana") if self.channel.capabilities.owner_only else None,
            )
        )

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Opened]:
        """A channel with a platform that takes everything until it is told to fail."""
        clock = FakeClock()
        async with FlakyPlatform(self.accepted) as platform, platform.session() as session:
            channel = self.made(clock, platform, session)
            await channel.open()
            platform.requests.clear()
            world = Opened(channel, platform, clock)
            try:
                yield world
            finally:
                await channel.close()

    def authentic(self, request: ChannelRequest, clock: FakeClock) -> ChannelRequest:
        """The request as the platform would send it now."""
        authentication = self.channel.authentication
        if authentication is None:
            return request
        return signed(authentication, self.given(), request, clock())

    def read(self, request: ChannelRequest) -> Sequence[Incoming]:
        """What the channel makes of a request; nothing where it says that it cannot read it."""
        try:
            incoming = tuple(self.made().parse(request))
        except RequestError:
            return ()
        except Exception as error:
            pytest.fail(
                f"parse raised {type(error).__name__} ({error}) for {request.body[:300]!r}: "
                "what is no message is (), what cannot be read is a RequestError.",
                pytrace=False,
            )
        for each in incoming:
            if isinstance(each, Message):
                self.check(each)
        return incoming

    def check(self, message: Message) -> None:
        """Fail where a message lacks what the host needs."""
        assert message.address.channel == self.channel.name, "address.channel is the channel's name"
        assert message.address.sender, "a message without a sender is nobody's: leave it out"
        assert message.conversation, "a message needs the conversation it was written in"
        assert message.id, "a message needs the platform's id of its update"

    def messages(self) -> list[Message]:
        """The first message of each sample."""
        found = []
        for sample in self.samples:
            incoming = [each for each in self.read(sample) if isinstance(each, Message)]
            assert incoming, f"parse finds no message in the sample {sample.body[:300]!r}"
            found.append(incoming[0])
        assert found, "give samples: requests that hold a message"
        return found


class _Keepsakes:
    def __init__(self) -> None:
        self._kept: dict[str, Document] = {}

    async def get(self, key: str) -> Document:
        return self._kept.get(key)

    async def put(self, key: str, value: Document) -> None:
        self._kept[key] = value
