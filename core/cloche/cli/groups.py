"""Command groups that plugins add (entry-point group ``cloche.commands``), each isolated."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import typer
from typer.core import TyperGroup
from typer.main import get_group

from cloche.errors import PluginError, said

if TYPE_CHECKING:
    from cloche.plugins import Host


def add_groups(root: TyperGroup, host: Host, built_in: Collection[str]) -> tuple[PluginError, ...]:
    """Add the commands of every group to ``root``; one that cannot be added is set aside.

    Args:
        root: Where to.
        host: Whose plugins' groups.
        built_in: Names of the host's own commands, which no group may take.

    Returns:
        Why groups were set aside, a fault for each.
    """
    faults: list[PluginError] = []
    for provided in host.commands():
        if provided.register is None:
            faults += provided.faults
            continue
        try:
            apart = _built(provided.found.name, provided.register, {*built_in, *root.commands})
        except PluginError as fault:
            host.set_aside(provided, fault)
            faults.append(fault)
        else:
            root.commands.update(apart.commands)
    return tuple(faults)


def _built(name: str, register: Callable[[object], None], taken: Collection[str]) -> TyperGroup:
    """The group's commands, built apart, so that half a group is never added."""
    app = typer.Typer()
    register(app)
    try:
        built = get_group(app)
    except BaseException as error:  # Typer raises what it likes, and a signature is its author's
        raise PluginError(
            name,
            f"its commands cannot be built: {type(error).__name__} ({said(error)}).",
            hook="register",
            remedy="Give every parameter a type that Typer knows.",
        ) from error
    clashes = sorted(set(built.commands) & set(taken))
    if clashes:
        raise PluginError(
            name,
            f"there is already a command {', '.join(clashes)}.",
            hook="register",
            remedy="Rename it.",
        )
    return built
