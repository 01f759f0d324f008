"""The folder of one gateway: its workspace with the persona, the skills, its state, its log.

It lies in the assistant's own folder, only its owner can read it, and it ends with the gateway:
what people said is in the host's memory, where a forget reaches it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from cloche.persona import Persona
from cloche.prompt import HOUSE_RULES
from cloche.skills import SkillsManifest
from cloche.skills.rendering import FOLDERS, render

FOLDER: Final = "openclaw"
_FILES: Final[Mapping[str, str]] = {"identity": "IDENTITY.md", "voice": "SOUL.md"}
"""Sections of a persona that OpenClaw has a file for; all others stand in AGENTS.md."""


@dataclass(frozen=True, slots=True)
class Quarters:
    """Where one gateway lives.

    Attributes:
        root: The folder that has it all, for its owner's eyes only.
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

    def empty(self) -> None:
        """Take away all that is in it, and make the folders anew.

        Raises:
            OSError: they cannot be made.
        """
        shutil.rmtree(self.root, ignore_errors=True)
        for folder in (self.root, self.workspace, self.state, self.home, self.temporary):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def remove(self) -> None:
        """Take it all away."""
        shutil.rmtree(self.root, ignore_errors=True)
        self.lock.release()


def make_quarters(assistant: Path) -> Quarters:
    """An empty folder; what ended processes left behind goes.

    The first that nobody lives in: its path stands in the prompt, whose prefix shall be the same
    from one process to the next.

    Raises:
        OSError: it cannot be made.
    """
    parent = assistant / FOLDER
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    found: Quarters | None = None
    for number in count():
        root = parent / f"gateway-{number}"
        if found is not None and not root.exists():
            return found
        quarters = Quarters(root, _lock_of(root))
        try:
            quarters.lock.acquire(timeout=0)
        except Timeout:
            continue  # another process of this machine lives there
        if found is None:
            quarters.empty()
            found = quarters
        else:
            quarters.remove()
    raise AssertionError  # numbers do not end


def remove_left_behind(assistant: Path) -> None:
    """Take away what gateways of ended processes left: nobody lives there, and people's words do.

    Never fails: what cannot be removed now is removed by the next start.
    """
    for root in sorted((assistant / FOLDER).glob("gateway-*/")):
        lock = _lock_of(root)
        try:
            lock.acquire(timeout=0)
        except (Timeout, OSError):
            continue  # another process of this machine lives there
        Quarters(root, lock).remove()


def _lock_of(root: Path) -> FileLock:
    """Another thread than the one that takes it may let go of it."""
    return FileLock(f"{root}.lock", thread_local=False)


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
