"""Skills: what a user would name in a sentence, and the list of them that an assistant has.

``skills.json`` lists them (``entries``), ``sources`` finds their folders, ``lock`` pins what was
found, ``loading`` makes ``Skill`` of it; ``reading`` gives a model their instructions.
"""

from __future__ import annotations

from cloche.skills.loading import load_folder
from cloche.skills.reading import MAX_BODY_CHARS, READ_SKILL, read_skill_tool
from cloche.skills.skill import Skill, SkillsManifest

__all__ = [
    "MAX_BODY_CHARS",
    "READ_SKILL",
    "Skill",
    "SkillsManifest",
    "load_folder",
    "read_skill_tool",
]
