"""The hooks a plugin may implement. All are synchronous, take nothing and return frozen data.

Hooks are called once, when an assistant is built; none runs per turn.
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
"""One integer, apart from the release version. A plugin's module says ``cloche_api = 1``."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def provide_persona() -> Persona:
    """Who the assistant is. Exactly one, from the assistant's own package."""
    raise NotImplementedError


@hookspec
def provide_skills() -> SkillsManifest:
    """The skills it has. The assistant's, then add-ons'; a name clash is an error naming both."""
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
    """Channel types; names are unique over all plugins."""
    raise NotImplementedError


@hookspec
def provide_memory_stores() -> Mapping[str, Callable[[BuildContext], MemoryStore]]:
    """Memory stores by the name that ``CLOCHE_MEMORY__STORE`` takes."""
    raise NotImplementedError


@hookspec
def provide_agents() -> Mapping[str, Callable[[BuildContext], Agent]]:
    """Agents by the name that ``CLOCHE_AGENT`` takes."""
    raise NotImplementedError


@hookspec
def provide_embedders() -> Mapping[str, Callable[[BuildContext], Embedder]]:
    """Embedders by name."""
    raise NotImplementedError
