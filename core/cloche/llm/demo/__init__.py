"""The stand-in that answers while no real model is configured: no account, no cost, no surprise.

It gets what a real model gets (instructions, messages, tools) and nothing else. It answers from
what is remembered, confirms what the rules will keep, calls tools by the templates that skills
declare, and says what it is. It knows nothing of any field: what it says of one is quoted.
"""

from __future__ import annotations

from cloche.llm.demo.model import demo_model

__all__ = ["demo_model"]
