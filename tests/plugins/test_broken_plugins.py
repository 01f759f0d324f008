"""A broken plugin is one row with a reason and a remedy; everything else still runs."""

from __future__ import annotations

import json
import signal

import pytest

from cloche.clock import utc_now
from cloche.context import BuildContext
from cloche.errors import PluginError, SettingsError
from cloche.settings import Settings

CHANNEL = """
from cloche import Channel
class Bell(Channel):
    name = "bell"
    def __init__(self, context=None): pass
    def parse(self, request): return ()
    async def send(self, part): pass
"""

# name: (code of the plugin's module, words of the reason, words of the remedy)
BROKEN = {
    "raises": ("raise ValueError('wrong arch')", "raised: ValueError (wrong arch)", "author"),
    "needs-a-module": ("import nowhere_to_be_found", "needs nowhere_to_be_found", "again"),
    "is-not-python": ("def (", "SyntaxError", "author"),
    "leaves": ("raise SystemExit(3)", "tried to end the process: SystemExit (3)", "uninstall"),
    "base-exception": ("raise BaseException('odd')", "BaseException (odd)", "author"),
    "interrupts": ("raise KeyboardInterrupt", "raised: KeyboardInterrupt", "author"),
    "cannot-say-it": (
        "class Mute(Exception):\n    def __str__(self): raise BaseException('no')\nraise Mute()",
        "its import raised: Mute in cloche_cannot_say_it.py",
        "author",
    ),
    "has-no-attribute": (
        "def __getattr__(name): raise BaseException(name)",
        "its import raised: BaseException (cloche_api)",
        "author",
    ),
    "has-no-more-attributes": (
        "cloche_api = 1\ndef __getattr__(name): raise BaseException(name)",
        "implements no hook",
        "@hookimpl",
    ),
    "has-an-odd-member": (
        "class Odd:\n    def __getattribute__(self, name): raise BaseException('odd')\nit = Odd()",
        "raised: BaseException (odd)",
        "author",
    ),
    "closes-the-streams": (
        "import sys\nsys.stdout.close()\nsys.stderr.close()\nraise ValueError('closed')",
        "raised: ValueError (closed)",
        "author",
    ),
    "takes-the-streams": (
        "import io, sys\nsys.stdin = sys.stdout = sys.stderr = io.StringIO()\n1 / 0",
        "ZeroDivisionError",
        "author",
    ),
    "for-a-newer-host": ("from cloche import Telepathy", "does not have", "Upgrade cloche"),
    "for-another-host": ("import cloche.telepathy", "does not have", "Upgrade cloche"),
    "newer-api": ("cloche_api = 2", "needs plugin API 2", "Upgrade cloche"),
    "api-is-text": ("cloche_api = '1'", "must be a whole number", "cloche_api = 1"),
    "api-is-true": ("cloche_api = True", "must be a whole number", "cloche_api = 1"),
    "api-is-none": ("cloche_api = None", "must be a whole number", "cloche_api = 1"),
    "no-hook": ("", "implements no hook", "@hookimpl"),
    "unknown-hook": (
        "@hookimpl\ndef provide_chanels(): return []",
        "provide_chanels: there is no such hook",
        "provide_channels?",
    ),
    "wants-arguments": (
        "@hookimpl\ndef provide_channels(config): return []",
        "provide_channels: Argument(s) {'config'}",
        "no arguments",
    ),
    "keyword-only": (
        "@hookimpl\ndef provide_channels(*, config): return []",
        "provide_channels: raised: TypeError",
        "author",
    ),
    "assistants-hook": (
        "@hookimpl\ndef provide_persona(): return None",
        "provide_persona: is no hook for cloche.plugins",
        "cloche.assistants",
    ),
    "is-async": (
        "@hookimpl\nasync def provide_channels(): return []",
        "provide_channels: is async",
        "synchronous",
    ),
    "wraps": (
        "@hookimpl(wrapper=True)\ndef provide_channels(): return (yield)",
        "provide_channels: wraps",
        "Return data",
    ),
    "twice": (
        "@hookimpl\ndef provide_channels(): return []\n"
        "@hookimpl(specname='provide_channels')\ndef more(): return []",
        "provide_channels: is implemented twice",
        "Keep one",
    ),
    "hook-raises": (
        "@hookimpl\ndef provide_channels(): return {}['x']",
        "provide_channels: raised: KeyError ('x') in cloche_hook_raises.py:3",
        "author",
    ),
    "hook-leaves": (
        "import sys\n@hookimpl\ndef provide_channels(): sys.exit('bye')",
        "provide_channels: tried to end the process",
        "author",
    ),
    "returns-nothing": (
        "@hookimpl\ndef provide_channels(): pass",
        "provide_channels: must return a list of channel types, but returned nothing",
        "Mend provide_channels",
    ),
    "returns-text": (
        "@hookimpl\ndef provide_channels(): return 'bell'",
        "but returned a str",
        "Mend provide_channels",
    ),
    "returns-an-instance": (
        f"{CHANNEL}\n@hookimpl\ndef provide_channels(): return [Bell()]",
        "but returned a Bell",
        "Mend provide_channels",
    ),
    "returns-half-a-channel": (
        "class Half: name = 'half'\n@hookimpl\ndef provide_channels(): return [Half]",
        "must return channel types",
        "Mend provide_channels",
    ),
    "channel-name": (
        f"{CHANNEL}\nBell.name = 'Bell 1'\n@hookimpl\ndef provide_channels(): return [Bell]",
        "'Bell 1' is invalid",
        "Mend provide_channels",
    ),
    "channel-twice": (
        f"{CHANNEL}\n@hookimpl\ndef provide_channels(): return [Bell, Bell]",
        "used twice",
        "Mend provide_channels",
    ),
    "store-list": (
        "@hookimpl\ndef provide_memory_stores(): return ['mine']",
        "must return a mapping",
        "Mend provide_memory_stores",
    ),
    "store-name": (
        "@hookimpl\ndef provide_memory_stores(): return {'': print}",
        "'' is no name",
        "Mend provide_memory_stores",
    ),
    "agent-no-factory": (
        "@hookimpl\ndef provide_agents(): return {'mine': 'Agent'}",
        "must return a factory for 'mine', but returned a str",
        "Mend provide_agents",
    ),
    "embedder-number": (
        "@hookimpl\ndef provide_embedders(): return 7",
        "must return a mapping",
        "Mend provide_embedders",
    ),
    "skills-list": (
        "@hookimpl\ndef provide_skills(): return []",
        "provide_skills: must return a SkillsManifest, but returned a list",
        "Mend provide_skills",
    ),
    "takes-the-hosts-store": (
        "@hookimpl\ndef provide_memory_stores(): return {'local': print}",
        "memory store 'local' is provided by takes-the-hosts-store (cloche-takes-the-hosts-store)"
        " and by cloche itself",
        "leave one out",
    ),
    "takes-the-hosts-agent": (
        "@hookimpl\ndef provide_agents(): return {'auto': print}",
        "cloche itself",
        "leave one out",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plugin_is_one_row_and_its_neighbours_work(site, cloche, name):
    code, reason, remedy = BROKEN[name]
    site.plugin(name, f"from cloche import hookimpl\n{code}\n")
    site.assistant("tea")
    rows = cloche.plugins()
    assert rows[name]["status"] == "set aside"
    assert reason in rows[name]["reason"]
    assert remedy in rows[name]["remedy"]
    assert rows[name]["distribution"] == f"cloche-{name}"
    assert rows[name]["version"] == "1.0"
    assert rows["tea"]["status"] == "ok", rows["tea"]
    assert rows["console"]["status"] == "ok", rows["console"]
    assert "plugins" in cloche("--help")
    assert site.host().assistant("tea").persona.name == "Tea"


PERSONA = "@hookimpl\ndef provide_persona():"
BROKEN_ASSISTANTS = {
    "no-persona": (PERSONA, "def _nobody():", "provide_persona: is missing", "@hookimpl"),
    "no-vocabulary": (
        "@hookimpl\ndef provide_vocabulary():",
        "def _no_words():",
        "provide_vocabulary: is missing",
        "Vocabulary",
    ),
    "no-namespaces": (
        "@hookimpl\ndef provide_namespaces():",
        "def _nowhere():",
        "provide_namespaces: is missing",
        "NamespaceScheme",
    ),
    "persona-is-text": (
        "return Persona.from_package(__name__)",
        "return 'Tea'",
        "provide_persona: must return a Persona, but returned a str",
        "Mend provide_persona",
    ),
    "empty-persona": (
        "return Persona.from_package(__name__)",
        "return Persona('Tea', ())",
        "provide_persona: has no text",
        "author",
    ),
    "vocabulary-key": (
        'MetadataKey("type"',
        'MetadataKey("Sorte de thé"',
        "provide_vocabulary: key 'Sorte de thé' must match",
        "author",
    ),
    "vocabulary-is-closed-over-ten": (
        'values=(Value("tea"),)',
        "closed=True, values=tuple(Value(f'v{i}') for i in range(11))",
        "provide_vocabulary: closed key 'type' has 11 values",
        "author",
    ),
    "root": (
        'return NamespaceScheme("root")',
        'return NamespaceScheme("Tea Room")',
        "provide_namespaces: root 'Tea Room' must match",
        "author",
    ),
    "scope-of-everybody": (
        'return NamespaceScheme("scope-of-everybody")',
        "from cloche import MemoryScope\n"
        "    return NamespaceScheme('tea', (MemoryScope('long_term', 'tea/all/'),))",
        "provide_namespaces: scope 'long_term' needs {actorId}",
        "author",
    ),
    "skill-listed-twice": (
        "return SkillsManifest.from_package(__name__)",
        "m = SkillsManifest.from_package(__name__)\n    return SkillsManifest(m.skills * 2)",
        "provide_skills: the skill brewing comes from both",
        "Rename",
    ),
    "channel-in-an-assistant": (
        PERSONA,
        f"@hookimpl\ndef provide_channels(): return []\n{PERSONA}",
        "provide_channels: is no hook for cloche.assistants",
        "cloche.plugins",
    ),
    "misspelled": (
        "def provide_persona():",
        "def provide_personna():",
        "provide_personna: there is no such hook",
        "Did you mean provide_persona?",
    ),
}


@pytest.mark.parametrize("name", BROKEN_ASSISTANTS)
def test_a_broken_assistant_is_one_row_and_another_can_be_talked_to(site, cloche, name):
    whole, broken, reason, remedy = BROKEN_ASSISTANTS[name]
    code = site.assistant_code(name)
    assert whole in code
    site.assistant(name, {"__init__.py": code.replace(whole, broken)})
    site.assistant("tea")
    rows = cloche.plugins()
    assert rows[name]["status"] == "set aside"
    assert reason in rows[name]["reason"]
    assert remedy in rows[name]["remedy"]
    assert rows["tea"]["status"] == "ok"
    findings = json.loads(cloche("check", name, "--json", code=1))
    assert any(finding["what"] in rows[name]["reason"] for finding in findings)
    with pytest.raises(PluginError, match=name):
        site.host().assistant(name)


def test_files_of_an_assistant_that_are_wrong_are_named_with_their_line(site, cloche):
    site.assistant("list", {"skills.json": '{"version": 1,\n "skills": ["brewing" "x"]}'})
    site.assistant("front", {"skills/brewing/SKILL.md": "---\nname: tea\n---\n"})
    site.assistant("gone", {"persona/identity.md": None})
    rows = cloche.plugins()
    assert "skills.json:2" in rows["list"]["reason"]
    assert "SKILL.md" in rows["front"]["reason"]
    assert "persona/identity.md is missing" in rows["gone"]["reason"]
    assert {rows[name]["status"] for name in ("list", "front", "gone")} == {"set aside"}


def test_a_tool_that_cannot_be_one_is_named(site, cloche):
    code = "from cloche import tool\n@tool\ndef brew(leaf): return leaf\n"
    site.plugin("tool", code)
    assert "brew" in cloche.plugins()["tool"]["reason"]


def test_what_a_plugin_prints_does_not_reach_the_json(site, cloche):
    site.plugin(
        "chatty",
        "from cloche import hookimpl\nprint('imported')\n"
        "@hookimpl\ndef provide_channels():\n    print('called')\n    return []\n",
    )
    assert cloche.plugins()["chatty"]["status"] == "ok"
    assert cloche.error == "imported\ncalled\n"


def test_ctrl_c_while_a_plugin_is_imported_ends_the_command(site, cloche):
    site.plugin("slow", "import signal\nsignal.raise_signal(signal.SIGINT)")
    before = signal.getsignal(signal.SIGINT)
    cloche("plugins", code=130)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_command_group_that_is_odd_is_set_aside(site, cloche):
    site.plugin(
        "odd",
        "class Mute(BaseException):\n    def __str__(self): raise ValueError\n"
        "class Odd:\n    def __getattr__(self, name): raise Mute\n"
        "def register(app):\n    @app.command()\n    def hum(a: Odd() = None): pass\n",
        group="cloche.commands",
    )
    row = cloche.plugins()["odd"]
    assert (row["status"], "commands cannot be built" in row["reason"]) == ("set aside", True)


def test_check_of_an_assistant_that_is_a_single_module_says_so(site, cloche):
    site.plugin("tea", site.assistant_code("tea"), group="cloche.assistants")
    findings = json.loads(cloche("check", "tea", "--json", code=1))
    assert any("single module" in finding["what"] for finding in findings)


def test_what_a_plugin_says_cannot_steer_the_terminal(site, cloche):
    site.plugin("colour", "raise ValueError('\\x1b[2J' + 'a\\nb')")
    printed = cloche("plugins")
    assert "\x1b" not in printed
    assert "[2Ja b" in printed


def test_a_plugin_with_several_faults_says_how_many_and_check_lists_them(site, cloche):
    module = site.assistant("bare", {"__init__.py": ""})
    assert cloche.plugins()["bare"]["reason"] == "provide_persona: is missing. (And 2 more.)"
    findings = json.loads(cloche("check", "bare", "--json", code=1))
    assert [f["where"] for f in findings] == [
        "provide_persona",
        "provide_vocabulary",
        "provide_namespaces",
    ]
    assert module == "cloche_bare"


def test_a_store_that_is_no_store_is_the_plugins_fault_when_it_is_built(site, tmp_path):
    site.plugin(
        "stores",
        "from cloche import SettingsError, hookimpl\n"
        "def unset(context): raise SettingsError('MEMORY_ID is not set.')\n"
        "@hookimpl\ndef provide_memory_stores():\n"
        "    return {'not-one': lambda context: 'store', 'broken': lambda context: 1 / 0,\n"
        "            'unset': unset}\n",
    )
    settings = Settings(home=tmp_path)
    stores = site.host().memory_stores()
    context = BuildContext("tea", settings, utc_now, tmp_path)
    with pytest.raises(PluginError, match="stores: provide_memory_stores: must return a factory"):
        stores["not-one"](context)
    with pytest.raises(PluginError, match="ZeroDivisionError"):
        stores["broken"](context)
    with pytest.raises(SettingsError, match="MEMORY_ID is not set"):
        stores["unset"](context)
