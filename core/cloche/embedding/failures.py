"""What an operator is told when an embedder fails; never in the provider's own words.

A provider's error text may repeat a part of the key, or of what a person wrote.
"""

from __future__ import annotations

from cloche.errors import ModelCause, ModelError


def by_status(who: str, status: int, code: str = "") -> ModelError:
    """The error for an HTTP answer that is none.

    Args:
        who: Provider and model.
        status: The HTTP status.
        code: The provider's short code for it, "" where there is none.
    """
    cause, said = _meaning(status)
    detail = f"{status}, {code}" if code else str(status)
    return ModelError(f"{who}: {said} ({detail}).", cause=cause)


def unreachable(who: str, error: Exception) -> ModelError:
    """The error for a connection that could not be made or broke before an answer."""
    return ModelError(
        f"{who}: the provider cannot be reached ({type(error).__name__}).", cause="unreachable"
    )


def timed_out(who: str) -> ModelError:
    """The error for an answer that did not come in time."""
    return ModelError(f"{who}: no answer in time.", cause="timeout")


def unreadable(who: str) -> ModelError:
    """The error for an answer that broke off or is not what its API promises."""
    return ModelError(f"{who}: the answer broke off or cannot be read.", cause="cut")


def closed(who: str) -> ModelError:
    """The error for whoever uses an embedder that was closed."""
    return ModelError(f"{who}: the embedder is closed.", cause="closed")


def _meaning(status: int) -> tuple[ModelCause, str]:
    if status in (401, 403):
        return "auth", "the provider does not accept the credentials, or not for this model"
    if status == 404:
        return "refused", "the provider has no such model, or no embeddings at this address"
    if status == 408:
        return "timeout", "no answer in time"
    if status == 429:
        return "throttled", "too many requests"
    if 300 <= status < 400:
        return "refused", "the address leads elsewhere, where no key is sent; set the new address"
    if status >= 500 or status == 424:
        return "server", "the provider failed"
    return "refused", "the provider refused the request"
