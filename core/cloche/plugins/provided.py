"""Everything one plugin brings, or everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import TYPE_CHECKING, Final, TypeVar

from cloche.channels import Channel
from cloche.errors import PluginError
from cloche.namespaces import NamespaceScheme
from cloche.persona import Persona
from cloche.plugins.discovery import Found
from cloche.plugins.facade import Hooks
from cloche.plugins.loading import isolated, load_module
from cloche.vocabulary import Vocabulary

if TYPE_CHECKING:
    from cloche.agents.agent import Agent
    from cloche.context import BuildContext
    from cloche.embedders import Embedder
    from cloche.memory.store import MemoryStore
    from cloche.skills import SkillsManifest

T = TypeVar("T")
_REQUIRED: Final = {
    "provide_persona": "who it is (from cloche: Persona)",
    "provide_vocabulary": "its metadata keys (from cloche: Vocabulary)",
    "provide_namespaces": "where its memories lie (from cloche: NamespaceScheme)",
}


@dataclass(frozen=True)
class Provided:
    """What a plugin brings.

    Attributes:
        found: Its entry point.
        hooks: Names of the hooks it implements.
        faults: What is wrong with it; not empty = it is set aside. What could be read of it is
            here all the same, so that ``cloche check`` can look at the rest.
        register: Adds its commands (kind ``commands`` only).
    """

    found: Found
    hooks: tuple[str, ...] = ()
    persona: Persona | None = None
    skills: SkillsManifest | None = None
    vocabulary: Vocabulary | None = None
    namespaces: NamespaceScheme | None = None
    channels: Mapping[str, type[Channel]] = field(default_factory=dict)
    memory_stores: Mapping[str, Callable[[BuildContext], MemoryStore]] = field(default_factory=dict)
    agents: Mapping[str, Callable[[BuildContext], Agent]] = field(default_factory=dict)
    embedders: Mapping[str, Callable[[BuildContext], Embedder]] = field(default_factory=dict)
    register: Callable[[object], None] | None = None
    faults: tuple[PluginError, ...] = ()

    def with_fault(self, fault: PluginError) -> Provided:
        """The same, set aside for one more reason."""
        return replace(self, faults=(*self.faults, fault))


def read(found: Found) -> Provided:
    """Import a plugin and call its hooks. Never raises: what goes wrong is in ``faults``."""
    if found.fault:
        return Provided(found, faults=(found.fault,))
    try:
        module = load_module(found)
        with isolated(found):  # looking at a module may run code of its author's, too
            return _commands(found, module) if found.kind == "commands" else _hooks(found, module)
    except PluginError as fault:
        return Provided(found, faults=(fault,))


def _hooks(found: Found, module: ModuleType) -> Provided:
    hooks = Hooks(found, module)
    faults = [*hooks.faults, *_missing(found, hooks)]

    def taken(call: Callable[[], T], otherwise: T) -> T:
        try:
            return call()
        except PluginError as fault:
            faults.append(fault)
            return otherwise

    provided = Provided(
        found,
        hooks.implemented,
        persona=taken(hooks.persona, None),
        skills=taken(hooks.skills, None),
        vocabulary=taken(hooks.vocabulary, None),
        namespaces=taken(hooks.namespaces, None),
        channels=taken(hooks.channels, {}),
        memory_stores=taken(hooks.memory_stores, {}),
        agents=taken(hooks.agents, {}),
        embedders=taken(hooks.embedders, {}),
    )
    return replace(provided, faults=tuple(faults))


def _missing(found: Found, hooks: Hooks) -> Iterator[PluginError]:
    if hooks.faults:
        return  # a misspelled hook is told as that, not as a missing one too
    if found.kind == "assistant":
        for hook, purpose in _REQUIRED.items():
            if hook not in hooks.implemented:
                remedy = f"Add @hookimpl def {hook}(): {purpose}."
                yield PluginError(found.name, "is missing.", hook=hook, remedy=remedy)
    elif not hooks.implemented:
        remedy = f"Mark at least one hook with @hookimpl in {found.module}."
        yield PluginError(found.name, "it implements no hook.", remedy=remedy)


def _commands(found: Found, module: ModuleType) -> Provided:
    register = getattr(module, "register", None)
    if callable(register):

        def isolated_register(app: object) -> None:
            with isolated(found, "register"):
                register(app)

        return Provided(found, register=isolated_register)
    remedy = f"Define register(app: typer.Typer) -> None in {found.module}."
    fault = PluginError(found.name, "it has no function register.", remedy=remedy)
    return Provided(found, faults=(fault,))
