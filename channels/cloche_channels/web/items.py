"""What stands in a talk: somebody's words, or an answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from cloche.messages import Attachment, Button

State: TypeAlias = Literal["waiting", "writing", "done", "stopped", "unanswered"]


@dataclass(frozen=True, slots=True)
class Shown:
    """A file beside somebody's words."""

    id: str
    name: str
    media_type: str


def shown(attachment: Attachment) -> Shown:
    """A file as it is shown."""
    return Shown(attachment.ref, attachment.name, attachment.media_type)


@dataclass(slots=True, eq=False)
class Item:
    """Somebody's words in a talk.

    Attributes:
        id: For the page: the same item again replaces what it shows.
        own: True for the person's, False for the assistant's.
        at: When.
        text: A person's words as written; an answer's Markdown.
        files: What came with it.
        given: Keys of the files that go with an answer.
        buttons: Choices under it.
        state: How far it is.
        unseen: True for an answer nobody saw being written: it was sent after a restart.
        label: What stood on the button that said the words; "" = they were written.
    """

    id: str
    own: bool
    at: datetime
    text: str
    files: tuple[Shown, ...] = ()
    given: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()
    state: State = "done"
    unseen: bool = False
    label: str = ""
