"""``cloche memory correct|revive``: have a record say something else, or hold again."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Annotated

import typer

from cloche.cli import output
from cloche.cli.choosing import In
from cloche.cli.memory_subject import As, Subject, assistant_and, assistant_before, run_for
from cloche.cli.records import COLUMNS, record_row
from cloche.errors import RequestError, ToolError
from cloche.texts import say

if TYPE_CHECKING:
    from cloche.memory.records import MemoryRecord

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def add_to(commands: typer.Typer) -> None:
    """Add the commands."""
    for command in (correct, revive):
        commands.command()(command)


def correct(
    words: Annotated[list[str], typer.Argument(metavar="[ASSISTANT] ID TEXT...")],
    as_name: As = None,
    assistant: In = None,
    as_json: Json = False,
) -> None:
    """Have a record say something else.

    A new one takes its place, the old one is history.
    """
    named_assistant, (record, *text) = assistant_before(words, assistant, "ID")
    said = " ".join(text).strip()
    if not said:
        raise RequestError("there is nothing to correct it to: give the new text.")

    async def work(subject: Subject) -> int:
        from cloche.memory.codec import record_to_json
        from cloche.memory.for_tools import MAX_TEXT_CHARS
        from cloche.memory.holdings import matching_records
        from cloche.memory.ranking import is_current

        if len(said) > MAX_TEXT_CHARS:
            raise RequestError(f"a statement has at most {MAX_TEXT_CHARS} characters.")
        memory = subject.assistant.memory
        every = await matching_records(subject.actor, memory.store, record)
        found = [one for one in every if is_current(one, memory.clock())]
        if len(every) == 1 and not found:
            raise RequestError(
                f"{record} is history: `cloche memory revive {record}` has it hold again, "
                f"`cloche memory why {record}` tells what holds instead."
            )
        old = only(found, record, "current record")
        person = await subject.person()
        try:
            new = await memory.keeper.correct(person, old.id, said, call_id=f"cli-{uuid.uuid4()}")
        except ToolError as error:
            told = say(error.key, person.language, **error.slots) if error.key else str(error)
            raise RequestError(told) from error
        if as_json:
            output.print_json({"replaced": old.id, "record": record_to_json(new)})
            return 0
        output.show([record_row(new)], COLUMNS, as_json=False)
        typer.echo(f"It took the place of: {output.printable(old.text)}", err=True)
        return 0

    run_for(named_assistant, as_name, work, changes=True)


def revive(
    words: Annotated[list[str], typer.Argument(metavar="[ASSISTANT] ID")],
    instead: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Take the place of this one, too; it becomes history."),
    ] = None,
    as_name: As = None,
    assistant: In = None,
    as_json: Json = False,
) -> None:
    """Have a record of the history hold again.

    What took its place becomes history instead.
    """
    named_assistant, (record,) = assistant_and(words, assistant, "ID")

    async def work(subject: Subject) -> int:
        from cloche.memory.codec import record_to_json
        from cloche.memory.holdings import matching_records
        from cloche.memory.ranking import is_current
        from cloche.memory.reviving import revive as hold

        memory = subject.assistant.memory

        async def named(written: str) -> MemoryRecord:
            found = await matching_records(subject.actor, memory.store, written)
            return only(found, written, "record")

        one = await named(record)
        others = [await named(written) for written in instead or []]
        if one.id in {other.id for other in others}:
            raise RequestError("a record cannot take its own place.")
        if is_current(one, memory.clock()) and not others:
            raise RequestError(
                f"{record} holds already; with --instead ID it takes the place of another."
            )
        holds, gone = await hold(memory, one, others)
        if as_json:
            output.print_json(
                {"record": record_to_json(holds), "replaced": [other.id for other in gone]}
            )
            return 0
        output.show([record_row(holds)], COLUMNS, as_json=False)
        for other in gone:
            typer.echo(f"It took the place of: {output.printable(other.text)}", err=True)
        return 0

    run_for(named_assistant, as_name, work, changes=True)


def only(found: list[MemoryRecord], written: str, what: str) -> MemoryRecord:
    """The one record that was meant.

    Raises:
        RequestError: there is none, or more than one.
    """
    if len(found) == 1:
        return found[0]
    reason = f"{len(found)} {what}s have" if found else f"no {what} has"
    raise RequestError(
        f"{reason} an id that begins with {written!r} (at least 4 characters of it are needed); "
        "`cloche memory show` lists the ids."
    )
