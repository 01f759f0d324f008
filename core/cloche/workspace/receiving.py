"""What a person sent becomes one of their files, once the turn is answered."""

from __future__ import annotations

from collections.abc import Sequence

from cloche.attachments.brought import Sent
from cloche.memory.pipeline import Memory
from cloche.messages import Message
from cloche.people import Person
from cloche.workspace.coming import files_of
from cloche.workspace.names import area_of
from cloche.workspace.person_files import group_of
from cloche.workspace.shelf import told_in
from cloche.workspace.workspace import SENT


async def keep_files(
    memory: Memory, person: Person, message: Message, sent: Sequence[Sent], turn: str
) -> None:
    """Keep what came with a message, and save what the turn changed; never fails.

    Nothing is kept of what came before the person had everything forgotten, nor what tells, by its
    words or its name, of something they had forgotten since, unless that was in this turn.
    """
    if sent:
        area = area_of(SENT, group_of(person))
        files = files_of(person, sent)
        actor, arrived = person.actor, message.arrived or person.now
        async with memory.forgotten.alone(actor):
            if not await memory.forgotten.covers(actor, arrived):
                kept = [
                    one
                    for one in files
                    if not await memory.forgotten.tells(
                        actor, await told_in(one), arrived, turn=turn
                    )
                ]
                await memory.files.receive(actor, area, kept)
    await memory.files.save()
