"""A reply as the parts a channel sends: its formatting, its buttons, within its limits."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from cloche.channels.channel import Channel
from cloche.channels.declared import Formatting, Limits
from cloche.channels.parts import Entity, Part, PartFile
from cloche.delivery.rows import PART_BYTES
from cloche.messages import Button, Message, Reply
from cloche.visible import is_visible

logger = logging.getLogger(__name__)


class RenderedText(Protocol):
    """One message's text as a platform takes it; see ``cloche.delivery.rendering``."""

    @property
    def text(self) -> str:
        """In the formatting the channel declares."""
        ...

    @property
    def entities(self) -> tuple[Entity, ...]:
        """Formatting beside the text."""
        ...

    @property
    def plain(self) -> str:
        """The text without formatting."""
        ...


Render = Callable[[str, Limits, Formatting], Sequence[RenderedText]]
"""Markdown to the texts of as many messages as it takes, in order, nothing lost."""


def parts_of(
    reply: Reply, message: Message, turn: str, channel: Channel, render: Render
) -> tuple[Part, ...]:
    """The parts of a reply to a message, its conversation by its first id.

    None for what nobody would see: no text, or one of blanks and signs without a shape.

    Files follow the text; what the channel cannot send is said below the text.

    In a group the first part points at the message it answers. Buttons stand under the last part;
    those the platform has no room for are written out.
    """
    limits, capabilities = _that_rows_hold(channel.limits), channel.capabilities
    shown = tuple(b for b in reply.buttons if capabilities.buttons and _fits(b, limits))
    shown = shown[: limits.buttons]
    written = [f"- {_written(b)}" for b in reply.buttons if b not in shown]
    most = limits.sent_file_bytes if capabilities.files else -1
    sendable = [one for one in reply.files if one.size <= most]
    instead = [one.instead for one in reply.files if one not in sendable]
    pieces = (reply.text, "\n".join(written), *instead)
    text = "\n\n".join(piece for piece in pieces if piece)
    rendered = _rendered(text, limits, capabilities.formatting, render)
    texts = [one for one in rendered if is_visible(one.text) and is_visible(one.plain or one.text)]
    words = tuple(
        Part(
            conversation=message.conversation,
            thread=message.thread,
            text=one.text,
            entities=one.entities,
            buttons=shown if number == len(texts) - 1 else (),
            answers=message.ref if message.group and number == 0 else "",
            key=f"{turn}-{number}",
            plain=one.plain,
        )
        for number, one in enumerate(texts)
    )
    return words + tuple(
        Part(
            conversation=message.conversation,
            thread=message.thread,
            text=file.instead.replace("`", '"'),
            key=f"{turn}-{number}",
            plain=file.instead.replace("`", '"'),
            file=PartFile(file.owner, file.key, file.name),
        )
        for number, file in enumerate(sendable, start=len(words))
    )


def _that_rows_hold(limits: Limits) -> Limits:
    """A channel's limits, each part small enough to be kept."""
    return replace(limits, text_bytes=min(limits.text_bytes, PART_BYTES))


def _fits(button: Button, limits: Limits) -> bool:
    return (
        len(button.label) <= limits.button_label
        and len(button.data.encode("utf-8", "replace")) <= limits.button_data
    )


def _written(button: Button) -> str:
    """A choice as a line of Markdown: its label, and what to write for it where that differs."""
    data = button.data.replace("`", "'")
    return button.label if button.label == button.data else f"{button.label}: `{data}`"


def _rendered(
    text: str, limits: Limits, formatting: Formatting, render: Render
) -> Sequence[RenderedText]:
    """The texts; should rendering fail, the text as it was written, in pieces that fit."""
    if not text.strip():
        return ()
    try:
        return render(text, limits, formatting)
    except Exception:
        logger.exception("a reply could not be rendered, sent as it was written")
        # A character takes at most four bytes and two UTF-16 units.
        most = max(1, min(limits.text // 4, limits.text_bytes // 4))
        return [
            Part("", text[i : i + most], plain=text[i : i + most])
            for i in range(0, len(text), most)
        ]
