"""Who answers, by the settings alone."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from pydantic import SecretStr

from cloche.errors import SettingsError
from cloche.llm.providers import choose_model, start_line
from cloche.settings import ModelSettings, Settings
from cloche.testing.fake_model import FakeModel

HAIKU = "global.anthropic.claude-haiku-4-5-20251001-v1:0"
SONNET = "global.anthropic.claude-sonnet-4-5-20250929-v1:0"
SERVER = "http://127.0.0.1:11434/v1"


@pytest.fixture(autouse=True)
def nothing_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("AWS_", "ANTHROPIC_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x" * 40)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-lying-around")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-lying-around")


def settings(model_id: str = "", vision_model_id: str = "", **model: Any) -> Settings:
    if "api_key" in model:
        model["api_key"] = SecretStr(model["api_key"])
    return Settings(
        model_id=model_id, vision_model_id=vision_model_id, model=ModelSettings(**model)
    )


def chosen(given: Settings, *, vision: bool = False) -> tuple[str, str]:
    model = choose_model(given, demo=FakeModel, vision=vision)
    return model.provider, model.model_id


@pytest.mark.usefixtures("credentials")
def test_credentials_that_lie_around_choose_nothing():
    assert chosen(settings()) == ("demo", "demo")
    assert chosen(settings(), vision=True) == ("demo", "demo")
    assert chosen(settings(api_key="a key", base_url=SERVER)) == ("demo", "demo")


@pytest.mark.usefixtures("credentials")
@pytest.mark.parametrize(
    ("model_id", "provider"),
    [
        (HAIKU, "bedrock"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock"),
        ("eu.amazon.nova-lite-v1:0", "bedrock"),
        ("mistral.mistral-large-2407-v1:0", "bedrock"),
        ("openai.gpt-oss-20b-1:0", "bedrock"),
        (f"arn:aws:bedrock:eu-west-1:123456789012:inference-profile/{HAIKU}", "bedrock"),
        ("claude-haiku-4-5", "anthropic"),
        ("gpt-5-mini", "openai"),
        ("gpt-4.1", "openai"),
        ("o4-mini", "openai"),
    ],
)
def test_a_model_id_tells_whose_it_is(model_id: str, provider: str):
    assert chosen(settings(model_id))[0] == provider


def test_a_model_of_a_server_of_one_s_own_needs_its_address_and_no_key():
    assert chosen(settings("llama3.2", base_url=SERVER)) == ("openai", "llama3.2")


@pytest.mark.usefixtures("credentials")
def test_a_model_id_that_tells_nothing_asks_for_the_provider():
    with pytest.raises(SettingsError, match="CLOCHE_MODEL__PROVIDER"):
        chosen(settings("llama3.2"))


@pytest.mark.usefixtures("credentials")
@pytest.mark.parametrize(
    ("given", "text", "vision"),
    [
        (settings(provider="bedrock"), HAIKU, SONNET),
        (settings(provider="anthropic"), "claude-haiku-4-5", "claude-sonnet-4-6"),
        (settings("amazon.nova-micro-v1:0"), "amazon.nova-micro-v1:0", SONNET),
        (settings("gpt-5-mini"), "gpt-5-mini", "gpt-5-mini"),
        (settings("gpt-5-mini", "gpt-5"), "gpt-5-mini", "gpt-5"),
        (
            settings("some", provider="anthropic", base_url="http://127.0.0.1:1"),
            "some",
            "some",
        ),
    ],
)
def test_models_that_are_not_named(given: Settings, text: str, vision: str):
    assert chosen(given)[1] == text
    assert chosen(given, vision=True)[1] == vision


@pytest.mark.usefixtures("credentials")
def test_text_and_pictures_may_go_to_different_providers():
    given = settings("gpt-5-mini", HAIKU)
    assert chosen(given)[0] == "openai"
    assert chosen(given, vision=True)[0] == "bedrock"
    assert chosen(settings("", HAIKU)) == ("demo", "demo")


def test_the_demo_can_be_chosen_whatever_else_is_set():
    assert chosen(settings(HAIKU, provider="demo")) == ("demo", "demo")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (settings(provider="bedrock"), "CLOCHE_MODEL__REGION"),
        (settings(provider="bedrock", region="eu-central-1"), "AWS_PROFILE"),
        (settings(provider="anthropic"), "ANTHROPIC_API_KEY"),
        (settings("gpt-5", provider="openai"), "OPENAI_API_KEY"),
        (settings(provider="openai", base_url=SERVER), "MODEL_ID"),
    ],
)
def test_what_is_missing_is_named_before_the_first_turn(given: Settings, named: str):
    with pytest.raises(SettingsError, match=named):
        chosen(given)


def test_a_bedrock_key_is_enough_for_bedrock(monkeypatch: pytest.MonkeyPatch):
    assert chosen(settings(provider="bedrock", region="eu-west-1", api_key="ABSK1"))[0] == "bedrock"
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "ABSK2")
    assert chosen(settings(provider="bedrock", region="eu-west-1"))[0] == "bedrock"


@pytest.mark.usefixtures("credentials")
@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_a_provider_s_key_is_never_sent_to_another_server(provider: str):
    given = settings("some", provider=provider, base_url=SERVER)
    model = choose_model(given, demo=FakeModel).model
    assert model.provider.client.api_key == "not-needed"
    own = choose_model(settings("some", provider=provider), demo=FakeModel).model
    assert own.provider.client.api_key.endswith("lying-around")


@pytest.mark.usefixtures("credentials")
@pytest.mark.parametrize("provider", ["bedrock", "anthropic", "openai"])
def test_requests_carry_limits_and_sdks_do_not_retry_by_themselves(provider: str):
    model = choose_model(
        settings("gpt-5" if provider == "openai" else "", provider=provider, timeout_seconds=45),
        demo=FakeModel,
    )
    assert model.settings["max_tokens"] == 2048
    assert model.settings["request_timeout"] == 45
    assert model.settings["first_event_timeout"] == 30
    if provider == "bedrock":
        config = model.model.provider.client.meta.config
        assert config.retries["total_max_attempts"] == 1
        assert (config.connect_timeout, config.read_timeout) == (5, 30)
    else:
        assert model.settings["max_retries"] == 0


def test_a_key_shows_in_no_text_of_the_choice():
    given = settings(HAIKU, api_key="ABSK-very-secret", region="eu-west-1")
    model = choose_model(given, demo=FakeModel)
    assert "secret" not in f"{model} {model.model!r} {start_line(given)}"


def test_the_start_line_says_who_answers_and_what_to_set_for_others():
    line = start_line(settings())
    assert "demo stand-in" in line
    assert "CLOCHE_MODEL__PROVIDER" in line
    assert "bedrock (needs AWS credentials)" in line
    assert "anthropic (needs ANTHROPIC_API_KEY)" in line


@pytest.mark.usefixtures("credentials")
def test_the_start_line_says_which_credentials_are_there():
    line = start_line(settings())
    assert "demo stand-in" in line
    assert "bedrock (AWS_ACCESS_KEY_ID is there)" in line
    assert "openai (OPENAI_API_KEY is there, MODEL_ID is missing)" in line
    assert "lying-around" not in line
    line = start_line(settings(provider="bedrock"))
    assert f"bedrock answers with {HAIKU}, pictures go to bedrock with {SONNET}" in line
    assert "bedrock (" not in line


SDKS = {"bedrock": "boto3", "anthropic": "anthropic", "openai": "openai"}
CHOOSE = """
import sys
from cloche.llm.providers import choose_model, start_line, translate
from cloche.settings import ModelSettings, Settings
before = {"boto3", "anthropic", "openai", "pydantic_ai", "PIL", "aiohttp"} & set(sys.modules)
from pydantic import SecretStr
provider = sys.argv[1]
model = ModelSettings(
    provider=provider, region="eu-west-1", api_key=SecretStr("" if provider == "demo" else "key")
)
settings = Settings(model=model, model_id="some" if provider == "openai" else "")
start_line(settings)
choose_model(settings, demo=lambda: None)
print(sorted(before), sorted({"boto3", "anthropic", "openai"} & set(sys.modules)))
"""


@pytest.mark.parametrize("provider", ["demo", "bedrock", "anthropic", "openai"])
def test_only_the_chosen_provider_s_sdk_is_imported(provider: str):
    done = subprocess.run(
        [sys.executable, "-c", CHOOSE, provider],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    expected = [SDKS[provider]] if provider in SDKS else []
    assert done.stdout.strip() == f"[] {expected}"
