"""``cloche memory search|why|used``: find a record, ask where it is from and where it was used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cloche.cli import output
from cloche.cli.choosing import In, Which, one_of
from cloche.cli.grounds import WHY_COLUMNS, day_of, document, grounds
from cloche.cli.memory_set_right import Json, only
from cloche.cli.memory_subject import As, Subject, assistant_before, run_for
from cloche.cli.records import COLUMNS, record_row
from cloche.errors import RequestError

if TYPE_CHECKING:
    from cloche.memory.records import Kind, MemoryRecord

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
    for command in (search, why, used):
        commands.command()(command)


def search(
    words: Annotated[list[str], typer.Argument(metavar="[ASSISTANT] WORDS...")],
    as_name: As = None,
    assistant: In = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Records at most.")] = 10,
    kind: Annotated[
        list[str] | None,
        typer.Option(help="Only this kind, say fact or summary; may be given more than once."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find what is remembered, best first, as a turn would find it.

    Summaries of sessions are among it when the words point back in time, or with --kind summary.
    """
    named, said = assistant_before(words, assistant, "WORDS")

    async def work(subject: Subject) -> int:
        from cloche.memory.codec import record_to_json
        from cloche.memory.store import SearchQuery

        memory = subject.assistant.memory
        text = " ".join(said)
        kinds = _kinds(kind or [], text)
        query = SearchQuery(text, memory.clock(), limit=limit, kinds=kinds)
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

    if not "".join(said).strip():
        raise RequestError("there is nothing to search for: give some words.")
    run_for(named, as_name, work)


def why(
    words: Annotated[list[str], typer.Argument(metavar="[ASSISTANT] ID|WORDS...")],
    as_name: As = None,
    assistant: In = None,
    as_json: Json = False,
) -> None:
    """Tell where a record is from and where it was used.

    With the quote, and what it replaced.
    """
    named, said = assistant_before(words, assistant, "ID or WORDS")

    async def work(subject: Subject) -> int:
        from cloche.memory.why import reasons
        from cloche.memory.why_in_words import in_words

        record = await _one(subject, " ".join(said))
        found = await reasons(subject.assistant.memory, record)
        if as_json:
            output.print_json(document(found))
            return 0
        for line in in_words(found, await subject.person()):
            typer.echo(output.printable(line))
        typer.echo()
        output.show(grounds(found, subject.owner), WHY_COLUMNS, as_json=False)
        return 0

    run_for(named, as_name, work)


def used(
    turn: Annotated[
        str, typer.Option("--turn", help="Id of a turn, or how it begins; else turns are listed.")
    ] = "",
    as_name: As = None,
    assistant: Which = None,
    named: In = None,
    as_json: Json = False,
) -> None:
    """Tell which records entered a turn.

    Without one, the newest turns.
    """

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
                    "at_hand": list(use.at_hand),
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
        if use.at_hand:
            typer.echo(f"At hand as well, but not asked for: {len(use.at_hand)}.", err=True)
        return 0

    run_for(one_of(assistant, named), as_name, work)


def _kinds(asked: list[str], text: str) -> tuple[Kind, ...]:
    """The kinds asked for; without any, summaries only where the words point back in time."""
    from cloche.memory.looking_back import points_back
    from cloche.memory.records import KINDS
    from cloche.memory.retrieval import STATEMENTS

    kinds = tuple(one for one in KINDS if one in asked)
    if unknown := sorted(set(asked) - set(KINDS)):
        raise RequestError(f"there is no kind {unknown[0]!r}; there are: {', '.join(KINDS)}.")
    return kinds or (() if points_back(text) else STATEMENTS)


async def _one(subject: Subject, written: str) -> MemoryRecord:
    from cloche.memory.why import candidates

    found = await candidates(subject.assistant.memory, subject.actor, written)
    if not found:
        raise RequestError(
            f"nothing that {subject.owner} is remembered by fits {written!r}; "
            "`cloche memory show` lists what there is."
        )
    return only(found, written, "record")


def _used_record(id_: str, record: MemoryRecord | None, part: str) -> UsedRecord:
    from cloche.memory.holdings import short_id

    if record is None:
        return UsedRecord(part, short_id(id_), "", "(forgotten)", "", "", "")
    row = record_row(record)
    return UsedRecord(part, row.id, row.kind, row.text, row.metadata, row.date, row.source)


def _part(recalled: bool) -> str:
    return "words" if recalled else "session"
