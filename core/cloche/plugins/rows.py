"""Lines of ``cloche plugins``: what is installed, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from cloche.errors import PluginError
from cloche.plugins.discovery import Found

Status = Literal["ok", "warning", "set aside", "off", "missing"]
"""``off``: CLOCHE_PLUGINS leaves it out. ``missing``: it is not installed, but CLOCHE_PLUGINS names
it, or it has memories here: an upgrade of the host may have taken it away."""


@dataclass(frozen=True, slots=True)
class PluginRow:
    """One line of ``cloche plugins``."""

    name: str
    kind: str
    distribution: str
    version: str
    hooks: tuple[str, ...]
    status: Status
    reason: str
    remedy: str
    channels: tuple[str, ...] = ()


def install(name: str) -> str:
    """What brings an assistant back."""
    return f"Install it: `pip install cloche-{name}`."


def missing(name: str, kind: str, reason: str, remedy: str) -> PluginRow:
    """The line of something that is not installed."""
    return PluginRow(name, kind, "", "", (), "missing", reason, remedy)


def left_out(one: Found) -> PluginError:
    """Why a plugin that is there is not used."""
    remedy = f"Add {one.name} to CLOCHE_PLUGINS, or unset it."
    return PluginError(one.name, "CLOCHE_PLUGINS leaves it out.", remedy=remedy)


def row(
    one: Found,
    hooks: tuple[str, ...],
    status: Status,
    *faults: PluginError,
    brings: Iterable[str] = (),
) -> PluginRow:
    """The line of an entry point; of several faults the first is told."""
    reason = remedy = ""
    if faults:
        first = faults[0]
        reason, remedy = (
            f"{first.hook}: {first.reason}" if first.hook else first.reason,
            first.remedy,
        )
    if len(faults) > 1:
        reason += f" (And {len(faults) - 1} more.)"
    return PluginRow(
        one.name,
        one.kind,
        one.distribution,
        one.version,
        hooks,
        status,
        reason,
        remedy,
        tuple(brings),
    )
