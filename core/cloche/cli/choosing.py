"""What ``cloche chat`` and ``cloche memory`` have in common: which assistant, and as whom."""

from __future__ import annotations

import os
import unicodedata
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cloche.cli import output
from cloche.errors import PluginError, RequestError, SettingsError

if TYPE_CHECKING:
    from cloche.plugins import Host
    from cloche.settings import Settings


GIVEN: Final = ContextVar("given", default="cloche")
"""The command that runs, as it is written: ``cloche memory show``."""

Which = Annotated[
    str | None, typer.Argument(help="Which assistant; may be left out when there is only one.")
]
In = Annotated[str | None, typer.Option("--assistant", help="The same, as an option.")]


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of the list of assistants."""

    name: str
    persona: str
    start: str


def one_of(word: str | None, option: str | None) -> str | None:
    """The assistant that is named as a word, or with ``--assistant``; None = neither.

    Raises:
        RequestError: both are given, and differ.
    """
    if None not in (word, option) and word != option:
        raise RequestError(f"{word!r} and --assistant {option!r} name two assistants: give one.")
    return option if word is None else word


def choose_assistant(host: Host, named: str | None) -> str:
    """The assistant that is named, or the only one there is.

    Raises:
        PluginError: there is none of that name.
        SettingsError: none is installed.
        typer.Exit: several are installed and none is named; they were listed.
    """
    if named is not None:
        host.assistant(named)
        return named
    if not host.assistants:
        raise SettingsError(
            "No assistant is installed: install an assistant package (`pip install "
            "cloche-NAME`) and see with `cloche plugins` that it is used."
        )
    if len(host.assistants) == 1:
        return host.assistants[0]
    first = host.assistants[0]
    output.echo(
        "Several assistants are installed: name one of them, as in "
        f"`{GIVEN.get()} --assistant {first}`.",
        err=True,
    )
    rows = [Choice(name, _persona(host, name), f"cloche chat {name}") for name in host.assistants]
    output.show(rows, ("name", "persona", "start"), as_json=False)
    raise typer.Exit(2)


def check_channel_settings(settings: Settings, host: Host) -> None:
    """Warn about settings of a channel whose plugin is set aside.

    Raises:
        SettingsError: there are settings of a channel that nobody brings, or that it does not take.
    """
    from cloche.settings import channel_settings_findings
    from cloche.ways import keys_of

    if not settings.channels:
        return
    errors, warnings = channel_settings_findings(settings, keys_of(host.channels()), host.unused)
    for warning in warnings:
        output.echo(f"cloche: {warning}", err=True)
    if errors:
        raise SettingsError("\n".join(errors))


def owner_name(settings: Settings, named: str | None) -> str:
    """Whom the command acts for: ``--as``, else CLOCHE_OWNER, else "owner".

    Raises:
        RequestError: the name is empty, or its bytes are no UTF-8: nobody is acted for without a
            name, and two names must never become one.
    """
    from cloche.channels.owner import UNNAMED

    # One spelling of each letter, else an accent typed on another machine is another person.
    written = settings.owner or UNNAMED if named is None else named
    try:
        name = unicodedata.normalize("NFC", os.fsencode(written).decode("utf-8"))
    except UnicodeError as error:
        setting = "CLOCHE_OWNER" if named is None else "--as"
        raise RequestError(f"{setting} is not UTF-8: write the name in UTF-8.") from error
    if not name.strip():
        raise RequestError("--as needs a name: nobody is acted for without one.")
    # Other spaces are part of the name: whoever cuts them makes two people one.
    return name.strip(" \t\r\n")


def words_of(argument: str) -> str:
    """An argument as UTF-8, whatever the locale made of its bytes."""
    return os.fsencode(argument).decode("utf-8", errors="replace")


def _persona(host: Host, name: str) -> str:
    try:
        return host.assistant(name).persona.name
    except PluginError as error:
        return f"cannot be used: {error.reason}"
