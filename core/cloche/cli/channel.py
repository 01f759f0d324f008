"""``cloche channel``: what authors of channels need."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cloche.channels import Channel, ChannelContext, ChannelRequest, Document
from cloche.cli.output import echo
from cloche.errors import RequestError, SettingsError

if TYPE_CHECKING:
    from cloche.settings import Settings

LOOK: Final = "They hold what people wrote: look at them before you share them."


def register(app: typer.Typer) -> None:
    """Add the command group."""
    group = typer.Typer(help="For authors of channels.", no_args_is_help=True)
    group.callback()(lambda: None)
    group.command("record")(record)
    app.add_typer(group, name="channel")


def record(
    name: Annotated[str, typer.Argument(help="The channel's name.")],
    into: Annotated[Path, typer.Option("--into", help="Folder for the samples.")] = Path(
        "tests/samples"
    ),
    count: Annotated[int, typer.Option("--count", min=1, help="End after so many.")] = 10,
) -> None:
    """Keep a platform's requests as samples for tests.

    Without secrets.

    Listens where the host would, at CLOCHE_SERVE__HOST and CLOCHE_SERVE__PORT, or polls where no
    CLOCHE_SERVE__PUBLIC_URL is set and the platform can be polled. Nobody is answered.
    """
    from cloche.logs import set_up_logging
    from cloche.plugins import load_host
    from cloche.settings import load_settings
    from cloche.ways import no_channel

    settings = load_settings()
    set_up_logging(settings)
    channels = load_host(settings).channels()
    if name not in channels:
        raise SettingsError(no_channel(name, channels))
    into = into.absolute()
    echo(f"Samples are written to {into}.")
    kept = asyncio.run(_record(channels[name], settings, into, count))
    echo(f"Kept {kept} in {into}. {LOOK}")


async def _record(kind: type[Channel], settings: Settings, into: Path, count: int) -> int:
    from cloche.clock import utc_now
    from cloche.recordings.taking import record_by_address, record_by_polling
    from cloche.slash.menu import slash_menu
    from cloche.ways import given_to, ways_of
    from cloche.web_session import HttpSession

    way = ways_of({kind.name: kind}, settings)[kind.name]
    if way == "loop":
        raise SettingsError(f"{kind.name} has a loop of its own: no platform sends it requests.")
    session = HttpSession()
    context = ChannelContext(
        given_to(kind.name, settings), session, utc_now, _Forgets(), slash_menu()
    )
    channel, kept = kind(context), 0
    keep = _keeper(kind(context), into)

    def take(request: ChannelRequest) -> bool:
        nonlocal kept
        kept += 1
        echo(keep(request))
        return kept < count

    try:
        if way == "polling":
            await channel.open()
            echo(f"Asking {kind.name}. Write something there; Ctrl-C ends.")
            await record_by_polling(channel, take)
        else:
            serve = settings.serve
            await record_by_address(
                channel,
                take,
                host=serve.host,
                port=serve.port,
                tell=lambda url: echo(f"Listening at {url}. Write something there; Ctrl-C ends."),
            )
    finally:
        await channel.close()
        await session.close()
    return kept


def _keeper(channel: Channel, into: Path) -> Callable[[ChannelRequest], str]:
    """Keeps a request, one without a message apart; says where."""
    from cloche.recordings.samples import without_secrets, write_recording

    secrets = [value.get_secret_value() for value in channel.context.settings.values()]

    def keep(request: ChannelRequest) -> str:
        try:
            found = len(channel.parse(request))
        except RequestError:
            found = 0
        clean = without_secrets(request, channel.authentication, channel.challenge, secrets)
        path = write_recording(into if found else into / "ignored", clean)
        return f"{path}: {'a message' if found else 'no message'}"

    return keep


class _Forgets:
    """Keeps nothing from one process to the next."""

    async def get(self, key: str) -> Document:
        return None

    async def put(self, key: str, value: Document) -> None:
        """Forget it."""
