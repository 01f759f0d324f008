"""Coach: a training companion that remembers goals, aches, kit and every set."""

from cloche import NamespaceScheme, Persona, SkillsManifest, Vocabulary, hookimpl
from cloche_fitness.vocabulary import EQUIPMENT, EXERCISES, FOCUS, TYPE

cloche_api = 1


@hookimpl
def provide_persona() -> Persona:
    """Coach, as ``persona/*.md`` describes it."""
    return Persona.from_package(__name__)


@hookimpl
def provide_skills() -> SkillsManifest:
    """What ``skills.json`` lists."""
    return SkillsManifest.from_package(__name__)


@hookimpl
def provide_vocabulary() -> Vocabulary:
    """What a memory can be about: what sort of thing, which part, which exercises, what kit."""
    return Vocabulary((TYPE, FOCUS, EXERCISES, EQUIPMENT))


@hookimpl
def provide_namespaces() -> NamespaceScheme:
    """``coach/{actorId}/long_term/`` and ``coach/{actorId}/episodic/{sessionId}/``."""
    return NamespaceScheme("coach")
