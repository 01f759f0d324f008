"""Who writes down what people say in voice messages."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from cloche.attachments.sounds import SoundKind
from cloche.errors import ModelCause, ModelError, SettingsError
from cloche.llm.limits import NO_KEY
from cloche.llm.usage import Usage, cost_usd, hours_usd

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.audio import Transcription

    from cloche.settings import Settings

MAX_BYTES: Final = 25_000_000
"""OpenAI's speech-to-text guide: "file uploads are currently limited to 25 MB"."""
REQUEST_SECONDS: Final = 60
"""A long message takes a while, but a person is waiting."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was said in one recording.

    Attributes:
        text: The words, in the language they were spoken in; "" when there are none.
        usage: What writing them down took.
    """

    text: str
    usage: Usage = field(default_factory=Usage)


class Transcriber(Protocol):
    """Writes down speech."""

    async def transcribe(self, sound: bytes, kind: SoundKind) -> Transcript:
        """The words of one recording, and what they cost.

        Raises:
            ModelError: there is no usable answer.
        """
        ...

    async def close(self) -> None:
        """Release what is held. Again does nothing."""
        ...


class OpenAITranscriber:
    """Asks OpenAI's transcription API, or a server that speaks it.

    The message of what it raises never quotes the server, whose errors may repeat a key.
    """

    def __init__(
        self, model: str, *, api_key: str, base_url: str = "", seconds: float = REQUEST_SECONDS
    ) -> None:
        """Take the model, the key, the server ("" = OpenAI) and how long one try may take."""
        self._model, self._key, self._base_url = model, api_key, base_url
        self._seconds = seconds
        self._client: AsyncOpenAI | None = None

    async def transcribe(self, sound: bytes, kind: SoundKind) -> Transcript:
        """The words of one recording of at most 25 MB."""
        import openai

        if self._client is None:
            self._client = openai.AsyncOpenAI(
                api_key=self._key,
                base_url=self._base_url or None,
                timeout=self._seconds,
                max_retries=1,
            )
        try:
            # The format is told by the name's ending, so the sender's own name is of no use.
            answer = await self._client.audio.transcriptions.create(
                file=(f"voice.{kind}", sound), model=self._model
            )
        except openai.APITimeoutError as error:
            raise self._failed("no answer in time", "timeout") from error
        except openai.APIStatusError as error:
            said, cause = _meaning(error.status_code)
            raise self._failed(f"{said} ({error.status_code})", cause) from error
        except openai.APIConnectionError as error:
            raise self._failed("the server cannot be reached", "unreachable") from error
        except (openai.OpenAIError, ValueError) as error:
            raise self._failed("the answer cannot be read", "cut") from error
        text = getattr(answer, "text", None)
        if not isinstance(text, str):
            raise self._failed("the answer cannot be read", "cut")
        return Transcript(text.strip(), self._usage(answer))

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _usage(self, answer: Transcription) -> Usage:
        """What the server says it counted; a server of one's own has no price that is known."""
        provider, used = "" if self._base_url else "openai", answer.usage
        if used is None:
            return Usage(model=self._model, calls=1)
        if used.type == "duration":
            hours = used.seconds / 3600
            return Usage(self._model, calls=1, cost_usd=hours_usd(provider, self._model, hours))
        tokens_in, tokens_out = used.input_tokens, used.output_tokens
        cost = cost_usd(
            provider, self._model, input=tokens_in, output=tokens_out, cache_read=0, cache_write=0
        )
        return Usage(self._model, tokens_in, tokens_out, calls=1, cost_usd=cost)

    def _failed(self, said: str, cause: ModelCause) -> ModelError:
        return ModelError(f"transcription by {self._model}: {said}.", cause=cause)


def choose_transcriber(settings: Settings) -> Transcriber | None:
    """The one that is set; None = voice messages cannot be written down here.

    ``OPENAI_API_KEY`` is for OpenAI itself, and a key for one server is sent to no other.

    Raises:
        SettingsError: a model is set and its key is missing; the message says what to set.
    """
    chosen = settings.transcription
    if not chosen.model:
        return None
    base_url, key = chosen.base_url, chosen.api_key.get_secret_value()
    if not base_url and _model_is_openais(settings):
        base_url = settings.model.base_url
        key = key or settings.model.api_key.get_secret_value()
    key = key or (NO_KEY if base_url else os.environ.get("OPENAI_API_KEY", ""))
    if not key:
        raise SettingsError(
            f"CLOCHE_TRANSCRIPTION__MODEL={chosen.model} needs a key: set "
            "CLOCHE_TRANSCRIPTION__API_KEY or OPENAI_API_KEY, or CLOCHE_TRANSCRIPTION__BASE_URL "
            "for a server of your own."
        )
    return OpenAITranscriber(chosen.model, api_key=key, base_url=base_url)


def _model_is_openais(settings: Settings) -> bool:
    from cloche.llm.providers import provider_of

    return provider_of(settings) == "openai"


def _meaning(status: int) -> tuple[str, ModelCause]:
    if status in (401, 403):
        return "the credentials are not accepted, or not for this model", "auth"
    if status == 429:
        return "too many requests", "throttled"
    if status >= 500:
        return "the server failed", "server"
    return "the recording or the model was refused", "refused"
