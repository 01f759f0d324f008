"""Cloche: a host for personal assistants that remember.

Everything a package's author imports is listed here, and nothing else is public. A name is
loaded when it is first used, so that ``import cloche`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cloche.agents.agent import Agent, Answer, OnDelta, ToolUse
    from cloche.assistant import Assistant
    from cloche.channels import (
        Capabilities,
        Challenge,
        Channel,
        ChannelContext,
        ChannelRequest,
        Desk,
        Door,
        Entity,
        Incoming,
        Known,
        Left,
        Limits,
        Moved,
        MovedError,
        NotKeptError,
        OwnerOptions,
        Part,
        Planned,
        Pointers,
        Polled,
        Secret,
        SendError,
        SendLaterError,
        SendRefusedError,
        SharedSecret,
        Signature,
        UnreachableError,
        Watcher,
    )
    from cloche.context import BuildContext
    from cloche.embedders import Embedder
    from cloche.errors import (
        ClocheError,
        ManifestError,
        MemoryUnavailableError,
        ModelError,
        PluginError,
        RequestError,
        SettingsError,
        ToolError,
        TurnError,
    )
    from cloche.hookspecs import hookimpl
    from cloche.llm.usage import Usage
    from cloche.memory.records import (
        Event,
        Kind,
        MemoryRecord,
        Source,
        Tag,
        Trust,
        Validity,
    )
    from cloche.memory.store import EventHit, Filter, Forgotten, Hit, MemoryStore, SearchQuery
    from cloche.messages import Address, Attachment, Button, Message, Quoted, Reply
    from cloche.namespaces import MemoryScope, NamespaceScheme
    from cloche.people import Home
    from cloche.persona import Persona
    from cloche.prompt import Exchange, Image, Prompt
    from cloche.reminders.plain_words.changes import hear_reminder_cancel, hear_reminder_change
    from cloche.reminders.plain_words.places import hear_place
    from cloche.reminders.reminder import Reminder
    from cloche.reminders.store import ReminderStore
    from cloche.skills import Skill, SkillsManifest
    from cloche.state.store import StateItem, StateStore
    from cloche.tools import BoundTool, ToolContext, tool
    from cloche.tools.files import ToolFile
    from cloche.turn import Turn
    from cloche.vocabulary import MetadataKey, Value, Vocabulary
    from cloche.weather import Day, Forecast, Hazard, Hour, hazards, weather_of
    from cloche.word_lists import WordLists

__version__ = "0.1.0"

__all__ = [
    "Address",
    "Agent",
    "Answer",
    "Assistant",
    "Attachment",
    "BoundTool",
    "BuildContext",
    "Button",
    "Capabilities",
    "Challenge",
    "Channel",
    "ChannelContext",
    "ChannelRequest",
    "ClocheError",
    "Day",
    "Desk",
    "Door",
    "Embedder",
    "Entity",
    "Event",
    "EventHit",
    "Exchange",
    "Filter",
    "Forecast",
    "Forgotten",
    "Hazard",
    "Hit",
    "Home",
    "Hour",
    "Image",
    "Incoming",
    "Kind",
    "Known",
    "Left",
    "Limits",
    "ManifestError",
    "MemoryRecord",
    "MemoryScope",
    "MemoryStore",
    "MemoryUnavailableError",
    "Message",
    "MetadataKey",
    "ModelError",
    "Moved",
    "MovedError",
    "NamespaceScheme",
    "NotKeptError",
    "OnDelta",
    "OwnerOptions",
    "Part",
    "Persona",
    "Planned",
    "PluginError",
    "Pointers",
    "Polled",
    "Prompt",
    "Quoted",
    "Reminder",
    "ReminderStore",
    "Reply",
    "RequestError",
    "SearchQuery",
    "Secret",
    "SendError",
    "SendLaterError",
    "SendRefusedError",
    "SettingsError",
    "SharedSecret",
    "Signature",
    "Skill",
    "SkillsManifest",
    "Source",
    "StateItem",
    "StateStore",
    "Tag",
    "ToolContext",
    "ToolError",
    "ToolFile",
    "ToolUse",
    "Trust",
    "Turn",
    "TurnError",
    "UnreachableError",
    "Usage",
    "Validity",
    "Value",
    "Vocabulary",
    "Watcher",
    "WordLists",
    "__version__",
    "hazards",
    "hear_place",
    "hear_reminder_cancel",
    "hear_reminder_change",
    "hookimpl",
    "tool",
    "weather_of",
]

_HOMES: Final = {
    "agents.agent": ("Agent", "Answer", "OnDelta", "ToolUse"),
    "assistant": ("Assistant",),
    "channels": (
        *("Capabilities", "Challenge", "Channel", "ChannelContext"),
        *("ChannelRequest", "Desk", "Door", "Entity"),
        *("Incoming", "Known", "Left", "Limits"),
        *("Moved", "MovedError", "NotKeptError", "OwnerOptions", "Part"),
        *("Planned", "Pointers", "Polled", "Secret", "SendError"),
        *("SendLaterError", "SendRefusedError", "SharedSecret", "Signature"),
        *("UnreachableError", "Watcher"),
    ),
    "context": ("BuildContext",),
    "embedders": ("Embedder",),
    "errors": (
        *("ClocheError", "ManifestError", "MemoryUnavailableError", "ModelError", "PluginError"),
        *("RequestError", "SettingsError", "ToolError", "TurnError"),
    ),
    "hookspecs": ("hookimpl",),
    "llm.usage": ("Usage",),
    "memory.records": ("Event", "Kind", "MemoryRecord", "Source", "Tag", "Trust", "Validity"),
    "memory.store": ("EventHit", "Filter", "Forgotten", "Hit", "MemoryStore", "SearchQuery"),
    "messages": ("Address", "Attachment", "Button", "Message", "Quoted", "Reply"),
    "namespaces": ("MemoryScope", "NamespaceScheme"),
    "people": ("Home",),
    "persona": ("Persona",),
    "prompt": ("Exchange", "Image", "Prompt"),
    "reminders.plain_words.changes": ("hear_reminder_cancel", "hear_reminder_change"),
    "reminders.plain_words.places": ("hear_place",),
    "reminders.reminder": ("Reminder",),
    "reminders.store": ("ReminderStore",),
    "skills": ("Skill", "SkillsManifest"),
    "state.store": ("StateItem", "StateStore"),
    "tools": ("BoundTool", "ToolContext", "tool"),
    "tools.files": ("ToolFile",),
    "turn": ("Turn",),
    "vocabulary": ("MetadataKey", "Value", "Vocabulary"),
    "word_lists": ("WordLists",),
    "weather": ("Day", "Forecast", "Hazard", "Hour", "hazards", "weather_of"),
}
_HOME_OF: Final = {name: f"cloche.{home}" for home, names in _HOMES.items() for name in names}

if not TYPE_CHECKING:  # a checker would take this for "any name exists"

    def __getattr__(name):
        """Load the module that defines a public name, and keep the name here (PEP 562)."""
        if name not in _HOME_OF:
            raise AttributeError(f"module 'cloche' has no public name {name!r}")
        value = globals()[name] = getattr(import_module(_HOME_OF[name]), name)
        return value

    def __dir__():
        """The public names, loaded or not."""
        return sorted({*globals(), *__all__})
