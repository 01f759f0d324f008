"""Loopback servers that speak the wire of embedding providers, for the unmodified clients.

What the providers document as refused is refused with their errors; vectors are made by a
``FakeEmbedder`` and are *not* of length 1, so that a client's own work shows.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final
from urllib.parse import unquote

from aiohttp import web

from cloche.embedding.bedrock_models import family_of
from cloche.testing.bedrock.endpoint import ERRORS as BEDROCK_ERRORS
from cloche.testing.fake_embedder import Concepts, FakeEmbedder
from cloche.testing.loopback import LoopbackServer, headers_of, send_half
from cloche.testing.openai import ERRORS as OPENAI_ERRORS
from cloche.testing.prompt_cache import Rendered
from cloche.testing.recorded import Recorded
from cloche.testing.script import Fault

STRETCH: Final = 3.0
"""Length of the vectors that are sent."""
OPENAI_DIMENSIONS: Final = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072}
OTHER_DIMENSIONS: Final = 768
OPENAI_TEXTS: Final = 2048
OPENAI_TOKENS: Final = 8192
TITAN_CHARS: Final = 50_000
COHERE_CHARS: Final = 2048
COHERE_TEXTS: Final = 96
COHERE_INPUTS: Final = frozenset({"search_document", "search_query"})


Body = Mapping[str, Any]


class RefusedError(Exception):
    """The service answers this with an error: the status, and the service's words."""

    def __init__(self, status: int, message: str) -> None:
        """Take both."""
        self.status = status
        super().__init__(message)


class EmbeddingServer(LoopbackServer):
    """A provider's embeddings on loopback; use it as ``with`` or ``async with``.

    Args:
        concepts: What the vectors mean, as ``FakeEmbedder`` takes it.
        faults: Faults by call number, from 1.

    Attributes:
        requests: Every request, refused and failed ones too; a test may clear it.
    """

    operation: ClassVar[str]

    def __init__(
        self, concepts: Concepts | None = None, *, faults: Mapping[int, Fault] | None = None
    ) -> None:
        """Take what vectors mean; nothing listens yet."""
        super().__init__()
        self.requests: list[Recorded] = []
        self._calls = 0
        self._meaning = FakeEmbedder(concepts)
        self._faults = dict(faults or {})

    @abstractmethod
    def model(self, request: web.Request, body: Body) -> str:
        """The model id that is asked for, decoded."""

    @abstractmethod
    def made(self, request: web.Request, body: Body) -> Mapping[str, Any]:
        """The body of the answer.

        Raises:
            RefusedError: the service would not answer this.
        """

    @abstractmethod
    def error(self, status: int, message: str) -> web.Response:
        """An error as the service answers it."""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Record one call and answer it, with the fault that is due if there is one."""
        self._calls += 1
        body = await request.json() if request.can_read_body else {}
        headers, model = headers_of(request), self.model(request, body)
        self.requests.append(Recorded(self.operation, model, body, headers, Rendered((), ())))
        try:
            made = self.made(request, body)
        except RefusedError as refused:
            return self.error(refused.status, str(refused))
        fault = self._faults.get(self._calls)
        return await self._fail(request, fault, made) if fault else web.json_response(made)

    def vectors(self, texts: Sequence[str], dimensions: int) -> list[list[float]]:
        """What is sent for these texts; zeros fill what the concepts do not need."""
        made = [[STRETCH * value for value in self._meaning.vector(text)] for text in texts]
        return [(vector + [0.0] * dimensions)[:dimensions] for vector in made]

    async def _fail(
        self, request: web.Request, fault: Fault, made: Mapping[str, Any]
    ) -> web.StreamResponse:
        if fault.trouble == "slow":
            return await self.hang(request)
        if fault.trouble == "empty":
            return web.json_response({})
        if fault.status:
            return self.error(fault.status, fault.message)
        polite = fault.trouble == "truncated"
        sent = await send_half(request, json.dumps(made).encode(), honest=polite)
        return sent if polite else await self.drop(request)


class OpenAIEmbeddings(EmbeddingServer):
    """Answers ``POST /v1/embeddings``; ``base_url`` is what clients take.

    Refused as OpenAI does: no key (unless ``keyless``, as servers of one's own are), no text, an
    empty text, more than 2048 texts, a text of more than 8192 tokens (counted as bytes), vectors
    longer than the model's. Every model is known; what OpenAI has not has 768 dimensions. The
    answer's items come in reverse order, each with its index.
    """

    operation: ClassVar[str] = "embeddings"

    def __init__(
        self,
        concepts: Concepts | None = None,
        *,
        faults: Mapping[int, Fault] | None = None,
        keyless: bool = False,
    ) -> None:
        """Take what vectors mean, and whether a key is needed."""
        super().__init__(concepts, faults=faults)
        self._keyless = keyless

    @property
    def base_url(self) -> str:
        """What clients take as base URL."""
        return f"{self.url}/v1"

    def model(self, request: web.Request, body: Body) -> str:
        """As the body says."""
        return str(body.get("model", ""))

    def made(self, request: web.Request, body: Body) -> Mapping[str, Any]:
        """A list of embeddings."""
        if request.method != "POST" or request.path != "/v1/embeddings":
            raise RefusedError(404, "Invalid URL")
        if not self._keyless and not request.headers.get("Authorization", "").startswith("Bearer "):
            raise RefusedError(401, "You didn't provide an API key.")
        model, texts = body.get("model", ""), body.get("input")
        texts = [texts] if isinstance(texts, str) else texts or []
        largest = OPENAI_DIMENSIONS.get(model, OTHER_DIMENSIONS)
        dimensions = body.get("dimensions", largest)
        if not 1 <= len(texts) <= OPENAI_TEXTS or not all(texts):
            raise RefusedError(400, "'$.input' is invalid.")
        if any(len(text.encode()) > OPENAI_TOKENS for text in texts):
            raise RefusedError(400, f"maximum context length is {OPENAI_TOKENS} tokens.")
        if not 1 <= dimensions <= largest:
            raise RefusedError(400, "Invalid value for 'dimensions'.")
        items = [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(self.vectors(texts, dimensions))
        ]
        return {"object": "list", "data": items[::-1], "model": model, "usage": {}}

    def error(self, status: int, message: str) -> web.Response:
        """An error with the service's type for the status."""
        kind = OPENAI_ERRORS.get(status, "server_error")
        error = {"message": message, "type": kind, "param": None, "code": None}
        return web.json_response({"error": error}, status=status)


class BedrockEmbeddings(EmbeddingServer):
    """Answers boto3's ``bedrock-runtime`` client: ``invoke_model`` for Titan v2 and Cohere Embed.

    Give ``url`` to boto3 as ``endpoint_url`` or as ``AWS_ENDPOINT_URL_BEDROCK_RUNTIME``; any
    credentials do. Refused as the service documents it: an empty text and one of more than 50,000
    characters for Titan; more than 96 texts, a text of more than 2048 characters (v3) and an
    unknown ``input_type`` or ``truncate`` for Cohere; dimensions a model has not; other fields;
    other models. Not checked: tokens, regions, what an account may use.
    """

    operation: ClassVar[str] = "InvokeModel"

    def model(self, request: web.Request, body: Body) -> str:
        """As the path says."""
        parts = _parts(request)
        return parts[1] if len(parts) > 1 else ""

    def made(self, request: web.Request, body: Body) -> Mapping[str, Any]:
        """What the model answers."""
        parts = _parts(request)
        if request.method != "POST" or len(parts) != 3 or parts[2] != "invoke":
            raise RefusedError(404, "no such operation")
        signed = request.headers.get("Authorization", "")
        if not signed.startswith(("AWS4-HMAC-SHA256 ", "Bearer ")):
            raise RefusedError(403, "Missing credentials")
        family = family_of(parts[1])
        if family is None:
            raise RefusedError(400, "The provided model identifier is invalid.")
        if family.model.startswith("amazon."):
            return self._titan(body, family.dimensions)
        return self._cohere(body, family.dimensions, newer=family.model.endswith("v4"))

    def error(self, status: int, message: str) -> web.Response:
        """An error with the service's name for the status."""
        name = BEDROCK_ERRORS.get(status, "InternalServerException")
        headers = {"x-amzn-errortype": f"{name}:http://internal.amazon.com/coral/"}
        return web.json_response({"message": message}, status=status, headers=headers)

    def _titan(self, body: Body, there: tuple[int, ...]) -> Mapping[str, Any]:
        text, dimensions = body.get("inputText", ""), body.get("dimensions", there[0])
        _refuse(
            {
                "extraneous key is not permitted": bool(
                    set(body) - {"inputText", "dimensions", "normalize", "embeddingTypes"}
                ),
                f"expected 1 to {TITAN_CHARS} characters": not 1 <= len(text) <= TITAN_CHARS,
                f"dimensions is none of {there}": dimensions not in there,
            }
        )
        (vector,) = self.vectors([text], dimensions)
        return {
            "embedding": vector,
            "embeddingsByType": {"float": vector},
            "inputTextTokenCount": len(text.split()),
        }

    def _cohere(self, body: Body, there: tuple[int, ...], *, newer: bool) -> Mapping[str, Any]:
        texts = body.get("texts", [])
        cuts = {"NONE", "LEFT", "RIGHT"} if newer else {"NONE", "START", "END"}
        dimensions = body.get("output_dimension", there[0])
        _refuse(
            {
                "input_type is required": body.get("input_type") not in COHERE_INPUTS,
                "truncate is invalid": body.get("truncate", "NONE") not in cuts,
                "extraneous key [output_dimension]": not newer and "output_dimension" in body,
                f"expected 1 to {COHERE_TEXTS} texts": not 1 <= len(texts) <= COHERE_TEXTS,
                f"expected maxLength: {COHERE_CHARS}": not newer
                and any(len(text) > COHERE_CHARS for text in texts),
                "output_dimension is invalid": dimensions not in there,
            }
        )
        vectors = self.vectors(texts, dimensions)
        by_type = "embedding_types" in body
        return {
            "embeddings": {"float": vectors} if by_type else vectors,
            "id": "embedding",
            "response_type": "embeddings_by_type" if by_type else "embeddings_floats",
            "texts": texts,
        }


def _parts(request: web.Request) -> list[str]:
    """The path's parts; an ARN's slash arrives as %2F, so that it is split before decoding."""
    return [unquote(part) for part in request.raw_path.split("?")[0].strip("/").split("/")]


def _refuse(faults: Mapping[str, bool]) -> None:
    """Refuse a request with the first fault that it has."""
    for message, it_has in faults.items():
        if it_has:
            raise RefusedError(400, f"Malformed input request: {message}")
