"""``cloche memory search|why|used|correct``: find a record, ask where it is from, set it right."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cloche.cli import output
from cloche.cli.grounds import WHY_COLUMNS, day_of, document, grounds
from cloche.cli.memory_subject import As, Subject, Which, run_for
from cloche.cli.records import COLUMNS, record_row
from cloche.errors import RequestError, ToolError

if TYPE_CHECKING:
    from cloche.memory.records import MemoryRecord

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
In = Annotated[
    str | None,
    typer.Option("--assistant", help="Which assistant; may be left out when there is only one."),
]
USED_COLUMNS: Final = ("turn", "date", "words", "records")
ONE_TURN_COLUMNS: Final = ("part", *COLUMNS)
LISTED: Final = 20
"""Turns that ``used`` lists without ``--turn``."""


@dataclass(frozen=True, slots=True)
class UsedTurn:
    """A turn and how many records entered it."""

    turn: str
    date: str
    words: str
    records: int


@dataclass(frozen=True, slots=True)
class UsedRecord:
    """A record that entered a turn, and through which part of the prompt."""

    part: str
    id: str
    kind: str
    text: str
    metadata: str
    date: str
    source: str


def add_to(commands: typer.Typer) -> None:
    """Add the commands."""
    for command in (search, why, used, correct):
        commands.command()(command)


def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS...")],
    as_name: As = None,
    assistant: In = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Records at most.")] = 10,
    as_json: Json = False,
) -> None:
    """Find what is remembered, best first, as a turn would find it."""

    async def work(subject: Subject) -> int:
        from cloche.memory.codec import record_to_json
        from cloche.memory.store import SearchQuery

        memory = subject.assistant.memory
        query = SearchQuery(" ".join(words), memory.clock(), limit=limit)
        hits = await memory.store.search(subject.actor, query)
        if as_json:
            output.print_json(
                [{"score": hit.score, "record": record_to_json(hit.record)} for hit in hits]
            )
            return 0
        if hits:
            output.show([record_row(hit.record) for hit in hits], COLUMNS, as_json=False)
        typer.echo(f"{subject.owner}: found: {len(hits)}.", err=True)
        return 0

    if not "".join(words).strip():
        raise RequestError("there is nothing to search for: give some words.")
    run_for(assistant, as_name, work)


def why(
    words: Annotated[list[str], typer.Argument(metavar="ID|WORDS...")],
    as_name: As = None,
    assistant: In = None,
    as_json: Json = False,
) -> None:
    """Tell where a record is from: the quote, what it replaced, where it was used."""

    async def work(subject: Subject) -> int:
        from cloche.memory.why import reasons
        from cloche.memory.why_in_words import in_words

        record = await _one(subject, " ".join(words))
        found = await reasons(subject.assistant.memory, record)
        if as_json:
            output.print_json(document(found))
            return 0
        for line in in_words(found, await subject.person()):
            typer.echo(output.printable(line))
        typer.echo()
        output.show(grounds(found, subject.owner), WHY_COLUMNS, as_json=False)
        return 0

    run_for(assistant, as_name, work)


def used(
    turn: Annotated[
        str, typer.Option("--turn", help="Id of a turn, or how it begins; else turns are listed.")
    ] = "",
    as_name: As = None,
    assistant: Which = None,
    as_json: Json = False,
) -> None:
    """Tell which records entered a turn; without one, the newest turns."""

    async def work(subject: Subject) -> int:
        from cloche.memory.codec import record_to_json
        from cloche.memory.use_log import read_uses
        from cloche.memory.why import events_of

        memory = subject.assistant.memory
        uses = [
            use for use in await read_uses(memory.state, subject.actor) if use.turn.startswith(turn)
        ]
        if turn and len(uses) != 1:
            raise RequestError(
                f"{len(uses) or 'no'} turns with records of {subject.owner}'s memory have an id "
                f"that begins with {turn!r}; `cloche memory used` lists the newest."
            )
        shown = uses[:LISTED]
        events = await events_of(memory, subject.actor, {use.turn for use in shown})
        said = {event.id: event.user_text for event in events}
        if not turn:
            rows = [
                UsedTurn(use.turn, day_of(use.at), said.get(use.turn, ""), len(use.ids))
                for use in shown
            ]
            if rows or as_json:
                output.show(rows, USED_COLUMNS, as_json=as_json)
            typer.echo(f"{subject.owner}: turns: {len(uses)}, shown: {len(rows)}.", err=True)
            return 0
        use = shown[0]
        records = [(one, await memory.store.get(subject.actor, one)) for one in use.ids]
        if as_json:
            output.print_json(
                {
                    "turn": use.turn,
                    "at": use.at.isoformat(),
                    "words": said.get(use.turn, ""),
                    "records": [
                        {
                            "id": one,
                            "part": _part(one in use.records),
                            "record": record_to_json(record) if record else None,
                        }
                        for one, record in records
                    ],
                }
            )
            return 0
        typer.echo(f"{day_of(use.at)}: {output.printable(said.get(use.turn, '(forgotten)'))}")
        output.show(
            [_used_record(one, record, _part(one in use.records)) for one, record in records],
            ONE_TURN_COLUMNS,
            as_json=False,
        )
        return 0

    run_for(assistant, as_name, work)


def correct(
    record: Annotated[str, typer.Argument(metavar="ID")],
    text: Annotated[list[str], typer.Argument(metavar="TEXT...")],
    as_name: As = None,
    assistant: In = None,
    as_json: Json = False,
) -> None:
    """Have a record say something else: a new one takes its place, the old one is history."""
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
        found = [
            one
            for one in await matching_records(subject.actor, memory.store, record)
            if is_current(one, memory.clock())
        ]
        old = _only(found, record, "current record")
        try:
            new = await memory.keeper.correct(
                await subject.person(), old.id, said, call_id=f"cli-{uuid.uuid4()}"
            )
        except ToolError as error:
            raise RequestError(str(error)) from error
        if as_json:
            output.print_json({"replaced": old.id, "record": record_to_json(new)})
            return 0
        output.show([record_row(new)], COLUMNS, as_json=False)
        typer.echo(f"It took the place of: {output.printable(old.text)}", err=True)
        return 0

    run_for(assistant, as_name, work, changes=True)


async def _one(subject: Subject, written: str) -> MemoryRecord:
    from cloche.memory.why import candidates

    found = await candidates(subject.assistant.memory, subject.actor, written)
    if not found:
        raise RequestError(
            f"nothing that {subject.owner} is remembered by fits {written!r}; "
            "`cloche memory show` lists what there is."
        )
    return _only(found, written, "record")


def _only(found: list[MemoryRecord], written: str, what: str) -> MemoryRecord:
    if len(found) == 1:
        return found[0]
    reason = f"{len(found)} {what}s have" if found else f"no {what} has"
    raise RequestError(
        f"{reason} an id that begins with {written!r} (at least 4 characters of it are needed); "
        "`cloche memory show` lists the ids."
    )


def _used_record(id_: str, record: MemoryRecord | None, part: str) -> UsedRecord:
    from cloche.memory.holdings import short_id

    if record is None:
        return UsedRecord(part, short_id(id_), "", "(forgotten)", "", "", "")
    row = record_row(record)
    return UsedRecord(part, row.id, row.kind, row.text, row.metadata, row.date, row.source)


def _part(recalled: bool) -> str:
    return "words" if recalled else "session"
