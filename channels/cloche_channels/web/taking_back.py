"""Words that wait, taken back into the field they were written in."""

from __future__ import annotations

from collections.abc import Sequence

from cloche.channels import Door
from cloche.messages import Address, Message
from cloche_channels.web.items import Item
from cloche_channels.web.talks import Talk


async def taken_back(talk: Talk, door: Door, address: Address, conversation: str) -> list[Item]:
    """Take back all words whose turn has not begun; those that were.

    Raises:
        MemoryUnavailableError: the store is away; what was not taken back waits as before.
    """
    back = []
    for item in talk.waiting:
        if await door.withdraw(Message(item.id, address, conversation, item.text)):
            talk.take_back(item)
            back.append(item)
    return back


def words_json(items: Sequence[Item]) -> dict[str, object]:
    """What the field gets back: what was written, not what a button said, and the files."""
    files = [file for item in items for file in item.files]
    return {
        "words": "\n".join(item.text for item in items if item.text and not item.label),
        "files": [{"id": file.id, "name": file.name, "type": file.media_type} for file in files],
    }
