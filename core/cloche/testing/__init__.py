"""What plugin authors import in their tests.

A name is loaded when it is first used: a conformance class for stores needs no model library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cloche.recordings.samples import recorded_requests
    from cloche.testing.anthropic import AnthropicServer
    from cloche.testing.assistant_conformance import AssistantConformance
    from cloche.testing.bedrock import BedrockEndpoint
    from cloche.testing.channel_conformance import ChannelConformance
    from cloche.testing.channels.platform import FlakyPlatform, PlatformAnswer, PlatformRequest
    from cloche.testing.clock import FakeClock
    from cloche.testing.embedder_conformance import EmbedderConformance
    from cloche.testing.embedding_servers import BedrockEmbeddings, OpenAIEmbeddings
    from cloche.testing.fake_agent import FakeAgent
    from cloche.testing.fake_embedder import FakeEmbedder
    from cloche.testing.fake_model import FakeModel
    from cloche.testing.openai import OpenAIServer
    from cloche.testing.reminder_conformance import ReminderStoreConformance
    from cloche.testing.reminder_fakes import FakeToolReminders
    from cloche.testing.script import Asked, Call, Fault, Say, call, fault, say
    from cloche.testing.skill_conformance import SkillConformance
    from cloche.testing.state_conformance import StateConformance
    from cloche.testing.store_conformance import StoreConformance
    from cloche.testing.telegram import TelegramServer
    from cloche.testing.tool_fakes import (
        FakeToolFiles,
        FakeToolMemory,
        FakeToolSettings,
        FakeToolStorage,
        tool_context,
    )
    from cloche.testing.transcription import TranscriptionServer
    from cloche.testing.weather import Sky, WeatherServer, offline_http
    from cloche.utterances import match, misunderstood

__all__ = [
    "AnthropicServer",
    "Asked",
    "AssistantConformance",
    "BedrockEmbeddings",
    "BedrockEndpoint",
    "Call",
    "ChannelConformance",
    "EmbedderConformance",
    "FakeAgent",
    "FakeClock",
    "FakeEmbedder",
    "FakeModel",
    "FakeToolFiles",
    "FakeToolMemory",
    "FakeToolReminders",
    "FakeToolSettings",
    "FakeToolStorage",
    "Fault",
    "FlakyPlatform",
    "OpenAIEmbeddings",
    "OpenAIServer",
    "PlatformAnswer",
    "PlatformRequest",
    "ReminderStoreConformance",
    "Say",
    "SkillConformance",
    "Sky",
    "StateConformance",
    "StoreConformance",
    "TelegramServer",
    "TranscriptionServer",
    "WeatherServer",
    "call",
    "fault",
    "match",
    "misunderstood",
    "offline_http",
    "recorded_requests",
    "say",
    "tool_context",
]

_HOMES: Final = {
    "testing.anthropic": ("AnthropicServer",),
    "testing.assistant_conformance": ("AssistantConformance",),
    "testing.bedrock": ("BedrockEndpoint",),
    "recordings.samples": ("recorded_requests",),
    "testing.channel_conformance": ("ChannelConformance",),
    "testing.channels.platform": ("FlakyPlatform", "PlatformAnswer", "PlatformRequest"),
    "testing.clock": ("FakeClock",),
    "testing.embedder_conformance": ("EmbedderConformance",),
    "testing.embedding_servers": ("BedrockEmbeddings", "OpenAIEmbeddings"),
    "testing.fake_agent": ("FakeAgent",),
    "testing.fake_embedder": ("FakeEmbedder",),
    "testing.fake_model": ("FakeModel",),
    "testing.openai": ("OpenAIServer",),
    "testing.reminder_conformance": ("ReminderStoreConformance",),
    "testing.reminder_fakes": ("FakeToolReminders",),
    "testing.script": ("Asked", "Call", "Fault", "Say", "call", "fault", "say"),
    "testing.skill_conformance": ("SkillConformance",),
    "testing.state_conformance": ("StateConformance",),
    "testing.store_conformance": ("StoreConformance",),
    "testing.telegram": ("TelegramServer",),
    "testing.tool_fakes": (
        *("FakeToolFiles", "FakeToolMemory", "FakeToolSettings", "FakeToolStorage"),
        "tool_context",
    ),
    "testing.transcription": ("TranscriptionServer",),
    "testing.weather": ("Sky", "WeatherServer", "offline_http"),
    "utterances": ("match", "misunderstood"),
}
_HOME_OF: Final = {name: f"cloche.{home}" for home, names in _HOMES.items() for name in names}

if not TYPE_CHECKING:  # a checker would take this for "any name exists"

    def __getattr__(name):
        """Load the module that defines a public name, and keep the name here (PEP 562)."""
        if name not in _HOME_OF:
            raise AttributeError(f"module 'cloche.testing' has no public name {name!r}")
        value = globals()[name] = getattr(import_module(_HOME_OF[name]), name)
        return value

    def __dir__():
        """The public names, loaded or not."""
        return sorted({*globals(), *__all__})
