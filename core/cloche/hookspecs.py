"""The hooks a plugin may implement.

All are synchronous, take nothing and return frozen data. Each is called once, when the host
reads the plugin; none runs per turn. A module implements a hook by a function of its name::

    from cloche import Persona, hookimpl

    @hookimpl
    def provide_persona() -> Persona:
        return Persona.from_package(__name__)

An assistant's own package (entry-point group ``cloche.assistants``) implements
``ASSISTANT_HOOKS``, a plugin (``cloche.plugins``) any of ``PLUGIN_HOOKS``. A hook that fails or
returns something else than its spec says sets its plugin aside; the host goes on without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import pluggy

if TYPE_CHECKING:
    from cloche.agents.agent import Agent
    from cloche.channels import Channel
    from cloche.context import BuildContext
    from cloche.embedders import Embedder
    from cloche.memory.store import MemoryStore
    from cloche.namespaces import NamespaceScheme
    from cloche.persona import Persona
    from cloche.skills import SkillsManifest
    from cloche.vocabulary import Vocabulary

PROJECT: Final = "cloche"
API_LEVEL: Final = 1
"""One integer, apart from the release version. A plugin's module says ``cloche_api = 1``.

It grows when a hook changes so that an older plugin cannot work; absent means 1.
"""

ASSISTANT_HOOKS: Final = (
    "provide_persona",
    "provide_skills",
    "provide_vocabulary",
    "provide_namespaces",
)
"""What an assistant's own package implements: all but ``provide_skills`` are required."""

PLUGIN_HOOKS: Final = (
    "provide_skills",
    "provide_channels",
    "provide_memory_stores",
    "provide_agents",
    "provide_embedders",
)
"""What a plugin may implement: at least one."""

HOOKS: Final = tuple(dict.fromkeys((*ASSISTANT_HOOKS, *PLUGIN_HOOKS)))
"""Every hook, in order."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def provide_persona() -> Persona:
    """Who the assistant is. Exactly one, from the assistant's own package."""
    raise NotImplementedError


@hookspec
def provide_skills() -> SkillsManifest:
    """What it can do: the assistant's own skills, and those of add-ons for every assistant.

    Names are unique. An add-on that repeats a skill of an assistant keeps that assistant from
    being built (the error names both); two add-ons that repeat one are both set aside.
    """
    raise NotImplementedError


@hookspec
def provide_vocabulary() -> Vocabulary:
    """The metadata keys it uses. Exactly one, from the assistant's own package."""
    raise NotImplementedError


@hookspec
def provide_namespaces() -> NamespaceScheme:
    """Where its memories lie. Exactly one, from the assistant's own package."""
    raise NotImplementedError


@hookspec
def provide_channels() -> list[type[Channel]]:
    """Channel types. Their ``name`` is unique over all plugins and is no name of the host's."""
    raise NotImplementedError


@hookspec
def provide_memory_stores() -> Mapping[str, Callable[[BuildContext], MemoryStore]]:
    """Memory stores by the name that ``CLOCHE_MEMORY__STORE`` takes; unique over all plugins."""
    raise NotImplementedError


@hookspec
def provide_agents() -> Mapping[str, Callable[[BuildContext], Agent]]:
    """Agents by the name that ``CLOCHE_AGENT`` takes; unique over all plugins."""
    raise NotImplementedError


@hookspec
def provide_embedders() -> Mapping[str, Callable[[BuildContext], Embedder]]:
    """Embedders by the name that ``CLOCHE_EMBEDDINGS__PROVIDER`` takes; unique over all plugins."""
    raise NotImplementedError
