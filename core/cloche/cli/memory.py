"""``cloche memory``: show, forget, carry away and bring back what is kept about a person."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

import typer

from cloche.cli import output
from cloche.cli.choosing import In, Which, one_of
from cloche.cli.copies import find_copies, named_copies, remove_copies
from cloche.cli.memory_subject import CONSOLE, As, Subject, assistant_and, run_for
from cloche.cli.named_first import NamedFirst
from cloche.cli.records import COLUMNS, record_row
from cloche.errors import RequestError

if TYPE_CHECKING:
    from cloche.memory.holdings import Counts
    from cloche.memory.remembered import Erased

OTHER_NAMES: Final = {
    "list": "show",
    "ls": "show",
    "find": "search",
    "delete": "forget",
    "remove": "forget",
    "rm": "forget",
    "edit": "correct",
    "change": "correct",
    "update": "correct",
    "undo": "revive",
    "save": "backup",
    "explain": "why",
}
"""What people call a command that has another name here."""


class WithOtherNames(NamedFirst):
    """A group that names the command somebody means by another name."""

    usual: ClassVar[str] = "show"

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command; where there is none of that name, one sentence that names it."""
        meant = OTHER_NAMES.get(cmd_name)
        if meant and cmd_name not in self.commands:
            raise RequestError(
                f"there is no command {cmd_name!r}: `cloche memory {meant}` does it."
            )
        return super().get_command(ctx, cmd_name)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    from cloche.cli import memory_care, memory_set_right, memory_why

    group = typer.Typer(
        help="Show, correct, forget and carry what is kept.",
        no_args_is_help=True,
        cls=WithOtherNames,
    )
    group.command()(show)
    group.command()(forget)
    group.command("export")(export_memory)
    group.command("import")(import_memory)
    memory_why.add_to(group)
    memory_set_right.add_to(group)
    memory_care.add_to(group)
    app.add_typer(group, name="memory")


def show(
    assistant: Which = None,
    named: In = None,
    as_name: As = None,
    archived: Annotated[
        bool, typer.Option("--archived", help="Show archived and expired records too.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List what is remembered about a person, newest first."""

    async def work(subject: Subject) -> int:
        from cloche.memory.codec import record_to_json
        from cloche.memory.holdings import count_holdings, read_records

        memory = subject.assistant.memory
        at = None if archived else memory.clock()
        records = await read_records(subject.actor, memory.store, at)
        counts = await count_holdings(subject.actor, memory.store, memory.state, memory.files)
        waiting = await memory.writer.pending(subject.actor)
        if as_json:
            output.print_json(
                {
                    "assistant": subject.assistant.name,
                    "person": subject.owner,
                    "actor": subject.actor,
                    "events": counts.events,
                    "waiting": waiting,
                    "records": [record_to_json(record) for record in records],
                }
            )
            return 0
        if records:
            output.show([record_row(record) for record in records], COLUMNS, as_json=False)
        output.echo(
            f"{subject.owner}: shown: {len(records)}, {_counted(counts)}, "
            f"waiting writes: {waiting}.",
            err=True,
        )
        return 0

    run_for(one_of(assistant, named), as_name, work)


def forget(
    words: Annotated[list[str] | None, typer.Argument(metavar="[ASSISTANT] [ID]")] = None,
    assistant: In = None,
    as_name: As = None,
    everything: Annotated[bool, typer.Option("--all", help="All that is kept.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    copies: Annotated[
        bool,
        typer.Option(
            "--copies", help="With --all: everybody's backups and replaced files here, too."
        ),
    ] = False,
) -> None:
    """Remove one record, or with --all everything, for good."""
    if copies and not everything:
        raise RequestError("--copies goes with --all: one record cannot be taken out of a backup.")
    if everything and len(words or []) > 1:
        raise RequestError("give either ID or --all, not both.")
    wanted = () if everything else ("ID or --all",)
    named, ids = assistant_and(words or [], assistant, *wanted)
    written_id = "".join(ids)

    async def forget_all(subject: Subject) -> int:
        from cloche.memory.holdings import count_holdings

        memory = subject.assistant.memory
        counts = await count_holdings(subject.actor, memory.store, memory.state, memory.files)
        waiting = await memory.writer.pending(subject.actor)
        output.echo(
            f"Everything kept about {subject.owner} ({subject.actor}): {_counted(counts)}, "
            f"waiting writes: {waiting}."
        )
        lying = find_copies(subject.assistant.folder)
        if lying:
            output.echo(
                f"Copies of everybody's memory that may hold it, too: {named_copies(lying)}. "
                + ("They are removed." if copies else "They stay; --copies removes them.")
            )
        if not _confirmed(yes):
            return 1
        erased = await memory.forgetter.everything(subject.actor)
        left = remove_copies(lying) if copies else lying
        output.echo(
            f"Removed: {_counted(erased)}, waiting writes: {erased.waiting}. Files that were "
            "exported, and backups that lie elsewhere, stay where they are."
        )
        if left:
            output.echo(f"Still there, and may hold it: {named_copies(left)}.")
        return 0

    async def forget_one(subject: Subject) -> int:
        from cloche.memory.holdings import matching_records

        memory = subject.assistant.memory
        found = await matching_records(subject.actor, memory.store, written_id)
        if len(found) != 1:
            reason = f"{len(found)} records have" if found else "no record has"
            raise RequestError(
                f"{reason} an id that begins with {written_id!r} (at least 4 characters of it are "
                "needed); `cloche memory show` lists the ids."
            )
        output.show([record_row(found[0])], COLUMNS, as_json=False)
        if not _confirmed(yes):
            return 1
        await memory.forgetter.record(subject.actor, found[0].id)
        output.echo("Removed 1 record.")
        return 0

    run_for(named, as_name, forget_all if everything else forget_one, changes=True)


def export_memory(
    assistant: Which = None,
    named: In = None,
    as_name: As = None,
    to: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write; else standard output.")
    ] = None,
) -> None:
    """Write everything kept about a person as JSON Lines."""

    async def work(subject: Subject) -> int:
        from cloche.memory.holdings import read_holdings, write_private
        from cloche.memory.portable import export_text

        memory = subject.assistant.memory
        await memory.writer.catch_up()
        holdings = await read_holdings(subject.actor, memory.store, memory.state, memory.files)
        text = export_text(subject.assistant.name, holdings, memory.clock())
        if to is None:
            typer.echo(text.encode("utf-8"), nl=False)
        else:
            try:
                write_private(to, text)
            except OSError as error:
                raise RequestError(f"{to} cannot be written: {error.strerror or error}.") from error
        output.echo(f"Exported: {_counted(holdings.counts)}.", err=True)
        if waiting := await memory.writer.pending(subject.actor):
            output.echo(f"Not in it, because they still wait: {waiting} writes.", err=True)
        return 0

    run_for(one_of(assistant, named), as_name, work)


def import_memory(
    words: Annotated[list[str], typer.Argument(metavar="[ASSISTANT] FILE")],
    assistant: In = None,
    as_name: As = None,
) -> None:
    """Read an export back, whole or not at all.

    What is there already stays as it is.
    """
    named, (file,) = assistant_and(words, assistant, "FILE")

    async def work(subject: Subject) -> int:
        from cloche.memory.holdings import add_holdings
        from cloche.memory.portable import parse_export
        from cloche.reminders.rehoming import bring_home
        from cloche.reminders.reminder import Place

        memory = subject.assistant.memory
        holdings = parse_export(
            _read(file), file=file, assistant=subject.assistant.name, actor=subject.actor
        )
        await memory.writer.catch_up()
        added = await add_holdings(holdings, memory.store, memory.state, memory.files)
        brought = await bring_home(
            memory.reminders,
            subject.actor,
            Place(CONSOLE, subject.owner, subject.owner),
            subject.assistant.people.links.person_of,
        )
        await memory.reminders.refresh(subject.actor)
        output.echo(
            f"{subject.owner}: added: {_counted(added)}; in the file: {_counted(holdings.counts)}. "
            "What was there already stays as it is."
        )
        if brought:
            output.echo(
                f"Reminders that were told in a chat of somebody else: {brought}. They are told "
                "in `cloche chat` from now on; `cloche reminders list` shows them."
            )
        return 0

    run_for(named, as_name, work, changes=True)


def _counted(counts: Counts | Erased) -> str:
    return (
        f"records: {counts.records}, conversation turns: {counts.events}, "
        f"settings and other items: {counts.state}, files: {counts.files}"
    )


def _confirmed(yes: bool) -> bool:
    if yes:
        return True
    if not (sys.stdin is not None and sys.stdin.isatty()):
        raise RequestError("nothing was removed: without a terminal to ask in, give --yes.")
    if typer.confirm("Remove this for good?"):
        return True
    output.echo("Nothing was removed.")
    return False


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise RequestError(f"{file} cannot be read: {error.strerror or error}.") from error
