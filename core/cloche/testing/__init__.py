"""What plugin authors import in their tests.

A name is loaded when it is first used: a conformance class for stores needs no model library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cloche.testing.assistant_conformance import AssistantConformance
    from cloche.testing.clock import FakeClock
    from cloche.testing.fake_agent import FakeAgent
    from cloche.testing.fake_model import FakeModel
    from cloche.testing.state_conformance import StateConformance
    from cloche.testing.store_conformance import StoreConformance
    from cloche.testing.tool_fakes import FakeToolMemory, FakeToolStorage, tool_context
    from cloche.utterances import match, misunderstood

__all__ = [
    "AssistantConformance",
    "FakeAgent",
    "FakeClock",
    "FakeModel",
    "FakeToolMemory",
    "FakeToolStorage",
    "StateConformance",
    "StoreConformance",
    "match",
    "misunderstood",
    "tool_context",
]

_HOME_OF: Final = {
    "AssistantConformance": "cloche.testing.assistant_conformance",
    "FakeAgent": "cloche.testing.fake_agent",
    "FakeClock": "cloche.testing.clock",
    "FakeModel": "cloche.testing.fake_model",
    "FakeToolMemory": "cloche.testing.tool_fakes",
    "FakeToolStorage": "cloche.testing.tool_fakes",
    "StateConformance": "cloche.testing.state_conformance",
    "StoreConformance": "cloche.testing.store_conformance",
    "match": "cloche.utterances",
    "misunderstood": "cloche.utterances",
    "tool_context": "cloche.testing.tool_fakes",
}

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
