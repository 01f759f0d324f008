"""From what libraries raise to ``ModelError``: a cause, and a message an operator can act on.

The message never quotes the provider: its error texts may repeat a part of the key, or of what a
person wrote.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cloche.errors import ModelCause, ModelError

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelAPIError

_AUTH: Final = "the provider does not accept the credentials, or not for this model"
_SERVER: Final = "the provider failed"
_TIMEOUT: Final = (
    "no answer in time; for a slow model of your own set CLOCHE_MODEL__PATIENCE_SECONDS and "
    "CLOCHE_MODEL__TIMEOUT_SECONDS higher"
)
_CUT: Final = "the answer broke off or cannot be read"
_REFUSED: Final = "the provider refused the request"
_UNREACHABLE: Final = "the provider cannot be reached"

_HINTS: Final = {
    "on-demand throughput": "use the id of an inference profile, such as global.<model id>",
    "model identifier is invalid": "check MODEL_ID and VISION_MODEL_ID",
    "use case details": "the provider wants a use case form for this model first",
}
"""What to do, by words of an error's text; the text itself is not repeated."""


def translate(error: Exception) -> ModelError:
    """What an operator is told about a failed model call; raise it ``from`` the error.

    Args:
        error: From pydantic-ai, an SDK below it, or a time limit of ours.
    """
    from pydantic_ai import exceptions

    if isinstance(error, ModelError):
        return error
    if isinstance(error, exceptions.ModelAPIError):
        cause, said = _api_cause(error)
        return ModelError(f"{error.model_name}: {said}{_detail(error)}.", cause=cause)
    if isinstance(error, TimeoutError):
        return ModelError(f"{_TIMEOUT}.", cause="timeout")
    if isinstance(error, exceptions.ContentFilterError):
        return ModelError("the provider's content filter withheld the answer.", cause="refused")
    if isinstance(error, exceptions.UnexpectedModelBehavior):
        return ModelError(f"{_CUT}.", cause="cut")
    name = type(error).__name__
    if type(error).__module__.startswith("botocore"):
        # What botocore raises unmapped comes before anything is sent: credentials, or parameters.
        if "Credential" in name or "Token" in name or "SSO" in name:
            return ModelError(f"{_AUTH} ({name}).", cause="auth")
        return ModelError(f"{_REFUSED} ({name}).", cause="refused")
    if isinstance(error, exceptions.UserError):
        return ModelError(f"{_REFUSED} ({name}).", cause="refused")
    return ModelError(f"{_SERVER} ({name}).", cause="server")


def is_passing(error: ModelAPIError) -> bool:
    """True when the same request may well be answered a moment later: 429 and 5xx."""
    from pydantic_ai import exceptions

    passing = (
        exceptions.ModelRateLimitError,
        exceptions.ModelUnavailableError,
        exceptions.ModelServerError,
    )
    return isinstance(error, passing) and not error.in_stream


def _api_cause(error: ModelAPIError) -> tuple[ModelCause, str]:
    from pydantic_ai import exceptions

    causes: tuple[tuple[type[Exception], ModelCause, str], ...] = (
        (exceptions.ModelAuthenticationError, "auth", _AUTH),
        (exceptions.ModelRateLimitError, "throttled", "too many requests"),
        (exceptions.ModelQuotaExceededError, "refused", "the account's quota or credit is used up"),
        (exceptions.ModelRequestTimeout, "timeout", _TIMEOUT),
        (exceptions.ModelTimeoutError, "timeout", _TIMEOUT),
        (exceptions.ModelUnavailableError, "server", _SERVER),
        (exceptions.ModelServerError, "server", _SERVER),
        (exceptions.ModelContextWindowExceededError, "refused", "the prompt is too long"),
        (exceptions.ModelNotFoundError, "refused", "the provider has no such model"),
        (exceptions.ModelRequestRejectedError, "refused", _REFUSED),
    )
    for kind, cause, said in causes:
        if isinstance(error, kind):
            return cause, said
    if isinstance(error, exceptions.ModelConnectionError):
        return ("cut", _CUT) if error.phase == "read" else ("unreachable", _UNREACHABLE)
    if isinstance(error, exceptions.ModelHTTPError):
        if error.status_code == 408:
            return "timeout", _TIMEOUT
        return ("server", _SERVER) if error.status_code in (424, 425) else ("refused", _REFUSED)
    return "cut", _CUT  # an answer that arrived and cannot be read


def _detail(error: ModelAPIError) -> str:
    """Status, code and hint, in brackets."""
    status = getattr(error, "status_code", None)
    code = error.provider_error_code or error.provider_error_type
    text = str(error).lower()
    hint = next((told for words, told in _HINTS.items() if words in text), "")
    parts = [str(part) for part in (status, code, hint) if part]
    return f" ({', '.join(parts)})" if parts else ""
