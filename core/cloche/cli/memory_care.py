"""``cloche memory backup|restore``: an assistant's whole memory in one file, and back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cloche.cli import output
from cloche.errors import RequestError

if TYPE_CHECKING:
    from cloche.backup import Manifest

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
In = Annotated[
    str | None,
    typer.Option("--assistant", help="Which assistant; may be left out when there is only one."),
]


def add_to(commands: typer.Typer) -> None:
    """Add the commands."""
    for command in (backup, restore):
        commands.command()(command)


def backup(
    file: Annotated[
        Path | None, typer.Argument(help="File to write; else a new one in the backups folder.")
    ] = None,
    assistant: In = None,
    as_json: Json = False,
) -> None:
    """Write everything an assistant keeps about everybody into one file; it may go on running."""
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
    """Put a backup in the place of what an assistant keeps; what is replaced is kept aside."""
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
        output.print_json({"file": str(file), "aside": aside, **_document(done.manifest)})
        return
    at = done.manifest.at.astimezone()
    typer.echo(f"Restored {name} as it was at {at:%Y-%m-%d %H:%M}: {_listed(done.manifest)}.")
    if done.aside:
        typer.echo(f"What it replaced lies in {done.aside}; remove it when you are sure.", err=True)


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
