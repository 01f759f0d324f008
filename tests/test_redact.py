"""Secrets are taken out of text, the rest of it stays."""

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from cloche.redact import MIN_SECRET_CHARS, PLACEHOLDER, Redactor, secrets_in
from cloche.settings import ModelSettings, Settings

# Put together here, so that nobody's scanner takes these for keys that leaked.
BOT_TOKEN = "1234567" + ":" + "AAH" + "x" * 32
KEYS = [
    "AKIA" + "ABCDEFGHIJKLMNOP",
    "ABSK" + "QmVkcm9ja0FQSUtleS0x" * 3 + "==",
    "sk-ant-api03-" + "a1B2_c3-" * 4,
    "sk-proj-" + "x" * 40,
    "AIza" + "Sy" * 18,
    "ghp_" + "a" * 36,
    "hf_" + "b" * 30,
    "xoxb-" + "1234567890-abc",
    BOT_TOKEN,
    "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxIn0" + ".c2ln",
    "-----BEGIN " + "PRIVATE KEY-----\nMIIE\nabc\n-----END PRIVATE KEY-----",
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("around", ["{}", "(401 for {}).", "密钥是{}，谢谢", "a={}&b=2"])
def test_what_looks_like_a_key_is_taken_out_wherever_it_stands(key: str, around: str) -> None:
    assert Redactor()(around.format(key)) == around.format(PLACEHOLDER)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (
            f"GET https://api.example.org/bot{BOT_TOKEN}/getMe 200",
            "GET https://api.example.org/bot[secret]/getMe 200",
        ),
        ("redis://ana:pa55w0rd@host:1/0", "redis://[secret]@host:1/0"),
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer [secret]"),
        ("authorization: basic dXNlcjpwYXNz", "authorization: basic [secret]"),
        ('{"api_key": "abc123def"}', '{"api_key": "[secret]"}'),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7", "aws_secret_access_key = [secret]"),
        ("?X-Amz-Signature=0123456789ab&x=1", "?X-Amz-Signature=[secret]&x=1"),
        ("PASSWORD=hunter22 next", "PASSWORD=[secret] next"),
    ],
)
def test_what_stands_where_a_secret_stands_is_taken_out(text: str, clean: str) -> None:
    assert Redactor()(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "max_output_tokens=2048 input_tokens: 123456",
        "At 12:30 Ana wrote to ana@example.org about https://example.org/a@b",
        "La contraseña es secreta. 记住我的花园。",
        "record 0b6a6c1e-3c0f-4d2a-9f51-1c8f2f9d7a10 of console_-ana",
        "sk-ipped a beat",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert Redactor()(text) == text


SECRET = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs",), exclude_characters="[]"),
    min_size=MIN_SECRET_CHARS,
    max_size=40,
)
TEXT = st.text(max_size=60)


@given(before=TEXT, secret=SECRET, after=TEXT)
def test_a_known_secret_never_comes_through(before: str, secret: str, after: str) -> None:
    clean = Redactor([secret])(f"{before}{secret}{after}")
    assert PLACEHOLDER in clean
    assert secret not in clean


@given(secret=SECRET)
def test_a_known_secret_is_found_as_json_a_url_or_a_repr_spells_it(secret: str) -> None:
    redact = Redactor([secret])
    assert redact(json.dumps({"k": secret})) == json.dumps({"k": PLACEHOLDER})
    assert redact(f"/x/{quote(secret, safe='')}/y") == f"/x/{PLACEHOLDER}/y"
    assert redact(f"<{secret!r}>") in (f"<'{PLACEHOLDER}'>", f'<"{PLACEHOLDER}">')


@given(text=st.one_of(TEXT, st.sampled_from(KEYS), st.from_regex(r"token[=:] ?\S{0,12}@?")))
def test_taking_secrets_out_twice_changes_nothing_more(text: str) -> None:
    redact = Redactor(["hush-hush"])
    assert redact(redact(text)) == redact(text)


def test_of_two_secrets_the_longer_is_taken_out_whole() -> None:
    assert Redactor(["abcdefgh", "abcdefgh-ijkl"])("x abcdefgh-ijkl y") == "x [secret] y"


def test_a_short_value_is_no_secret() -> None:
    assert Redactor(["8080"])("port 8080") == "port 8080"


def test_secrets_are_found_anywhere_in_the_settings() -> None:
    settings = Settings(
        model=ModelSettings(api_key=SecretStr("model-key")),
        channels={"chat": {"token": SecretStr("chat-token"), "empty": SecretStr("")}},
    )
    assert sorted(secrets_in(settings)) == ["chat-token", "model-key"]
