"""The embedder for OpenAI and its kin, on a server that speaks the wire."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from cloche.embedders import Embedder
from cloche.embedding import openai
from cloche.embedding.openai import MAX_BATCH_BYTES, MAX_BATCH_TEXTS, OpenAIEmbedder
from cloche.errors import ModelError, SettingsError
from cloche.settings import EmbeddingSettings
from cloche.testing import Fault, OpenAIEmbeddings, fault
from cloche.testing.loopback import LoopbackServer

KEY = "sk-a-key-that-nobody-may-see"
Failure = Callable[..., Awaitable[ModelError]]


def embedder(server: OpenAIEmbeddings, **settings: Any) -> OpenAIEmbedder:
    chosen = {"model": "nomic-embed-text", "api_key": KEY, "base_url": server.base_url}
    return OpenAIEmbedder(EmbeddingSettings(**{**chosen, **settings}))


async def embedded(one: Embedder, *texts: str) -> list[list[float]]:
    try:
        return [list(vector) for vector in await one.embed(texts, query=False)]
    finally:
        await one.close()


async def test_texts_go_in_batches_and_come_back_in_order() -> None:
    texts = [f"Number {number}, el número, 第{number}号" for number in range(MAX_BATCH_TEXTS + 3)]
    async with OpenAIEmbeddings() as server:
        vectors = await embedded(embedder(server), *texts)
        (alone,) = await embedded(embedder(server), texts[-1])
        sizes = [len(request.body["input"]) for request in server.requests]
    assert sizes == [MAX_BATCH_TEXTS, 3, 1]
    assert vectors[-1] == pytest.approx(alone)
    assert all(math.hypot(*vector) == pytest.approx(1) for vector in vectors)


async def test_long_texts_go_in_smaller_batches() -> None:
    texts = ["长" * 2600] * 20  # 7,800 bytes each
    async with OpenAIEmbeddings() as server:
        await embedded(embedder(server), *texts)
        bodies = [request.body["input"] for request in server.requests]
    assert len(bodies) > 1
    assert all(sum(len(text.encode()) for text in body) <= MAX_BATCH_BYTES for body in bodies)


async def test_no_call_is_made_for_no_texts() -> None:
    async with OpenAIEmbeddings() as server:
        assert await embedded(embedder(server)) == []
        assert server.requests == []


async def test_concepts_meet_over_the_wire_in_three_languages() -> None:
    concepts = {"train": ("train", "tren", "火车"), "late": ("late", "tarde", "晚点")}
    async with OpenAIEmbeddings(concepts) as server:
        english, spanish, chinese, other = await embedded(
            embedder(server), "My train is late", "El tren llega tarde", "火车晚点了", "A red door"
        )
    assert math.dist(english, spanish) < math.dist(english, other)
    assert math.dist(chinese, spanish) < math.dist(chinese, other)


async def test_shorter_vectors_are_asked_for_where_the_model_makes_them() -> None:
    async with OpenAIEmbeddings() as server:
        one = embedder(server, model="text-embedding-3-small", dimensions=256)
        assert one.dimensions == 256
        (vector,) = await embedded(one, "hello")
        assert len(vector) == server.requests[0].body["dimensions"] == 256


async def test_vectors_of_another_length_tell_what_to_set(failure: Failure) -> None:
    async with OpenAIEmbeddings() as server:
        error = await failure(embedder(server, model="my-own", dimensions=512))
    assert "set CLOCHE_EMBEDDINGS__DIMENSIONS=768" in str(error)
    assert error.cause == "refused"


@pytest.mark.parametrize(
    ("trouble", "cause"),
    [
        (fault(401, f"Incorrect API key provided: {KEY}"), "auth"),
        (fault(404, "no such model"), "refused"),
        (fault(429), "throttled"),
        (fault(500), "server"),
        (fault(400, "hello is too long"), "refused"),
        (fault("cut"), "cut"),
        (fault("truncated"), "cut"),
        (fault("empty"), "cut"),
    ],
    ids=lambda value: getattr(value, "trouble", None) or getattr(value, "status", None) or value,
)
async def test_failures_are_told_without_the_key_and_the_text(
    trouble: Fault, cause: str, failure: Failure
) -> None:
    async with OpenAIEmbeddings(faults={1: trouble}) as server:
        error = await failure(embedder(server), "hello")
    assert error.cause == cause
    assert KEY not in str(error)
    assert "hello" not in str(error)


async def test_a_server_that_does_not_answer_is_given_up(
    failure: Failure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai, "REQUEST_SECONDS", 0.05)
    async with OpenAIEmbeddings(faults={1: fault("slow")}) as server:
        assert (await failure(embedder(server))).cause == "timeout"


async def test_a_server_that_is_not_there_is_told(failure: Failure) -> None:
    async with OpenAIEmbeddings() as server:
        one = embedder(server)
    assert (await failure(one)).cause == "unreachable"


async def test_an_embedder_works_again_after_a_failure() -> None:
    async with OpenAIEmbeddings(faults={1: fault(503)}) as server:
        one = embedder(server)
        with pytest.raises(ModelError):
            await one.embed(["hello"], query=True)
        assert len(await embedded(one, "hello")) == 1


class Elsewhere(LoopbackServer):
    """Redirects to another server, and keeps what was sent."""

    def __init__(self, target: str) -> None:
        super().__init__()
        self.target = target

    async def handle(self, request: web.Request) -> web.StreamResponse:
        raise web.HTTPTemporaryRedirect(self.target)


async def test_a_redirect_is_not_followed_with_the_key(failure: Failure) -> None:
    async with OpenAIEmbeddings() as thief, Elsewhere(f"{thief.base_url}/embeddings") as server:
        settings = EmbeddingSettings(base_url=server.url, api_key=KEY, model="bge-m3")
        error = await failure(OpenAIEmbedder(settings))
        assert thief.requests == []
    assert error.cause == "refused"
    assert "307" in str(error)


async def test_the_key_for_openai_is_not_sent_to_a_server_of_ones_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with OpenAIEmbeddings(keyless=True) as server:
        await embedded(embedder(server, api_key=""), "hello")
        assert "authorization" not in server.requests[0].headers
        assert KEY not in repr(server.requests[0].headers)


async def test_a_netrc_file_adds_no_credentials(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    netrc = tmp_path_factory.mktemp("home") / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password other\n")
    monkeypatch.setenv("NETRC", str(netrc))
    async with OpenAIEmbeddings() as server:
        await embedded(embedder(server), "hello")
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_a_proxy_of_the_system_is_used(
    monkeypatch: pytest.MonkeyPatch, failure: Failure
) -> None:
    async with OpenAIEmbeddings() as server:
        monkeypatch.setenv("http_proxy", server.url)
        monkeypatch.setenv("no_proxy", "")
        settings = EmbeddingSettings(
            base_url="http://embeddings.example.org/v1", api_key=KEY, model="bge-m3"
        )
        vectors = await failure(OpenAIEmbedder(settings))
        assert server.requests[0].headers["host"] == "embeddings.example.org"
    assert "768 dimensions and not 1024" in str(vectors)


def test_two_servers_are_two_models_and_no_password_is_in_the_id() -> None:
    ids = {
        OpenAIEmbedder(EmbeddingSettings(base_url=url, model="bge-m3")).model_id
        for url in ("http://user:secret@one:1/v1", "http://two/v1")
    }
    assert ids == {"openai:bge-m3/1024@one:1", "openai:bge-m3/1024@two"}
    one = OpenAIEmbedder(EmbeddingSettings(api_key=KEY))
    assert one.model_id == "openai:text-embedding-3-small/1536"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "OPENAI_API_KEY"),
        ({"base_url": "http://here/v1"}, "CLOCHE_EMBEDDINGS__MODEL"),
        ({"base_url": "http://here/v1", "model": "my-own"}, "CLOCHE_EMBEDDINGS__DIMENSIONS"),
    ],
)
def test_what_is_missing_is_named(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        OpenAIEmbedder(EmbeddingSettings(**settings))
