"""``cloche plugins``: what is installed, and what became of it."""

from __future__ import annotations

from typing import Annotated, Final

import typer

COLUMNS: Final = (
    "name",
    "kind",
    "version",
    "hooks",
    "channels",
    "status",
    "reason",
    "remedy",
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plugins")(plugins)


def plugins(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List plugins and what became of them.

    A plugin that is set aside says why and what to do; the host runs on without it.
    """
    from typer.core import TyperGroup

    from cloche.cli.app import COMMANDS
    from cloche.cli.groups import add_groups
    from cloche.cli.output import echo, show
    from cloche.plugins import load_host
    from cloche.settings import load_settings

    host = load_host(load_settings())
    add_groups(
        TyperGroup(), host, COMMANDS
    )  # only a try shows whether a command group can be added
    rows = host.rows
    if not rows and not as_json:
        echo("No plugins are installed.")
        return
    show(rows, COLUMNS, as_json=as_json)
