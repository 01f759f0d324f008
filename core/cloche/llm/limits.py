"""How long a model may take, the same for every provider.

An answer is streamed, also where nobody watches it grow, so that a model that hangs is told from
one that is slow. Four limits, of which the first that is reached counts:

- It has begun while the turn's patience lasts (``cloche.patience``), at the latest after
  ``model.patience_seconds``; a second try and another model are included.
- Once it has begun it is never silent for ``QUIET_SECONDS``: a stream that stalls broke off.
- It is there when the turn's patience ends. One that grew in the last ``GROWING_SECONDS``, be it a
  slow drip, is given as far as it came, with a mark that it goes on, as one that ran out of tokens;
  another one broke off. Where it is watched each piece begins the wait anew: then it is the turn
  that takes at most ``model.timeout_seconds``.
- A call takes ``model.timeout_seconds`` at most. One whose answer nobody reads (what is worth
  remembering) takes ``ASIDE_SECONDS``, and is not made while the model answers nobody.

What broke off is not given; what of it was seen already is replaced by one sentence. Who was slow
is not asked again, nor is another model: the time is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cloche.settings import ModelSettings

CONNECT_SECONDS: Final = 5
QUIET_SECONDS: Final = 15
"""Silence within a stream after which it is given up; models that think or write arguments of tools
without a word pause for some seconds."""

GROWING_SECONDS: Final = 5
"""What has come so lately is a sign that more is to come."""

ASIDE_SECONDS: Final = 15
"""What is asked beside an answer may take so long: the conversation's next turn waits for it."""

NO_KEY: Final = "not-needed"
"""What a server of one's own gets when no key is set; SDKs insist on one."""


def first_event_seconds(settings: ModelSettings) -> float:
    """How long a stream may take to begin."""
    return min(settings.timeout_seconds, settings.patience_seconds)
