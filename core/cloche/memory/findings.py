"""What a look at a person's memory finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: What was looked at.
        status: "warning" = something is to be done.
        value: What was found.
        remedy: What to do; "" when nothing is.
        records: Ids of the records it is about.
    """

    name: str
    status: Status
    value: str
    remedy: str = ""
    records: tuple[str, ...] = ()
