"""Which files of a message are read, and what the person is told about the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cloche.channels.declared import Limits
from cloche.messages import Attachment, Message
from cloche.texts import say

NAME_CHARS: Final = 60
MB: Final = 1_000_000


def readable(message: Message, limits: Limits) -> tuple[Message, bool, Sequence[Attachment]]:
    """The message with the files that are read; whether some were too many; which were too large.

    A file whose size the platform does not tell counts as small enough: fetching it will tell.
    """
    large = [a for a in message.attachments if a.size is not None and a.size > limits.file_bytes]
    fitting = tuple(a for a in message.attachments if a not in large)
    kept = fitting[: limits.attachments]
    return replace(message, attachments=kept), len(kept) < len(fitting), large


def left_out(limits: Limits, language: str, *, many: bool, large: Sequence[Attachment]) -> str:
    """A polite sentence for each kind of file that was left out, "" when none was."""
    sentences = []
    if large:
        key = "delivery_file_too_large" if len(large) == 1 else "delivery_files_too_large"
        most = f"{limits.file_bytes / MB:.3g}"
        name = _shown(large[0], language)
        sentences.append(say(key, language, name=name, count=len(large), most=most))
    if many:
        sentences.append(say("delivery_files_too_many", language, most=limits.attachments))
    return " ".join(sentences)


def _shown(attachment: Attachment, language: str) -> str:
    """A file's name, which its sender chose, as words that stay words."""
    name = " ".join(attachment.name.split()).replace("`", "'")[:NAME_CHARS]
    return f"`{name}`" if name else say("delivery_file_nameless", language)
