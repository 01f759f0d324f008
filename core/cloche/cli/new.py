"""``cloche new``: a package to begin with, which passes its tests as it is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from cloche.cli.output import echo
from cloche.errors import RequestError


def register(app: typer.Typer) -> None:
    """Add the command group."""
    group = typer.Typer(
        help="Write a package to begin with. A skill needs none: docs/skills.md makes one.",
        no_args_is_help=True,
    )
    group.callback()(lambda: None)
    group.command("assistant")(assistant)
    group.command("channel")(channel)
    app.add_typer(group, name="new")


def assistant(
    name: Annotated[str, typer.Argument(help="The assistant's name, such as attic.")],
    template: Annotated[
        str, typer.Option("--template", help="What to begin as: blank, helpdesk or trainer.")
    ] = "blank",
    into: Annotated[
        Path | None, typer.Option("--into", help="Folder to write; as it is, cloche-NAME here.")
    ] = None,
) -> None:
    """Write a package with an assistant.

    Persona, vocabulary, a skill, tests, README, CI.

    It passes its tests and chats as it is written.
    """
    from cloche.scaffolds import assistant_files

    files = assistant_files(name, template)
    _refuse_taken_assistant(name)
    folder = _write(files, into or Path(f"cloche-{name}"))
    echo(f"Next: pip install -e '{folder}[testing]' && pytest {folder} && cloche chat {name}")


def channel(
    name: Annotated[str, typer.Argument(help="The channel's name, such as chime.")],
    into: Annotated[
        Path | None, typer.Option("--into", help="Folder to write; as it is, cloche-NAME here.")
    ] = None,
) -> None:
    """Write a package with a channel, its tests and a README.

    The channel takes posted JSON and posts its replies; its tests pass.
    """
    from cloche.scaffolds import channel_files

    files = channel_files(name)
    _refuse_taken(name)
    folder = _write(files, into or Path(f"cloche-{name}"))
    echo(f"Next: pip install -e '{folder}[testing]' && pytest {folder}")


def _refuse_taken(name: str) -> None:
    """Raise where a channel of that name is installed: two of one name would both be set aside."""
    from cloche.plugins import load_host
    from cloche.settings import load_settings

    if name in load_host(load_settings()).channels():
        raise RequestError(f"{name} is a channel that is installed already; take another name.")


def _refuse_taken_assistant(name: str) -> None:
    """Raise where an assistant of that name is installed, used or not, or its distribution is."""
    from cloche.plugins.discovery import discover, normalised

    for one in discover():
        if (one.kind, one.name) == ("assistant", name):
            raise RequestError(f"{name} is an assistant that is installed already; take another.")
        if normalised(one.distribution) == f"cloche-{name}":
            raise RequestError(
                f"cloche-{name} is a package that is installed already; take another."
            )


def _write(written: Mapping[str, str], folder: Path) -> Path:
    """Write a package's files and name them; the folder."""
    from cloche.scaffolds import write_package

    write_package(folder, written)
    for path in written:
        echo(str(folder / path))
    return folder
