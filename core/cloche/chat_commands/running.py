"""What a person may ask with a slash: answered without a model, in every channel.

``/help /memory /why /forget /export /new /reminders /timezone /language /groups /done /snooze /skip
/quiet /link /unlink``, and for the owner ``/pair /people``; ``cloche.slash`` has their Spanish and
Chinese names. What is private is not shown in a group.
"""

from __future__ import annotations

import difflib
import logging
import platform
import secrets
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final, Protocol

from cloche.access.doors import Doors
from cloche.chat_commands import access as chat_access
from cloche.chat_commands import reminders as chat_reminders
from cloche.chat_commands.choices import choose_groups, choose_language, choose_time_zone
from cloche.chat_commands.memory import ALL, show_memory, show_why
from cloche.errors import MemoryUnavailableError
from cloche.memory.holdings import count_holdings, matching_records, read_holdings
from cloche.memory.pipeline import Memory
from cloche.memory.portable import write_export
from cloche.messages import Reply
from cloche.people import People, Person, person_prefix
from cloche.slash import NAMES, SPELLINGS, Command, own_name, parse_command
from cloche.texts import say

__all__ = ["NAMES", "Command", "CommandServices", "parse_command", "run_command"]

logger = logging.getLogger(__name__)

CODE_KEPT: Final = timedelta(minutes=10)
"""How long the word that confirms ``/forget all`` holds."""

_CODE_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"


class CommandServices(Protocol):
    """The parts of an assistant that commands work through."""

    @property
    def name(self) -> str:
        """The assistant's name, its entry point's."""
        ...

    @property
    def folder(self) -> Path:
        """``CLOCHE_HOME/<assistant>``; exports are written below it."""
        ...

    @property
    def people(self) -> People:
        """Settings and sessions."""
        ...

    @property
    def memory(self) -> Memory:
        """What is remembered, and the state kept beside it."""
        ...

    @property
    def doors(self) -> Doors:
        """Who is known, and whose doors are whose."""
        ...


async def run_command(command: Command, person: Person, services: CommandServices) -> Reply:
    """Do what a command says and tell the person, in their language; never fails."""
    handler = _HANDLERS.get(command.name)
    try:
        if handler is None:
            text = _unknown(command, person)
        elif command.name in _PRIVATE and person.group:
            text = say("command_private", person.language)
        else:
            text = await handler(command.argument, person, services)
    except MemoryUnavailableError as error:
        logger.warning(
            "command=%s cause=%s | a store is away: %s", command.name, error.cause, error
        )
        text = say("command_memory_away", person.language)
    return Reply(text)


def _unknown(command: Command, person: Person) -> str:
    # A name of two characters is half another one with one of them changed.
    alike = _ALIKE if command.name.isascii() else _ALIKE_SHORT
    close = difflib.get_close_matches(command.name, SPELLINGS, n=1, cutoff=alike)
    if close:
        near = own_name(SPELLINGS[close[0]], person.language)
        return say("command_unknown_near", person.language, name=command.name, near=near)
    return say("command_unknown", person.language, name=command.name)


async def _help(argument: str, person: Person, services: CommandServices) -> str:
    lines = [say("command_help", person.language)]
    owner = await services.doors.roles.is_owner(person.address)
    shown = [name for name in NAMES if owner or name not in _OWNERS]
    if person.address.channel == "console":
        shown += _CONSOLES
    lines += [f"- {say(f'command_help_{name}', person.language)}" for name in shown]
    return "\n".join(lines)


async def _memory(argument: str, person: Person, services: CommandServices) -> str:
    return await show_memory(argument, person, services.memory)


async def _why(argument: str, person: Person, services: CommandServices) -> str:
    return await show_why(argument, person, services.memory)


async def _forget(argument: str, person: Person, services: CommandServices) -> str:
    words = argument.split()
    if words and words[0].casefold() in ALL:
        return await _forget_all("".join(words[1:]).casefold(), person, services)
    if len(words) != 1:
        return say("command_forget_how", person.language)
    found = await matching_records(person.actor, services.memory.store, words[0].strip("`"))
    if len(found) != 1:
        return say(
            "command_forget_several" if found else "command_forget_none",
            person.language,
            id=words[0],
            count=len(found),
        )
    await services.memory.forgetter.record(person.actor, found[0].id)
    return say("command_forgotten", person.language, text=" ".join(found[0].text.split()))


async def _forget_all(code: str, person: Person, services: CommandServices) -> str:
    """Ask for the one-time word, and with the right one remove everything."""
    memory, key = services.memory, f"{person_prefix(person.actor)}forget-code"
    state = memory.state
    item = await state.get(key)
    if code and item is not None and item.value == code:
        erased = await memory.forgetter.everything(person.actor)
        return say(
            "command_forgotten_all",
            person.language,
            records=erased.records,
            events=erased.events,
            files=erased.files,
            others=erased.state + erased.waiting,
        )
    new_code = "".join(secrets.choice(_CODE_LETTERS) for _ in range(6))
    await state.put(key, new_code, ttl=CODE_KEPT)
    counts = await count_holdings(person.actor, memory.store, state, memory.files)
    waiting = await memory.writer.pending(person.actor)
    return say(
        "command_forget_wrong_code" if code else "command_forget_confirm",
        person.language,
        records=counts.records,
        events=counts.events,
        files=counts.files,
        others=counts.state + waiting,
        code=new_code,
        minutes=CODE_KEPT // timedelta(minutes=1),
    )


async def _export(argument: str, person: Person, services: CommandServices) -> str:
    memory, language = services.memory, person.language
    if person.address.channel == _PAGE:
        names = {"memory": say("web_memory", language), "export": say("web_export", language)}
        return say("command_export_page", language, **names)
    await memory.writer.catch_up()
    holdings = await read_holdings(person.actor, memory.store, memory.state, memory.files)
    try:
        path = write_export(services.folder, services.name, holdings, memory.clock())
    except OSError as error:
        logger.warning("command=export errno=%s | an export cannot be written", error.errno)
        return say("command_export_failed", person.language)
    if person.address.channel == "console":
        return say("command_exported", person.language, path=path)
    # A path of this machine helps only who may come to it.
    if await services.doors.roles.is_owner(person.address):
        machine = platform.node() or "?"
        return say("command_exported_owner", person.language, path=path, machine=machine)
    return say("command_exported_guest", person.language, name=path.name)


async def _new(argument: str, person: Person, services: CommandServices) -> str:
    await services.people.new_session(person)
    return say("command_new", person.language)


async def _timezone(argument: str, person: Person, services: CommandServices) -> str:
    return await choose_time_zone(argument, person, services.people)


async def _language(argument: str, person: Person, services: CommandServices) -> str:
    return await choose_language(argument, person, services.people)


async def _groups(argument: str, person: Person, services: CommandServices) -> str:
    return await choose_groups(argument, person, services.people)


async def _quiet(argument: str, person: Person, services: CommandServices) -> str:
    return await chat_reminders.quiet(argument, person, services.people, services.memory)


_Handler = Callable[[str, Person, CommandServices], Awaitable[str]]


def _by_memory(obey: Callable[[str, Person, Memory], Awaitable[str]]) -> _Handler:
    return lambda argument, person, services: obey(argument, person, services.memory)


def _by_doors(obey: Callable[[str, Person, Doors], Awaitable[str]]) -> _Handler:
    return lambda argument, person, services: obey(argument, person, services.doors)


_HANDLERS: Final[Mapping[str, _Handler]] = {
    "help": _help,
    "memory": _memory,
    "why": _why,
    "forget": _forget,
    "export": _export,
    "new": _new,
    "reminders": _by_memory(chat_reminders.show_reminders),
    "timezone": _timezone,
    "language": _language,
    "groups": _groups,
    "done": _by_memory(chat_reminders.done),
    "snooze": _by_memory(chat_reminders.snooze),
    "skip": _by_memory(chat_reminders.skip),
    "quiet": _quiet,
    "link": _by_doors(chat_access.link),
    "unlink": _by_doors(chat_access.unlink),
    "pair": _by_doors(chat_access.pair),
    "people": _by_doors(chat_access.people),
}
_PAGE: Final = "web"
"""It gives everything away itself, as a file of whoever looks at it."""
_OWNERS: Final = ("pair", "people")
_CONSOLES: Final = ("image", "quit")
"""What the console itself obeys."""
_ALIKE: Final = 0.72
"""So much are two spellings alike of which one is a slip of the other: no other word is."""
_ALIKE_SHORT: Final = 0.5
_PRIVATE: Final = ("memory", "why", "forget", "export", "reminders", "link", "unlink", *_OWNERS)
