"""What ``cloche chat`` and ``cloche memory`` have in common: which assistant, and as whom."""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import typer

from cloche.cli import output
from cloche.errors import PluginError, RequestError, SettingsError

if TYPE_CHECKING:
    from cloche.plugins import Host
    from cloche.settings import Settings

OWNER: Final = "owner"
"""Whom the console acts for when neither ``--as`` nor CLOCHE_OWNER names anybody."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of the list of assistants."""

    name: str
    persona: str
    start: str


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
    typer.echo("Several assistants are installed: name one.", err=True)
    rows = [Choice(name, _persona(host, name), f"cloche chat {name}") for name in host.assistants]
    output.show(rows, ("name", "persona", "start"), as_json=False)
    raise typer.Exit(2)


def check_channel_settings(settings: Settings, host: Host) -> None:
    """Warn about settings of a channel whose plugin is set aside.

    Raises:
        SettingsError: there are settings of a channel that nobody brings.
    """
    from cloche.settings import channel_settings_findings

    if not settings.channels:
        return
    errors, warnings = channel_settings_findings(settings, host.channels(), host.unused)
    for warning in warnings:
        typer.echo(f"cloche: {warning}", err=True)
    if errors:
        raise SettingsError("\n".join(errors))


def owner_name(settings: Settings, named: str | None) -> str:
    """Whom the command acts for: ``--as``, else CLOCHE_OWNER, else "owner".

    Raises:
        RequestError: the name is empty; nobody is acted for without one.
    """
    # One spelling of each letter, else an accent typed on another machine is another person.
    name = unicodedata.normalize(
        "NFC", words_of(settings.owner or OWNER if named is None else named)
    )
    if not name.strip():
        raise RequestError("--as needs a name: nobody is acted for without one.")
    return name.strip()


def words_of(argument: str) -> str:
    """An argument as UTF-8, whatever the locale made of its bytes."""
    return os.fsencode(argument).decode("utf-8", errors="replace")


def _persona(host: Host, name: str) -> str:
    try:
        return host.assistant(name).persona.name
    except PluginError as error:
        return f"cannot be used: {error.reason}"
