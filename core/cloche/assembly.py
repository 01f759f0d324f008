"""Builds one assistant: the only place that chooses between adapters."""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cloche.access.doors import Doors
from cloche.access.limits import Limits
from cloche.agents.agent import Agent
from cloche.agents.openclaw.forgetting import ForgottenAt, forget_left_behind, sweep
from cloche.agents.routing import Router
from cloche.assistant import Assistant
from cloche.attachments.reading import Attachments, Fetch
from cloche.attachments.transcription import choose_transcriber
from cloche.backup import finish_restore, unfinished
from cloche.channels.owner import UNNAMED
from cloche.clock import Clock, utc_now
from cloche.context import BuildContext
from cloche.delivery.traces import StoredTraces
from cloche.door_files import forget_door_files
from cloche.embedders import Embedder
from cloche.embedding.choice import embedder_name
from cloche.errors import SettingsError
from cloche.live_skills import LiveAssistant, SkillFolders, Understood
from cloche.llm.ledger import Ledger
from cloche.logs import OncePerCause
from cloche.memory.extraction import Extractor, ModelExtractor, RulesExtractor
from cloche.memory.forgotten import Forgotten
from cloche.memory.pipeline import Memory
from cloche.memory.spool import Spool
from cloche.memory.store import MemoryStore
from cloche.memory.summarising import ModelSummarizer, Summarizer
from cloche.memory.truth.judging import Judge
from cloche.memory.truth.model import ModelJudge
from cloche.memory.writer import Writer
from cloche.patience import Patience
from cloche.people import People
from cloche.plugins import Host
from cloche.reminders.choice import choose_reminder_store
from cloche.reminders.claims import ModelClaimCheck
from cloche.reminders.looking import Look, ModelLook
from cloche.reminders.reminding import Reminding
from cloche.settings import Settings, variable
from cloche.spec import AssistantSpec
from cloche.state.sqlite import SqliteStateStore
from cloche.toolbox import Toolbox
from cloche.workspace.choice import open_workspace
from cloche.workspace.looking import ModelLooker, StandIn
from cloche.zones import system_zone

OPENCLAW: Final = "openclaw"
"""The agent that is a gateway; the name is ours, no plugin can have it."""

if TYPE_CHECKING:
    from aiohttp import ClientSession
    from pydantic_ai.models import Model

    from cloche.llm.providers import ChosenModel


async def open_assistant(
    host: Host,
    name: str,
    settings: Settings,
    *,
    clock: Clock = utc_now,
    fetch: Fetch | None = None,
    extra_skills: tuple[Path, ...] = (),
    agent: Agent | None = None,
    http: Callable[[], ClientSession] | None = None,
    complete: bool = True,
) -> Assistant:
    """Build the assistant of that name with the adapters the settings choose.

    Args:
        host: Where assistants and adapters come from.
        name: The assistant's entry point.
        settings: The operator's.
        clock: The present instant.
        fetch: The way to an attachment's bytes, by the name of the channel it came through.
        extra_skills: Folders of skills to add for this process; they are read again before each
            turn (``cloche chat --skill ./folder``).
        agent: Answers instead of the one the settings choose, and no model is built (extraction
            works by rules): for tests and benchmarks.
        http: Opens a session for tools to ask servers with, instead of the host's own; called
            on each loop that tools run on, where the session is closed, too.
        complete: Complete a restore that was cut off; False = only look at what is there.

    Raises:
        PluginError: the assistant cannot be loaded.
        ManifestError: a folder of ``extra_skills`` cannot be used.
        SettingsError: a setting names an adapter that is not there, or its folder cannot be made.
        RequestError: a restore that was cut off cannot be completed.
    """
    spec = host.assistant(name)
    folders = SkillFolders(extra_skills, spec.skills)
    spec = replace(spec, skills=folders.manifest)
    understood = Understood(spec.skills)
    folder = settings.home / name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"CLOCHE_HOME: the folder {folder} cannot be made: {error.strerror}."
        ) from error
    if complete and unfinished(folder):
        finish_restore(folder, clock())
    if complete:
        await sweep(folder)
    context = BuildContext(name, settings, clock, folder)
    notices = OncePerCause(logging.getLogger("cloche.assistant"))
    store, state = _memory_store(host, context), SqliteStateStore(folder / "state.db", clock)
    writer = Writer(store, Spool(folder / "spool.jsonl", clock), notices)
    ledger, forgotten = Ledger(), Forgotten(state, clock)
    extractor, judge, summarizer, agents, typed = (
        (RulesExtractor(), None, None, (agent, agent, agent), None)
        if agent
        else _agents(host, spec, context, ledger, understood, folders, forgotten.latest)
    )
    router = Router(agents[0], agents[1], notices, agents[2])
    looker = ModelLooker(agents[1], ledger, notices) if typed or agent else StandIn()
    memory = Memory(
        store=store,
        writer=writer,
        state=state,
        files=open_workspace(context, notices),
        extractor=extractor,
        fallback=RulesExtractor(),
        vocabulary=spec.vocabulary,
        namespaces=spec.namespaces,
        settings=settings.memory,
        clock=clock,
        notices=notices,
        judge=judge,
        summarizer=summarizer,
        ledger=ledger,
        reminders=choose_reminder_store(context, state),
    )
    memory.forgetter.reach(StoredTraces(state))
    memory.forgetter.also(router.forget)
    memory.forgetter.also(partial(forget_left_behind, folder))
    memory.forgetter.also_files(partial(forget_door_files, folder))
    zone = settings.time_zone or system_zone()
    people = People(state, clock, default_zone=zone, notices=notices)
    doors = Doors(
        memory,
        people.links,
        Limits(state, clock, settings.access, people.default_zone, notices),
        clock,
        own_doors=[key for key, one in host.channels().items() if one.capabilities.owner_only],
        owner=unicodedata.normalize("NFC", settings.owner.strip() or UNNAMED),
    )
    await doors.mover.finish()
    kind = partial(LiveAssistant, folders, understood) if extra_skills else Assistant
    return kind(
        spec,
        folder=folder,
        people=people,
        memory=memory,
        toolbox=Toolbox(spec.skills, memory, people, looker, http),
        router=router,
        attachments=Attachments(
            fetch, choose_transcriber(settings), ledger, notices, memory.files.limits.file_bytes
        ),
        doors=doors,
        reminding=Reminding(
            router if typed or agent else None,
            ModelClaimCheck(typed, ledger) if typed else None,
            None if agent else _look(typed, ledger),
        ),
        patience=partial(Patience, settings.model.patience_seconds, settings.model.timeout_seconds),
    )


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


def _look(typed: ChosenModel | None, ledger: Ledger) -> Look:
    """Who looks whether anything is due; without a model to ask, the stand-in does by rules."""
    from cloche.llm.demo.looking import DemoLook

    return ModelLook(typed, ledger) if typed else DemoLook()


def _agents(
    host: Host,
    spec: AssistantSpec,
    context: BuildContext,
    ledger: Ledger,
    understood: Understood,
    folders: SkillFolders,
    forgotten_at: ForgottenAt,
) -> tuple[
    Extractor, Judge | None, Summarizer | None, tuple[Agent, Agent, Agent], ChosenModel | None
]:
    """Who extracts, judges and sums up; agents for text, for pictures and standing by; a model."""
    from cloche.agents.embedded import EmbeddedAgent
    from cloche.llm.demo import demo_model
    from cloche.llm.providers import choose_model

    settings, name = context.settings, context.settings.agent

    def demo() -> Model:
        return demo_model(
            vocabulary=spec.vocabulary,
            examples=understood.examples,
            reasons=understood.reasons,
            titles=understood.titles,
        )

    text = choose_model(settings, demo=demo)
    aside = None if text.provider == "demo" else text.aside()
    extractor: Extractor = ModelExtractor(aside, ledger) if aside else RulesExtractor()
    judge = ModelJudge(aside, ledger) if aside else None
    summarizer = ModelSummarizer(aside, ledger) if aside else None
    embedded: Agent = EmbeddedAgent(text)
    others = host.agents()
    if name not in ("auto", "embedded", OPENCLAW, *others):
        raise SettingsError(
            f"CLOCHE_AGENT={name}: there is no such agent; "
            f"there are: {', '.join(sorted({'auto', 'embedded', OPENCLAW, *others}))}."
        )
    chosen = others[name](context) if name in others else embedded
    if name in ("auto", OPENCLAW):
        chosen = _openclaw(spec, context, text, folders, forgotten_at) or embedded
    agents = (chosen, EmbeddedAgent(choose_model(settings, demo=demo, vision=True)), embedded)
    return extractor, judge, summarizer, agents, aside


def _openclaw(
    spec: AssistantSpec,
    context: BuildContext,
    text: ChosenModel,
    folders: SkillFolders,
    forgotten_at: ForgottenAt,
) -> Agent | None:
    """The gateway; None where ``auto`` finds none, or no model that is worth one.

    Raises:
        SettingsError: it is asked for and not there.
    """
    from cloche.agents.openclaw.installation import VERSION, find_installation

    settings = context.settings
    asked_for = settings.agent == OPENCLAW
    if text.provider == "demo" and not asked_for:
        return None
    installation = find_installation(settings.openclaw)
    if installation is None:
        if asked_for:
            raise SettingsError(
                f"CLOCHE_AGENT={OPENCLAW}: {VERSION} is not installed: `make openclaw` fetches it, "
                f"and {variable('openclaw.folder')} names another place."
            )
        return None
    from cloche.agents.openclaw.agent import OpenClawAgent

    return OpenClawAgent(
        text,
        installation,
        persona=spec.persona,
        skills=lambda: folders.manifest,
        folder=context.folder,
        port=settings.openclaw.port,
        forgotten_at=forgotten_at,
    )
