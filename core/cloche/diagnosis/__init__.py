"""What ``cloche doctor`` tells: what is installed, what is configured, what can be reached.

Nothing here changes a setting or writes to a memory. Credentials are sent nowhere, but for a
channel's own, to its own platform.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cloche.diagnosis.configured import configured
from cloche.diagnosis.installed import installed
from cloche.diagnosis.line import Line, Status
from cloche.diagnosis.reachable import reachable
from cloche.errors import SettingsError
from cloche.plugins import Host, load_host
from cloche.plugins.discovery import discover
from cloche.redact import Redactor, secrets_in
from cloche.settings import load_settings

__all__ = ["Line", "Status", "diagnose"]


def diagnose() -> tuple[Line, ...]:
    """Look at this machine and its settings; no line holds a secret."""
    try:
        settings = load_settings()
    except SettingsError as error:
        # Without settings nothing is imported that CLOCHE_PLUGINS may have left out, and what is
        # off for that reason alone is not told: nobody set it.
        wrong = Line("configured", "settings", "failed", str(error), "Mend what it names.")
        there = [line for line in installed(Host(discover(), ())) if line.status != "off"]
        return (*there, replace(wrong, value=Redactor()(wrong.value)))
    host = load_host(settings)
    redact = Redactor(secrets_in(settings))

    def lines() -> Iterator[Line]:
        yield from installed(host, settings.openclaw)
        chosen, said = configured(settings, host)
        yield from said
        yield from reachable(settings, host, chosen)

    return tuple(replace(line, value=redact(line.value)) for line in lines())
