"""The files that go out with the reply of one turn, and their bytes when their time has come."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

from cloche.attachments.kinds import kind_of
from cloche.channels.failures import SendRefusedError
from cloche.channels.parts import FileToSend, PartFile
from cloche.links import Links
from cloche.messages import ReplyFile
from cloche.workspace.names import folded, numbered
from cloche.workspace.workspace import Workspace

MOST: Final = 5
"""Files of one reply."""


class Outgoing:
    """What tools have go out with a reply; the same file once, however often it is asked for."""

    def __init__(self) -> None:
        """Begin with none."""
        self._files: dict[str, ReplyFile] = {}

    @property
    def files(self) -> tuple[ReplyFile, ...]:
        """In the order they were asked for."""
        return tuple(self._files.values())

    def add(self, file: ReplyFile) -> bool:
        """Have a file go out; False = there are as many as one reply may have."""
        if file.key not in self._files and len(self._files) >= MOST:
            return False
        self._files[file.key] = file
        return True


async def to_send(
    workspace: Workspace, file: PartFile, links: Links | None = None
) -> FileToSend | None:
    """A file as it is now; None where it is gone, or was forgotten, since it was asked for.

    One of a door that was linked since is where it was moved to, if there are links to follow.

    Raises:
        MemoryUnavailableError: the store is away.
        SendRefusedError: it was moved to a person who has several of that name.
    """
    found = await _as_it_is(workspace, file)
    if found is not None or links is None:
        return found
    person = next((link.person for link in await links.all() if link.door == file.owner), "")
    if not person:
        return None
    area, _, name = file.key.partition("/")
    beside = folded(f"{area}/{numbered(name, 2)}")
    if any(folded(one.key) == beside for one in await workspace.list(person, strict=True)):
        raise SendRefusedError("a file was moved to where several have its name")
    return await _as_it_is(workspace, replace(file, owner=person))


async def _as_it_is(workspace: Workspace, file: PartFile) -> FileToSend | None:
    content = await workspace.read(file.owner, file.key)
    if content is None:  # is it gone, or only out of reach?
        content = await workspace.read(file.owner, file.key, strict=True)
    if content is None:
        return None
    kind = await asyncio.to_thread(kind_of, content)
    return FileToSend(file.name, kind.media_type, content, workspace.path(file.owner, file.key))
