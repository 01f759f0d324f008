"""``cloche check NAME``: one assistant, as its author would want it."""

from __future__ import annotations

from typing import Annotated, Final

import typer

COLUMNS: Final = ("level", "where", "what", "remedy")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check")(check)


def check(
    name: Annotated[str, typer.Argument(help="The assistant's name: its entry point.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Look for mistakes in one assistant.

    Ends with 1 when there is anything to mend.
    """
    from cloche.checks import check_assistant
    from cloche.cli.output import echo, show
    from cloche.plugins import load_host
    from cloche.settings import load_settings

    host = load_host(load_settings())
    findings = check_assistant(host, name)
    if findings or as_json:
        show(findings, COLUMNS, as_json=as_json)
    else:
        skills = len(host.assistant(name).skills.skills)
        echo(f"{name}: nothing to mend ({skills} skills).")
    raise typer.Exit(1 if findings else 0)
