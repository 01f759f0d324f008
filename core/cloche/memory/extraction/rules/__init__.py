"""Deterministic extraction for English, Spanish and Chinese: the person's own sentences, kept.

A rule decides whether a sentence tells something about the person or what is theirs; the sentence
itself becomes the memory, word for word. What a field's words mean comes from the vocabulary.
"""

from __future__ import annotations

from cloche.memory.extraction.rules.extractor import RulesExtractor, asked_of_us, extract_drafts

__all__ = ["RulesExtractor", "asked_of_us", "extract_drafts"]
