"""An assistant for the length of a trial: real stores in a folder of its own, gone afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, TypeAlias

from cloche.agents.agent import Answer, OnDelta
from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.clock import Clock, utc_now
from cloche.errors import ModelError
from cloche.messages import Address, Message
from cloche.namespaces import NamespaceScheme
from cloche.persona import Persona
from cloche.plugins import Host
from cloche.prompt import Prompt
from cloche.settings import (
    EmbeddingSettings,
    FileSettings,
    MemorySettings,
    ReminderSettings,
    Settings,
    StateSettings,
)
from cloche.skills import Skill, SkillsManifest
from cloche.spec import AssistantSpec
from cloche.tools import BoundTool
from cloche.vocabulary import Vocabulary

if TYPE_CHECKING:
    from aiohttp import ClientSession

World: TypeAlias = "Callable[[Clock], AbstractAsyncContextManager[Callable[[], ClientSession]]]"
"""Opens what tools reach in the place of the internet, by a clock."""

NAME: Final = "trial"
PERSON: Final = Address("console", "somebody")


def one_skill(skill: Skill, vocabulary: Vocabulary | None = None) -> AssistantSpec:
    """An assistant with nothing but one skill."""
    return AssistantSpec(
        name=NAME,
        persona=Persona("Trial", (("identity", "You help with what is asked."),)),
        skills=SkillsManifest((skill,), skill.source),
        vocabulary=vocabulary or Vocabulary(),
        namespaces=NamespaceScheme(NAME),
        package="",
        distribution="",
        version="",
    )


@asynccontextmanager
async def opened(
    spec: AssistantSpec,
    settings: Settings | None = None,
    *,
    clock: Clock = utc_now,
    world: World | None = None,
    with_model: bool = False,
) -> AsyncIterator[Assistant]:
    """The assistant with local stores in a new folder, which is removed on leaving.

    Args:
        spec: What it is.
        settings: The operator's, for the model; its stores are not used.
        clock: The present instant.
        world: Opens what tools reach instead of the internet; None = the internet.
        with_model: True = the model that the settings choose answers; False = none is built.

    Raises:
        SettingsError: the model cannot be chosen.
    """
    with TemporaryDirectory(prefix="cloche-try-") as folder:
        base = settings or Settings(home=Path(folder), time_zone="UTC")
        apart = base.model_copy(
            update={
                "home": Path(folder),
                "agent": "embedded",
                "embeddings": EmbeddingSettings(provider="none"),
                "memory": MemorySettings(),
                "state": StateSettings(),
                "files": FileSettings(),
                "reminders": ReminderSettings(),
            }
        )
        async with world(clock) if world else nullcontext() as http:
            assistant = await open_assistant(
                _Bench(spec),
                spec.name,
                apart,
                clock=clock,
                agent=None if with_model else _Silent(),
                http=http,
            )
            try:
                yield assistant
            finally:
                await assistant.close()


def message(text: str, number: int = 0) -> Message:
    """What somebody says, in private."""
    return Message(f"try-{number}", PERSON, PERSON.sender, text)


class _Bench(Host):
    """A host with one assistant and no plugins."""

    def __init__(self, spec: AssistantSpec) -> None:
        super().__init__(())
        self._spec = spec

    def assistant(self, name: str) -> AssistantSpec:
        return self._spec


class _Silent:
    """Stands where an agent must be; tools are called without one."""

    name = "silent"

    async def ask(
        self, prompt: Prompt, tools: tuple[BoundTool, ...], on_delta: OnDelta | None = None
    ) -> Answer:
        raise ModelError("nobody answers on a bench", cause="refused")

    async def close(self) -> None:
        """Nothing is held."""
