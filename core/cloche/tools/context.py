"""What the host hands to every tool call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cloche.clock import Clock
from cloche.state.store import Json
from cloche.tools.files import ToolFiles
from cloche.tools.memory import ToolMemory
from cloche.tools.reminders import ToolReminders
from cloche.tools.settings import ToolSettings
from cloche.tools.storage import ToolStorage
from cloche.vocabulary import Vocabulary

if TYPE_CHECKING:
    import aiohttp


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What the host hands to every tool call.

    Attributes:
        actor: Who the turn acts for.
        call_id: The same when a turn is run again, so that nothing is done twice.
        memory: The actor's memory.
        storage: The skill's own data about the actor.
        files: The actor's files: what they sent, and what tools made.
        reminders: The actor's reminders.
        http: The session to ask other servers with, opened when it is first called for.
        settings: What the person chose or told of how they live.
        config: The skill's settings from the manifest.
        vocabulary: The assistant's vocabulary.
        clock: The present instant.
        language: Language of the person, for answers that are shown as they are.
        time_zone: IANA name of the person's zone.
    """

    actor: str
    call_id: str
    memory: ToolMemory
    storage: ToolStorage
    files: ToolFiles
    reminders: ToolReminders
    http: Callable[[], aiohttp.ClientSession]
    settings: ToolSettings
    config: Mapping[str, Json]
    vocabulary: Vocabulary
    clock: Clock
    language: str
    time_zone: str
