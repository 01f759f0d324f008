"""Names that more than one plugin brings: who must give way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from cloche.errors import PluginError
from cloche.plugins.discovery import Found
from cloche.plugins.provided import Provided

OWN: Final = "own"
"""In ``wins`` of a ``skills.json``: the assistant's own package."""

_HOST_THINGS: Final = frozenset(
    {
        *(f"memory store {name!r}" for name in ("local", "agentcore")),
        *(f"agent {name!r}" for name in ("auto", "embedded", "openclaw")),
    }
)
"""Names that the host's own settings give a meaning; no plugin may take them."""


def refuse_claimed_twice(found: Sequence[Found]) -> Iterator[Found]:
    """The entry points, with a fault where two claim one name in a group: neither loads.

    Those that came with the host stay, whoever claims their names.
    """
    for one in found:
        rivals = [f for f in found if f is not one and (f.kind, f.name) == (one.kind, one.name)]
        if one.fault or one.built_in or not rivals:
            yield one
            continue
        owners = " and ".join(sorted({one.distribution, *(r.distribution for r in rivals)}))
        fault = PluginError(
            one.name,
            f"the name is claimed more than once: by {owners}.",
            remedy="Uninstall one, or name the distribution to use in CLOCHE_PLUGINS.",
        )
        yield replace(one, fault=fault)


def name_clashes(plugins: Sequence[Provided]) -> Iterator[PluginError]:
    """A fault for every plugin that brings a name of the host's or of another plugin.

    Both of two plugins are at fault, unless one came with the host: that one stays.
    """
    owners: dict[tuple[str, str], list[Found]] = {}
    for plugin in plugins:
        for thing in _things(plugin):
            owners.setdefault(thing, []).append(plugin.found)
    for (hook, name), sharing in owners.items():
        for one in sharing:
            others = [_who(other) for other in sharing if other is not one]
            if name in _HOST_THINGS:
                others.append("cloche itself")
            if others and not one.built_in:
                yield _clash(one, hook, name, others)


def decided(
    assistant: Provided, plugins: Sequence[Provided]
) -> tuple[Provided, tuple[Provided, ...]]:
    """The assistant and the add-ons without the skills that its manifest lets others win over.

    A winner says what it hides. One that brings no such skill wins nothing: it may be an add-on
    that is not installed here.
    """
    wins = assistant.skills.wins if assistant.skills else {}
    for skill, winner in wins.items():
        name = assistant.found.name if winner == OWN else winner
        bringing = [each for each in (assistant, *plugins) if _brings(each, skill)]
        chosen = next((each.found for each in bringing if each.found.name == name), None)
        if chosen is None:
            continue
        hidden = tuple(f"{skill} of {_who(p.found)}" for p in bringing if p.found is not chosen)
        settled = [_settled(each, skill, chosen, hidden) for each in (assistant, *plugins)]
        assistant, plugins = settled[0], settled[1:]
    return assistant, tuple(plugins)


def _brings(plugin: Provided, skill: str) -> bool:
    return any(one.name == skill for one in (plugin.skills.skills if plugin.skills else ()))


def _settled(plugin: Provided, name: str, chosen: Found, hidden: tuple[str, ...]) -> Provided:
    """A plugin whose skill of that name has won, or has gone."""
    if plugin.skills is None or not _brings(plugin, name):
        return plugin
    won = plugin.found is chosen
    skills = tuple(
        replace(skill, shadows=(*skill.shadows, *hidden)) if skill.name == name else skill
        for skill in plugin.skills.skills
        if won or skill.name != name
    )
    return replace(plugin, skills=replace(plugin.skills, skills=skills))


def skill_clashes(assistant: Provided, plugins: Sequence[Provided]) -> Iterator[PluginError]:
    """A fault of the assistant for every skill or tool that an add-on brings too."""
    own = set(_things(assistant))
    for plugin in plugins:
        for hook, name in _things(plugin):
            if (hook, name) in own:
                yield _clash(assistant.found, hook, name, [_who(plugin.found)])


def _things(plugin: Provided) -> Iterator[tuple[str, str]]:
    """Hook and name ("channel 'x'") of all that must be unique."""
    for skill in plugin.skills.skills if plugin.skills else ():
        yield "provide_skills", f"skill {skill.name!r}"
        yield from (("provide_skills", f"tool {tool.name!r}") for tool in skill.tools)
    yield from (("provide_channels", f"channel {name!r}") for name in plugin.channels)
    yield from (("provide_memory_stores", f"memory store {n!r}") for n in plugin.memory_stores)
    yield from (("provide_agents", f"agent {name!r}") for name in plugin.agents)
    yield from (("provide_embedders", f"embedder {name!r}") for name in plugin.embedders)


def _clash(one: Found, hook: str, name: str, others: Sequence[str]) -> PluginError:
    return PluginError(
        one.name,
        f"{name} is provided by {_who(one)} and by {' and '.join(others)}.",
        hook=hook,
        remedy="Uninstall one of them, or leave one out with CLOCHE_PLUGINS"
        + (", or say in 'wins' of skills.json whose is used." if "skill" in name else "."),
    )


def _who(one: Found) -> str:
    return f"{one.name} ({one.distribution})"
