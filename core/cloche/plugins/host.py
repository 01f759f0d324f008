"""The host's view of what is installed: who can be talked to, and by what means."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from cloche.errors import PluginError
from cloche.plugins.discovery import Found, Kind, discover
from cloche.plugins.names import name_clashes, refuse_claimed_twice, skill_clashes
from cloche.plugins.provided import Provided, read

if TYPE_CHECKING:
    from cloche.agents.agent import Agent
    from cloche.channels import Channel
    from cloche.context import BuildContext
    from cloche.embedders import Embedder
    from cloche.memory.store import MemoryStore
    from cloche.settings import Settings
    from cloche.skills import SkillsManifest
    from cloche.spec import AssistantSpec

Status = Literal["ok", "warning", "set aside", "off", "missing"]
"""``off``: CLOCHE_PLUGINS leaves it out. ``missing``: it is not installed, but CLOCHE_PLUGINS names
it, or it has memories here: an upgrade of the host may have taken it away."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PluginRow:
    """One line of ``cloche plugins``."""

    name: str
    kind: str
    distribution: str
    version: str
    hooks: tuple[str, ...]
    status: Status
    reason: str
    remedy: str
    channels: tuple[str, ...] = ()


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
                    raise _off(one)
                provided = self._take(one)
                clashes = skill_clashes(provided, self._plugins)
                return replace(provided, faults=(*provided.faults, *clashes))
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
            return _row(one, (), "off", _off(one))
        provided = self._judged(one)
        if provided.faults:
            return _row(one, provided.hooks, "set aside", *provided.faults)
        if one.warning:
            return _row(one, provided.hooks, "warning", one.warning, brings=provided.channels)
        return _row(one, provided.hooks, "ok", brings=provided.channels)

    def _judged(self, one: Found) -> Provided:
        if one.kind == "assistant" and one.fault is None:
            return self.provided(one.name)
        return self._clashed.get(one) or self._take(one)

    def _missing_rows(self) -> Iterator[PluginRow]:
        for name in self._only or ():
            if not any(one.named_by((name,)) for one in self._found):
                yield _missing(
                    name,
                    "",
                    "CLOCHE_PLUGINS names it, but it is not installed.",
                    "Install it, or take it out of CLOCHE_PLUGINS.",
                )
        for name in self._orphans:
            yield _missing(
                name,
                "assistant",
                f"it has memories in {self._home}, but it is not installed.",
                _install(name),
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
        plugins = {one: self._take(one) for one in self._on("plugin")}
        for fault in name_clashes([p for p in plugins.values() if not p.faults]):
            one = next(one for one in plugins if one.name == fault.plugin and not one.fault)
            plugins[one] = plugins[one].with_fault(fault)
        return plugins

    def _skills(self, provided: Provided) -> SkillsManifest:
        """The assistant's skills, then the add-ons'."""
        from cloche.skills import SkillsManifest

        manifests = [one.skills for one in (provided, *self._plugins) if one.skills]
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
            return f"Its memories are still here. {_install(name)}"
        near = difflib.get_close_matches(name, self.assistants, n=1)
        if near:
            return f"Did you mean {near[0]}?"
        if self.assistants:
            return f"There are: {', '.join(self.assistants)}."
        return f"None is installed yet. {_install(name)}"


def load_host(settings: Settings) -> Host:
    """Discover what is installed, within what CLOCHE_PLUGINS allows. Imports no plugin."""
    return Host(discover(), settings.plugins, settings.home)


def _install(name: str) -> str:
    return f"Install it: `pip install cloche-{name}`."


def _missing(name: str, kind: str, reason: str, remedy: str) -> PluginRow:
    return PluginRow(name, kind, "", "", (), "missing", reason, remedy)


def _off(one: Found) -> PluginError:
    remedy = f"Add {one.name} to CLOCHE_PLUGINS, or unset it."
    return PluginError(one.name, "CLOCHE_PLUGINS leaves it out.", remedy=remedy)


def _row(
    one: Found,
    hooks: tuple[str, ...],
    status: Status,
    *faults: PluginError,
    brings: Iterable[str] = (),
) -> PluginRow:
    reason = remedy = ""
    if faults:
        first = faults[0]
        reason, remedy = (
            f"{first.hook}: {first.reason}" if first.hook else first.reason,
            first.remedy,
        )
    if len(faults) > 1:
        reason += f" (And {len(faults) - 1} more.)"
    return PluginRow(
        one.name,
        one.kind,
        one.distribution,
        one.version,
        hooks,
        status,
        reason,
        remedy,
        tuple(brings),
    )


def _merged(mappings: Iterable[Mapping[str, T]]) -> dict[str, T]:
    return {name: value for mapping in mappings for name, value in mapping.items()}
