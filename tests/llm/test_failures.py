"""What an operator is told about a failed model call."""

from __future__ import annotations

import re

import pytest
from botocore.exceptions import NoCredentialsError, ParamValidationError, TokenRetrievalError
from pydantic_ai import exceptions

from cloche.errors import ModelError
from cloche.llm.failures import translate
from cloche.settings import ModelSettings

HTTP = exceptions.ModelHTTPError


def http(status: int, category: type | None = None, text: str = "") -> HTTP:
    body = {"message": f"{text} sk-secret-part"}
    return HTTP.for_category(category, status_code=status, model_name="m", body=body)


CASES = [
    (http(401, exceptions.ModelAuthenticationError), "auth"),
    (NoCredentialsError(), "auth"),
    (TokenRetrievalError(provider="sso", error_msg="expired"), "auth"),
    (http(429, exceptions.ModelRateLimitError), "throttled"),
    (http(402, exceptions.ModelQuotaExceededError), "refused"),
    (http(529, exceptions.ModelOverloadedError), "server"),
    (http(503, exceptions.ModelUnavailableError), "server"),
    (http(500, exceptions.ModelServerError), "server"),
    (http(424), "server"),
    (http(408), "timeout"),
    (http(418), "refused"),
    (http(400, exceptions.ModelContextWindowExceededError), "refused"),
    (http(404, exceptions.ModelNotFoundError), "refused"),
    (ParamValidationError(report="x"), "refused"),
    (exceptions.UserError("misuse"), "refused"),
    (exceptions.ContentFilterError("filtered"), "refused"),
    (exceptions.ModelRequestTimeout("m", 3), "timeout"),
    (exceptions.ModelTimeoutError("m", "late"), "timeout"),
    (TimeoutError(), "timeout"),
    (exceptions.ModelConnectionError("m", "sk-secret", phase="read"), "cut"),
    (exceptions.ModelConnectionError("m", "sk-secret", phase="connect"), "unreachable"),
    (exceptions.ModelConnectionError("m", "sk-secret"), "unreachable"),
    (exceptions.ModelAPIError("m", "cannot decode sk-secret"), "cut"),
    (exceptions.UnexpectedModelBehavior("sk-secret"), "cut"),
    (KeyError("sk-secret"), "server"),
]


@pytest.mark.parametrize(
    ("error", "cause"), CASES, ids=[f"{type(e).__name__}-{c}" for e, c in CASES]
)
def test_every_error_has_a_cause_and_tells_no_secret(error: Exception, cause: str):
    told = translate(error)
    assert told.cause == cause
    assert "secret" not in str(told)
    assert str(told)


def test_a_slow_model_of_ones_own_is_told_which_settings_it_needs():
    model = ModelSettings()
    told = str(translate(TimeoutError()))
    named = re.findall(r"CLOCHE_MODEL__(\w+)", told)
    assert [getattr(model, name.lower()) for name in named] == [30, 60]


def test_what_is_ours_already_stays():
    ours = ModelError("x", cause="empty")
    assert translate(ours) is ours


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("Invocation with on-demand throughput isn't supported.", "inference profile"),
        ("The provided model identifier is invalid.", "MODEL_ID"),
    ],
)
def test_common_mistakes_get_a_hint(text: str, hint: str):
    told = str(translate(http(400, exceptions.ModelRequestRejectedError, text)))
    assert hint in told
    assert "400" in told
    assert "secret" not in told
