"""What strangers, broken networks and changed platforms send: nothing of it stops the host."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from cloche.channels import Challenge, ChannelRequest, SharedSecret, Signature, read_id
from cloche.delivery.webhooks import webhook_app
from cloche.errors import RequestError, SettingsError
from cloche.messages import Message
from cloche.testing.channels.base import ChannelCases
from cloche.testing.channels.documents import JUNK, changed
from cloche.testing.channels.hosting import SaysTheSame, served
from cloche.testing.channels.platform import FlakyPlatform
from cloche.testing.clock import FakeClock

if TYPE_CHECKING:
    from aiohttp.test_utils import TestClient

PIECES: Final = 40
"""Places at which a sample is cut off."""


@dataclass
class _Address:
    """The host's address for the channel, and what came through it."""

    channel: str
    client: TestClient[Any, Any]
    clock: FakeClock
    assistant: SaysTheSame
    idle: Any

    async def post(self, request: ChannelRequest) -> int:
        """The status of the answer, once everything taken in is answered."""
        async with self.client.request(
            request.method,
            f"/channels/{self.channel}",
            params=dict(request.query),
            data=request.body,
            headers={**request.headers, "Content-Type": request.headers.get("content-type", "")},
        ) as response:
            status = response.status
        await self.idle()
        return status


class RequestCases(ChannelCases):
    """Requests, authentic and forged, whole and broken, through the host's own server."""

    def test_ids_are_where_the_pointers_say(self) -> None:
        """The ingress reads requests by pointers alone: parse must come to the same ids."""
        for sample in self.samples:
            self._agree(sample, sample=True)

    def test_no_document_makes_parse_fail(self) -> None:
        """Samples with anything missing or strange in them, and junk: a message or none."""
        self.messages()
        for sample in self.samples:
            for each in changed(sample):
                self._agree(each)
            for junk in (*JUNK, *_cut(sample.body)):
                self._agree(replace(sample, body=junk))

    def test_an_authentic_request_is_answered_once(self, tmp_path: Path) -> None:
        """However often it is delivered, also to another process."""
        asyncio.run(self._replay(tmp_path))

    def test_a_forged_request_is_refused(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        """No secret, an empty, a wrong one, another body, another time; and it is not logged."""
        with caplog.at_level(logging.DEBUG):
            asyncio.run(self._forge(tmp_path))
        for secret in self.given().values():
            assert secret not in caplog.text

    def test_broken_requests_stop_nothing(self, tmp_path: Path) -> None:
        """Authentic, but cut off, no JSON or of an unknown kind; the next one is taken."""
        asyncio.run(self._break(tmp_path))

    def test_an_oversized_request_is_refused(self, tmp_path: Path) -> None:
        """Without being held in memory."""
        asyncio.run(self._oversize(tmp_path))

    def test_a_challenge_is_answered(self, tmp_path: Path) -> None:
        """Where the platform asks one: to the platform, and to nobody else."""
        asyncio.run(self._challenge(tmp_path))

    def test_without_its_secret_it_is_not_served(self) -> None:
        """Or anybody could write in a person's name."""
        if not self.channel.takes_requests():
            return
        try:
            channel = self.made(settings={})
        except SettingsError:
            return
        with pytest.raises(SettingsError):
            webhook_app({channel.name: _Unserved(channel)})

    def _agree(self, request: ChannelRequest, *, sample: bool = False) -> None:
        incoming = self.read(request)
        pointers = self.channel.pointers
        if pointers is None or not incoming or not isinstance(incoming[0], Message):
            return
        document, message = request.document(), incoming[0]
        for name, found in {
            "update": message.id,
            "conversation": message.conversation,
            "sender": message.address.sender,
            "burst": message.burst,
        }.items():
            pointed = read_id(getattr(pointers, name), document) or ""
            if name == "burst" and not sample:
                continue  # an album's id of a kind that no platform sends may be left out
            assert pointed == found, (
                f"{name}: parse says {found!r}, the pointers {pointed!r}, for "
                f"{request.body[:300]!r}"
            )

    @asynccontextmanager
    async def _address(
        self, folder: Path, clock: FakeClock | None = None
    ) -> AsyncIterator[_Address]:
        from aiohttp.test_utils import TestClient, TestServer

        clock, assistant = clock or FakeClock(), SaysTheSame()
        async with FlakyPlatform(self.accepted) as platform, platform.session() as session:
            channel = self.made(clock, platform, session)
            async with served(channel, assistant, folder, clock) as delivery:
                app = webhook_app({channel.name: delivery}, clock=clock)
                async with TestClient(TestServer(app)) as client:
                    yield _Address(channel.name, client, clock, assistant, delivery.idle)

    async def _replay(self, folder: Path) -> None:
        if not self.channel.takes_requests():
            return
        clock = FakeClock()
        async with self._address(folder, clock) as address:
            for sample in self.samples:
                assert await address.post(self.authentic(sample, clock)) == 200
            heard = list(address.assistant.heard)
            assert heard, "no sample reached the assistant"
            for sample in self.samples:
                assert await address.post(self.authentic(sample, clock)) == 200
            assert address.assistant.heard == heard, "a replayed request was answered again"
        clock.pass_(seconds=60)
        async with self._address(folder, clock) as address:
            for sample in self.samples:
                assert await address.post(self.authentic(sample, clock)) == 200
            assert address.assistant.heard == [], "a new process answered an old request"

    async def _forge(self, folder: Path) -> None:
        if not self.channel.takes_requests():
            return
        async with self._address(folder) as address:
            for sample in self.samples:
                for forged in self._forged(sample, address.clock):
                    assert await address.post(forged) == 401
            assert address.assistant.heard == []

    def _forged(self, sample: ChannelRequest, clock: FakeClock) -> Iterator[ChannelRequest]:
        authentication = self.channel.authentication
        assert authentication is not None
        header, good = authentication.header, self.authentic(sample, clock)
        yield replace(good, headers=_without(good, header))
        for value in ("", " ", "wrong", good.headers[header][:-1], good.headers[header] + "x"):
            yield replace(good, headers={**good.headers, header: value})
        if isinstance(authentication, SharedSecret):
            return
        yield replace(good, body=good.body + b" ")
        yield replace(good, body=b"{}")
        yield from self._late(authentication, good, sample, clock)

    def _late(
        self, signature: Signature, good: ChannelRequest, sample: ChannelRequest, clock: FakeClock
    ) -> Iterator[ChannelRequest]:
        if not signature.timestamp:
            return
        yield replace(good, headers=_without(good, signature.timestamp))
        yield replace(good, headers={**good.headers, signature.timestamp: "1"})
        for seconds in (-signature.max_age_seconds - 1, signature.max_age_seconds + 1):
            another = FakeClock(clock.now)
            another.pass_(seconds=seconds)
            yield self.authentic(sample, another)

    async def _break(self, folder: Path) -> None:
        if not self.channel.takes_requests():
            return
        async with self._address(folder) as address:
            whole = self.samples[0]
            broken: Sequence[bytes] = [each for each in (*JUNK, *_cut(whole.body))]
            for body in broken:
                if len(body) <= self.channel.limits.request_bytes:
                    request = self.authentic(replace(whole, body=body), address.clock)
                    assert await address.post(request) in (200, 400)
            before = len(address.assistant.heard)
            assert await address.post(self.authentic(whole, address.clock)) == 200
            assert len(address.assistant.heard) > before

    async def _oversize(self, folder: Path) -> None:
        if not self.channel.takes_requests():
            return
        async with self._address(folder) as address:
            body = b" " * (self.channel.limits.request_bytes + 1)
            for sample in self.samples[:1]:
                request = self.authentic(replace(sample, body=body), address.clock)
                assert await address.post(request) == 413
            assert address.assistant.heard == []

    async def _challenge(self, folder: Path) -> None:
        challenge = self.channel.challenge
        if challenge is None or not self.channel.takes_requests():
            return
        async with self._address(folder) as address:
            if challenge.place == "body":
                body = _asking(challenge)
                asked = ChannelRequest(body, {"content-type": "application/json"})
                good = self.authentic(asked, address.clock)
                assert await address.post(good) == 200
                assert await address.post(asked) == 401
            else:
                query = {challenge.when: challenge.equals or "1", challenge.answer: "conformance"}
                token = {challenge.token: self.given()[challenge.secret]}
                good = ChannelRequest(query=query | token, method="GET")
                assert await address.post(good) == 200
                assert await address.post(replace(good, query=query)) == 401
            assert address.assistant.heard == []


class _Unserved:
    """A channel that nothing is accepted for."""

    def __init__(self, channel: Any) -> None:
        self.channel = channel

    async def accept(self, *messages: object) -> None:
        raise RequestError("nothing is accepted here")


def _cut(body: bytes) -> Iterator[bytes]:
    step = max(1, len(body) // PIECES)
    yield from (body[:at] for at in range(0, len(body), step))


def _without(request: ChannelRequest, header: str) -> dict[str, str]:
    return {name: value for name, value in request.headers.items() if name != header}


def _asking(challenge: Challenge) -> bytes:
    import json

    document: dict[str, Any] = {}
    for pointer, value in ((challenge.when, challenge.equals), (challenge.answer, "conformance")):
        steps = pointer.split("/")[1:]
        inside = document
        for step in steps[:-1]:
            inside = inside.setdefault(step.replace("~1", "/").replace("~0", "~"), {})
        inside[steps[-1].replace("~1", "/").replace("~0", "~")] = value
    return json.dumps(document).encode()
