"""Amazon Titan and Cohere on Amazon Bedrock, through boto3's InvokeModel."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from cloche.embedding import failures
from cloche.embedding.bedrock_models import Family, family_of
from cloche.embedding.vectors import Vector, prepared, unit_vectors
from cloche.errors import ModelError, SettingsError
from cloche.settings import EmbeddingSettings

DEFAULT_MODEL: Final = "amazon.titan-embed-text-v2:0"
CALLS_AT_ONCE: Final = 4
"""Titan takes one text a call, so that a batch is many calls."""
REQUEST_SECONDS: Final = 30


class BedrockEmbedder:
    """Asks Bedrock from worker threads; boto3 is imported and its client made by the first text."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        """Take the model; nothing is connected.

        Raises:
            SettingsError: the model is none of those this can ask, or cannot make such vectors.
        """
        self._model = settings.model or DEFAULT_MODEL
        family = family_of(self._model)
        if family is None:
            raise SettingsError(
                f"CLOCHE_EMBEDDINGS__MODEL={self._model}: bedrock is asked for Titan Text "
                "Embeddings v2 (amazon.titan-embed-text-v2:0) and Cohere Embed "
                "(cohere.embed-multilingual-v3, cohere.embed-english-v3, cohere.embed-v4:0)."
            )
        self._family: Family = family
        self._dimensions = settings.dimensions or family.dimensions[0]
        if self._dimensions not in family.dimensions:
            there = ", ".join(map(str, family.dimensions))
            raise SettingsError(
                f"CLOCHE_EMBEDDINGS__DIMENSIONS={self._dimensions}: {self._model} has {there}."
            )
        self._settings = settings
        self._who = f"bedrock, {self._model}"
        self._workers = ThreadPoolExecutor(CALLS_AT_ONCE, thread_name_prefix="bedrock-embeddings")
        self._lock = threading.Lock()
        self._client: Any = None
        self._closed = False

    @property
    def model_id(self) -> str:
        """The model, without the profile through which it is asked: the vectors are the same."""
        return f"bedrock:{self._family.model}/{self._dimensions}"

    @property
    def dimensions(self) -> int:
        """1024, of Cohere Embed v4 1536, unless fewer are set."""
        return self._dimensions

    async def embed(self, texts: Sequence[str], *, query: bool) -> Sequence[Vector]:
        """One vector of length 1 per text; of a long text the beginning counts.

        Raises:
            ModelError: no usable answer; nothing is given when one call of several fails.
        """
        if self._closed:
            raise failures.closed(self._who)
        if not texts:
            return ()
        family = self._family
        short = [prepared(text, family.max_bytes)[: family.max_chars] for text in texts]
        step = family.texts_a_call
        batches = [short[at : at + step] for at in range(0, len(short), step)]
        run = asyncio.get_running_loop().run_in_executor
        calls = [run(self._workers, self._ask, batch, query) for batch in batches]
        return tuple(vector for vectors in await asyncio.gather(*calls) for vector in vectors)

    async def close(self) -> None:
        """Close the connections; calls under way fail or end by themselves. Again does nothing."""
        if self._closed:
            return
        self._closed = True
        self._workers.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            if self._client is not None:
                self._client.close()

    def _ask(self, batch: Sequence[str], query: bool) -> Sequence[Vector]:
        body = json.dumps(self._family.body(batch, query, self._dimensions), ensure_ascii=False)
        try:
            answer = self._opened().invoke_model(
                modelId=self._model,
                body=body.encode(),
                contentType="application/json",
                accept="application/json",
            )
            found = self._family.read(json.loads(answer["body"].read()))
        except SettingsError as error:
            raise ModelError(str(error), cause="auth") from error
        except Exception as error:
            raise translated(self._who, error) from error
        return unit_vectors(found, count=len(batch), dimensions=self._dimensions, who=self._who)

    def _opened(self) -> Any:
        """The client; made by the first call, because it takes boto3 a quarter of a second."""
        from cloche.llm.aws import runtime_client

        with self._lock:
            if self._client is None:
                self._client = runtime_client(
                    self._settings,
                    group="embeddings",
                    read_timeout=REQUEST_SECONDS,
                    connections=CALLS_AT_ONCE,
                )
            return self._client


def translated(who: str, error: Exception) -> ModelError:
    """What an operator is told about an error of boto3's, or about an answer that is none."""
    from botocore import exceptions

    if isinstance(error, exceptions.ClientError):
        status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400))
        return failures.by_status(who, status, error.response.get("Error", {}).get("Code", ""))
    if isinstance(error, exceptions.ConnectTimeoutError | exceptions.ReadTimeoutError):
        return failures.timed_out(who)
    broken = exceptions.ResponseStreamingError | exceptions.IncompleteReadError
    if isinstance(error, broken | KeyError | TypeError | ValueError):
        return failures.unreadable(who)
    if isinstance(error, exceptions.HTTPClientError | exceptions.ConnectionError):
        return failures.unreachable(who, error)
    name = type(error).__name__
    if "Credential" in name or "Token" in name or "SSO" in name:
        return ModelError(f"{who}: the credentials cannot be used ({name}).", cause="auth")
    return ModelError(f"{who}: the request could not be made ({name}).", cause="refused")
