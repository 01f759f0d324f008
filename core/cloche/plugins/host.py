"""The host's view of what is installed: who can be talked to, and by what means."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from cloche.errors import PluginError
from cloche.plugins.discovery import Found, Kind, discover
from cloche.plugins.names import decided, name_clashes, refuse_claimed_twice, skill_clashes
from cloche.plugins.provided import Provided, read
from cloche.plugins.rows import PluginRow, install, left_out, missing, row

if TYPE_CHECKING:
    from cloche.agents.agent import Agent
    from cloche.channels import Channel
    from cloche.context import BuildContext
    from cloche.embedders import Embedder
    from cloche.memory.store import MemoryStore
    from cloche.settings import Settings
    from cloche.skills import SkillsManifest
    from cloche.spec import AssistantSpec

T = TypeVar("T")


class Host:
    """Plugins, each imported when it is first needed and at most once.

    Attributes:
        assistants: Names of the assistants there are, in order. Whether one can really be used
            is known when it is asked for: none is imported to list them.
    """

    def __init__(
        self,
        found: tuple[Found, ...],
        only: tuple[str, ...] | None = None,
        home: Path | None = None,
    ) -> None:
        """Take what was discovered.

        Args:
            found: Every entry point.
            only: If not None, the names CLOCHE_PLUGINS limits it to. A name stands for an entry
                point or for all of a distribution; what came with the host stays.
            home: CLOCHE_HOME, to tell which assistants have memories and are not installed.
        """
        self._only, self._home = only, home
        off = [one for one in found if self._is_off(one)]
        self._found = (*refuse_claimed_twice([one for one in found if one not in off]), *off)
        self._provided: dict[Found, Provided] = {}
        usable = [one for one in self._on("assistant") if one.fault is None]
        self.assistants = tuple(one.name for one in usable)

    def assistant(self, name: str) -> AssistantSpec:
        """One assistant, ready to be built. Imports its package and the plugins, no other.

        Raises:
            PluginError: there is none of that name, or something is wrong with it.
        """
        from cloche.spec import AssistantSpec

        provided = self.provided(name)
        persona, vocabulary = provided.persona, provided.vocabulary
        namespaces = provided.namespaces
        if provided.faults or persona is None or vocabulary is None or namespaces is None:
            raise provided.faults[0]
        found = provided.found
        return AssistantSpec(
            name=name,
            persona=persona,
            skills=self._skills(provided),
            vocabulary=vocabulary,
            namespaces=namespaces,
            package=found.module,
            distribution=found.distribution,
            version=found.version,
        )

    def provided(self, name: str) -> Provided:
        """What an assistant's package brings, with all that is wrong with it in ``faults``.

        Raises:
            PluginError: there is no assistant of that name.
        """
        for one in self._found:  # what is off comes last
            if one.kind == "assistant" and one.name == name:
                if self._is_off(one):
                    raise left_out(one)
                return self._settled(self._take(one))[0]
        raise PluginError(
            name, "there is no assistant of that name.", remedy=self._instead_of(name)
        )

    def channels(self) -> Mapping[str, type[Channel]]:
        """Channel types by name."""
        return _merged(one.channels for one in self._plugins)

    @property
    def unused(self) -> tuple[str, ...]:
        """Plugins that are there but not used; most channels are named as theirs."""
        used = {one.found for one in self._plugins}
        return tuple(one.name for one in self._found if one.kind == "plugin" and one not in used)

    def memory_stores(self) -> Mapping[str, Callable[[BuildContext], MemoryStore]]:
        """Factories of plugins' memory stores by name; the host's own is not among them."""
        return _merged(one.memory_stores for one in self._plugins)

    def agents(self) -> Mapping[str, Callable[[BuildContext], Agent]]:
        """Factories of plugins' agents by name; the host's own are not among them."""
        return _merged(one.agents for one in self._plugins)

    def embedders(self) -> Mapping[str, Callable[[BuildContext], Embedder]]:
        """Factories of embedders by name."""
        return _merged(one.embedders for one in self._plugins)

    def commands(self) -> tuple[Provided, ...]:
        """Command groups, those that are set aside too."""
        return tuple(self._take(one) for one in self._on("commands"))

    def set_aside(self, provided: Provided, fault: PluginError) -> None:
        """Set a command group aside because its commands cannot be added."""
        self._provided[provided.found] = provided.with_fault(fault)

    @property
    def rows(self) -> tuple[PluginRow, ...]:
        """What there is and how it fares. Imports every plugin that is not off."""
        return (*(self._row(one) for one in self._found), *self._missing_rows())

    def _row(self, one: Found) -> PluginRow:
        if self._is_off(one):
            return row(one, (), "off", left_out(one))
        provided = self._judged(one)
        if provided.faults:
            return row(one, provided.hooks, "set aside", *provided.faults)
        if one.warning:
            return row(one, provided.hooks, "warning", one.warning, brings=provided.channels)
        return row(one, provided.hooks, "ok", brings=provided.channels)

    def _judged(self, one: Found) -> Provided:
        if one.kind == "assistant" and one.fault is None:
            return self.provided(one.name)
        if one.kind == "plugin" and one.fault is None:
            return self._decided_somewhere(one)
        return self._take(one)

    def _decided_somewhere(self, one: Found) -> Provided:
        """A plugin, without fault where an assistant's manifest settles whose skill is used."""
        provided = self._clashed[one]
        if provided.faults and not self._take(one).faults:
            for assistant in self._on("assistant"):
                _, plugins = self._settled(self._take(assistant))
                if any(each.found is one for each in plugins):
                    return self._take(one)
        return provided

    def _missing_rows(self) -> Iterator[PluginRow]:
        for name in self._only or ():
            if not any(one.named_by((name,)) for one in self._found):
                yield missing(
                    name,
                    "",
                    "CLOCHE_PLUGINS names it, but it is not installed.",
                    "Install it, or take it out of CLOCHE_PLUGINS.",
                )
        for name in self._orphans:
            yield missing(
                name,
                "assistant",
                f"it has memories in {self._home}, but it is not installed.",
                install(name),
            )

    @property
    def _orphans(self) -> list[str]:
        """Assistants that are not installed but were: their memories are still there."""
        if self._home is None or not self._home.is_dir():
            return []
        kept = {path.parent.name for path in self._home.glob("*/memory.db")}
        return sorted(kept - {one.name for one in self._found if one.kind == "assistant"})

    def _take(self, one: Found) -> Provided:
        if one not in self._provided:
            self._provided[one] = read(one)
        return self._provided[one]

    @property
    def _plugins(self) -> tuple[Provided, ...]:
        """The plugins that can be used: read, without fault, no name in common."""
        return tuple(one for one in self._clashed.values() if not one.faults)

    @cached_property
    def _clashed(self) -> Mapping[Found, Provided]:
        """Every plugin, with a fault where it brings a name that another brings too."""
        return _apart([self._take(one) for one in self._on("plugin")])

    def _settled(self, assistant: Provided) -> tuple[Provided, tuple[Provided, ...]]:
        """An assistant and the add-ons it can use, after its manifest said whose skills win."""
        read = [one for one in map(self._take, self._on("plugin")) if not one.faults]
        assistant, plugins = decided(assistant, read)
        usable = tuple(one for one in _apart(plugins).values() if not one.faults)
        clashes = skill_clashes(assistant, usable)
        return replace(assistant, faults=(*assistant.faults, *clashes)), usable

    def _skills(self, provided: Provided) -> SkillsManifest:
        """The assistant's skills, then the add-ons'."""
        from cloche.skills import SkillsManifest

        plugins = self._settled(self._take(provided.found))[1]
        manifests = [one.skills for one in (provided, *plugins) if one.skills]
        return SkillsManifest(
            skills=tuple(skill for manifest in manifests for skill in manifest.skills),
            source=manifests[0].source if manifests else provided.found.module,
        )

    def _on(self, kind: Kind) -> list[Found]:
        return [one for one in self._found if one.kind == kind and not self._is_off(one)]

    def _is_off(self, one: Found) -> bool:
        if self._only is None or one.built_in or one.unreadable:
            return False
        return not one.named_by(self._only)

    def _instead_of(self, name: str) -> str:
        if name in self._orphans:
            return f"Its memories are still here. {install(name)}"
        near = difflib.get_close_matches(name, self.assistants, n=1)
        if near:
            return f"Did you mean {near[0]}?"
        if self.assistants:
            return f"There are: {', '.join(self.assistants)}."
        return f"None is installed yet. {install(name)}"


def _apart(plugins: Sequence[Provided]) -> dict[Found, Provided]:
    """Plugins, with a fault where one brings a name that another brings too."""
    judged = {one.found: one for one in plugins}
    for fault in name_clashes([one for one in plugins if not one.faults]):
        one = next(one for one in judged if one.name == fault.plugin and not one.fault)
        judged[one] = judged[one].with_fault(fault)
    return judged


def load_host(settings: Settings) -> Host:
    """Discover what is installed, within what CLOCHE_PLUGINS allows. Imports no plugin."""
    return Host(discover(), settings.plugins, settings.home)


def _merged(mappings: Iterable[Mapping[str, T]]) -> dict[str, T]:
    return {name: value for mapping in mappings for name, value in mapping.items()}
