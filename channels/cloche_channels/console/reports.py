"""What a turn took and rested on: as one JSON object, and as lines for ``--verbose``."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Final

from cloche.llm.usage import Usage

if TYPE_CHECKING:
    from cloche.skills.seen import SkillsSeen
    from cloche.turn import Remembered, Turn, TurnReport


def turn_json(turn: Turn, remembered: Remembered) -> str:
    """The JSON object of a turn and of what followed it, on one line."""
    report, usage = turn.report, turn.report.usage
    document = {
        "turn": turn.id,
        "reply": turn.reply.text,
        "buttons": [{"label": b.label, "data": b.data} for b in turn.reply.buttons],
        "files": [file.key for file in turn.reply.files],
        "language": turn.language,
        "agent": report.agent,
        "away": report.away,
        "model": usage.model,
        "tokens": _tokens(usage),
        "cost_usd": usage.cost_usd,
        "recalled": [
            {
                "id": recalled.record.id,
                "kind": recalled.record.kind,
                "text": recalled.record.text,
                "why": recalled.why,
                "score": recalled.score,
            }
            for recalled in report.recalled
        ],
        "trimmed": [
            {
                "part": one.part,
                "id": one.id,
                "how": "shortened" if one.shortened else "left out",
                "reason": one.reason,
            }
            for one in report.trimmed
        ],
        "tools": [
            {"tool": use.tool, "arguments": use.arguments, "ok": use.ok} for use in report.tool_uses
        ],
        "skills": {
            "listed": list(report.skills.listed),
            "opened": list(report.skills.opened),
            "called": list(report.skills.called),
            "unavailable": dict(report.skills.unavailable),
        },
        "notices": list(report.notices),
        "failure": report.failure,
        "unread": list(report.unread),
        "degraded": report.degraded,
        "seconds": dict(report.seconds),
        "remembered": {
            "records": [record.id for record in remembered.records],
            "waiting": remembered.waiting,
            "tokens": _tokens(remembered.usage),
            "cost_usd": remembered.usage.cost_usd,
        },
    }
    return json.dumps(document, ensure_ascii=False)


def turn_lines(turn: Turn) -> list[str]:
    """The report as a person reads it under an answer."""
    report = turn.report
    lines = [_usage_line(report.usage), *_agent_lines(report)]
    lines += [
        f"recalled ({recalled.why}, {recalled.score:.2f}) {recalled.record.kind}: "
        f"{' '.join(recalled.record.text.split())}"
        for recalled in report.recalled
    ]
    lines += _trimmed_lines(report)
    lines += [
        f"tool {use.tool}({use.arguments}) {'ok' if use.ok else 'failed'}"
        for use in report.tool_uses
    ]
    lines += _skill_lines(report.skills)
    lines += [f"memory: {report.degraded}"] if report.degraded else []
    lines += [f"failure: {report.failure}"] if report.failure else []
    if report.seconds:
        steps = ", ".join(f"{step} {took * 1000:.0f} ms" for step, took in report.seconds.items())
        lines.append(f"time: {steps}")
    return lines


def _agent_lines(report: TurnReport) -> list[str]:
    """Who answered, and why it is the one that stands by."""
    why = f" (the other is away: {report.away})" if report.away else ""
    return [f"agent: {report.agent}{why}"] if report.agent else []


def _skill_lines(seen: SkillsSeen) -> list[str]:
    """Which skills the model saw, and what it did with them."""
    told = (("seen", seen.listed), ("opened", seen.opened), ("called", seen.called))
    lines = [f"skills {what}: {', '.join(names)}" for what, names in told if names]
    return lines + [
        f"skill {name} is not available: {reason}" for name, reason in seen.unavailable.items()
    ]


def remembered_lines(remembered: Remembered) -> list[str]:
    """What followed a turn, as a person reads it; nothing when it took no model."""
    return [f"remembering: {_usage_line(remembered.usage)}"] if remembered.usage.calls else []


def _tokens(usage: Usage) -> dict[str, int]:
    return {
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "cache_read": usage.cache_read_tokens,
        "cache_write": usage.cache_write_tokens,
    }


def _trimmed_lines(report: TurnReport) -> list[str]:
    """What was shortened, one line each, and how much was left out, by place and reason."""
    lines = [
        f"shortened ({one.part}, {_WHY_TRIMMED[one.reason]}): {one.id}"
        for one in report.trimmed
        if one.shortened
    ]
    left_out = Counter((one.part, one.reason) for one in report.trimmed if not one.shortened)
    return lines + [
        f"left out ({part}, {_WHY_TRIMMED[reason]}): {count}"
        for (part, reason), count in left_out.items()
    ]


_WHY_TRIMMED: Final = {
    "long": "longer than one may be",
    "budget": "no room left",
    "limit": "there are enough",
}


def _usage_line(usage: Usage) -> str:
    if not usage.calls:
        return "no model was asked"
    cost = "price not known" if usage.cost_usd is None else f"${usage.cost_usd:.6f}"
    return (
        f"{usage.model}: {usage.input_tokens} tokens in ({usage.cache_read_tokens} cached, "
        f"{usage.cache_write_tokens} written to the cache), {usage.output_tokens} out; {cost}"
    )
