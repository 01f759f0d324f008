"""Which session of the runtime a conversation belongs to: the same for whoever asks.

Standard library only: the cloud's ingress runs this file as it is.
"""

from __future__ import annotations

import hashlib
from typing import Final

from cloche.ids import conversation_id
from cloche.messages import place_of

SESSION_HEADER: Final = "x-amzn-bedrock-agentcore-runtime-session-id"


def runtime_session_id(channel: str, conversation: str, salt: str = "") -> str:
    """The session's id: 71 characters, of which the service takes 33 to 256.

    Args:
        channel: The channel's name.
        conversation: As the platform names it, without a thread: topics share a session.
        salt: Differs from one deployment to the next, as a session keeps the version it began with.
    """
    named = f"{salt}\n{conversation_id(channel, place_of(conversation))}"
    return f"cloche-{hashlib.sha256(named.encode('utf-8', 'surrogatepass')).hexdigest()}"
