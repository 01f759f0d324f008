"""What a turn took, put together from what its steps gave."""

from __future__ import annotations

from cloche.agents.routing import Routed
from cloche.attachments.brought import Brought
from cloche.memory.recall import Recall
from cloche.skills import SkillsManifest
from cloche.skills.seen import skills_seen
from cloche.turn import Steps, TurnReport


def report_of(
    recall: Recall, routed: Routed, steps: Steps, brought: Brought, skills: SkillsManifest
) -> TurnReport:
    """The report of a turn that asked a model."""
    calls = [(use.tool, use.arguments) for use in routed.answer.tool_uses]
    return TurnReport(
        usage=routed.answer.usage,
        recalled=recall.records,
        trimmed=recall.trimmed,
        profile=bool(recall.session_part),
        tool_uses=routed.answer.tool_uses,
        agent=routed.agent,
        away=routed.away,
        failure=routed.failure,
        unread=brought.unread,
        degraded=recall.degraded,
        seconds=steps.seconds,
        skills=skills_seen(skills, calls),
    )
