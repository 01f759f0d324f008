"""Skills that their author is writing: read again before each turn of ``cloche chat --skill``."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cloche.agents.agent import OnDelta
from cloche.assistant import Assistant
from cloche.errors import ClocheError
from cloche.messages import Message
from cloche.skills import Skill, SkillsManifest, load_folder
from cloche.skills.fingerprint import folder_sha256
from cloche.turn import Turn
from cloche.utterances import Example


class Understood:
    """How people ask for what skills do, and why one is not available: told the demo model.

    Attributes:
        examples: Of the skills that are ready.
        reasons: By skill and language.
        titles: What skills are called, by skill and language.
    """

    def __init__(self, manifest: SkillsManifest) -> None:
        """Take the first skills."""
        self.examples: list[Example] = []
        self.reasons: dict[str, Mapping[str, str]] = {}
        self.titles: dict[str, Mapping[str, str]] = {}
        self.take(manifest)

    def take(self, manifest: SkillsManifest) -> None:
        """Take other skills; whoever holds them sees these from now on."""
        ready = [skill for skill in manifest.skills if not skill.unavailable]
        self.examples[:] = [example for skill in ready for example in skill.examples]
        self.titles.clear()
        self.titles.update({skill.name: skill.titles for skill in ready})
        self.reasons.clear()
        self.reasons.update({s.name: s.reasons for s in manifest.skills if s.unavailable})


class SkillFolders:
    """Some skills' folders beside an assistant's own skills, each as it was last good.

    Attributes:
        manifest: All of them together; a folder's skill takes the place of another of its name.
        faults: By skill, why the state of its folder is not the one that is used.
    """

    def __init__(self, folders: Sequence[Path], installed: SkillsManifest) -> None:
        """Read the folders.

        Raises:
            ManifestError: one cannot be read: there is no good state of it yet.
            PluginError: two skills or tools have one name.
        """
        self._installed = installed
        self._read = {each: (folder_sha256(each), load_folder(each)) for each in folders}
        self.manifest = self._together(self._read)
        self.faults: dict[str, ClocheError] = {}

    def read_again(self) -> bool:
        """Read the folders that have changed; True when there are other skills now.

        A folder that cannot be used keeps its last good state, and ``faults`` says why.
        """
        changed, self.faults = False, {}
        for folder, (before, skill) in list(self._read.items()):
            try:
                now = folder_sha256(folder)
                if now != before:
                    fresh = {**self._read, folder: (now, load_folder(folder))}
                    self.manifest = self._together(fresh)
                    self._read, changed = fresh, True
            except ClocheError as error:
                self.faults[skill.name] = error
        return changed

    def _together(self, read: Mapping[Path, tuple[str, Skill]]) -> SkillsManifest:
        own = [skill for _, skill in read.values()]
        names = {skill.name for skill in own}
        hidden = {s.name: s.origin or s.source for s in self._installed.skills if s.name in names}
        kept = [skill for skill in self._installed.skills if skill.name not in names]
        added = [
            replace(skill, shadows=(f"{skill.name} of {hidden[skill.name]}",))
            if skill.name in hidden
            else skill
            for skill in own
        ]
        return replace(self._installed, skills=(*kept, *added))


class LiveAssistant(Assistant):
    """An assistant that reads some skills' folders again before each turn."""

    def __init__(
        self, folders: SkillFolders, understood: Understood, *args: Any, **kwargs: Any
    ) -> None:
        """Watch folders.

        Args:
            folders: The folders.
            understood: What the demo model is told of skills.
            args: As ``Assistant`` takes them.
            kwargs: As ``Assistant`` takes them.
        """
        super().__init__(*args, **kwargs)
        self._folders, self._understood = folders, understood
        self._reading = asyncio.Lock()

    async def handle(self, message: Message, on_delta: OnDelta | None = None) -> Turn:
        """Answer one message with the skills as they are now; see ``Assistant.handle``."""
        async with self._reading:
            if await asyncio.to_thread(self._folders.read_again):
                self.use_skills(self._folders.manifest)
                self._understood.take(self._folders.manifest)
        told = tuple(
            f"skill {name}: its last good version is used. {error}"
            for name, error in self._folders.faults.items()
        )
        turn = await super().handle(message, on_delta)
        return replace(turn, report=replace(turn.report, notices=told)) if told else turn
