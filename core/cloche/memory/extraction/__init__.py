"""Extraction: what of a turn's words is worth keeping, and as what.

``RulesExtractor`` works by deterministic rules, ``ModelExtractor`` asks the configured model. Both
refuse secrets and smuggled instructions (``screen``).
"""

from __future__ import annotations

from cloche.memory.extraction.draft import Draft, Extracted, Extractor
from cloche.memory.extraction.model import ModelExtractor
from cloche.memory.extraction.rules import RulesExtractor, asked_of_us, extract_drafts
from cloche.memory.extraction.screen import Refusal, screen

__all__ = [
    "Draft",
    "Extracted",
    "Extractor",
    "ModelExtractor",
    "Refusal",
    "RulesExtractor",
    "asked_of_us",
    "extract_drafts",
    "screen",
]
