"""A person's files as the tools of one turn see them (``cloche.tools.files``)."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import Sequence
from typing import Final

from cloche.attachments.brought import Sent
from cloche.attachments.pdf.reading import is_pdf
from cloche.attachments.sounds import sound_kind
from cloche.attachments.text_files import decode
from cloche.errors import ToolError, TurnError
from cloche.llm.images import prepare_image
from cloche.memory.forgotten import Forgotten
from cloche.messages import ReplyFile
from cloche.people import Person
from cloche.texts import say
from cloche.tools.files import ToolFile
from cloche.workspace.coming import Coming, beside, files_of
from cloche.workspace.looking import Looker
from cloche.workspace.names import area_of, folded, is_name
from cloche.workspace.outgoing import MOST, Outgoing
from cloche.workspace.shelf import KeptFile, told_in
from cloche.workspace.store import StoredFile
from cloche.workspace.workspace import NoRoomError, Workspace

MADE: Final = "made"
MAX_TEXT_BYTES: Final = 1_000_000
"""Of a text that is given to a tool as one."""


class PersonFiles:
    """The files of the person a turn acts for, and of nobody else."""

    def __init__(
        self,
        workspace: Workspace,
        person: Person,
        forgotten: Forgotten,
        looker: Looker,
        outgoing: Outgoing,
        turn_id: str,
        sent: Sequence[Sent] = (),
    ) -> None:
        """Take whose they are; in a group only that group's are seen, unless switched on.

        ``sent`` came with the message that the turn answers: seen and read, and kept after it.
        """
        self._sent = files_of(person, sent)
        self._outgoing, self._turn_id = outgoing, turn_id
        self._workspace, self._person, self._forgotten = workspace, person, forgotten
        self._looker = looker
        self._made = area_of(MADE, group_of(person))

    async def list(self) -> Sequence[ToolFile]:
        """All of them, the newest first."""
        kept = await self._seen()
        coming = [one.file for one in self._coming(kept)]
        again = {one.key for one in coming}
        kept = [one for one in kept if one.key not in again]
        older = sorted(kept, key=lambda one: (one.at, one.key), reverse=True)
        return [_shown(one) for one in (*coming, *older)]

    async def read(self, name: str) -> bytes:
        """A file's bytes.

        Raises:
            ToolError: there is none, several have the name, or it is too large.
        """
        if came := await self._came(name):
            return came.data
        return await self._read(await self._found(name), name)

    async def _read(self, file: StoredFile, name: str) -> bytes:
        if file.size > self._workspace.limits.file_bytes:
            told = f"{file.key} is too large to read."
            raise ToolError(told, key="kept_file_too_large", name=file.key)
        data = await self._workspace.read(self._person.actor, file.key)
        if data is None:
            told = f"There is no file {name!r} any more."
            raise ToolError(told, key="kept_file_absent", name=name)
        return data

    async def read_text(self, name: str) -> str:
        """A file's text, or the words that are said or written in it.

        Raises:
            ToolError: as ``read``, or it has no words, or more than 1 MB of text.
        """
        if came := await self._came(name):
            words, data = came.words, came.data
        else:
            file = await self._found(name)
            words = await self._workspace.words(self._person.actor, file.key)
            data = b"" if words else await self._read(file, name)
        if words:
            return words
        text = decode(data)
        if text is None or len(data) > MAX_TEXT_BYTES:
            raise _unreadable(name, data, is_text=text is not None)
        return text

    async def look(self, name: str, question: str = "") -> str:
        """What a picture shows, as a model that looks at it answers a question.

        Raises:
            ToolError: as ``read``, or it is no picture, or nobody could look.
        """
        data = await self.read(name)
        try:
            image = await asyncio.to_thread(prepare_image, data, name, self._person.language)
        except TurnError as error:
            raise ToolError(error.user_message) from error
        person = self._person
        return await self._looker.look(person.actor, image, question, person.language)

    async def write(self, name: str, content: bytes | str) -> ToolFile:
        """Keep a file under ``made/``.

        Raises:
            ToolError: that is no name, or there is no room.
        """
        plain = name.removeprefix(f"{MADE}/").removeprefix(f"{self._made}/")
        if not is_name(plain):
            raise ToolError(
                f"{name!r} cannot be a file's name: take letters, digits, spaces, - and _, at most "
                "80 characters, and no path.",
                key="kept_file_name",
                name=name,
            )
        data = content.encode("utf-8", "replace") if isinstance(content, str) else content
        limits = self._workspace.limits
        if len(data) > limits.file_bytes:
            most = f"{limits.file_bytes / 1_000_000:g}"
            told = f"{name!r} cannot be kept: a file may have at most {most} MB; make it smaller."
            raise ToolError(told, key="kept_file_too_big", name=name, file=most)
        try:
            async with self._forgotten.alone(self._person.actor):
                await self._refuse_if_forgotten(KeptFile(plain, data))
                key = f"{self._made}/{plain}"
                file = await self._workspace.write(self._person.actor, key, data)
        except NoRoomError as error:
            total, oldest = f"{limits.total_bytes / 1_000_000:g}", await self._oldest()
            raise ToolError(
                f"There is no room for this file: a person may have {limits.files} files of "
                f"{total} MB together; remove one first, such as the oldest, {oldest!r}.",
                key="kept_file_no_room",
                count=limits.files,
                total=total,
                oldest=oldest,
            ) from error
        return _shown(file)

    async def send(self, name: str) -> ToolFile:
        """Have a file go out with the reply.

        Raises:
            ToolError: there is none, several have the name, or the reply has as many as it may.
        """
        file = await self._found(name)
        bare, language = file.key.partition("/")[2], self._person.language
        instead = say("reply_file_instead", language, name=bare.replace("`", "'"))
        reply = ReplyFile(self._person.actor, file.key, bare, file.size, instead)
        if not self._outgoing.add(reply):
            told = f"One reply may have {MOST} files; the others go with the next."
            raise ToolError(told, key="kept_file_enough", most=MOST)
        return _shown(file)

    async def delete(self, name: str) -> bool:
        """Remove a file; False when there is none.

        Raises:
            ToolError: several have the name.
        """
        file = await self._named(name)
        if file is not None:
            await self._workspace.delete(self._person.actor, file.key)
        return file is not None

    async def _refuse_if_forgotten(self, file: KeptFile) -> None:
        """Keep nothing for a turn that began before the person had it, or everything, forgotten.

        Raises:
            ToolError: it did.
        """
        actor, now = self._person.actor, self._person.now
        if await self._forgotten.covers(actor, now):
            raise ToolError(
                "The person has just had everything forgotten: nothing is kept.",
                key="kept_file_forgotten",
            )
        if await self._forgotten.tells(actor, await told_in(file), now, turn=self._turn_id):
            raise ToolError(
                "The person has just had forgotten what this file tells: it is not kept.",
                key="kept_file_told_forgotten",
            )

    async def _oldest(self) -> str:
        files = sorted(await self._seen(), key=lambda one: (one.at, one.key))
        return files[0].key if files else ""

    async def _seen(self) -> builtins.list[StoredFile]:
        files = await self._workspace.list(self._person.actor)
        if self._person.may_recall_anywhere:
            return [*files]
        here = {area_of(kind, group_of(self._person)) for kind in ("sent", MADE)}
        return [one for one in files if one.key.partition("/")[0] in here]

    def _coming(self, kept: Sequence[StoredFile]) -> Sequence[Coming]:
        return beside(kept, self._sent, group_of(self._person), self._person.now)

    async def _came(self, name: str) -> KeptFile | None:
        """What came with the message under a name; it is meant rather than what was kept before."""
        if not self._sent:
            return None
        wanted = folded(name.strip())
        for one in self._coming(await self._seen()):
            area, _, bare = folded(one.file.key).partition("/")
            if wanted in (one.called, f"{area}/{one.called}", bare, f"{area}/{bare}"):
                return one.content
        return None

    async def _found(self, name: str) -> StoredFile:
        file = await self._named(name)
        if file is None:
            told = f"There is no file {name!r}; list the files to see their names."
            raise ToolError(told, key="kept_file_absent", name=name)
        return file

    async def _named(self, name: str) -> StoredFile | None:
        wanted, files = folded(name.strip()), await self._seen()
        for one in files:
            if folded(one.key) == wanted:
                return one
        found = [one for one in files if folded(one.key.partition("/")[2]) == wanted]
        if len(found) > 1:
            names = ", ".join(one.key for one in found)
            told = f"Several files are called {name!r}: {names}. Name one of these."
            raise ToolError(told, key="kept_file_several", name=name, names=names)
        return found[0] if found else None


def group_of(person: Person) -> str:
    """The group a person writes in; "" = none."""
    return person.conversation if person.group else ""


def _unreadable(name: str, data: bytes, *, is_text: bool) -> ToolError:
    """Why nobody can read it."""
    if sound_kind(data, ""):
        told = f"Nobody wrote down what is said in {name!r}; it can only be sent as it is."
        return ToolError(told, key="kept_file_unheard", name=name)
    if is_pdf(data):
        told = f"{name!r} has no text: it is broken, locked or made of pictures."
        return ToolError(told, key="kept_file_wordless", name=name)
    most = MAX_TEXT_BYTES // 1000
    if is_text:
        told = f"{name!r} has more than {most} kB of text, too much to read."
        return ToolError(told, key="kept_file_long", name=name, most=most)
    return ToolError(f"{name!r} is no text.", key="kept_file_not_text", name=name)


def _shown(file: StoredFile) -> ToolFile:
    return ToolFile(file.key, file.size, file.at)
