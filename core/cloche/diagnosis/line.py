"""One line of the doctor's report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "absent", "off", "warning", "failed"]
"""``absent``: optional, and not there. ``failed``: needed, and it does not work."""

Area = Literal["installed", "configured", "reachable"]


@dataclass(frozen=True, slots=True)
class Line:
    """What was looked at, what was found, and what to do about it.

    Attributes:
        area: Which question it answers.
        name: What was looked at.
        status: How it is.
        value: What was found.
        remedy: What to do, "" when nothing is.
    """

    area: Area
    name: str
    status: Status
    value: str
    remedy: str = ""
