"""What an operator sets: environment, then ``.env``, then ``cloche.toml``, then defaults.

A variable is ``CLOCHE_`` + the name in capitals, nested with ``__``; ``MODEL_ID``,
``VISION_MODEL_ID`` and ``MEMORY_ID`` keep their plain names. In TOML the names are small and
nested by tables. An empty value is as good as none, except for ``plugins``.
"""

from cloche.settings.files import variable
from cloche.settings.groups import (
    AccessSettings,
    DeliverySettings,
    EmbeddingSettings,
    FileSettings,
    MemorySettings,
    ModelSettings,
    OpenClawSettings,
    ReminderSettings,
    RuntimeSettings,
    ServeSettings,
    StateSettings,
    TranscriptionSettings,
)
from cloche.settings.loading import channel_settings_findings, load_settings
from cloche.settings.model import Setting, Settings, ensure_home, known_settings

__all__ = [
    "AccessSettings",
    "DeliverySettings",
    "EmbeddingSettings",
    "FileSettings",
    "MemorySettings",
    "ModelSettings",
    "OpenClawSettings",
    "ReminderSettings",
    "RuntimeSettings",
    "ServeSettings",
    "Setting",
    "Settings",
    "StateSettings",
    "TranscriptionSettings",
    "channel_settings_findings",
    "ensure_home",
    "known_settings",
    "load_settings",
    "variable",
]
