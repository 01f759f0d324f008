"""Whose memory a command is about, and the assistant opened for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cloche.cli import output
from cloche.cli.choosing import choose_assistant, one_of, owner_name
from cloche.cli.named_first import installed
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


def assistant_and(
    words: Sequence[str], option: str | None, *wanted: str
) -> tuple[str | None, list[str]]:
    """The assistant, if one is named as the first word or an option, and the words behind it.

    Args:
        words: What was given.
        option: ``--assistant``.
        wanted: What each word stands for; as many have to be there.
    """
    rest = list(words)
    named = rest.pop(0) if len(rest) == len(wanted) + 1 else None
    if len(rest) > len(wanted):
        raise typer.BadParameter(f"too many words: {' '.join(words)}")
    first = rest[0] if rest and named is None and option is None else ""
    if len(rest) < len(wanted) or (len(rest) == len(wanted) and _only_an_assistant(first)):
        given = len(rest) - bool(first and _only_an_assistant(first))
        raise typer.BadParameter(f"{wanted[given]} is missing.")
    return one_of(named, option), rest


def assistant_before(
    words: Sequence[str], option: str | None, wanted: str
) -> tuple[str | None, list[str]]:
    """The same before any number of words: where there are several and the first names one.

    Args:
        words: What was given.
        option: ``--assistant``.
        wanted: What the words stand for.
    """
    rest = list(words)
    if option is not None or not rest:
        return option, rest
    names = installed()
    if len(names) < 2 or rest[0] not in names:
        return None, rest
    if len(rest) == 1:
        raise typer.BadParameter(f"{wanted} is missing.")
    return rest[0], rest[1:]


def _only_an_assistant(word: str) -> bool:
    """True for an assistant's name, which is neither the beginning of an id nor a file."""
    return bool(word.strip("0123456789abcdefABCDEF")) and (
        word in installed() and not Path(word).exists()
    )
