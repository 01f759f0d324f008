"""What becomes one turn: which waiting rows belong together, and the message they make. Pure.

Rows wait in order of arrival, but what belongs to an earlier row stands right behind it: the next
part of its burst, and its new text when it was edited while it waited. Such a *unit* is never torn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from cloche.delivery.inbox import Row
from cloche.messages import Correction, Message

MAX_ROWS: Final = 50
MAX_CHARS: Final = 20_000
"""What queued up is merged up to here; the rest makes the turn after."""


def is_command(text: str) -> bool:
    """Whether a message is a command: a turn of its own, never merged and never run twice."""
    return text.lstrip().startswith(("/", "／"))


def belongs(row: Row, unit: Sequence[Row]) -> bool:
    """Whether a row is a part of a unit: of its burst, or one of its messages edited."""
    message, senders = row.message, {other.message.address for other in unit}
    if message.address not in senders:
        return False
    if message.edits:
        return bool(message.ref) and any(o.message.ref == message.ref for o in unit)
    return bool(message.burst) and any(o.message.burst == message.burst for o in unit)


def place(rows: list[Row], row: Row) -> bool:
    """Put a new row where it belongs; False when it is an edit of nothing that waits."""
    start = 0
    for unit in units(rows):
        end = start + len(unit)
        if not unit[0].fixed and belongs(row, unit):
            # Its turn has not begun: whatever was kept of that, it is made anew.
            rows[start] = replace(rows[start], members=())
            rows.insert(end, row)
            return True
        start = end
    if row.message.edits:
        return False
    rows.append(row)
    return True


def units(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """The rows by what belongs together; a turn that may have run is one, as it was."""
    start = 0
    while start < len(rows):
        first, end = rows[start], start + 1
        if first.fixed:
            members = set(first.members)
            while end < len(rows) and rows[end].name in members:
                end += 1
        else:
            while end < len(rows) and not rows[end].fixed and belongs(rows[end], rows[start:end]):
                end += 1
        yield rows[start:end]
        start = end


def marked_turns(rows: Sequence[Row]) -> dict[str, Sequence[Row]]:
    """The turns that may have run, by the key of the row that carries their mark.

    That row comes first, then those it lists, as far as they still wait. A row that another's turn
    lists starts none.
    """
    waiting = {(row.message.place, row.name): row for row in rows}
    turns: dict[str, Sequence[Row]] = {}
    joined: set[str] = set()
    for row in rows:
        if row.members and row.key not in joined:
            listed = [(row.message.place, name) for name in row.members]
            joining = [waiting[one] for one in listed if one in waiting]
            turns[row.key] = [row, *(one for one in joining if one is not row)]
            joined.update(one.key for one in joining)
    return turns


def waiting_alone(rows: Sequence[Row], message: Message) -> Row | None:
    """The row of a message whose turn has not begun; None = it began, or more belongs to it."""
    for unit in units(rows):
        first = unit[0]
        same = first.message.id == message.id and first.message.address == message.address
        if same and len(unit) == 1 and not first.fixed:
            return first
    return None


def next_turn(rows: Sequence[Row], *, most_files: int) -> Sequence[Row]:
    """The rows of the next turn, a beginning of those that wait: one sender's, in order.

    Args:
        rows: What waits, at least one.
        most_files: Files of one message the channel reads; merging does not go beyond.
    """
    taken: list[Row] = []
    merged: Message | None = None
    for unit in units(rows):
        message = merge(unit)
        if merged is None:
            taken, merged = [*unit], message
            if unit[0].fixed or unit[0].too_long or not _mixes(message):
                break
            continue
        if unit[0].fixed or unit[0].too_long or not _mixes(message):
            break
        both = len(merged.attachments) + len(message.attachments)
        chars = len(merged.text) + len(message.text)
        if (
            message.address != merged.address
            or both > most_files
            or chars > MAX_CHARS
            or len(taken) + len(unit) > MAX_ROWS
        ):
            break
        taken += unit
        merged = merge(taken)
    return taken


def merge(rows: Sequence[Row]) -> Message:
    """The message a turn is about: its id is the first row's, so that the turn's is the same.

    Edits stand in the place of what they edit; notes of earlier edits become ``corrected``.
    """
    messages: list[Message] = []
    notes: list[Correction] = []
    for row in rows:
        message = row.message
        edited = [
            number
            for number, other in enumerate(messages)
            if message.edits and other.ref == message.ref and other.address == message.address
        ]
        if edited:
            messages[edited[0]] = _edited(messages[edited[0]], message)
        elif message.edits and (messages or row.was is not None):
            notes.append(Correction(row.was or "", message.text))
        else:
            messages.append(message)
    first = messages[0]
    if len(messages) == 1 and not notes:
        return first
    return replace(
        first,
        text="\n".join(message.text for message in messages if message.text),
        formatted=_formatted(messages),
        attachments=tuple(a for message in messages for a in message.attachments),
        quoted=tuple(dict.fromkeys(q for message in messages for q in message.quoted)),
        scope_keys=dict(pair for message in messages for pair in message.scope_keys.items()),
        ref=messages[-1].ref,
        addressed=any(message.addressed for message in messages),
        corrected=tuple(notes),
        language=next((m.language for m in reversed(messages) if m.language), ""),
    )


def _formatted(messages: Sequence[Message]) -> str:
    """All of it as Markdown, where any of it was formatted."""
    if not any(message.formatted for message in messages):
        return ""
    return "\n".join(message.markdown for message in messages if message.text)


def _edited(message: Message, new: Message) -> Message:
    """A message with its new text; an edit that brings no files keeps those there were."""
    return replace(
        message,
        text=new.text,
        formatted=new.formatted,
        attachments=new.attachments or message.attachments,
        quoted=new.quoted or message.quoted,
        addressed=new.addressed,
        language=new.language or message.language,
    )


def _mixes(message: Message) -> bool:
    """Whether a message may share a turn: commands do not, what is due, or only overheard."""
    return message.addressed and not is_command(message.text) and not message.due
