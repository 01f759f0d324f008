"""One thing an author should mend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cloche.errors import PluginError

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing an author should mend.

    Attributes:
        level: ``error``: it does not work; ``warning``: it works, but not as it should.
        where: The hook, file or name it is about.
        what: What is wrong, one sentence.
        remedy: What to do, one sentence.
    """

    level: Level
    where: str
    what: str
    remedy: str

    @classmethod
    def of(cls, fault: PluginError, level: Level = "error") -> Finding:
        """A plugin's fault as a finding."""
        return cls(level, fault.hook or "entry point", fault.reason, fault.remedy)
