"""What a stored document stands for: SQLite keeps whatever was put into a column."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from cloche.memory.codec import Document, load_line

T = TypeVar("T")


def parsed(parse: Callable[[Document], T], document: object) -> T | None:
    """What a stored document stands for; None when it is damaged."""
    if not isinstance(document, str):
        return None
    try:
        return parse(load_line(document))
    except ValueError:
        return None
