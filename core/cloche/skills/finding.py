"""What is wrong with a skill, as a row: file, line, what, and how to mend it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from cloche.errors import ClocheError, ManifestError, PluginError

_QUOTED: Final = re.compile(r"(?<!\w)'[^']*'(?!\w)")
_LAST_COLON: Final = re.compile(r"^(.*\S)(?:: |; )(.+)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SkillFinding:
    """One thing an author should mend.

    Attributes:
        level: ``error``: the skill cannot be used; ``warning``: it can, but not everywhere.
        skill: Its name, as far as it is known.
        file: The file.
        line: 1-based line; None where the format does not tell.
        pointer: JSON pointer into the file ("" = none).
        what: What is wrong.
        remedy: How to mend it.
    """

    level: Literal["error", "warning"]
    skill: str
    file: str
    line: int | None
    pointer: str
    what: str
    remedy: str

    @classmethod
    def of(
        cls, fault: ClocheError, skill: str, level: Literal["error", "warning"] = "error"
    ) -> SkillFinding:
        """A fault as a row."""
        if isinstance(fault, ManifestError):
            what, remedy = parted(fault.reason)
            return cls(level, skill, fault.file, fault.line, fault.pointer, what, remedy)
        if isinstance(fault, PluginError):
            return cls(level, skill, fault.plugin, None, "", fault.reason, fault.remedy)
        return cls(level, skill, "", None, "", str(fault), "")


def parted(reason: str) -> tuple[str, str]:
    """What is wrong and how to mend it: a reason says them in this order, apart by a colon."""
    masked = _QUOTED.sub(lambda found: "x" * len(found[0]), reason)
    found = _LAST_COLON.match(masked)
    if found is None:
        return reason, ""
    return reason[: found.end(1)], reason[found.start(2) :]
