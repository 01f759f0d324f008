"""An assistant's skills as an OpenClaw gateway loads them: folders, and what to register.

Measured against OpenClaw 2026.9.6: it lists skills of ``skills.load.extraDirs`` whose name is
in ``agents.defaults.skills``; ``skills.allowBundled`` alone did not keep its own ones out. Tools
reach it by MCP, so no ``tools.py`` is written.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path, PurePosixPath
from typing import Final

from cloche.errors import ManifestError
from cloche.skills.fingerprint import files_of
from cloche.skills.front_matter import SKILL_FILE, read_skill_text
from cloche.skills.skill import Skill, SkillsManifest
from cloche.skills.tool_files import EXAMPLES_FILE
from cloche.state.store import Json

REGISTRATION: Final = "openclaw.skills.json"
FOLDERS: Final = "skills"
_NOT_IN_YAML: Final = re.compile(
    "[^\t\n\r\\x20-\\x7e\\xa0-\\u2027\\u202a-\\ud7ff\\ue000-\\ufefe\\uff00-\\ufffd\\U00010000-\\U0010ffff]"
)
"""Characters that YAML refuses or takes for the end of a line."""


def render(manifest: SkillsManifest, target: Path, *, at: str = "") -> tuple[str, ...]:
    """Write the folders of all skills that are ready, and their registration.

    The same skills give the same bytes. What an earlier rendering left there goes.

    Args:
        manifest: The skills.
        target: Folder to write to; made if it is not there.
        at: Where the gateway will see that folder, if it is not where it is written.

    Returns:
        Names of the files, relative to the folder, in order.

    Raises:
        ManifestError: the folder holds something else, or cannot be written.
    """
    root = target.absolute()
    try:
        files = rendered(manifest, at or str(root))
        if (root / FOLDERS).exists() and not (root / REGISTRATION).is_file():
            raise ManifestError(
                root, f"it has a folder {FOLDERS} that no rendering made: name another folder."
            )
        shutil.rmtree(root / FOLDERS, ignore_errors=True)
        for name, data in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        (root / FOLDERS).mkdir(exist_ok=True)
    except OSError as error:
        raise ManifestError(root, f"it cannot be written: {error.strerror}.") from error
    return tuple(sorted(files))


def rendered(manifest: SkillsManifest, at: str = "") -> dict[str, bytes]:
    """What ``render`` writes, by the names of the files.

    Raises:
        ManifestError: a skill's folder has what it may not have.
        OSError: one cannot be read.
    """
    ready = [skill for skill in manifest.skills if not skill.unavailable]
    files: dict[str, bytes] = {REGISTRATION: _registration(ready, at)}
    for skill in ready:
        for name, data in _files(skill).items():
            files[f"{FOLDERS}/{skill.name}/{name}"] = data
    return files


def _registration(skills: list[Skill], at: str) -> bytes:
    document = {
        "agents": {"defaults": {"skills": sorted(skill.name for skill in skills)}},
        "skills": {
            "allowBundled": [],
            "load": {"extraDirs": [str(PurePosixPath(at) / FOLDERS)], "watch": False},
        },
    }
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def _files(skill: Skill) -> dict[str, bytes]:
    """A skill's files by name: as they are, unless its entry calls it otherwise."""
    if not skill.source:
        return {SKILL_FILE: _skill_file(skill)}
    folder = Path(skill.source)
    kept = [name for name in files_of(folder) if not _is_for_tools(skill, name)]
    files = {name: (folder / name).read_bytes() for name in kept}
    text = read_skill_text(folder)
    if (text.name, text.description) != (skill.name, " ".join(skill.description.split())):
        files[SKILL_FILE] = _skill_file(skill)  # its entry calls or describes it otherwise
    return files


def _is_for_tools(skill: Skill, name: str) -> bool:
    path = PurePosixPath(name)
    if not skill.tools or len(path.parts) > 1:
        return False
    return path.name == EXAMPLES_FILE or path.suffix in (".py", ".toml")


def _skill_file(skill: Skill) -> bytes:
    """A ``SKILL.md``; a JSON text is a YAML text in double quotes."""
    keys = {
        "name": skill.name,
        "description": " ".join(skill.description.split()),
        "license": skill.license,
        "compatibility": skill.compatibility,
    }
    lines = [f"{key}: {_quoted(value)}" for key, value in keys.items() if value]
    if skill.metadata:
        lines.append(f"metadata: {_quoted(dict(skill.metadata))}")
    body = skill.body or skill.description
    return "\n".join(["---", *lines, "---", "", body, ""]).encode()


def _quoted(value: Json) -> str:
    """A value as JSON that every YAML reader takes as it is."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
