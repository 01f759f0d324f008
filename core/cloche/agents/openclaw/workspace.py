"""The folder of one gateway: its workspace with the persona, the skills, its state, its log.

It lies in the assistant's own folder, only its owner can read it, and it ends with the gateway:
what people said is in the host's memory, where a forget reaches it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from filelock import FileLock, Timeout

from cloche.persona import Persona
from cloche.prompt import HOUSE_RULES
from cloche.skills import SkillsManifest
from cloche.skills.rendering import FOLDERS, render

FOLDER: Final = "openclaw"
LOCK: Final = "in-use.lock"
_FILES: Final[Mapping[str, str]] = {"identity": "IDENTITY.md", "voice": "SOUL.md"}
"""Sections of a persona that OpenClaw has a file for; all others stand in AGENTS.md."""


@dataclass(frozen=True, slots=True)
class Quarters:
    """Where one gateway lives.

    Attributes:
        root: The folder that has it all.
        lock: Held as long as it is lived in.
    """

    root: Path
    lock: FileLock

    @property
    def workspace(self) -> Path:
        """Where its ``read`` may read."""
        return self.root / "workspace"

    @property
    def skills(self) -> Path:
        """The skills' folders."""
        return self.workspace / FOLDERS

    @property
    def state(self) -> Path:
        """Its sessions."""
        return self.root / "state"

    @property
    def home(self) -> Path:
        """Its home folder."""
        return self.root / "home"

    @property
    def temporary(self) -> Path:
        """Its folder for what is temporary."""
        return self.root / "tmp"

    @property
    def config(self) -> Path:
        """Its configuration, with secrets in it."""
        return self.root / "openclaw.json"

    @property
    def log(self) -> Path:
        """Its own log, with people's words in it."""
        return self.root / "gateway.log"

    def remove(self) -> None:
        """Take it all away."""
        self.lock.release()
        shutil.rmtree(self.root, ignore_errors=True)

    def clear_state(self) -> None:
        """Have the next start begin without sessions."""
        shutil.rmtree(self.state, ignore_errors=True)
        self.state.mkdir(mode=0o700, exist_ok=True)


def make_quarters(assistant: Path) -> Quarters:
    """A new folder, empty; what ended processes left behind goes.

    Raises:
        OSError: it cannot be made.
    """
    parent = assistant / FOLDER
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in parent.iterdir():
        if left.is_dir():
            _remove_unless_used(left)
    root = Path(mkdtemp(prefix="gateway-", dir=parent))  # for its owner's eyes only
    quarters = Quarters(root, FileLock(root / LOCK))
    quarters.lock.acquire(timeout=0)
    for folder in (quarters.workspace, quarters.state, quarters.home, quarters.temporary):
        folder.mkdir(mode=0o700)
    return quarters


def furnish(quarters: Quarters, persona: Persona, skills: SkillsManifest) -> tuple[str, ...]:
    """Write the persona's files and the skills' folders; the same give the same bytes.

    Returns:
        Names of the skills.

    Raises:
        OSError: it cannot be written.
        ManifestError: the same, of the skills.
    """
    for name, text in persona_files(persona.sections).items():
        (quarters.workspace / name).write_text(text, encoding="utf-8")
    render(skills, quarters.workspace)
    return tuple(skill.name for skill in skills.skills if not skill.unavailable)


def persona_files(sections: Sequence[tuple[str, str]]) -> dict[str, str]:
    """A persona as OpenClaw reads it: who it is, how it speaks, how it works."""
    texts = {name: text.strip() for name, text in sections if text.strip()}
    files = {file: texts.pop(name, "") for name, file in _FILES.items()}
    agents = "\n\n".join([*texts.values(), HOUSE_RULES])
    # A file that is not there would be told of in the prompt as missing.
    given = {name: text or "(Nothing more.)" for name, text in files.items()}
    return {"AGENTS.md": f"{agents}\n", **{name: f"{text}\n" for name, text in given.items()}}


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, from its first byte on.

    Raises:
        OSError: it cannot be written.
    """
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def _remove_unless_used(folder: Path) -> None:
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except (Timeout, OSError):
        return  # another process of this machine lives there
    lock.release()
    shutil.rmtree(folder, ignore_errors=True)
