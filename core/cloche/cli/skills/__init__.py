"""``cloche skills``: what an assistant can do, where it comes from, and whether it works."""

from __future__ import annotations

import typer

from cloche.cli.named_first import NamedFirst
from cloche.cli.skills.changing import add, lock, remove
from cloche.cli.skills.rendering import render
from cloche.cli.skills.showing import lint, list_
from cloche.cli.skills.trying import try_

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command group."""
    group = typer.Typer(
        help="List, check, change, pin and try skills.",
        no_args_is_help=True,
        cls=NamedFirst,
    )
    for name, command in (
        ("list", list_),
        ("lint", lint),
        ("add", add),
        ("remove", remove),
        ("lock", lock),
        ("test", try_),
        ("render", render),
    ):
        group.command(name)(command)
    app.add_typer(group, name="skills")
