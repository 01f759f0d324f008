"""Embeddings of OpenAI, and of any server that speaks its ``/v1/embeddings``."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from cloche.embedding import failures
from cloche.embedding.vectors import Vector, prepared, unit_vectors
from cloche.errors import SettingsError
from cloche.settings import EmbeddingSettings

if TYPE_CHECKING:
    from aiohttp import ClientSession

ADDRESS: Final = "https://api.openai.com/v1"
DEFAULT_MODEL: Final = "text-embedding-3-small"
KNOWN_DIMENSIONS: Final[Mapping[str, int]] = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
    "all-minilm": 384,
    "bge-m3": 1024,
    "embeddinggemma": 768,
    "multilingual-e5-small": 384,
    "mxbai-embed-large": 1024,
    "nomic-embed-text": 768,
}
"""Of OpenAI's own models, and of some that people run themselves, without what follows a colon."""
SHORTENED: Final = "text-embedding-3-"
"""Models that are told how long their vectors shall be."""

MAX_TEXT_BYTES: Final = 8000
"""OpenAI takes 8192 tokens a text, and a token is a byte at least."""
MAX_BATCH_TEXTS: Final = 64
MAX_BATCH_BYTES: Final = 64_000
"""OpenAI would take 2048 texts and 300,000 tokens; a server on a small machine takes its time."""
CONNECT_SECONDS: Final = 5
REQUEST_SECONDS: Final = 30


class OpenAIEmbedder:
    """Asks over HTTP, in batches.

    The key is sent to the one address that is set and nowhere else: a redirect is an error, and
    ``OPENAI_API_KEY`` is for OpenAI itself. Queries and passages are sent alike.
    """

    def __init__(self, settings: EmbeddingSettings) -> None:
        """Take the address, the model and the key; nothing is connected.

        Raises:
            SettingsError: the key, the model of a server of one's own or the dimensions are
                missing.
        """
        self._model = settings.model or DEFAULT_MODEL
        self._own_server = bool(settings.base_url)
        self._key = _key(settings)
        self._url = (settings.base_url or ADDRESS).rstrip("/") + "/embeddings"
        self._dimensions = settings.dimensions or KNOWN_DIMENSIONS.get(_name(self._model), 0)
        if not self._dimensions:
            raise SettingsError(
                f"CLOCHE_EMBEDDINGS__MODEL={self._model}: how long are its vectors? Set "
                "CLOCHE_EMBEDDINGS__DIMENSIONS."
            )
        self._who = f"openai, {self._model}"
        self._session: ClientSession | None = None
        self._closed = False

    @property
    def model_id(self) -> str:
        """The model, and where it is asked when that is not OpenAI."""
        where = urlsplit(self._url)
        port = f":{where.port}" if where.port else ""
        at = f"@{where.hostname}{port}" if self._own_server else ""
        return f"openai:{self._model}/{self._dimensions}{at}"

    @property
    def dimensions(self) -> int:
        """Length of every vector; an answer of another length is an error."""
        return self._dimensions

    async def embed(self, texts: Sequence[str], *, query: bool) -> Sequence[Vector]:
        """One vector of length 1 per text; of a long text the first 8000 bytes count.

        Raises:
            ModelError: no usable answer; nothing of a batch is given when a part of it fails.
        """
        if self._closed:
            raise failures.closed(self._who)
        vectors: list[Vector] = []
        for batch in _batches(prepared(text, MAX_TEXT_BYTES) for text in texts):
            vectors += await self._ask(batch)
        return tuple(vectors)

    async def close(self) -> None:
        """Close the connections. Again does nothing."""
        self._closed = True
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _ask(self, batch: Sequence[str]) -> Sequence[Vector]:
        import aiohttp

        body: dict[str, object] = {
            "model": self._model,
            "input": list(batch),
            "encoding_format": "float",
        }
        if self._model.startswith(SHORTENED):
            body["dimensions"] = self._dimensions
        try:
            async with self._open().post(
                self._url, json=body, allow_redirects=False, proxy=_proxy(self._url)
            ) as response:
                if response.status != 200:
                    raise failures.by_status(self._who, response.status)
                answer = json.loads(await response.read())
        except TimeoutError as error:
            raise failures.timed_out(self._who) from error
        except (aiohttp.ClientPayloadError, ValueError) as error:
            raise failures.unreadable(self._who) from error
        except aiohttp.ClientError as error:
            raise failures.unreachable(self._who, error) from error
        return unit_vectors(
            self._read(answer), count=len(batch), dimensions=self._dimensions, who=self._who
        )

    def _read(self, answer: Any) -> list[list[float]]:
        """The vectors in the order of the texts, whatever order they came in."""
        try:
            items = sorted(answer["data"], key=lambda item: int(item["index"]))
            return [[float(value) for value in item["embedding"]] for item in items]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise failures.unreadable(self._who) from error

    def _open(self) -> ClientSession:
        """The session, made on the loop that uses it."""
        from aiohttp import ClientSession, ClientTimeout, DummyCookieJar

        if self._closed:
            raise failures.closed(self._who)
        if self._session is None:
            self._session = ClientSession(
                headers={"Authorization": f"Bearer {self._key}"} if self._key else None,
                timeout=ClientTimeout(total=REQUEST_SECONDS, sock_connect=CONNECT_SECONDS),
                cookie_jar=DummyCookieJar(loop=asyncio.get_running_loop()),
            )
        return self._session


def _key(settings: EmbeddingSettings) -> str:
    """The key for the address that is set; "" where a server of one's own needs none."""
    key = settings.api_key.get_secret_value()
    if settings.base_url:
        if not settings.model:
            raise SettingsError(
                "CLOCHE_EMBEDDINGS__BASE_URL needs CLOCHE_EMBEDDINGS__MODEL: which model does that "
                "server have?"
            )
        return key
    key = key or os.environ.get("OPENAI_API_KEY", "")
    if not key:
        raise SettingsError(
            "CLOCHE_EMBEDDINGS__PROVIDER=openai needs a key: set CLOCHE_EMBEDDINGS__API_KEY or "
            "OPENAI_API_KEY, or CLOCHE_EMBEDDINGS__BASE_URL for a server of your own."
        )
    return key


def _name(model: str) -> str:
    """A model's name without its owner and its tag: ``BAAI/bge-m3:latest`` -> ``bge-m3``."""
    return model.rsplit("/", 1)[-1].split(":", maxsplit=1)[0].lower()


def _batches(texts: Iterator[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode())
        if batch and (len(batch) == MAX_BATCH_TEXTS or size + length > MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch


def _proxy(url: str) -> str | None:
    """The system's proxy for an address; taken by hand because ``trust_env`` also reads .netrc."""
    parts = urlsplit(url)
    proxy = getproxies().get(parts.scheme)
    return None if not proxy or proxy_bypass(parts.hostname or "") else proxy
