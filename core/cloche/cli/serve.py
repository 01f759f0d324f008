"""``cloche serve``: let people reach an assistant through its channels."""

from __future__ import annotations

import asyncio
import os
from typing import Annotated

import typer

from cloche.channels import OwnerOptions
from cloche.cli.chat import system_language
from cloche.cli.choosing import (
    In,
    Which,
    check_channel_settings,
    choose_assistant,
    one_of,
    owner_name,
)
from cloche.cli.output import echo


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("serve")(serve)


def serve(
    assistant: Which = None,
    named: In = None,
    channel: Annotated[
        list[str] | None,
        typer.Option(
            "--channel", help="A channel; may be repeated. Without it, those that are configured."
        ),
    ] = None,
    as_name: Annotated[
        str | None, typer.Option("--as", help="Whose memory the web page on this machine uses.")
    ] = None,
) -> None:
    """Let people reach an assistant through channels.

    Until Ctrl-C.

    Ends with 2 when a setting is missing. What was not answered is answered by the next start.
    """
    from cloche.llm.providers import model_line
    from cloche.logs import set_up_logging
    from cloche.plugins import load_host
    from cloche.serving import serve as serve_channels
    from cloche.settings import ensure_home, load_settings

    settings = load_settings()
    set_up_logging(settings)
    host = load_host(settings)
    check_channel_settings(settings, host)
    name = choose_assistant(host, one_of(assistant, named))
    persona = host.assistant(name).persona.name
    language = system_language(os.environ)
    owner = OwnerOptions(owner_name(settings, as_name), persona=persona, language=language)
    ensure_home(settings)
    echo(model_line(settings))
    asyncio.run(
        serve_channels(host, name, settings, tuple(dict.fromkeys(channel or ())), owner, tell=echo)
    )
