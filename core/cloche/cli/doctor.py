"""``cloche doctor``: what is installed, configured and reachable."""

from __future__ import annotations

from typing import Annotated, Final

import typer

COLUMNS: Final = ("area", "name", "status", "value", "remedy")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor)


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Tell what is installed, configured and reachable.

    Ends with 1 when something that is needed does not work.
    """
    from cloche.cli.output import show
    from cloche.diagnosis import diagnose

    lines = diagnose()
    show(lines, COLUMNS, as_json=as_json)
    raise typer.Exit(1 if any(line.status == "failed" for line in lines) else 0)
