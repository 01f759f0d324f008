"""Tables as text of fixed width, with every cell in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

_MOST_CHARS: Final = 20_000
"""Beyond it a table that would be mostly padding is written without: one long cell pads all."""
_NOWHERE: Final[Mapping[str, int]] = {}


def flat_table(
    events: Sequence[tuple[Any, Mapping[str, int]]], source: bytes
) -> Iterator[tuple[Any, Mapping[str, int]]]:
    """The same table with nothing but text in its cells."""
    (_, where), rows = events[0], _rows(events, source)
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    written = sum(len(cell) for row in rows for cell in row)
    if len(rows) * sum(widths) > _MOST_CHARS + 4 * written:
        yield from _lines(rows, where)
        return
    yield {"Start": {"Table": ()}}, where
    for number, row in enumerate(rows):
        kind = "TableRow" if number else "TableHead"
        yield {"Start": kind}, _NOWHERE
        for cell in row:
            yield {"Start": "TableCell"}, _NOWHERE
            yield {"Text": cell}, _NOWHERE
            yield {"End": "TableCell"}, _NOWHERE
        yield {"End": kind}, _NOWHERE
    yield {"End": "Table"}, _NOWHERE


def _lines(
    rows: Sequence[Sequence[str]], where: Mapping[str, int]
) -> Iterator[tuple[Any, Mapping[str, int]]]:
    yield {"Start": "Paragraph"}, where
    for number, row in enumerate(rows):
        if number:
            yield "SoftBreak", _NOWHERE
        yield {"Text": " | ".join(row)}, _NOWHERE
    yield {"End": "Paragraph"}, _NOWHERE


def _rows(events: Sequence[tuple[Any, Mapping[str, int]]], source: bytes) -> list[list[str]]:
    rows: list[list[str]] = []
    read_to = 0
    for payload, where in events:
        if payload in ({"Start": "TableHead"}, {"Start": "TableRow"}):
            rows.append([])
            read_to = where["start"]
        elif payload == {"Start": "TableCell"}:
            rows[-1].append("")
        elif payload == {"End": "TableCell"}:
            read_to = where["end"]
        elif payload in ({"End": "TableHead"}, {"End": "TableRow"}):
            # Cells beyond the table's columns, which the parser leaves out.
            beyond = source[read_to : where["end"]].decode().strip(" \t\r\n|")
            if beyond:
                rows[-1].append(beyond)
        elif rows and rows[-1]:
            rows[-1][-1] += payload.get("Text", payload.get("Code", ""))
    return rows
