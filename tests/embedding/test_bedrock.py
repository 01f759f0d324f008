"""The embedder for Amazon Bedrock: unmodified boto3 on a server that speaks the wire."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from cloche.embedding import bedrock
from cloche.embedding.bedrock import BedrockEmbedder
from cloche.errors import ModelError, SettingsError
from cloche.settings import EmbeddingSettings
from cloche.testing import BedrockEmbeddings, Fault, fault

Failure = Callable[..., Awaitable[ModelError]]
CONCEPTS = {"tide": ("tide", "marea", "潮"), "high": ("high", "alta", "高")}
COHERE = "cohere.embed-multilingual-v3"


def embedder(server: BedrockEmbeddings, **settings: Any) -> BedrockEmbedder:
    chosen = {"region": "eu-west-1", "base_url": server.url}
    return BedrockEmbedder(EmbeddingSettings(**{**chosen, **settings}))


@pytest.mark.usefixtures("aws_keys")
@pytest.mark.parametrize(
    ("model", "dimensions"),
    [
        ("", 1024),
        ("amazon.titan-embed-text-v2:0", 256),
        (COHERE, 1024),
        ("cohere.embed-english-v3", 1024),
        ("global.cohere.embed-v4:0", 1536),
        ("cohere.embed-v4", 512),
        (f"arn:aws:bedrock:eu-west-1::foundation-model/{COHERE}", 1024),
    ],
)
async def test_every_model_is_asked_as_it_wants_to_be(model: str, dimensions: int) -> None:
    texts = ("High tide at six", "Marea alta a las seis", "六点是高潮", "A box of nails")
    usual = BedrockEmbedder(EmbeddingSettings(model=model)).dimensions
    async with BedrockEmbeddings(CONCEPTS) as server:
        one = embedder(server, model=model, dimensions=0 if dimensions == usual else dimensions)
        vectors = await one.embed(texts, query=False)
        await one.close()
    assert {len(vector) for vector in vectors} == {one.dimensions} == {dimensions}
    assert all(math.hypot(*vector) == pytest.approx(1) for vector in vectors)
    assert all(
        math.dist(vectors[0], vectors[n]) < math.dist(vectors[0], vectors[3]) for n in (1, 2)
    )


@pytest.mark.usefixtures("aws_keys")
async def test_questions_are_told_from_passages_and_batches_are_cut() -> None:
    async with BedrockEmbeddings() as server:
        one = embedder(server, model=COHERE)
        await one.embed([f"Line {number}" for number in range(100)], query=False)
        await one.embed(["Which line?", "长" * 5000], query=True)
        await one.close()
        seen = sorted((len(r.body["texts"]), r.body["input_type"]) for r in server.requests)
    assert seen == [(2, "search_query"), (4, "search_document"), (96, "search_document")]


@pytest.mark.usefixtures("aws_keys")
async def test_titan_keeps_the_order_of_many_calls() -> None:
    texts = [f"Stop {number}" for number in range(20)]
    async with BedrockEmbeddings() as server:
        one = embedder(server)
        vectors = await one.embed(texts, query=False)
        for text, vector in zip(texts, vectors, strict=True):
            (alone,) = await one.embed([text], query=False)
            assert alone == pytest.approx(vector)
        await one.close()


@pytest.mark.usefixtures("aws_keys")
@pytest.mark.parametrize(
    ("trouble", "cause"),
    [
        (fault(403, "a-secret-that-nobody-may-see"), "auth"),
        (fault(429), "throttled"),
        (fault(424), "server"),
        (fault(503), "server"),
        (fault(400, "hello is malformed"), "refused"),
        (fault(408), "timeout"),
        (fault("cut"), "cut"),
        (fault("truncated"), "cut"),
        (fault("empty"), "cut"),
    ],
    ids=lambda value: getattr(value, "trouble", None) or getattr(value, "status", None) or value,
)
async def test_failures_are_told_once_without_secrets_and_the_text(
    trouble: Fault, cause: str, failure: Failure
) -> None:
    async with BedrockEmbeddings(faults={1: trouble}) as server:
        error = await failure(embedder(server), "hello")
        assert len(server.requests) == 1
    assert error.cause == cause
    assert "nobody-may-see" not in str(error)
    assert "hello" not in str(error)


@pytest.mark.usefixtures("aws_keys")
async def test_a_service_that_does_not_answer_is_given_up(
    failure: Failure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bedrock, "REQUEST_SECONDS", 0.1)
    async with BedrockEmbeddings(faults={1: fault("slow")}) as server:
        assert (await failure(embedder(server))).cause == "timeout"


@pytest.mark.usefixtures("aws_keys")
async def test_a_service_that_is_not_there_is_told(failure: Failure) -> None:
    async with BedrockEmbeddings() as server:
        one = embedder(server)
    assert (await failure(one)).cause == "unreachable"


async def test_missing_credentials_are_told_when_they_are_needed(failure: Failure) -> None:
    async with BedrockEmbeddings() as server:
        error = await failure(embedder(server))
        assert server.requests == []
    assert error.cause == "auth"
    assert "CLOCHE_EMBEDDINGS__API_KEY" in str(error)


async def test_a_missing_region_is_told_when_it_is_needed(failure: Failure) -> None:
    error = await failure(BedrockEmbedder(EmbeddingSettings()))
    assert "CLOCHE_EMBEDDINGS__REGION" in str(error)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"model": "amazon.titan-text-express-v1"}, "titan-embed-text-v2"),
        ({"dimensions": 300}, "1024, 512, 256"),
    ],
)
def test_what_the_service_has_not_is_refused_at_once(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        BedrockEmbedder(EmbeddingSettings(**settings))


def test_a_profile_is_the_same_model_as_its_model() -> None:
    ids = {
        BedrockEmbedder(EmbeddingSettings(model=model)).model_id
        for model in ("cohere.embed-v4:0", "us.cohere.embed-v4:0", "global.cohere.embed-v4:0")
    }
    assert ids == {"bedrock:cohere.embed-v4/1536"}
