"""``cloche memory doctor|backup|restore``: what is wrong, and everything in one file and back."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cloche.cli import output
from cloche.cli.choosing import In, Which, one_of
from cloche.cli.memory_subject import As, Subject, run_for
from cloche.errors import RequestError

if TYPE_CHECKING:
    from cloche.backup import Manifest
    from cloche.memory.findings import Finding

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]

VECTORS_MAY_WAIT: Final = 100
"""So many are made in the background within a minute: no finding."""
EMBEDDED_AT_ONCE: Final = 100
"""Vectors made between two lines of progress."""
DOCTOR_COLUMNS: Final = ("name", "status", "value", "remedy")


def add_to(commands: typer.Typer) -> None:
    """Add the commands."""
    for command in (doctor, embed, backup, restore):
        commands.command()(command)


def doctor(
    as_name: As = None, assistant: Which = None, named: In = None, as_json: Json = False
) -> None:
    """Tell what is wrong with a memory and what to do.

    Ends with 1 when something is.
    """

    async def work(subject: Subject) -> int:
        from cloche.memory.doctor import examine

        findings = await examine(subject.assistant.memory, subject.actor)
        findings += tuple(await _sizes(subject))
        output.show(findings, DOCTOR_COLUMNS, as_json=as_json)
        return 1 if any(one.status == "warning" for one in findings) else 0

    run_for(one_of(assistant, named), as_name, work)


def embed(assistant: Which = None, named: In = None) -> None:
    """Make the vectors that memories wait for.

    Everybody's, now; safe to stop at any time.
    """

    async def work(subject: Subject) -> int:
        from cloche.errors import ModelError
        from cloche.memory.local import LocalMemoryStore

        store = subject.assistant.memory.store
        if not isinstance(store, LocalMemoryStore):
            raise RequestError("the memory lies in a store that makes its vectors by itself.")
        if not store.embeds:
            raise RequestError(
                "there is no embedder, so memories are found by their words: see "
                "`cloche doctor`, or set CLOCHE_EMBEDDINGS__PROVIDER."
            )
        waiting, done = await store.pending_vectors(), 0
        try:
            while made := await store.embed_pending(EMBEDDED_AT_ONCE):
                done += made
                typer.echo(f"vectors: {done} of {max(done, waiting)}", err=True)
        except (ModelError, ValueError) as error:
            raise RequestError(
                f"the embedder failed after {done} of {waiting}, which are kept: {error}"
            ) from error
        typer.echo(f"Made: {done}. Nothing waits.")
        return 0

    run_for(one_of(assistant, named), None, work, changes=True)


def backup(
    file: Annotated[
        Path | None, typer.Argument(help="File to write; else a new one in the backups folder.")
    ] = None,
    assistant: In = None,
    as_json: Json = False,
) -> None:
    """Write all an assistant keeps into one file.

    About everybody; it may go on running.
    """
    from cloche.backup import make_backup
    from cloche.clock import utc_now

    name, folder = _assistant(assistant)
    at = utc_now()
    target = file or folder / "backups" / f"{name}-{at:%Y%m%dT%H%M%S}.zip"
    if file is None and folder.exists():
        target.parent.mkdir(mode=0o700, exist_ok=True)
    manifest = make_backup(folder, name, target.absolute(), at)
    if as_json:
        output.print_json({"file": str(target), **_document(manifest)})
        return
    typer.echo(f"Backed up: {_listed(manifest)}.", err=True)
    typer.echo(str(target))


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `cloche memory backup` wrote.")],
    assistant: In = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Put a backup in the place of what is kept.

    What is replaced is kept aside.
    """
    from cloche.backup import restore_backup
    from cloche.clock import utc_now
    from cloche.memory.local.schema import MIGRATIONS as MEMORY
    from cloche.state.sqlite import MIGRATIONS as STATE

    name, folder = _assistant(assistant)
    if not yes:
        if not (sys.stdin is not None and sys.stdin.isatty()):
            raise RequestError("nothing was restored: without a terminal to ask in, give --yes.")
        if not typer.confirm(f"Replace everything {name} keeps by what is in {file}?"):
            typer.echo("Nothing was restored.")
            raise typer.Exit(1)
    migrations = {"memory.db": MEMORY, "state.db": STATE}
    done = restore_backup(folder, name, file.absolute(), utc_now(), migrations=migrations)
    if as_json:
        aside = str(done.aside) if done.aside else None
        output.print_json(
            {
                "file": str(file),
                "aside": aside,
                "unreadable": dict(done.unreadable),
                **_document(done.manifest),
            }
        )
        return
    for unread, count in done.unreadable.items():
        typer.echo(
            f"Rows of {unread} in it that cannot be read, and are passed over: {count}.", err=True
        )
    at = done.manifest.at.astimezone()
    typer.echo(f"Restored {name} as it was at {at:%Y-%m-%d %H:%M}: {_listed(done.manifest)}.")
    if done.aside:
        typer.echo(f"What it replaced lies in {done.aside}; remove it when you are sure.", err=True)


async def _sizes(subject: Subject) -> list[Finding]:
    """How large the files are, and whether vectors are missing."""
    from cloche.memory.findings import Finding
    from cloche.memory.local import LocalMemoryStore
    from cloche.memory.local.sizes import sizes_of

    found, memory = list[Finding](), subject.assistant.memory
    for name in ("memory.db", "state.db"):
        path = subject.assistant.folder / name
        if not path.exists():
            continue
        try:
            sizes = sizes_of(path)
        except sqlite3.Error as error:
            remedy = "Restore a backup: `cloche memory restore FILE`."
            found.append(Finding(name, "warning", f"cannot be read: {error}", remedy))
            continue
        rows = ", ".join(f"{table}: {count}" for table, count in sizes.tables)
        found.append(Finding(name, "ok", f"{sizes.bytes / 1e6:.1f} MB of everybody; {rows}"))
    if isinstance(memory.store, LocalMemoryStore):
        waiting = await memory.store.pending_vectors()
        remedy = (
            "They are made in the background while the assistant runs; until then these items "
            "are found by their words alone. `cloche memory embed` makes them now."
        )
        found.append(
            Finding("vectors", "warning", f"{waiting} items wait for one", remedy)
            if waiting > VECTORS_MAY_WAIT
            else Finding("vectors", "ok", f"{waiting} items wait for one")
        )
    return found


def _assistant(named: str | None) -> tuple[str, Path]:
    from cloche.cli.choosing import choose_assistant
    from cloche.logs import set_up_logging
    from cloche.plugins import load_host
    from cloche.settings import ensure_home, load_settings

    settings = load_settings()
    set_up_logging(settings)
    name = choose_assistant(load_host(settings), named)
    ensure_home(settings)
    if settings.memory.store != "local":
        raise RequestError(
            f"the memory lies in the store {settings.memory.store}, which has backups of its own: "
            "this command knows the files of the local store alone."
        )
    return name, settings.home / name


def _document(manifest: Manifest) -> dict[str, object]:
    return {
        "assistant": manifest.assistant,
        "at": manifest.at.isoformat(),
        "files": [
            {"name": one.name, "bytes": one.size, "sha256": one.sha256} for one in manifest.parts
        ],
    }


def _listed(manifest: Manifest) -> str:
    return ", ".join(f"{one.name} ({one.size:,} bytes)" for one in manifest.parts)
