"""``cloche skills test``."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cloche.cli.skills.whose import Json, Subject, What, subject_of

if TYPE_CHECKING:
    from cloche.plugins import Host
    from cloche.settings import Settings
    from cloche.spec import AssistantSpec
    from cloche.trying import Choice, TrialRow

TRIED: Final = ("status", "skill", "tool", "language", "said", "choice", "reason")


def try_(
    what: What = None,
    only: Annotated[
        list[str] | None, typer.Option("--skill", help="Only this one; may be repeated.")
    ] = None,
    runs: Annotated[
        int, typer.Option("--runs", min=1, max=100, help="With a model: how often each is said.")
    ] = 3,
    at_least: Annotated[
        float,
        typer.Option(
            "--at-least", min=0, max=1, help="With a model: fail below this share of right choices."
        ),
    ] = 0,
    as_json: Json = False,
) -> None:
    """Run the examples of skills.

    Understood, the arguments fit, the answer holds what it must.

    Their tools reach servers on this machine only, which stand in for those they ask.
    With a model configured, it is also counted how often the model chooses the tool, and what it
    answers without the skill. Ends with 1 when an example fails.
    """
    from cloche.cli.output import echo, show
    from cloche.llm.providers import provider_of
    from cloche.logs import set_up_logging
    from cloche.plugins import load_host
    from cloche.settings import load_settings
    from cloche.testing.offline import offline
    from cloche.trying import run_trials

    settings = load_settings()
    set_up_logging(settings)
    host = load_host(settings)
    spec = _spec(host, subject_of(host, what))
    rows = list(asyncio.run(run_trials(spec, only or (), world=offline)))
    choices: tuple[Choice, ...] = ()
    if provider_of(settings) != "demo":
        choices = _scored(spec, settings, runs, only or [])
        rows = _with_choices(rows, choices)
    show(rows, TRIED, as_json=as_json)
    if not as_json:
        echo(_summary(rows, choices), err=True)
    failed = any(row.status == "failed" for row in rows)
    raise typer.Exit(1 if failed or any(one.share < at_least for one in choices) else 0)


def _spec(host: Host, subject: Subject) -> AssistantSpec:
    from cloche.skills import SkillsManifest, load_folder
    from cloche.skills.linting import skill_folders
    from cloche.skills.loading import load_manifest
    from cloche.trying import one_skill

    if subject.assistant:
        return host.assistant(subject.assistant)
    if subject.manifest is not None:
        manifest = load_manifest(subject.manifest)
    else:
        folders = skill_folders(subject.folder) if subject.folder else ()
        manifest = SkillsManifest(tuple(load_folder(each) for each in folders))
    if not manifest.skills:
        raise typer.BadParameter("there is no skill to test.", param_hint="WHAT")
    return replace(one_skill(manifest.skills[0]), skills=manifest)


def _scored(
    spec: AssistantSpec, settings: Settings, runs: int, only: list[str]
) -> tuple[Choice, ...]:
    from cloche.cli.output import echo
    from cloche.llm.providers import start_line
    from cloche.testing.offline import offline
    from cloche.trying import score_choices

    echo(start_line(settings), err=True)
    return asyncio.run(score_choices(spec, settings, runs, only, world=offline))


def _with_choices(rows: list[TrialRow], choices: tuple[Choice, ...]) -> list[TrialRow]:
    """The rows, with the score beside the sentences that the model was asked."""
    told = {(one.skill, one.tool, one.language, one.said): one.told for one in choices}
    return [
        replace(row, choice=told.get((row.skill, row.tool, row.language, row.said), "not asked"))
        for row in rows
    ]


def _summary(rows: list[TrialRow], choices: tuple[Choice, ...]) -> str:
    from cloche.trying import NOT_TESTED

    failed = sum(row.status == "failed" for row in rows)
    told = f"{len(rows)} sentences, {failed} failed"
    if not choices:
        return f"{told}; {NOT_TESTED}: no model is configured."
    said = sum(one.runs for one in choices)
    promised = [one for one in choices if one.answered is not None]
    answers = sum(one.runs for one in promised)
    told += f"; the tool was chosen {sum(one.chosen for one in choices)}/{said}"
    if promised:
        held = sum(one.answered or 0 for one in promised)
        bare = sum(one.answered_without or 0 for one in promised)
        told += f"; the answer held {held}/{answers} with the skill, {bare}/{answers} without"
    costs = [one.cost_usd for one in choices]
    cost = sum(cost or 0 for cost in costs)
    return f"{told}; {'price not known' if None in costs else f'${cost:.4f}'}."
