"""What a message brought beside its written words, once it was looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from cloche.agents.agent import OnDelta
from cloche.agents.routing import Routed
from cloche.errors import TurnError
from cloche.messages import Message
from cloche.prompt import Image, TextFile


@dataclass(frozen=True, slots=True)
class Sent:
    """A file that somebody sent, to be kept.

    A picture that a model can look at is as the model saw it, without metadata; a text is UTF-8;
    anything else has the bytes that came.

    Attributes:
        name: As its sender calls it, "" when they do not; never trusted as a path.
        suffix: What a name of its kind ends with.
        data: Its bytes.
        words: What is said or written in it, where its bytes do not show that; "" = not known.
    """

    name: str
    suffix: str
    data: bytes
    words: str = ""


@dataclass(frozen=True, slots=True)
class Brought:
    """What a message brought beside its written words.

    Attributes:
        images: Its pictures, in order.
        files: Its texts, in order.
        spoken: Its voice messages' words, "" when there were none.
        sent: Its files, in order, also those that could not be read.
        unread: What the person calls the files that could not be read, in order.
        notice: What they are told of those, and of what was read in part; "" = all was read.
    """

    images: tuple[Image, ...] = ()
    files: tuple[TextFile, ...] = ()
    spoken: str = ""
    sent: tuple[Sent, ...] = ()
    unread: tuple[str, ...] = ()
    notice: str = ""

    def refuse_unread(self, message: Message) -> None:
        """Refuse a message that has no words, and whose files could not be read.

        Raises:
            TurnError: there is nothing to answer; ``user_message`` says why.
        """
        told = message.text.strip() or message.quoted
        if self.unread and not (told or self.images or self.files or self.spoken):
            raise TurnError("no file can be read", user_message=self.notice)

    def heard_with(self, message: Message) -> Message:
        """The message with what was spoken as the person's words, after what was written."""
        if not self.spoken:
            return message
        text, formatted = (
            "\n\n".join(words for words in (written, self.spoken) if words.strip())
            for written in (message.text, message.formatted)
        )
        return replace(message, text=text, formatted=formatted if message.formatted else "")

    async def told_below(self, routed: Routed, on_delta: OnDelta | None) -> Routed:
        """An answer, and below it what of the message could not be read."""
        if not self.notice:
            return routed
        below = f"\n\n{self.notice}"
        if on_delta:
            await on_delta(below)
        return replace(routed, answer=replace(routed.answer, text=routed.answer.text + below))


NOTHING_BROUGHT: Final = Brought()
