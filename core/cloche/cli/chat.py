"""``cloche chat``: talk to an assistant in the terminal, through a pipe, or once."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cloche.channels import Channel, OwnerOptions
from cloche.cli.choosing import (
    In,
    Which,
    check_channel_settings,
    choose_assistant,
    one_of,
    owner_name,
    words_of,
)
from cloche.cli.output import echo
from cloche.clock import utc_now
from cloche.errors import MemoryUnavailableError, PluginError
from cloche.ids import actor_id
from cloche.messages import Address, Message, place_of
from cloche.signals import on_signals
from cloche.texts import FALLBACK, languages, say

if TYPE_CHECKING:
    from cloche.assistant import Assistant
    from cloche.house import House
    from cloche.plugins import Host
    from cloche.settings import Settings

CONSOLE: Final = "console"
ENDED_SECONDS: Final = 3.0
"""A turn that runs when a chat is ended has so long; what is not answered by then waits."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("chat")(chat)


def chat(
    assistant: Which = None,
    named: In = None,
    as_name: Annotated[str | None, typer.Option("--as", help="Whose memory to use.")] = None,
    once: Annotated[str | None, typer.Option("--once", help="Say this, and end.")] = None,
    image: Annotated[
        list[Path] | None,
        typer.Option(
            "--image", help="A picture or any other file for the first message; may be repeated."
        ),
    ] = None,
    skill: Annotated[
        list[Path] | None,
        typer.Option("--skill", help="Folder of a skill to try, read anew each turn."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per turn.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show tokens, cost, memory and tools of each turn.")
    ] = False,
) -> None:
    """Talk to an assistant. It remembers you from one time to the next."""
    from cloche.logs import set_up_logging
    from cloche.plugins import load_host
    from cloche.settings import ensure_home, load_settings

    if once is not None and not once.strip() and not image:
        raise typer.BadParameter("needs words, or --image beside it.", param_hint="--once")
    settings = load_settings()
    set_up_logging(settings)
    host = load_host(settings)
    check_channel_settings(settings, host)
    name = choose_assistant(host, one_of(assistant, named))
    options = OwnerOptions(
        owner=owner_name(settings, as_name),
        persona=host.assistant(name).persona.name,
        language=system_language(os.environ),
        interactive=once is None and not as_json and _at_a_terminal(),
        once=None if once is None else words_of(once),
        images=tuple(image or ()),
        as_json=as_json,
        verbose=verbose,
    )
    console = console_of(host)
    ensure_home(settings)
    chat_ = _chat(host, name, settings, options, console, tuple(skill or ()))
    raise typer.Exit(asyncio.run(_ended_by_signals(chat_)))


def console_of(host: Host) -> type[Channel]:
    """The installed console.

    Raises:
        PluginError: it is not there, or is a door that others could use, too.
    """
    console = host.channels().get(CONSOLE)
    if console is None or not console.capabilities.owner_only:
        raise PluginError(
            CONSOLE,
            "there is no console that the command line can open.",
            remedy="`cloche plugins` says why; installing cloche again brings it back.",
        )
    return console


def system_language(environ: Mapping[str, str]) -> str:
    """The language of the system's locale if the host speaks it, else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environ.get(name, ""):
            primary = value.split("_")[0].split(".")[0].lower()
            return primary if primary in languages() else FALLBACK
    return FALLBACK


async def _ended_by_signals(chat_: Coroutine[object, object, int]) -> int:
    """Run a chat; SIGTERM and a closed terminal end it as a person would.

    The terminal is given back as it was, and a gateway beside it leaves nothing behind. Its exit
    code then is 128 and the signal's number.
    """
    task = asyncio.ensure_future(chat_)
    came: list[signal.Signals] = []

    def end(number: signal.Signals) -> None:
        came.append(number)
        task.cancel()

    with on_signals(("SIGTERM", "SIGHUP"), end):
        try:
            return await task
        except asyncio.CancelledError:
            if not came:
                raise
            return 128 + came[0]


async def _chat(
    host: Host,
    name: str,
    settings: Settings,
    options: OwnerOptions,
    console: type[Channel],
    skills: tuple[Path, ...],
) -> int:
    from cloche.chat_lock import ChatLock
    from cloche.delivery.delivery import CLOSE_SECONDS
    from cloche.house import opened

    async with opened(host, name, settings, [console], options, extra_skills=skills) as house:
        delivery = house.deliveries[CONSOLE]
        with ChatLock(
            house.assistant.folder / f"{CONSOLE}-{actor_id(_address(options))}.lock"
        ) as lock:
            # What was left is taken over by a chat that is alone, and only its owner's.
            await delivery.start(recovering=lock.alone, only=place_of(options.owner))
            lock.share()
            patience = CLOSE_SECONDS
            try:
                for line in await _start_lines(host, house.assistant, settings, options):
                    echo(line, err=not options.interactive)
                async with _reminded(house, options):
                    return await delivery.channel.run(delivery)
            except asyncio.CancelledError:
                patience = ENDED_SECONDS  # whoever ends a chat waits for no model
                raise
            finally:
                await delivery.close(seconds=patience)


@asynccontextmanager
async def _reminded(house: House, options: OwnerOptions) -> AsyncIterator[None]:
    """Tell the owner what is due as long as they chat; who counts answers gets no others."""
    from cloche.house import reminders_of

    if options.once is not None or options.as_json:
        yield
        return
    runner = reminders_of(house, utc_now, only=options.owner)
    task = asyncio.create_task(runner.run(), name="reminders")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _address(options: OwnerOptions) -> Address:
    return Address(CONSOLE, options.owner)


async def _start_lines(
    host: Host, assistant: Assistant, settings: Settings, options: OwnerOptions
) -> list[str]:
    """Which provider answers, who talks to whom, what is missing, and once the time zone."""
    from cloche.embedding.choice import embedder_name, why_without
    from cloche.llm.providers import start_line

    person = await assistant.people.of(Message("", _address(options), options.owner, ""))
    language = person.settings.language or options.language
    lines = [
        start_line(settings),
        say("chat_with", language, assistant=options.persona, owner=options.owner),
    ]
    if settings.memory.store == "local" and not embedder_name(
        settings.embeddings, host.embedders()
    ):
        how = say(f"chat_embedder_{why_without(settings.embeddings)}", language)
        lines.append(say("chat_by_words", language, how=how))
    if options.interactive:
        lines.append(say("chat_keys", language))
        if options.images:
            names = ", ".join(path.name for path in options.images)
            lines.append(say("chat_images_wait", language, names=names))
    if not person.settings.zone_told and not person.settings.time_zone:
        lines.append(say("chat_time_zone", language, zone=person.zone.key))
        try:
            await assistant.people.choose(person.actor, zone_told=True)
        except MemoryUnavailableError:
            pass  # told again next time; the store's failure is told by whoever needs it
    return lines


def _at_a_terminal() -> bool:
    # Python has no stdin at all when the process was started with it closed.
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
