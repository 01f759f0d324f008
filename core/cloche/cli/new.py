"""``cloche new``: a package to begin with, which passes its tests as it is written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cloche.cli.output import echo


def register(app: typer.Typer) -> None:
    """Add the command group."""
    group = typer.Typer(help="Write a package to begin with.", no_args_is_help=True)
    group.callback()(lambda: None)
    group.command("channel")(channel)
    app.add_typer(group, name="new")


def channel(
    name: Annotated[str, typer.Argument(help="The channel's name, such as chime.")],
    into: Annotated[
        Path | None, typer.Option("--into", help="Folder to write; as it is, cloche-NAME here.")
    ] = None,
) -> None:
    """Write a package with a channel, its tests and a README.

    The channel takes posted JSON and posts its replies; its tests pass.
    """
    from cloche.scaffolds import channel_files, write_package

    written = channel_files(name)
    folder = into or Path(f"cloche-{name}")
    write_package(folder, written)
    for path in written:
        echo(str(folder / path))
    echo(f"Next: pip install -e '{folder}[testing]' && pytest {folder}")
