"""What came in and is not answered yet: one key per update, its claim and its row at once.

``inbox/<channel>/<conversation id>/<hash of the update's id>`` holds the message from the claim
until it is answered, then a tombstone for a day: a platform that delivers it again within that
day is told nothing new. The conversation is the one the platform named, whatever it was called
before or since: an update is the same before and after the move of its conversation is known.

The first row of a turn lists the rows the turn was made of before it starts, so that a turn which
died is run again with the same words, hence the same ``call_id``.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final

from cloche.clock import Clock
from cloche.delivery.codec import message_from_json, message_to_json
from cloche.delivery.fence import Fence
from cloche.ids import conversation_id
from cloche.messages import Message
from cloche.sqlite import to_micros
from cloche.state.store import Json, StateItem, StateStore

logger = logging.getLogger(__name__)

KEPT: Final = timedelta(hours=24)
"""How long an answered update is known, and a note of an edit waits for the next turn."""
PAGE: Final = 500
MAX_MESSAGE_BYTES: Final = 200_000
"""UTF-8 bytes of a message's own and quoted words; a state store keeps 300 kB under one key."""
NAME_CHARS: Final = 255
"""Of a file's or a person's name, and of what else a platform calls something."""
MOST_FILES: Final = 20
"""Files of one message that are kept; channels read far fewer."""
DONE: Final[Json] = {"done": True}


@dataclass(frozen=True, slots=True)
class Row:
    """One update that waits.

    Attributes:
        key: Where it lies in the StateStore.
        message: What was written.
        arrived: Microseconds since 1970, greater than those of every row before it.
        members: Names of the rows of the turn it starts, itself first; () = no turn has started.
        tries: How often that turn was started.
        version: Of what lies there, as it was when this process read or wrote it.
        recovered: True when another process took it in: with ``members``, its turn may have run.
        was: For a note of an edit: the words before; None = this is no note.
        too_long: True when its words were too many to be kept.
        context: What it came in: its turn's log lines have that request's id, its spans are parts
            of that one's trace. Empty for what another process took in.
    """

    key: str
    message: Message
    arrived: int
    members: tuple[str, ...] = ()
    tries: int = 0
    version: int = 0
    recovered: bool = False
    was: str | None = None
    too_long: bool = False
    context: Context = field(default_factory=Context, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The last part of its key."""
        return self.key.rpartition("/")[2]

    @property
    def fixed(self) -> bool:
        """True when the turn it starts may have run: nothing joins it any more."""
        return self.recovered and bool(self.members)


class Inbox:
    """One channel's rows in the StateStore.

    Every method raises ``MemoryUnavailableError`` when the store is away.
    """

    def __init__(self, channel: str, state: StateStore, clock: Clock, fence: Fence) -> None:
        """Take the channel's name, where rows are kept, and who writes them anew."""
        self._fence = fence
        self._prefix, self._state, self._clock = f"inbox/{channel}/", state, clock
        self._channel, self._last = channel, 0

    def row(self, message: Message, *, starts: bool, named: str = "") -> Row:
        """The row of a message that has just come, not kept yet.

        Args:
            message: What was written.
            starts: True when its turn begins as soon as it is kept: that it does is kept with it.
            named: The place as the platform named it; "" = as the message does.
        """
        self._last = max(to_micros(self._clock()), self._last + 1)
        key = self._key(named or message.place, message.id)
        message, too_long = _within(message)
        row = Row(key, message, self._last, too_long=too_long, context=copy_context())
        return replace(row, members=(row.name,), tries=1) if starts else row

    async def claim(self, row: Row) -> Row | None:
        """Keep a row, once; None when its update came before."""
        item = await self._state.compare_and_set(row.key, _to_json(row), version=0)
        return replace(row, version=item.version) if item else None

    async def left(self, row: Row) -> Row | None:
        """The row as it lies there, where its update came before and waits; None = it is done."""
        item = await self._state.get(row.key)
        try:
            return None if item is None or item.value == DONE else _from_json(item)
        except ValueError:
            return None

    async def knows(self, named: str, update: str) -> bool:
        """Whether an update came before; its place as the platform names it."""
        return await self._state.get(self._key(named, update)) is not None

    async def claim_done(self, named: str, update: str) -> bool:
        """Claim an update that leaves nothing to do; False when it came before."""
        key = self._key(named, update)
        return bool(await self._state.compare_and_set(key, DONE, version=0, ttl=KEPT))

    async def write(self, row: Row) -> Row:
        """Keep what a row has become; a note lapses when no turn takes it along in time.

        Raises:
            HeldElsewhereError: another machine has taken it over.
        """
        ttl = None if row.was is None or row.members else KEPT
        return await self._write(row, _to_json(row), ttl)

    async def done(self, row: Row) -> None:
        """Replace a row by its tombstone.

        Raises:
            HeldElsewhereError: another machine has taken it over.
        """
        await self._write(row, DONE, KEPT)

    async def waiting(self, *places: str) -> Sequence[Row]:
        """Every row that is not done, in order of arrival; what cannot be read is left out.

        With ``places`` those that wait there: others' are not even read.
        """
        rows, damaged = [], 0
        for prefix in map(self._folder, places) if places else (self._prefix,):
            after = ""
            while page := await self._state.list_items(prefix, after=after, limit=PAGE):
                after = page[-1].key
                for item in page:
                    if item.value == DONE:
                        continue
                    try:
                        rows.append(_from_json(item))
                    except ValueError:
                        damaged += 1
        if damaged:
            logger.error(
                "channel=%s rows=%d | waiting messages cannot be read", self._channel, damaged
            )
        rows.sort(key=lambda row: row.arrived)
        self._last = max(self._last, rows[-1].arrived if rows else 0)
        return rows

    async def _write(self, row: Row, value: Json, ttl: timedelta | None) -> Row:
        conversation, version = row.message.conversation, row.version
        return replace(
            row,
            version=await self._fence.write(conversation, row.key, value, version=version, ttl=ttl),
        )

    def _key(self, place: str, update: str) -> str:
        digest = hashlib.sha256(update.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return self._folder(place) + digest

    def _folder(self, place: str) -> str:
        return f"{self._prefix}{conversation_id(self._channel, place)}/"


def _within(message: Message) -> tuple[Message, bool]:
    """The message as it can be kept, and whether its words had to be left out for that."""
    message = _bounded(message)
    for kept in (message, replace(message, formatted="")):
        if _has_room(kept):
            return kept, False
    return replace(message, text="", formatted="", quoted=()), True


def _has_room(message: Message) -> bool:
    texts = [message.text, message.formatted, *(q.text + q.author for q in message.quoted)]
    if sum(map(len, texts)) * 4 <= MAX_MESSAGE_BYTES:
        return True
    # Escaped as JSON a control character takes six bytes, whatever it takes in UTF-8.
    return sum(len(_spelled(text)) for text in texts) <= MAX_MESSAGE_BYTES


def _bounded(message: Message) -> Message:
    """The message with names as long as names are; what the ids may be, receiving has seen to."""
    files = tuple(
        replace(file, name=file.name[:NAME_CHARS], media_type=file.media_type[:NAME_CHARS])
        for file in message.attachments[:MOST_FILES]
    )
    return replace(
        message,
        attachments=message.attachments if files == message.attachments else files,
        sender_name=message.sender_name[:NAME_CHARS],
        language=message.language[:NAME_CHARS],
    )


def _spelled(text: str) -> bytes:
    """A text as the StateStore's JSON spells it, without the quotes."""
    return json.dumps(text, ensure_ascii=False).encode("utf-8", "backslashreplace")[1:-1]


def _to_json(row: Row) -> Json:
    document: dict[str, Json] = {"message": message_to_json(row.message), "arrived": row.arrived}
    if row.members:
        document |= {"turn": list(row.members), "tries": row.tries}
    if row.was is not None:
        document["was"] = row.was
    if row.too_long:
        document["too_long"] = True
    return document


def _from_json(item: StateItem) -> Row:
    """The row an item is.

    Raises:
        ValueError: it is none.
    """
    match item.value:
        case {"message": message, "arrived": int(arrived), **rest}:
            pass
        case _:
            raise ValueError(f"{item.key} is no row")
    turn, tries, was = rest.get("turn"), rest.get("tries"), rest.get("was")
    return Row(
        item.key,
        message_from_json(message),
        arrived,
        members=tuple(map(str, turn)) if isinstance(turn, list) else (),
        tries=tries if isinstance(tries, int) else 0,
        version=item.version,
        recovered=True,
        was=was if isinstance(was, str) else None,
        too_long=rest.get("too_long") is True,
    )
