"""What the open pages of one browser show: the talk as it goes on, until memory has it.

A talk lives as long as the process and holds only what memory does not: words that wait, the
answer that is being written, an answer not yet remembered. Everything before comes from the desk,
each time a page asks, so that what was forgotten is shown nowhere.
"""

from __future__ import annotations

import asyncio
import uuid
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from cloche.channels import Part
from cloche.clock import Clock
from cloche.messages import Message
from cloche_channels.web.items import Item, Shown, shown
from cloche_channels.web.uploads import Uploads

if TYPE_CHECKING:
    from cloche.turn import Remembered, Turn

KNOWN_IDS: Final = 1000
"""Messages of which a repeat is known, so that it is not shown twice."""


class Listener:
    """One open page: which items it has not been told of in their present state."""

    def __init__(self) -> None:
        """Begin with everything to tell."""
        self._wake = asyncio.Event()
        self._wake.set()
        self._changed: dict[str, Item] = {}
        self._anew = True
        self.ended = False

    def changed(self, item: Item) -> None:
        """Have an item told; what changes meanwhile is told with it."""
        self._changed[item.id] = item
        self._wake.set()

    def begin_anew(self) -> None:
        """Have everything told."""
        self._anew = True
        self._wake.set()

    def end(self) -> None:
        """Have the page go: nothing more will be told."""
        self.ended = True
        self._wake.set()

    async def next(self, seconds: float) -> tuple[bool, list[Item]]:
        """Wait for something to tell: whether all of it, and which items changed.

        Neither when nothing happened for that many seconds.
        """
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return False, []
        anew, items = self._anew, list(self._changed.values())
        self._wake.clear()
        self._anew, self._changed = False, {}
        return anew, items


@dataclass(eq=False)
class Talk:
    """The talk of one browser, in whichever of its tabs."""

    clock: Clock
    uploads: Uploads
    items: list[Item] = field(default_factory=list)
    listeners: set[Listener] = field(default_factory=set)
    unsent: dict[str, Item] = field(default_factory=dict)
    """Answers written whose reply is still to be sent, by the id of their turn."""
    turns: list[Watch] = field(default_factory=list)
    """Those that began and that memory does not have yet, in order."""
    remembering: bool = False
    """True while what was said is being remembered: what waits meanwhile waits for that."""
    dropped: int = 0
    """How often something was let go of: who read memory meanwhile may have it nowhere."""
    _sent: Item | None = None
    _known: deque[str] = field(default_factory=lambda: deque(maxlen=KNOWN_IDS))

    def say(self, id_: str, text: str, files: tuple[Shown, ...], label: str = "") -> Item | None:
        """Show the person's words while they wait; None = they are here already."""
        if id_ in self._known:
            return None
        self._known.append(id_)
        item = Item(id_, True, self.clock(), text, files, state="waiting", label=label)
        return self.add(item)

    @property
    def waiting(self) -> list[Item]:
        """The person's words whose turn has not begun."""
        return [item for item in self.items if item.state == "waiting"]

    def remember(self, on: bool) -> None:
        """Say what the words that wait are waiting for."""
        self.remembering = on
        for item in self.waiting:
            self.tell(item)

    def take_back(self, item: Item) -> None:
        """Undo ``say``: the words could not be kept."""
        self._known.remove(item.id)
        self.drop([item])
        self.tell_all()

    def add(self, item: Item) -> Item:
        """Show another item."""
        self.items.append(item)
        self.tell(item)
        return item

    def tell(self, item: Item) -> None:
        """Show an item as it is now."""
        for listener in self.listeners:
            listener.changed(item)

    def tell_all(self) -> None:
        """Have every page ask for everything again."""
        for listener in self.listeners:
            listener.begin_anew()

    def drop(self, items: Iterable[Item]) -> None:
        """Hold items no longer: memory has them, or they are gone. What pages show stays."""
        gone = set(items)
        self.dropped += 1
        self.items = [item for item in self.items if item not in gone]

    def send(self, part: Part) -> None:
        """Show what is sent: the answer that was being written, or words nobody saw written.

        A file is offered below the words it goes with.
        """
        if part.key in self._known:
            return  # sent again, because nobody knew whether it had arrived
        if part.key:
            self._known.append(part.key)
        if part.file and self._sent:
            self._sent.given = (*self._sent.given, part.file.key)
            return self.tell(self._sent)
        item = self.unsent.pop(part.turn, None)
        if item is None:
            id_ = f"part-{uuid.uuid4().hex}"
            item = self.add(Item(id_, False, self.clock(), "", unseen=True))
        item.text, item.buttons, item.state = part.text, part.buttons, "done"
        if part.file:  # its words were sent before a restart
            item.text, item.given = "", (part.file.key,)
        self._sent = item
        self.tell(item)

    def stop(self) -> None:
        """Show that what was being written stays as it is."""
        for item in self.items:
            if item.state == "writing":
                item.state = "stopped"
                self.tell(item)

    def end(self) -> None:
        """Let every page go."""
        for listener in self.listeners:
            listener.end()

    def let_go(self) -> None:
        """Hold only what is not answered yet: something was forgotten, and may be in the rest."""
        gone = [item for item in self.items if item.state not in ("waiting", "writing")]
        if not any(item.state == "writing" for item in self.items):
            self.uploads.drop(file.id for item in gone for file in item.files)
        self.drop(gone)
        self.tell_all()


class Watch:
    """One turn of a talk while it runs (``cloche.channels.Watcher``)."""

    def __init__(self, talk: Talk) -> None:
        """Take where it is shown."""
        self._talk = talk
        self._said: list[Item] = []
        self._answer: Item | None = None

    @property
    def items(self) -> list[Item]:
        """What was said, and the answer."""
        return [*self._said, self._answer] if self._answer else self._said

    @property
    def is_answered(self) -> bool:
        """Whether it waits for memory alone."""
        return self._answer is not None and self._answer.state == "done"

    async def began(self, message: Message) -> None:
        """Mark the words the turn answers, and show that an answer is being written."""
        talk = self._talk
        talk.remembering = False
        if broken := [item for item in talk.items if item.state == "writing"]:
            talk.drop(broken)  # a turn that died and is run again
            talk.tell_all()
        self._said = merged_in(message, talk.items)
        if not self._said:
            at = message.sent_at or talk.clock()
            files = tuple(map(shown, message.attachments))
            self._said = [talk.add(Item(message.id, True, at, message.text, files))]
        for item in self._said:
            item.state = "done"
            talk.tell(item)
        answer = Item(f"answer-{message.id}", False, talk.clock(), "", state="writing")
        self._answer = talk.add(answer)
        talk.turns.append(self)

    async def delta(self, piece: str) -> None:
        """Show more of the answer."""
        if self._answer and self._answer.state == "writing":
            self._answer.text += piece
            self._talk.tell(self._answer)

    async def answered(self, turn: Turn) -> None:
        """Show the answer as it is after all."""
        if self._answer:
            self._answer.text, self._answer.state = turn.reply.text, "done"
            self._talk.unsent[turn.id] = self._answer
            self._talk.tell(self._answer)
        self._talk.remember(True)

    async def followed(self, remembered: Remembered) -> None:
        """Leave the turn to memory; what was never remembered (a stopped turn) goes with it.

        The next turn may have begun, or have been answered, meanwhile: its items stay.
        """
        talk = self._talk
        if self in talk.turns:
            del talk.turns[: talk.turns.index(self) + 1]
        talk.remember(any(turn.is_answered for turn in talk.turns))
        later = {item for turn in talk.turns for item in turn.items}
        left = [item for item in talk.items if item not in later]
        gone = [item for item in left if item.state not in ("waiting", "writing")]
        talk.drop(gone)
        talk.uploads.drop(file.id for item in (*gone, *self._said) for file in item.files)


def merged_in(message: Message, items: Iterable[Item]) -> list[Item]:
    """The person's items a message was merged of: in order, words and files found in it."""
    refs, at, found = {one.ref for one in message.attachments}, 0, []
    for item in items:
        if not item.own or item.state not in ("waiting", "done"):
            continue
        start = message.text.find(item.text.strip(), at)
        if start < 0 or not refs.issuperset(file.id for file in item.files):
            continue
        found.append(item)
        at = start + len(item.text.strip())
    return found
