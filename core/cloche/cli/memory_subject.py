"""Whose memory a command is about, and the assistant opened for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cloche.cli import output
from cloche.cli.choosing import choose_assistant, owner_name
from cloche.messages import Address, Message

if TYPE_CHECKING:
    from cloche.assistant import Assistant
    from cloche.people import Person

CONSOLE: Final = "console"

As = Annotated[str | None, typer.Option("--as", help="Whose memory; the owner's without it.")]


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose memory a command is about, in which assistant."""

    assistant: Assistant
    owner: str
    actor: str

    async def person(self) -> Person:
        """The person as their private talk in the console knows them: language, zone, session."""
        address = Address(CONSOLE, self.owner)
        return await self.assistant.people.of(Message("", address, self.owner, ""))


def run_for(
    named: str | None,
    as_name: str | None,
    work: Callable[[Subject], Awaitable[int]],
    *,
    changes: bool = False,
) -> None:
    """Open the assistant, do the work for the person, and exit with its code.

    Work that changes nothing completes no restore that was cut off: it says that there is one.
    """
    from cloche.logs import set_up_logging
    from cloche.plugins import load_host
    from cloche.settings import ModelSettings, ensure_home, load_settings

    settings = load_settings()
    # No model is asked here: a mistake in its settings must not keep anybody from their memory.
    settings = settings.model_copy(
        update={"model": ModelSettings(provider="demo"), "agent": "auto"}
    )
    set_up_logging(settings)
    host = load_host(settings)
    name = choose_assistant(host, named)
    owner = owner_name(settings, as_name)
    ensure_home(settings)

    async def opened() -> int:
        from cloche.assembly import open_assistant
        from cloche.backup import unfinished

        if not changes and unfinished(settings.home / name):
            output.echo(
                "A restore was cut off before it was done: this is what is there until then. The "
                "next message in a chat completes it, and keeps what it replaces below replaced/.",
                err=True,
            )
        assistant = await open_assistant(host, name, settings, complete=changes)
        try:
            actor = await assistant.people.actor_of(Address(CONSOLE, owner))
            return await work(Subject(assistant, owner, actor))
        finally:
            await assistant.close()

    raise typer.Exit(asyncio.run(opened()))


def assistant_and(words: list[str], *, wants_last: bool, last: str) -> tuple[str | None, str]:
    """The assistant, if one is named, and the last word, if one is wanted."""
    rest = list(words)
    if wants_last and not rest:
        raise typer.BadParameter(f"{last} is missing.")
    wanted = rest.pop() if wants_last else ""
    if len(rest) > 1 and not wants_last:
        raise typer.BadParameter(f"give either {last}, not both.")
    if len(rest) > 1:
        raise typer.BadParameter(f"too many words: {' '.join(words)}")
    return (rest[0] if rest else None), wanted
