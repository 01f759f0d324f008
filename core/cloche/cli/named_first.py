"""Command groups that take an assistant's name for a command: it is listed what there is of it."""

from __future__ import annotations

from typing import Any, ClassVar

from typer.core import TyperGroup


class NamedFirst(TyperGroup):
    """``cloche people NAME`` is ``cloche people list NAME``."""

    usual: ClassVar[str] = "list"
    """The command that is meant where only an assistant is named."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Read an assistant's name as the usual command for it."""
        if args and args[0][:1] != "-" and args[0] not in self.commands:
            args = [self.usual, *args] if args[0] in installed() else args
        return super().resolve_command(ctx, args)


def installed() -> tuple[str, ...]:
    """The names of the assistants that are installed."""
    from cloche.plugins import load_host
    from cloche.settings import load_settings

    return tuple(load_host(load_settings()).assistants)
