"""``/memory`` and ``/why``: what is remembered about a person, and where it is from."""

from __future__ import annotations

from typing import Final

from cloche.memory.holdings import read_records, short_id
from cloche.memory.lifecycle import last_day
from cloche.memory.pipeline import Memory
from cloche.memory.ranking import is_current
from cloche.memory.records import KINDS, MemoryRecord
from cloche.memory.truth.screening import read_screened
from cloche.memory.why import candidates, last_use, reasons
from cloche.memory.why_in_words import in_words
from cloche.people import Person
from cloche.texts import say, say_day

LISTED: Final = 100
"""Records ``/memory`` shows at most, the newest of them."""
ALL: Final = ("all", "todo", "全部", "所有")
"""What people call everything."""


async def show_memory(argument: str, person: Person, memory: Memory) -> str:
    """What is remembered, by kind, newest first; with "all" what holds no longer, too.

    Raises:
        MemoryUnavailableError: a store is away.
    """
    language, now = person.language, memory.clock()
    every = await read_records(person.actor, memory.store)
    history = argument.casefold() in ALL
    records = every if history else [one for one in every if is_current(one, now)]
    if not records:
        lines = [say("command_memory_empty", language)]
    else:
        shown = records[:LISTED]
        lines = [say("command_memory_count", language, count=len(records))]
        for kind in KINDS:
            group = [
                _record_line(record, person, memory) for record in shown if record.kind == kind
            ]
            if group:
                name = say(f"kind_{kind}", language)
                heading = say("command_memory_kind", language, kind=name, count=len(group))
                lines += ["", heading, *group]
        if len(records) > LISTED:
            lines += ["", say("command_memory_more", language, count=len(records) - LISTED)]
        lines += ["", say("command_memory_hint", language, id=short_id(shown[0].id))]
    if len(every) > len(records):
        lines += ["", say("command_memory_ended", language, count=len(every) - len(records))]
    if kept_out := await read_screened(memory.state, person.actor):
        what = "; ".join(say(f"kept_out_{k}", language, count=n) for k, n in kept_out.items())
        lines += ["", say("command_memory_kept_out", language, what=what)]
    if waiting := await memory.writer.pending(person.actor):
        lines += ["", say("command_memory_waiting", language, count=waiting)]
    return "\n".join(lines)


async def show_why(argument: str, person: Person, memory: Memory) -> str:
    """Where a record is from that an id or words name; without either, the last answer's records.

    Raises:
        MemoryUnavailableError: a store is away.
    """
    language = person.language
    if not argument:
        return await _last_answer(person, memory)
    found = await candidates(memory, person.actor, argument)
    if not found:
        return say("why_none", language, words=" ".join(argument.split()))
    if len(found) > 1:
        return say("why_several", language, count=len(found), id=argument)
    lines = [_record_line(found[0], person, memory), ""]
    return "\n".join([*lines, *in_words(await reasons(memory, found[0]), person)])


async def _last_answer(person: Person, memory: Memory) -> str:
    last = await last_use(memory, person.actor)
    if last is None:
        return say("why_last_none", person.language)
    use, records = last
    day = say_day(use.at.astimezone(person.zone).date(), person.language)
    lines = [_record_line(record, person, memory) for record in records]
    if not lines:
        lines = [say("why_last_nothing", person.language)]
    if use.at_hand:
        lines += ["", say("why_last_at_hand", person.language, count=len(use.at_hand))]
    head, hint = say("why_last", person.language, day=day), say("why_hint", person.language)
    return "\n".join([head, *lines, "", hint])


def _record_line(record: MemoryRecord, person: Person, memory: Memory) -> str:
    language, validity = person.language, record.validity
    day = validity.created_at.astimezone(person.zone).date()
    flags = [] if record.source.stated else [say("command_memory_inferred", language)]
    if not is_current(record, memory.clock()):
        flags.append(say("command_memory_was", language))
    elif validity.expires_at:
        until = say_day(last_day(validity.expires_at, person.zone), language)
        flags.append(say("command_memory_until", language, day=until))
    if record.trust.confirmations:
        flags.append(say("command_memory_again", language, count=record.trust.confirmations + 1))
    shown = say("command_memory_flags", language, flags="; ".join(flags)) if flags else ""
    return f"- `{short_id(record.id)}` {day} {' '.join(record.told.split())}{shown}"
