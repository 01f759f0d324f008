"""An assistant as its package describes it, before the host builds it."""

from __future__ import annotations

from dataclasses import dataclass

from cloche.namespaces import NamespaceScheme
from cloche.persona import Persona
from cloche.skills import SkillsManifest
from cloche.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class AssistantSpec:
    """An assistant as its package describes it, with the skills of add-ons."""

    name: str
    persona: Persona
    skills: SkillsManifest
    vocabulary: Vocabulary
    namespaces: NamespaceScheme
    package: str
    distribution: str
    version: str
