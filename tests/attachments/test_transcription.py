"""Voice messages are written down by whatever speaks OpenAI's transcription API."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from cloche.attachments.transcription import OpenAITranscriber, choose_transcriber
from cloche.errors import ModelError, SettingsError
from cloche.settings import ModelSettings, Settings, TranscriptionSettings
from cloche.testing import Fault, TranscriptionServer, fault

KEY = "sk-voice-0123456789abcdef"
OGG = b"OggS" + bytes(40)


async def test_the_sdk_sends_the_recording_and_gets_its_words() -> None:
    async with TranscriptionServer(lambda sound: f" 我听见 {len(sound)} bytes, ¿sí? ") as server:
        transcriber = OpenAITranscriber("whisper-1", api_key=KEY, base_url=server.base_url)
        assert (await transcriber.transcribe(OGG, "ogg")).text == "我听见 44 bytes, ¿sí?"
        await transcriber.transcribe(b"ID3x", "mp3")
        await transcriber.close()
        await transcriber.close()
    first, second = server.requests
    assert (first.name, first.sound, first.model) == ("voice.ogg", OGG, "whisper-1")
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert second.name == "voice.mp3"


@pytest.mark.parametrize(
    ("failure", "cause"),
    [
        (fault(401, f"Incorrect API key provided: {KEY}"), "auth"),
        (fault(400, f"broken {KEY}"), "refused"),
        (fault(429), "throttled"),
        (fault(500), "server"),
        (fault("slow"), "timeout"),
        (fault("cut"), "unreachable"),
        (fault("truncated"), "cut"),
        (fault("empty"), "cut"),
    ],
)
async def test_a_failure_has_a_cause_and_quotes_no_server(failure: Fault, cause: str) -> None:
    async with TranscriptionServer(faults={1: failure, 2: failure}) as server:
        transcriber = OpenAITranscriber(
            "whisper-1", api_key=KEY, base_url=server.base_url, seconds=0.3
        )
        with pytest.raises(ModelError) as failed:
            await transcriber.transcribe(OGG, "ogg")
        await transcriber.close()
    assert failed.value.cause == cause
    assert "whisper-1" in str(failed.value)
    assert KEY not in str(failed.value)


async def test_what_passes_is_tried_once_more() -> None:
    async with TranscriptionServer(faults={1: fault(503)}) as server:
        transcriber = OpenAITranscriber("whisper-1", api_key=KEY, base_url=server.base_url)
        assert (await transcriber.transcribe(OGG, "ogg")).text == "All right."
        await transcriber.close()


async def test_a_server_that_is_not_there_cannot_be_reached() -> None:
    transcriber = OpenAITranscriber("w", api_key=KEY, base_url="http://127.0.0.1:9/v1", seconds=1)
    with pytest.raises(ModelError) as failed:
        await transcriber.transcribe(OGG, "ogg")
    await transcriber.close()
    assert failed.value.cause == "unreachable"


def settings(transcription: TranscriptionSettings, **model: object) -> Settings:
    return Settings(
        transcription=transcription,
        model=ModelSettings(**model),  # type: ignore[arg-type]
        model_id="m" if model else "",
    )


def test_without_a_model_nobody_writes_down() -> None:
    assert choose_transcriber(Settings()) is None


async def test_the_models_server_and_key_serve_when_it_is_openais() -> None:
    async with TranscriptionServer() as server:
        chosen = choose_transcriber(
            settings(
                TranscriptionSettings(model="whisper-1"),
                provider="openai",
                base_url=server.base_url,
                api_key=SecretStr(KEY),
            )
        )
        assert chosen is not None
        await chosen.transcribe(OGG, "ogg")
        await chosen.close()
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_no_key_is_sent_to_a_server_it_is_not_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment-0123456789")
    async with TranscriptionServer() as server:
        chosen = choose_transcriber(
            settings(
                TranscriptionSettings(model="w", base_url=server.base_url),
                provider="openai",
                api_key=SecretStr(KEY),
            )
        )
        assert chosen is not None
        await chosen.transcribe(OGG, "ogg")
        await chosen.close()
    assert server.requests[0].headers["authorization"] == "Bearer not-needed"


def test_openai_without_a_key_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SettingsError, match="CLOCHE_TRANSCRIPTION__API_KEY or OPENAI_API_KEY"):
        choose_transcriber(settings(TranscriptionSettings(model="whisper-1")))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert choose_transcriber(settings(TranscriptionSettings(model="whisper-1")))


@pytest.mark.parametrize(
    ("model", "usage", "tokens", "cost"),
    [
        ("whisper-1", {"type": "duration", "seconds": 60}, (0, 0), 0.006),
        (
            "gpt-4o-mini-transcribe",
            {"type": "tokens", "input_tokens": 1000, "output_tokens": 100, "total_tokens": 1100},
            (1000, 100),
            0.0035,
        ),
        ("gpt-4o-mini-transcribe", None, (0, 0), None),
        ("a-model-of-tomorrow", {"type": "duration", "seconds": 60}, (0, 0), None),
    ],
)
async def test_what_speech_costs_is_counted_by_what_openai_counts(
    model: str,
    usage: dict[str, object] | None,
    tokens: tuple[int, int],
    cost: float | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with TranscriptionServer(usage=usage) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        transcriber = OpenAITranscriber(model, api_key=KEY)
        used = (await transcriber.transcribe(OGG, "ogg")).usage
        await transcriber.close()
    assert (used.model, used.calls) == (model, 1)
    assert (used.input_tokens, used.output_tokens) == tokens
    assert used.cost_usd == (cost if cost is None else pytest.approx(cost))


async def test_a_server_of_ones_own_has_no_price() -> None:
    async with TranscriptionServer(usage={"type": "duration", "seconds": 60}) as server:
        transcriber = OpenAITranscriber("whisper-1", api_key=KEY, base_url=server.base_url)
        assert (await transcriber.transcribe(OGG, "ogg")).usage.cost_usd is None
        await transcriber.close()
