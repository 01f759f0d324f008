"""Sprout: a gardening assistant that remembers beds, plants, soil, sun and ways."""

from cloche import NamespaceScheme, Persona, SkillsManifest, Vocabulary, hookimpl
from cloche_gardening.vocabulary import PLANTS, SECTION, TYPE

cloche_api = 1


@hookimpl
def provide_persona() -> Persona:
    """Sprout, as ``persona/*.md`` describes it."""
    return Persona.from_package(__name__)


@hookimpl
def provide_skills() -> SkillsManifest:
    """What ``skills.json`` lists."""
    return SkillsManifest.from_package(__name__)


@hookimpl
def provide_vocabulary() -> Vocabulary:
    """What a memory can be about: what sort of thing, where, and which plants."""
    return Vocabulary((TYPE, SECTION, PLANTS))


@hookimpl
def provide_namespaces() -> NamespaceScheme:
    """``sprout/{actorId}/long_term/`` and ``sprout/{actorId}/episodic/{sessionId}/``."""
    return NamespaceScheme("sprout")
