"""S3 that throttles, refuses, says nothing or hangs up: told in our words, and nothing is lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from aiohttp import web

from cloche.errors import MemoryUnavailableError
from cloche.logs import OncePerCause
from cloche.testing.clock import FakeClock
from cloche.testing.loopback import LoopbackServer
from cloche.workspace import s3
from cloche.workspace.mirror import Mirrored
from cloche.workspace.s3 import S3Files, s3_client

ANA = "console_-ana"
SECRET = "arn:aws:sts::123456789012:assumed-role/secret-role"
ERROR = "<?xml version='1.0'?><Error><Code>{}</Code><Message>{}</Message></Error>"
CASES = {
    "SlowDown": "throttled",
    "InternalError": "io",
    "AccessDenied": "denied",
    "NoSuchBucket": "refused",
    "silence": "slow",
    "reset": "io",
    "cut": "io",
    "damaged": "io",
    "nonsense": "io",
}
STATUS = {"SlowDown": 503, "InternalError": 500, "AccessDenied": 403, "NoSuchBucket": 404}


class BadS3(LoopbackServer):
    """Answers every request in one way; ``well`` hands out one file and takes all."""

    def __init__(self) -> None:
        super().__init__()
        self.how = "well"
        self.requests: list[str] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request.method)
        await request.read()
        if self.how == "silence":
            await asyncio.Event().wait()  # until who asks hangs up
        if self.how == "reset":
            assert request.transport is not None
            request.transport.abort()
        if self.how == "cut":
            return await self._cut(request)
        if self.how == "damaged":  # bytes that are not what the checksum says
            told = {"ETag": '"1"', "x-amz-checksum-crc32": "AAAAAA=="}
            return web.Response(body=b"other bytes", headers=told)
        if self.how == "nonsense":
            return web.Response(text="<html>", content_type="text/html", status=500)
        if self.how in STATUS:
            said = ERROR.format(self.how, f"{SECRET} may not")
            return web.Response(text=said, content_type="application/xml", status=STATUS[self.how])
        return web.Response(headers={"ETag": '"1"'})

    async def _cut(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000", "ETag": '"1"'})
        await response.prepare(request)
        await response.write(b"half")
        assert request.transport is not None
        request.transport.abort()
        return response


@pytest.fixture
def server() -> Iterator[BadS3]:
    with BadS3() as started:
        yield started


@pytest.fixture
async def store(
    server: BadS3, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> AsyncIterator[S3Files]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", server.url)
    if "silence" in request.node.name:  # who is well may take longer than this
        monkeypatch.setattr(s3, "READ_SECONDS", 0.5)
    monkeypatch.setattr("botocore.retries.standard.ExponentialBackoff.delay_amount", _at_once)
    made = S3Files(lambda: s3_client("eu-west-1"), "files", "p/")
    yield made
    await made.close()


def _at_once(self: object, context: object) -> float:
    return 0


@pytest.mark.parametrize("how", CASES)
async def test_what_goes_wrong_has_a_code_and_names_nobodys_role(
    store: S3Files, server: BadS3, how: str
) -> None:
    server.how = how
    asked = [store.get(ANA, "made/a")]
    if how not in ("cut", "damaged"):
        asked += [store.put(ANA, "made/a", b"x"), store.list(ANA), store.forget(ANA)]  # type: ignore[list-item]
    for ask in asked:
        with pytest.raises(MemoryUnavailableError) as failed:
            await ask
        assert failed.value.cause == CASES[how]
        assert SECRET not in str(failed.value)


async def test_without_credentials_it_is_said_so(
    store: S3Files, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(MemoryUnavailableError) as failed:
        await store.list(ANA)
    assert failed.value.cause == "denied"


@pytest.mark.parametrize("how", [one for one in CASES if one not in ("cut", "damaged")])
async def test_a_save_that_failed_waits_and_is_done_when_s3_is_back(
    store: S3Files, server: BadS3, how: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    notices = OncePerCause(logging.getLogger("cloche.test"))
    mirror = Mirrored(tmp_path, store, FakeClock(), notices)
    server.how = how
    with caplog.at_level(logging.WARNING, "cloche.test"):
        for name in ("a", "b"):
            await mirror.put(ANA, f"made/{name}", name.encode())
            assert await mirror.save() == 0
    assert await mirror.pending() == 2
    told = [record for record in caplog.records if record.name == "cloche.test"]
    assert len(told) == 1
    assert SECRET not in caplog.text
    server.how = "well"
    assert await mirror.save() == 2
    assert await mirror.pending() == 0
