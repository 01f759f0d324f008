"""Builds one assistant: the only place that chooses between adapters."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from cloche.agents.agent import Agent
from cloche.agents.routing import Router
from cloche.assistant import Assistant
from cloche.backup import finish_restore, unfinished
from cloche.clock import Clock, utc_now
from cloche.context import BuildContext
from cloche.embedders import Embedder
from cloche.embedding.choice import embedder_name
from cloche.errors import SettingsError
from cloche.logs import OncePerCause
from cloche.memory.extraction import Extractor, ModelExtractor, RulesExtractor
from cloche.memory.pipeline import Memory
from cloche.memory.spool import Spool
from cloche.memory.store import MemoryStore
from cloche.memory.summarising import ModelSummarizer, Summarizer
from cloche.memory.truth.judging import Judge
from cloche.memory.truth.model import ModelJudge
from cloche.memory.writer import Writer
from cloche.people import People, system_zone
from cloche.pictures import Fetch, Pictures
from cloche.plugins import Host
from cloche.settings import Settings
from cloche.skills import Skill
from cloche.spec import AssistantSpec
from cloche.state.store import StateStore
from cloche.toolbox import Toolbox

if TYPE_CHECKING:
    from pydantic_ai.models import Model


async def open_assistant(
    host: Host,
    name: str,
    settings: Settings,
    *,
    clock: Clock = utc_now,
    fetch: Fetch | None = None,
    extra_skills: tuple[Skill, ...] = (),
    agent: Agent | None = None,
    complete: bool = True,
) -> Assistant:
    """Build the assistant of that name with the adapters the settings choose.

    Args:
        host: Where assistants and adapters come from.
        name: The assistant's entry point.
        settings: The operator's.
        clock: The present instant.
        fetch: The channel's way to an attachment's bytes.
        extra_skills: Skills to add for this process (``cloche chat --skill ./folder``).
        agent: Answers instead of the one the settings choose, and no model is built (extraction
            works by rules): for tests and benchmarks.
        complete: Complete a restore that was cut off; False = only look at what is there.

    Raises:
        PluginError: the assistant cannot be loaded.
        SettingsError: a setting names an adapter that is not there, or its folder cannot be made.
        RequestError: a restore that was cut off cannot be completed.
    """
    spec = _with_skills(host.assistant(name), extra_skills)
    folder = settings.home / name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"CLOCHE_HOME: the folder {folder} cannot be made: {error.strerror}."
        ) from error
    if complete and unfinished(folder):
        finish_restore(folder, clock())
    context = BuildContext(name, settings, clock, folder)
    notices = OncePerCause(logging.getLogger("cloche.assistant"))
    store, state = _memory_store(host, context), _state_store(context)
    writer = Writer(store, Spool(folder / "spool.jsonl", clock), notices)
    extractor, judge, summarizer, text, vision = (
        (RulesExtractor(), None, None, agent, agent) if agent else _agents(host, spec, context)
    )
    memory = Memory(
        store=store,
        writer=writer,
        state=state,
        extractor=extractor,
        fallback=RulesExtractor(),
        vocabulary=spec.vocabulary,
        namespaces=spec.namespaces,
        settings=settings.memory,
        clock=clock,
        notices=notices,
        judge=judge,
        summarizer=summarizer,
    )
    zone = settings.time_zone or system_zone()
    return Assistant(
        spec,
        folder=folder,
        people=People(state, clock, default_zone=zone, notices=notices),
        memory=memory,
        toolbox=Toolbox(spec.skills, memory),
        router=Router(text, vision, notices),
        pictures=Pictures(fetch),
    )


def _with_skills(spec: AssistantSpec, extra: tuple[Skill, ...]) -> AssistantSpec:
    if not extra:
        return spec
    names = {skill.name for skill in extra}
    kept = tuple(skill for skill in spec.skills.skills if skill.name not in names)
    return replace(spec, skills=replace(spec.skills, skills=(*kept, *extra)))


def _memory_store(host: Host, context: BuildContext) -> MemoryStore:
    from cloche.memory.local import LocalMemoryStore

    name, others = context.settings.memory.store, host.memory_stores()
    if name == "local":
        embedder = choose_embedder(host, context)
        return LocalMemoryStore(context.folder / "memory.db", context.clock, embedder)
    if name not in others:
        raise SettingsError(
            f"CLOCHE_MEMORY__STORE={name}: there is no such store; "
            f"there are: {', '.join(sorted({'local', *others}))}."
        )
    return others[name](context)


def choose_embedder(host: Host, context: BuildContext) -> Embedder | None:
    """Who compares meanings for one assistant; None where memories are found by words alone.

    Nothing is loaded or connected before the first text. Whoever gets it closes it.

    Raises:
        SettingsError: what is set is not there or lacks something.
    """
    there = host.embedders()
    name = embedder_name(context.settings.embeddings, there)
    return there[name](context) if name else None


def _state_store(context: BuildContext) -> StateStore:
    from cloche.state.sqlite import SqliteStateStore

    return SqliteStateStore(context.folder / "state.db", context.clock)


def _agents(
    host: Host, spec: AssistantSpec, context: BuildContext
) -> tuple[Extractor, Judge | None, Summarizer | None, Agent, Agent]:
    """Who extracts, judges and sums up, and the agents for text and pictures.

    With the demo model all but the agents work by rules.
    """
    from cloche.agents.embedded import EmbeddedAgent
    from cloche.llm.demo import demo_model
    from cloche.llm.providers import choose_model

    settings, name = context.settings, context.settings.agent

    def demo() -> Model:
        examples = tuple(
            e for skill in spec.skills.skills if not skill.unavailable for e in skill.examples
        )
        reasons = {s.name: s.reasons for s in spec.skills.skills if s.unavailable}
        return demo_model(vocabulary=spec.vocabulary, examples=examples, reasons=reasons)

    text = choose_model(settings, demo=demo)
    vision = choose_model(settings, demo=demo, vision=True)
    extractor: Extractor = RulesExtractor()
    judge: Judge | None = None
    summarizer: Summarizer | None = None
    if text.provider != "demo":
        extractor = ModelExtractor(text)
        judge = ModelJudge(text.model, text.settings)
        summarizer = ModelSummarizer(text)
    embedded: Agent = EmbeddedAgent(text)
    others = host.agents()
    if name not in ("auto", "embedded", *others):
        raise SettingsError(
            f"CLOCHE_AGENT={name}: there is no such agent; "
            f"there are: {', '.join(sorted({'auto', 'embedded', *others}))}."
        )
    chosen = others[name](context) if name in others else embedded
    return extractor, judge, summarizer, chosen, EmbeddedAgent(vision)
