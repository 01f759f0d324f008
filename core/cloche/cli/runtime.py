"""``cloche runtime``: the container every assistant runs in, serving the AgentCore contract."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Annotated, Final

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

if TYPE_CHECKING:
    from cloche.plugins import Host
    from cloche.settings import Settings

PORT: Final = 8080
EVERYWHERE: Final = "0.0.0.0"  # noqa: S104 (the contract's address, in a container of its own)
HERE: Final = "127.0.0.1"
SWITCH_SECONDS: Final = 0.001
"""Three event loops share the interpreter: ``/ping`` waits for the others no longer than this."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("runtime")(runtime)


def runtime(
    assistant: Which = None,
    named: In = None,
    dev: Annotated[
        bool,
        typer.Option(
            "--dev", help="Take the local owner's words with curl; listens on 127.0.0.1 alone."
        ),
    ] = False,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Where to listen; 0 = any free.")
    ] = PORT,
) -> None:
    """Serve the AgentCore contract.

    GET /ping and POST /invocations, until SIGTERM.

    Ends with 2 when a setting is missing. What was not answered is answered by the next start.
    """
    from cloche.runtime.collecting import collect_nothing

    collect_nothing()
    from cloche.plugins import load_host
    from cloche.runtime.host import channels_of
    from cloche.runtime.json_logs import set_up_json_logs
    from cloche.settings import ensure_home, load_settings

    settings = load_settings()
    set_up_json_logs(settings)
    host = load_host(settings)
    check_channel_settings(settings, host)
    name = choose_assistant(host, one_of(assistant, named))
    ensure_home(settings)
    persona = host.assistant(name).persona.name
    owner = OwnerOptions(
        owner_name(settings, None), persona=persona, language=system_language(os.environ)
    )
    channels = [kind.name for kind in channels_of(host, settings)]
    sys.setswitchinterval(SWITCH_SECONDS)
    asyncio.run(_serve(host, name, settings, owner, channels, dev=dev, port=port))


async def _serve(
    host: Host,
    name: str,
    settings: Settings,
    owner: OwnerOptions,
    channels: list[str],
    *,
    dev: bool,
    port: int,
) -> None:
    from cloche.llm.providers import start_line
    from cloche.runtime.busy import Busy
    from cloche.runtime.host import HostThread, open_doors
    from cloche.runtime.server import listen, runtime_app, serve_runtime
    from cloche.tracing import collect_spans

    there = listen(HERE if dev else EVERYWHERE, port)
    host_name, at = there.getsockname()[:2]
    address = f"http://{host_name}:{at}"
    write = _write_line if settings.runtime.metrics == "emf" else None
    busy = Busy()
    thread = HostThread(
        lambda told: open_doors(host, name, settings, owner, told, dev=dev, write=write), busy
    )
    app = runtime_app(thread.ask, busy)
    collect_spans()

    def tell() -> None:
        echo(start_line(settings))
        served = ", ".join(channels) or ("none is configured" if not dev else "none, but --dev")
        echo(f"{owner.persona or name} listens at {address}/invocations. Channels: {served}.")

    # Not before: what is refused, such as a setting, is all that is said then.
    thread.on_open(tell)
    try:
        await serve_runtime(app, thread, there)
    finally:
        there.close()


def _write_line(line: str) -> None:
    """Whole lines only: other threads may write, too."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
