"""Examples without a model: the sentence is understood, the tool runs, the answer holds."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final, Literal

from cloche.assistant import Assistant
from cloche.clock import Clock, utc_now
from cloche.errors import ToolError
from cloche.memory.refusals import SAYS_SO
from cloche.skills import Skill
from cloche.spec import AssistantSpec
from cloche.tools.arguments import parse_arguments
from cloche.trying.bench import World, message, opened
from cloche.utterances import Example, Trial, match, trials

NOT_TESTED: Final = "choice of tool not tested"
"""What a row says of the choice where no model made it."""


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One sentence of an example, tried.

    Attributes:
        skill: The skill.
        tool: The tool it asks for.
        language: The sentence's.
        said: The sentence.
        status: ``failed``: not understood, not taken by the tool, or answered otherwise.
        reason: Why it failed.
        choice: How often a model chose the tool, or that none was asked.
    """

    skill: str
    tool: str
    language: str
    said: str
    status: Literal["ok", "failed"]
    reason: str
    choice: str = NOT_TESTED


async def run_trials(
    spec: AssistantSpec,
    only: Collection[str] = (),
    *,
    clock: Clock = utc_now,
    world: World | None = None,
) -> tuple[TrialRow, ...]:
    """Try every sentence of the examples, in their order and in one memory.

    Args:
        spec: The assistant; a sentence must not be taken for another skill's.
        only: Names of the skills to try; () = all that are ready.
        clock: The present instant.
        world: Opens what tools reach instead of the internet.
    """
    ready = [skill for skill in spec.skills.skills if not skill.unavailable]
    everything = [example for skill in ready for example in skill.examples]
    rows: list[TrialRow] = []
    async with opened(spec, clock=clock, world=world) as assistant:
        for skill in ready:
            if not only or skill.name in only:
                for trial in (each for one in skill.examples for each in trials(one)):
                    reason = await _reason(assistant, skill, trial, everything, len(rows))
                    rows.append(
                        TrialRow(
                            skill.name,
                            trial.expected.tool,
                            trial.language,
                            trial.text,
                            "failed" if reason else "ok",
                            reason,
                        )
                    )
    return tuple(rows)


async def _reason(
    assistant: Assistant,
    skill: Skill,
    trial: Trial,
    examples: list[Example],
    number: int,
) -> str:
    """Why a sentence does not do what its example says; "" when it does."""
    found = match(examples, trial.text, trial.before)
    if found != trial.expected:
        taken = f"{found.tool}({found.arguments})" if found else "nothing"
        return f"it is taken for {taken}, not {trial.expected.tool}({trial.expected.arguments})"
    tool = next(one for one in skill.tools if one.name == trial.expected.tool)
    try:
        parse_arguments(tool.arguments, trial.expected.arguments)
    except ToolError as error:
        return str(error)
    person = await assistant.people.of(message(""))  # a tool may have set their zone
    speaking = replace(person, language=trial.language)
    bound = assistant.tools(speaking, f"try-{number}")
    used = next(one for one in bound if one.name == tool.name)
    result = await used.call(trial.expected.arguments)
    if result.text == SAYS_SO:
        return ""  # an earlier way of saying it has corrected that already
    if not (result.ok or result.absent):
        return f"the tool failed: {result.text}"
    missing = [piece for piece in trial.answer if piece not in result.text]
    return f"it answers {result.text!r}, without {missing}" if missing else ""
