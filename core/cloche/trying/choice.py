"""Examples with a model: how often it chooses the tool, with the skill and without."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from cloche.settings import Settings
from cloche.skills import Skill
from cloche.spec import AssistantSpec
from cloche.trying.bench import World, message, opened
from cloche.utterances import Example, Trial, trials


@dataclass(frozen=True, slots=True)
class Choice:
    """What a model made of one sentence.

    Attributes:
        skill: The skill.
        tool: The tool the sentence asks for.
        language: The sentence's.
        said: The sentence.
        runs: How often it was said with the skill, and how often without.
        chosen: With the skill: how often the tool was called and took the arguments.
        answered: With the skill: how often the answer held what the example promises; None where
            it promises nothing.
        answered_without: Without the skill: the same.
        failed: How often no model answered, of all.
        cost_usd: What the model cost; None where the price is not known.
    """

    skill: str
    tool: str
    language: str
    said: str
    runs: int
    chosen: int
    answered: int | None
    answered_without: int | None
    failed: int
    cost_usd: float | None

    @property
    def told(self) -> str:
        """The score in one clause."""
        told = f"chosen {self.chosen}/{self.runs}"
        if self.answered is not None:
            told += (
                f", answer holds {self.answered}/{self.runs}, "
                f"without the skill {self.answered_without}/{self.runs}"
            )
        return f"{told}, no answer {self.failed}/{2 * self.runs}" if self.failed else told

    @property
    def share(self) -> float:
        """How often the tool was chosen, of one."""
        return self.chosen / self.runs


async def score_choices(
    spec: AssistantSpec,
    settings: Settings,
    runs: int,
    only: Collection[str] = (),
    *,
    world: World | None = None,
) -> tuple[Choice, ...]:
    """Say the first sentence of each example in each language ``runs`` times, both ways.

    Every run has a memory of its own, in which the sentences before it were done.

    Args:
        spec: The assistant.
        settings: The operator's: which model.
        runs: How often, at least 1.
        only: Names of the skills to score; () = all that are ready.
        world: Opens what tools reach instead of the internet.
    """
    bench = _Bench(settings, world)
    scored = []
    for skill in spec.skills.skills:
        if skill.unavailable or (only and skill.name not in only):
            continue
        before: list[Trial] = []
        for trial in samples(skill.examples):
            scored.append(await _score(bench, spec, skill, trial, before, runs))
            before.append(trial)
    return tuple(scored)


def samples(examples: tuple[Example, ...]) -> Iterator[Trial]:
    """One sentence of each example and language: models are paid for."""
    for example in examples:
        seen: set[str] = set()
        for trial in trials(example):
            if trial.language not in seen:
                seen.add(trial.language)
                yield trial


async def _score(
    bench: _Bench,
    spec: AssistantSpec,
    skill: Skill,
    trial: Trial,
    before: list[Trial],
    runs: int,
) -> Choice:
    without = replace(
        spec.skills, skills=tuple(one for one in spec.skills.skills if one is not skill)
    )
    with_it = [await _run(bench, spec, trial, before) for _ in range(runs)]
    bare = replace(spec, skills=without)
    without_it = [await _run(bench, bare, trial, []) for _ in range(runs)]
    costs = [each.cost_usd for each in (*with_it, *without_it)]
    return Choice(
        skill=skill.name,
        tool=trial.expected.tool,
        language=trial.language,
        said=trial.text,
        runs=runs,
        chosen=sum(each.chosen for each in with_it),
        answered=sum(each.answered for each in with_it) if trial.answer else None,
        answered_without=sum(each.answered for each in without_it) if trial.answer else None,
        failed=sum(each.failed for each in (*with_it, *without_it)),
        cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


@dataclass(frozen=True, slots=True)
class _Bench:
    settings: Settings
    world: World | None


@dataclass(frozen=True, slots=True)
class _Run:
    chosen: bool
    answered: bool
    failed: bool
    cost_usd: float | None


async def _run(bench: _Bench, spec: AssistantSpec, trial: Trial, before: list[Trial]) -> _Run:
    async with opened(spec, bench.settings, world=bench.world, with_model=True) as assistant:
        for number, done in enumerate(before):
            person = await assistant.people.of(message(""))
            speaking = replace(person, language=done.language)
            for tool in assistant.tools(speaking, f"before-{number}"):
                if tool.name == done.expected.tool:
                    await tool.call(done.expected.arguments)
        turn = await assistant.handle(message(trial.text, 1))
        report = turn.report
        return _Run(
            chosen=any(use.tool == trial.expected.tool and use.ok for use in report.tool_uses),
            answered=all(piece in turn.reply.text for piece in trial.answer),
            failed=bool(report.failure),
            cost_usd=report.usage.cost_usd,
        )
