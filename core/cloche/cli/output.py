"""How commands show what they found: a table in a terminal, plain lines in a pipe, or JSON."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import typer

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_STEERING: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters but tab and line feed, overrides of the writing direction, half characters."""

_STYLES: Final = {
    "ok": "green",
    "absent": "dim",
    "off": "dim",
    "warning": "yellow",
    "missing": "yellow",
    "set aside": "red",
    "error": "red",
    "failed": "red",
}


def show(rows: Sequence[DataclassInstance], columns: Sequence[str], *, as_json: bool) -> None:
    """Print rows to standard output.

    Args:
        rows: Frozen data, one line each. As JSON all their fields are printed.
        columns: Fields to show as a table, in order; the field's name is its heading.
        as_json: True = one JSON document, a list of objects.
    """
    if as_json:
        print_json([dataclasses.asdict(row) for row in rows])
        return
    lines = [[_cell(getattr(row, column)) for column in columns] for row in rows]
    if sys.stdout.isatty():
        _table(columns, lines)
    else:
        for line in (columns, *lines):
            echo("\t".join(line))


def print_json(document: object) -> None:
    """Print one JSON document to standard output; what could steer a terminal is escaped."""
    text = json.dumps(document, ensure_ascii=False, indent=2, default=str)
    # Only strings can hold such characters, and there an escape means the same.
    typer.echo(_STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def echo(text: str, *, err: bool = False) -> None:
    """Print to a terminal or pipe: whoever wrote it, it cannot move the cursor, ring or hide."""
    typer.echo(_STEERING.sub("\ufffd", text.replace("\r", "")), err=err)


def printable(text: str) -> str:
    """One line without control characters: what others wrote must not steer a terminal."""
    kept = (
        char for char in text if char.isspace() or unicodedata.category(char) not in ("Cc", "Cf")
    )
    return " ".join("".join(kept).split())


def _cell(value: object) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(_cell(item) for item in value)
    return printable(str(value))


def _table(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for line in lines:
        table.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in line))
    Console().print(table)
