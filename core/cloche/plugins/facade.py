"""What one plugin brings, typed and checked: the only place that touches pluggy.

Every plugin is registered in a plugin manager of its own, so that one plugin's mistake is one
plugin's row and two assistants in one process cannot see each other's hooks.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, TypeGuard, TypeVar

import pluggy

from cloche import hookspecs
from cloche.channels import Channel
from cloche.errors import MemoryUnavailableError, PluginError, SettingsError
from cloche.ids import CHANNEL_PATTERN
from cloche.namespaces import NamespaceScheme
from cloche.persona import Persona
from cloche.plugins.discovery import Found
from cloche.plugins.loading import isolated
from cloche.vocabulary import Vocabulary

if TYPE_CHECKING:
    from cloche.agents.agent import Agent
    from cloche.context import BuildContext
    from cloche.embedders import Embedder
    from cloche.memory.store import MemoryStore
    from cloche.skills import SkillsManifest

T = TypeVar("T")
_OTHER_GROUP = (
    "Persona, vocabulary and namespaces come from an entry point in cloche.assistants; channels, "
    "stores, agents and embedders from one in cloche.plugins."
)


class Hooks:
    """One plugin's hooks: a method for each, which calls it and checks what it returns.

    A hook the plugin does not implement gives None or nothing; one that fails, or returns
    something else than its spec says, raises ``PluginError``.

    Attributes:
        implemented: Names of the hooks it implements, in the order of the specs.
        faults: What is wrong with how it declares them.
    """

    def __init__(self, found: Found, module: ModuleType) -> None:
        """Register the module; nothing is called yet."""
        self._found = found
        manager = pluggy.PluginManager(hookspecs.PROJECT)
        manager.add_hookspecs(hookspecs)
        callers: dict[str, pluggy.HookCaller] = {}
        try:
            manager.register(module, found.name)
            callers = {caller.name: caller for caller in manager.get_hookcallers(module) or ()}
            self.faults = list(self._declaration_faults(callers))
        except pluggy.PluginValidationError as error:
            hook = next((name for name in hookspecs.HOOKS if name in str(error)), "")
            reason = str(error).strip().splitlines()[-1]
            self.faults = [self._fault(hook, f"{reason}.", "Hooks take no arguments.")]
        self.implemented = tuple(hook for hook in hookspecs.HOOKS if hook in callers)
        faulty = {fault.hook for fault in self.faults}
        self._functions: Mapping[str, Callable[[], object]] = {
            hook: callers[hook].get_hookimpls()[0].function
            for hook in self.implemented
            if hook not in faulty
        }

    def persona(self) -> Persona | None:
        """Who the assistant is."""
        return self._instance("provide_persona", Persona)

    def skills(self) -> SkillsManifest | None:
        """The skills it brings."""
        if "provide_skills" not in self._functions:
            return None
        from cloche.skills import SkillsManifest

        return self._instance("provide_skills", SkillsManifest)

    def vocabulary(self) -> Vocabulary | None:
        """The metadata keys the assistant uses."""
        return self._instance("provide_vocabulary", Vocabulary)

    def namespaces(self) -> NamespaceScheme | None:
        """Where the assistant's memories lie."""
        return self._instance("provide_namespaces", NamespaceScheme)

    def channels(self) -> Mapping[str, type[Channel]]:
        """Channel types by name."""
        hook = "provide_channels"
        if hook not in self._functions:
            return {}
        returned = self._call(hook)
        if not isinstance(returned, list | tuple):
            raise self._wrong(hook, "a list of channel types", returned)
        channels: dict[str, type[Channel]] = {}
        for item in returned:
            if not _is_channel(item):
                raise self._wrong(hook, "channel types (subclasses of cloche.Channel)", item)
            if not CHANNEL_PATTERN.fullmatch(item.name) or item.name in channels:
                raise self._fault(hook, f"channel name {item.name!r} is invalid or used twice.")
            channels[item.name] = item
        return channels

    def memory_stores(self) -> Mapping[str, Callable[[BuildContext], MemoryStore]]:
        """Factories of memory stores by name."""
        from cloche.memory.store import MemoryStore

        return self._factories(
            "provide_memory_stores", lambda made: made if isinstance(made, MemoryStore) else None
        )

    def agents(self) -> Mapping[str, Callable[[BuildContext], Agent]]:
        """Factories of agents by name."""
        from cloche.agents.agent import Agent

        return self._factories(
            "provide_agents", lambda made: made if isinstance(made, Agent) else None
        )

    def embedders(self) -> Mapping[str, Callable[[BuildContext], Embedder]]:
        """Factories of embedders by name."""
        from cloche.embedders import Embedder

        return self._factories(
            "provide_embedders", lambda made: made if isinstance(made, Embedder) else None
        )

    def _instance(self, hook: str, kind: type[T]) -> T | None:
        if hook not in self._functions:
            return None
        returned = self._call(hook)
        if not isinstance(returned, kind):
            raise self._wrong(hook, f"a {kind.__name__}", returned)
        return returned

    def _factories(
        self, hook: str, accept: Callable[[object], T | None]
    ) -> Mapping[str, Callable[[BuildContext], T]]:
        """The named factories of a hook, each wrapped to check what it makes."""
        if hook not in self._functions:
            return {}
        returned = self._call(hook)
        if not isinstance(returned, Mapping):
            raise self._wrong(hook, "a mapping of names to factories", returned)
        factories: dict[str, Callable[[BuildContext], T]] = {}
        for name, factory in returned.items():
            if not (isinstance(name, str) and CHANNEL_PATTERN.fullmatch(name)):
                raise self._fault(hook, f"{name!r} is no name: it must be like 'my-store'.")
            if not callable(factory):
                raise self._wrong(hook, f"a factory for {name!r}", factory)
            factories[name] = self._checked(hook, name, factory, accept)
        return factories

    def _checked(
        self,
        hook: str,
        name: str,
        factory: Callable[[BuildContext], object],
        accept: Callable[[object], T | None],
    ) -> Callable[[BuildContext], T]:
        def build(context: BuildContext) -> T:
            with isolated(self._found, hook, through=(SettingsError, MemoryUnavailableError)):
                made = factory(context)
            accepted = accept(made)
            if accepted is None:
                raise self._wrong(hook, f"a factory {name!r} of what its spec says", made)
            return accepted

        return build

    def _call(self, hook: str) -> object:
        with isolated(self._found, hook):
            return self._functions[hook]()

    def _declaration_faults(
        self, callers: Mapping[str, pluggy.HookCaller]
    ) -> Iterator[PluginError]:
        for hook, caller in callers.items():
            if not caller.has_spec():
                near = difflib.get_close_matches(hook, hookspecs.HOOKS, n=1)
                remedy = f"Did you mean {near[0]}?" if near else "Remove its @hookimpl."
                yield self._fault(hook, "there is no such hook.", remedy)
            elif hook not in self._allowed:
                yield self._fault(hook, f"is no hook for {self._found.group}.", _OTHER_GROUP)
            elif len(caller.get_hookimpls()) > 1:
                yield self._fault(hook, "is implemented twice.", "Keep one of them.")
            elif (one := caller.get_hookimpls()[0]).hookwrapper or one.wrapper:
                yield self._fault(hook, "wraps other hooks.", "Return data instead.")
            elif inspect.iscoroutinefunction(one.function):
                yield self._fault(hook, "is async.", "Hooks are synchronous: remove `async`.")

    @property
    def _allowed(self) -> tuple[str, ...]:
        kind = self._found.kind
        return hookspecs.ASSISTANT_HOOKS if kind == "assistant" else hookspecs.PLUGIN_HOOKS

    def _wrong(self, hook: str, expected: str, returned: object) -> PluginError:
        got = "nothing" if returned is None else f"a {type(returned).__name__}"
        return self._fault(hook, f"must return {expected}, but returned {got}.")

    def _fault(self, hook: str, reason: str, remedy: str = "") -> PluginError:
        default = f"Mend {hook or 'the hooks'} in {self._found.module}."
        return PluginError(self._found.name, reason, hook=hook, remedy=remedy or default)


def _is_channel(candidate: object) -> TypeGuard[type[Channel]]:
    return (
        isinstance(candidate, type)
        and issubclass(candidate, Channel)
        and isinstance(getattr(candidate, "name", None), str)
    )
