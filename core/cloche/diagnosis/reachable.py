"""What can be reached: the model's endpoint, and what each assistant keeps on this machine."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from cloche.channels import Channel, ChannelContext, Document
from cloche.clock import utc_now
from cloche.context import BuildContext
from cloche.diagnosis.files import files_of
from cloche.diagnosis.line import Line
from cloche.errors import MemoryUnavailableError, PluginError, SettingsError
from cloche.plugins import Host
from cloche.settings import Settings
from cloche.ways import given_to, is_configured
from cloche.web_session import HttpSession

if TYPE_CHECKING:
    from cloche.embedders import Embedder
    from cloche.llm.providers import ChosenModel

PROBE_SECONDS: Final = 3.0
CHECK_SECONDS: Final = 10.0
"""How long a channel may take to ask its platform."""
_NOBODY: Final = "doctor"
"""An actor that nobody is: what is asked of a store about it is empty."""


def reachable(settings: Settings, host: Host, chosen: ChosenModel | None) -> Iterator[Line]:
    """Knock at the model's door, without saying who is there, and open what is kept."""
    if chosen is not None:
        yield _endpoint(chosen)
    for name, channel in host.channels().items():
        if is_configured(channel, settings):
            yield from asyncio.run(_door_of(name, channel, settings))
    for name in host.assistants:
        folder = settings.home / name
        if folder.is_dir():
            local = settings.memory.store == "local" and (folder / "memory.db").exists()
            context = BuildContext(name, settings, utc_now, folder)
            embedder = _embedder(host, context) if local else None
            yield from asyncio.run(_kept(name, folder, embedder, memories=local))
            yield from asyncio.run(files_of(context))


async def _door_of(name: str, kind: type[Channel], settings: Settings) -> list[Line]:
    """What a channel's platform says about this door; nothing is changed there."""
    called = f"channel {name}"
    http = HttpSession()
    context = ChannelContext(given_to(name, settings), http, utc_now, NothingKept(), commands={})
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            found = await kind(context).check()
    except Exception as error:  # the network's; its text may hold an address with a token in it
        remedy = "See that this machine may reach the platform, and that the secrets are right."
        return [Line("reachable", called, "failed", type(error).__name__, remedy)]
    finally:
        await http.close()
    return [
        Line("reachable", called, "ok", told)
        if well
        else Line("reachable", called, "failed", told, "See the channel's page.")
        for well, told in found
    ]


class NothingKept:
    """Keepsakes of a door that is only looked at."""

    async def get(self, key: str) -> Document:
        """There are none."""
        return None

    async def put(self, key: str, value: Document) -> None:
        """Nothing is kept."""


def _endpoint(chosen: ChosenModel) -> Line:
    url = chosen.model.base_url or ""
    if chosen.provider == "demo" or not url:
        return Line("reachable", "model endpoint", "ok", f"{chosen.provider} needs no network")
    try:
        host, port = _door(url)
        proxy = getproxies().get(urlsplit(url).scheme, "")
        proxied = bool(proxy) and not proxy_bypass(host)
        failure = knock(*(_door(proxy) if proxied else (host, port)))
    except ValueError:  # what it says may hold a part of the address, and that a password
        return _unreachable("its address is wrong")
    shown = f"{host}:{port}" + (" through a proxy" if proxied else "")
    if failure:
        return _unreachable(f"{shown}: {failure}")
    return Line("reachable", "model endpoint", "ok", shown)


def _unreachable(what: str) -> Line:
    remedy = "See that the address is right and that this machine may reach it."
    return Line("reachable", "model endpoint", "failed", what, remedy)


def knock(host: str, port: int, seconds: float = PROBE_SECONDS) -> str:
    """Open a connection and close it; "" when it could be opened, else why not."""
    failures = [f"no answer within {seconds:g} s"]

    def connect() -> None:
        try:
            socket.create_connection((host, port), timeout=seconds).close()
            failures.append("")
        except OSError as error:
            failures.append(error.strerror or str(error))

    # A thread, because looking up a name knows no time limit.
    thread = Thread(target=connect, daemon=True)
    thread.start()
    thread.join(seconds)
    return failures[-1]


def _embedder(host: Host, context: BuildContext) -> Embedder | None:
    from cloche.assembly import choose_embedder

    try:
        return choose_embedder(host, context)
    except (SettingsError, PluginError):
        return None  # the line of what is configured says why


async def _kept(
    name: str, folder: Path, embedder: Embedder | None, *, memories: bool
) -> list[Line]:
    from cloche.memory.local import LocalMemoryStore
    from cloche.memory.spool import Spool
    from cloche.state.sqlite import SqliteStateStore

    lines = []
    if memories:
        memory = LocalMemoryStore(folder / "memory.db", utc_now, embedder)
        try:
            await memory.count_events(_NOBODY, session=_NOBODY)
            lines.append(_opened(f"{name}: memory", folder / "memory.db", await memory.damaged()))
            if embedder is not None:
                lines.append(_vectors(f"{name}: vectors", await memory.pending_vectors()))
        except MemoryUnavailableError as error:
            lines.append(_shut(f"{name}: memory", error))
        finally:
            await memory.close()
    if (folder / "state.db").exists():
        state = SqliteStateStore(folder / "state.db", utc_now)
        try:
            await state.get(_NOBODY)
            lines.append(_opened(f"{name}: state", folder / "state.db", await state.damaged()))
        except MemoryUnavailableError as error:
            lines.append(_shut(f"{name}: state", error))
        finally:
            await state.close()
    try:
        waiting = await Spool(folder / "spool.jsonl", utc_now).pending()
    except MemoryUnavailableError as error:
        return [*lines, _shut(f"{name}: spool", error)]
    if waiting:
        told = f"{waiting} writes wait for the memory"
        remedy = "They are written with the next message; if not, see the memory's line."
        return [*lines, Line("reachable", f"{name}: spool", "warning", told, remedy)]
    return [*lines, Line("reachable", f"{name}: spool", "ok", "nothing waits")]


def _vectors(name: str, waiting: int) -> Line:
    if not waiting:
        return Line("reachable", name, "ok", "none waits")
    told = f"{waiting} wait; until then these are found by their words"
    return Line("reachable", name, "ok", told, "They are made while somebody talks.")


def _opened(name: str, path: Path, damaged: int) -> Line:
    if damaged:
        told = f"{path}: {damaged} damaged items are passed over"
        remedy = "Put a copy of the file in its place if you have one; forgetting removes them."
        return Line("reachable", name, "warning", told, remedy)
    return Line("reachable", name, "ok", str(path))


def _shut(name: str, error: MemoryUnavailableError) -> Line:
    remedies = {
        "corrupt": "Move the file away; what it held is lost unless you have a copy.",
        "disk_full": "Make room on the disk.",
        "future_schema": "Upgrade cloche.",
        "wrong_schema": "Put a backup in its place (`cloche memory restore`) or move it away.",
        "locked": "End the program that holds it, or try again.",
    }
    remedy = remedies.get(error.cause, "See that the file may be read and written.")
    return Line("reachable", name, "failed", str(error), remedy)


def door(url: str) -> str:
    """Scheme, host and port of a URL: name, password, path and query may be secrets."""
    try:
        host, port = _door(url)
    except ValueError:
        return "(hidden: it is no address)"
    shown = f"[{host}]" if ":" in host else host
    return f"{urlsplit(url).scheme}://{shown}:{port}"


def _door(url: str) -> tuple[str, int]:
    """Host and port of a URL, without what else may stand in it.

    Raises:
        ValueError: it has none.
    """
    parts = urlsplit(url)
    if not parts.hostname:
        raise ValueError("it names no host")
    return parts.hostname, parts.port or (80 if parts.scheme == "http" else 443)
