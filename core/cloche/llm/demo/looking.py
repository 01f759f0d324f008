"""The stand-in's look whether anything is due: what is left to do, or nothing."""

from __future__ import annotations

from typing import Final

from cloche.llm.demo.finding import open_tasks
from cloche.prompt import Prompt, last_time, recalled_lines
from cloche.texts import say

MOST: Final = 6


class DemoLook:
    """Looks by rules; implements ``cloche.reminders.looking.Look``."""

    async def due(self, prompt: Prompt, actor: str) -> str:
        """What is left to do; "" = nothing is."""
        carried = last_time(prompt.session).tasks
        recalled = recalled_lines(f"{prompt.session}\n{prompt.turn}")
        lines = open_tasks(recalled, carried)[:MOST]
        if not lines:
            return ""
        items = "\n".join(f"- {line.text}" for line in lines)
        return f"{say('demo_tasks', prompt.language)}\n\n{items}"
