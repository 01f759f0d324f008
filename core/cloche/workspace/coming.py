"""The files that came with the live message: tools see them though they are kept after the turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from cloche.attachments.brought import Sent
from cloche.people import Person
from cloche.workspace.names import area_of, folded, name_from, numbered
from cloche.workspace.shelf import KeptFile
from cloche.workspace.store import StoredFile
from cloche.workspace.workspace import SENT


@dataclass(frozen=True, slots=True)
class Coming:
    """A file that will be kept once the turn is over.

    Attributes:
        file: As it is listed: no kept one has its key.
        called: The name it came with, folded: what it is asked for by.
        content: Its bytes and words.
    """

    file: StoredFile
    called: str
    content: KeptFile


def files_of(person: Person, sent: Iterable[Sent]) -> list[KeptFile]:
    """What came with a message, under the names that it is kept under."""
    return [
        KeptFile(one.name or f"{person.now:%Y-%m-%d}{one.suffix}", one.data, one.words)
        for one in sent
    ]


def beside(
    kept: Sequence[StoredFile], files: Iterable[KeptFile], group: str, now: datetime
) -> list[Coming]:
    """Files that came, beside those that are kept: each under a key that is free or its own.

    Args:
        kept: What is kept.
        files: What came, in order.
        group: The group it came in; "" = none.
        now: When it came.
    """
    area, found = area_of(SENT, group), list[Coming]()
    taken = {folded(one.key): one.size for one in kept}
    for file in files:
        name, number = name_from(file.key), 1
        key = f"{area}/{name}"
        # Sent again it is kept once; two of one name and one size are two later, if they are.
        while taken.get(folded(key), len(file.data)) != len(file.data):
            number += 1
            key = f"{area}/{numbered(name, number)}"
        taken[folded(key)] = len(file.data)
        found.append(Coming(StoredFile(key, len(file.data), now, ""), folded(name), file))
    return found
