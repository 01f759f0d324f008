"""Names that more than one plugin brings: who must give way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeVar

from cloche.errors import PluginError
from cloche.plugins.discovery import Found
from cloche.plugins.provided import Provided

T = TypeVar("T")

HOST_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "provide_memory_stores": ("local", "agentcore"),
    "provide_agents": ("auto", "embedded", "openclaw"),
}
"""Names that the host's own settings give a meaning; no plugin may take them."""

_THINGS: Final = {
    "provide_skills": "skill",
    "provide_channels": "channel",
    "provide_memory_stores": "memory store",
    "provide_agents": "agent",
    "provide_embedders": "embedder",
}


def name_clashes(plugins: Sequence[Provided]) -> Iterator[PluginError]:
    """A fault for every plugin that brings a name of the host's or of another plugin.

    Both of two plugins are at fault, unless one came with the host: that one stays.
    """
    for hook in _THINGS:
        owners: dict[str, list[Found]] = {}
        for plugin in plugins:
            for name in _names(plugin, hook):
                owners.setdefault(name, []).append(plugin.found)
        for name, sharing in owners.items():
            taken = name in HOST_NAMES.get(hook, ())
            for one in sharing:
                others = [_who(other) for other in sharing if other is not one]
                if (others or taken) and not one.built_in:
                    yield _clash(one, hook, name, others or ["cloche itself"])


def skill_clashes(assistant: Provided, plugins: Sequence[Provided]) -> Iterator[PluginError]:
    """A fault of the assistant for every skill that an add-on brings too."""
    own = set(_names(assistant, "provide_skills"))
    for plugin in plugins:
        for name in _names(plugin, "provide_skills"):
            if name in own:
                yield _clash(assistant.found, "provide_skills", name, [_who(plugin.found)])


def _names(plugin: Provided, hook: str) -> tuple[str, ...]:
    if hook == "provide_skills":
        return tuple(skill.name for skill in plugin.skills.skills) if plugin.skills else ()
    brought: dict[str, Mapping[str, object]] = {
        "provide_channels": plugin.channels,
        "provide_memory_stores": plugin.memory_stores,
        "provide_agents": plugin.agents,
        "provide_embedders": plugin.embedders,
    }
    return tuple(brought[hook])


def _clash(one: Found, hook: str, name: str, others: Sequence[str]) -> PluginError:
    return PluginError(
        one.name,
        f"{_THINGS[hook]} {name!r} is provided by {_who(one)} and by {' and '.join(others)}.",
        hook=hook,
        remedy="Uninstall one of them, or leave one out with CLOCHE_PLUGINS.",
    )


def _who(one: Found) -> str:
    return f"{one.name} ({one.distribution})"
