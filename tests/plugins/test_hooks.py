"""Every hook reaches the host, typed; the specs are what the host says they are."""

from __future__ import annotations

import inspect

import pluggy

from cloche import hookspecs
from cloche.agents.agent import Agent
from cloche.clock import utc_now
from cloche.context import BuildContext
from cloche.embedders import Embedder
from cloche.memory.store import MemoryStore
from cloche.settings import Settings

EVERYTHING = """
from cloche import Answer, BuildContext, Channel, Skill, SkillsManifest, hookimpl

cloche_api = 1

class Bell(Channel):
    name = "bell"
    def parse(self, request): return ()
    async def send(self, part): pass

class Store:
    def __init__(self, context: BuildContext) -> None:
        self.folder = context.folder
    def __getattr__(self, name): raise AttributeError(name)

for method in METHODS:
    setattr(Store, method, lambda self: None)

class Parrot:
    name = "parrot"
    async def ask(self, prompt, tools, on_delta=None): return Answer(prompt.words)
    async def close(self): pass

class Counter:
    model_id = "count"
    dimensions = 1
    async def embed(self, texts, *, query): return [[float(len(text))] for text in texts]
    async def close(self): pass

@hookimpl
def provide_skills(): return SkillsManifest((Skill("ringing", "Rings.", "Ring."),))

@hookimpl
def provide_channels(): return (Bell,)

@hookimpl(specname="provide_memory_stores")
def stores(): return {"shelf": Store}

@hookimpl
def provide_agents(): return {"parrot": lambda context: Parrot()}

@hookimpl
def provide_embedders(): return {"count": lambda context: Counter()}
"""


def test_the_hooks_that_are_listed_are_the_hooks_that_are_specified():
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    specified = {name for name, hook in vars(manager.hook).items() if hook.has_spec()}
    assert set(hookspecs.HOOKS) == specified
    assert set(hookspecs.ASSISTANT_HOOKS) | set(hookspecs.PLUGIN_HOOKS) == specified


def test_every_hook_is_synchronous_takes_nothing_and_says_what_it_is_for():
    for name in hookspecs.HOOKS:
        spec = getattr(hookspecs, name)
        assert not inspect.iscoroutinefunction(spec), name
        assert not inspect.signature(spec).parameters, name
        assert inspect.getdoc(spec), name
        assert spec.__annotations__["return"], name


def test_a_plugin_may_bring_everything_a_plugin_can(site, cloche, tmp_path):
    methods = [name for name in vars(MemoryStore) if not name.startswith("_")]
    site.plugin("all", EVERYTHING.replace("METHODS", repr(methods)))
    site.assistant("tea")
    row = cloche.plugins()["all"]
    assert (row["status"], row["reason"]) == ("ok", "")
    assert row["hooks"] == list(hookspecs.PLUGIN_HOOKS)
    host = site.host()
    context = BuildContext("tea", Settings(home=tmp_path), utc_now, tmp_path)
    assert host.channels()["bell"].name == "bell"
    store = host.memory_stores()["shelf"](context)
    assert isinstance(store, MemoryStore)
    assert vars(store) == {"folder": tmp_path}
    assert isinstance(host.agents()["parrot"](context), Agent)
    assert isinstance(host.embedders()["count"](context), Embedder)
    skills = host.assistant("tea").skills
    assert [skill.name for skill in skills.skills] == ["brewing", "ringing"]


def test_what_comes_with_the_host_uses_the_same_door(site, cloche):
    row = cloche.plugins()["console"]
    assert (row["distribution"], row["hooks"]) == ("cloche", ["provide_channels"])
    assert "console" in site.host().channels()
