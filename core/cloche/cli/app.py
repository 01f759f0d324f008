"""The ``cloche`` command: collects the command groups and tells failures in one sentence."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Annotated, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command_name, get_group
from typer.models import CommandInfo

from cloche import __version__
from cloche.cli.choosing import GIVEN
from cloche.cli.groups import add_groups
from cloche.cli.output import echo
from cloche.errors import ClocheError, SettingsError
from cloche.unhandled import tell_unhandled

COMMANDS: Final = (
    *("chat", "serve", "runtime", "memory", "people", "plugins", "reminders", "skills", "check"),
    *("doctor", "new", "channel"),
)
"""Modules of ``cloche.cli`` with ``register(app)``, in the order ``--help`` shows them.

Each is named as the command or group that it registers.
"""

FAILED: Final = 2
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141
_CANNOT_WRITE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


def main() -> None:
    """Run the command line and end the process: the console script."""
    tell_unhandled()
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command line.

    Returns:
        The exit code: the command's own; 2 when an error was told; 130 after Ctrl-C.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a test may have put something else there
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _write_no_more()
        return PIPE_CLOSED
    except OSError as error:
        # A file or store that fails is told by whoever uses it: here only our output is left.
        if error.filename is not None or error.errno not in _CANNOT_WRITE:
            raise
        with suppress(OSError):
            echo(f"cloche: the output cannot be written: {error.strerror}.", err=True)
        _write_no_more()
        return FAILED
    return code


def _run(arguments: Sequence[str]) -> int:
    try:
        root = built_in(*arguments[:2])
        _add_plugins(root, arguments)
        GIVEN.set(_given(root, arguments))
        root.main(args=list(arguments), prog_name="cloche")
    except ClocheError as error:
        from cloche.redact import Redactor

        echo(Redactor()(f"cloche: {error}"), err=True)
        return FAILED
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return 0


def _given(root: TyperGroup, arguments: Sequence[str]) -> str:
    """The command of a command line, without what it is given."""
    names, at = ["cloche"], root
    for word in arguments:
        found = at.commands.get(word)
        if found is None:
            break
        names.append(word)
        if not isinstance(found, TyperGroup):
            break
        at = found
    return " ".join(names)


def _write_no_more() -> None:
    """Whoever read us has gone, or has no room: the interpreter must not try again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
            continue
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(nowhere, stream.fileno())


def built_in(asked: str = "", within: str = "") -> TyperGroup:
    """The commands that come with the host; where one of them is asked for, that one alone.

    Making a command of a function's signature takes time, and there are many.

    Args:
        asked: A command or group, if it is one.
        within: A command of that group, if it is one.
    """
    app = typer.Typer(
        name="cloche",
        help="A host for personal assistants that remember.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
    )
    app.callback()(_options)
    for name in (asked,) if asked in COMMANDS else COMMANDS:
        import_module(f"cloche.cli.{name}").register(app)
    for group in app.registered_groups if asked in COMMANDS else ():
        listed = group.typer_instance.registered_commands if group.typer_instance else []
        listed[:] = [one for one in listed if _name_of(one) == within] or listed
    return get_group(app)


def _name_of(command: CommandInfo) -> str:
    return command.name or get_command_name(command.callback.__name__ if command.callback else "")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cloche {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """The options of ``cloche`` itself, read before any command."""


def _add_plugins(root: TyperGroup, arguments: Sequence[str]) -> None:
    """Add plugins' command groups, if there are any; without, settings are not even read."""
    from cloche.plugins.discovery import discover

    found = discover()
    if not any(one.kind == "commands" for one in found):
        return
    from cloche.plugins import Host
    from cloche.settings import load_settings

    try:
        host = Host(found, load_settings().plugins)
    except SettingsError:
        # The host's own commands still run: doctor tells what is wrong with the settings.
        asked = next((word for word in arguments if not word.startswith("-")), "")
        if asked and asked not in COMMANDS:
            raise
        return
    for fault in add_groups(root, host, COMMANDS):
        echo(f"cloche: {fault}", err=True)
