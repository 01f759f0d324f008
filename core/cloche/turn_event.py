"""A turn as it is kept: evidence of what was said, and by whom."""

from __future__ import annotations

from datetime import UTC

from cloche.agents.routing import Routed
from cloche.attachments.reading import MAX_MESSAGE_CHARS
from cloche.memory.records import Event
from cloche.memory.truth.screening import cleared, without_secrets
from cloche.messages import Message
from cloche.people import Person
from cloche.slash import own_words


async def event_of(id_: str, person: Person, message: Message, routed: Routed) -> Event:
    """A turn with the person's own words, no secret, no failure's sentence."""
    # That a file cannot be read is an answer like any other, and stays one.
    failed = routed.failure not in ("", "attachment")
    return Event(
        id=id_,
        actor=person.actor,
        session=person.session,
        conversation=person.conversation,
        at=person.now.astimezone(UTC),
        user_text=await cleared(own_words(message)[:MAX_MESSAGE_CHARS]),
        assistant_text=None if failed else await cleared(routed.answer.text),
        group=person.group,
        attachments=tuple(a.name for a in message.attachments),
        language=person.language,
    )


def unasked_event(id_: str, person: Person, text: str) -> Event:
    """What was said with no words of the person: nothing is learned of it."""
    return Event(
        id=id_,
        actor=person.actor,
        session=person.session,
        conversation=person.conversation,
        at=person.now.astimezone(UTC),
        user_text="",
        assistant_text=without_secrets(text),
        group=person.group,
        language=person.language,
    )
