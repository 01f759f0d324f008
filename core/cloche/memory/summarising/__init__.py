"""What a session comes to: what the person told, asked and decided, and what is left to do.

``RulesSummarizer`` lists it in the person's own words, ``ModelSummarizer`` asks the configured
model. Both read the person's words only; what the assistant answered never becomes a memory.
"""

from __future__ import annotations

from cloche.memory.summarising.lines import Line, parse, render
from cloche.memory.summarising.model import ModelSummarizer
from cloche.memory.summarising.rules import RulesSummarizer
from cloche.memory.summarising.summary import Summarized, Summarizer, Task

__all__ = [
    "Line",
    "ModelSummarizer",
    "RulesSummarizer",
    "Summarized",
    "Summarizer",
    "Task",
    "parse",
    "render",
]
