"""Settings of embedders, and what every test here must not see of the machine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from cloche.embedders import Embedder
from cloche.errors import ModelError

AWS = (
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_REGION",
    "AWS_DEFAULT_REGION", "AWS_BEARER_TOKEN_BEDROCK", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
)  # fmt: skip


@pytest.fixture(autouse=True)
def no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*AWS, "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")


@pytest.fixture
def aws_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret-that-nobody-may-see")


Failure = Callable[..., Awaitable[ModelError]]


@pytest.fixture
def failure() -> Failure:
    """The error of a call that must fail; the embedder is closed."""

    async def of(embedder: Embedder, *texts: str) -> ModelError:
        try:
            with pytest.raises(ModelError) as raised:
                await embedder.embed(texts or ("hello",), query=True)
            return raised.value
        finally:
            await embedder.close()

    return of
