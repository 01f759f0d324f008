"""``cloche memory doctor|backup|restore``."""

from __future__ import annotations

import typer


def add_to(commands: typer.Typer) -> None:
    """Add the commands."""
