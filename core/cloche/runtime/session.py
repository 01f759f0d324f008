"""Which session of the runtime a conversation belongs to: the same for whoever asks.

Standard library only: the cloud's ingress runs this file as it is.
"""

from __future__ import annotations

import hashlib
from typing import Final

from cloche.ids import conversation_id
from cloche.messages import place_of

SESSION_HEADER: Final = "x-amzn-bedrock-agentcore-runtime-session-id"


def message_group(channel: str, conversation: str) -> str:
    """The queue's message group of a conversation: at most 100 characters, of 128 it may have.

    What a platform sends and what is due there are one group, so that they stay in order.

    Args:
        channel: The channel's name.
        conversation: As the platform names it, without a thread: topics share a session.
    """
    return conversation_id(channel, place_of(conversation))


def session_of_group(group: str, salt: str = "") -> str:
    """The session of a message group: 71 characters, of which the service takes 33 to 256.

    Args:
        group: See ``message_group``.
        salt: Differs from one deployment to the next, as a session keeps the version it began with.
    """
    named = f"{salt}\n{group}"
    return f"cloche-{hashlib.sha256(named.encode('utf-8', 'surrogatepass')).hexdigest()}"


def runtime_session_id(channel: str, conversation: str, salt: str = "") -> str:
    """The session of a conversation; see ``message_group`` and ``session_of_group``."""
    return session_of_group(message_group(channel, conversation), salt)
