"""Little distributions on the path, made in a test's own folder and gone after it."""

from __future__ import annotations

import importlib
import json
import logging
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from cloche.cli.app import run
from cloche.plugins import Host
from cloche.plugins.discovery import discover

ASSISTANT = """
from cloche import (
    MetadataKey, NamespaceScheme, Persona, SkillsManifest, Value, Vocabulary, hookimpl,
)

@hookimpl
def provide_persona():
    return Persona.from_package(__name__)

@hookimpl
def provide_skills():
    return SkillsManifest.from_package(__name__)

@hookimpl
def provide_vocabulary():
    return Vocabulary((MetadataKey("type", "What it is about.", values=(Value("tea"),)),))

@hookimpl
def provide_namespaces():
    return NamespaceScheme("ROOT")
"""

TOOLS = '''
from cloche import ToolContext, tool

@tool
async def brew(ctx: ToolContext, leaf: str) -> str:
    """Note what was brewed."""
    record = await ctx.memory.remember(f"Brewed {leaf}.", kind="note", subject=leaf)
    return f"Noted: {record.text}"
'''

EXAMPLES = """
- tool: brew
  say:
    en: ["brew some {leaf}"]
    es: ["prepara {leaf}"]
    zh: ["泡一杯{leaf}"]
  values: {leaf: oolong}
  answer: ["oolong"]
"""

SKILL = """---
name: brewing
description: Notes what was brewed. Use it when somebody says what they brewed.
---
Note the leaf as the person names it.
"""


class Site:
    """A folder on ``sys.path`` that holds distributions as an installer would leave them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(
        self,
        distribution: str,
        entry_points: Mapping[str, Mapping[str, str]],
        files: Mapping[str, str],
        version: str = "1.0",
    ) -> None:
        """Install: ``entry_points`` is group -> name -> module, ``files`` path -> text."""
        for path, text in files.items():
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(dedent(text), encoding="utf-8")
        lines = []
        for group, points in entry_points.items():
            lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
        self.metadata(distribution, "\n".join(lines), version)

    def metadata(self, distribution: str, entry_points: str, version: str = "1.0") -> None:
        """Only the metadata, with ``entry_points.txt`` as given."""
        info = self.folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        )
        (info / "entry_points.txt").write_text(entry_points)
        importlib.invalidate_caches()

    def plugin(self, name: str, code: str, group: str = "cloche.plugins") -> str:
        """Install distribution ``cloche-NAME`` with one module; returns the module's name."""
        module = f"cloche_{name.replace('-', '_')}"
        self.add(f"cloche-{name}", {group: {name: module}}, {f"{module}.py": code})
        return module

    @staticmethod
    def assistant_code(name: str) -> str:
        """The ``__init__.py`` of a whole assistant."""
        return ASSISTANT.replace("ROOT", name)

    def assistant_files(self, name: str) -> dict[str, str]:
        """The files of a whole assistant, by their path in its package."""
        return {
            "__init__.py": self.assistant_code(name),
            "skills.json": json.dumps({"version": 1, "skills": ["brewing"]}),
            "skills/brewing/SKILL.md": SKILL,
            "skills/brewing/tools.py": TOOLS,
            "skills/brewing/examples.yaml": EXAMPLES,
            "persona/identity.md": f"# {name.title()}\nYou are {name.title()}.\n",
            "persona/voice.md": "Speak plainly.\n",
            "persona/what-it-does.md": "Help with tea.\n",
            "persona/safety.md": "Water may be hot.\n",
        }

    def assistant(self, name: str, files: Mapping[str, str | None] | None = None) -> str:
        """Install a whole assistant; ``files`` replaces (or with None removes) files of it."""
        module = f"cloche_{name.replace('-', '_')}"
        content = {**self.assistant_files(name), **(files or {})}
        kept = {f"{module}/{path}": text for path, text in content.items() if text is not None}
        self.add(f"cloche-{name}", {"cloche.assistants": {name: module}}, kept)
        return module

    def host(self, only: tuple[str, ...] | None = None) -> Host:
        """A host that has just started."""
        return Host(discover(), only)


@pytest.fixture
def site(tmp_path: Path, cloche_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """An empty site on the path; settings and home are the test's own, too."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield Site(folder)
    for module in set(sys.modules) - before:
        file = getattr(sys.modules[module], "__file__", None) or ""
        if file.startswith(str(tmp_path)) or module.startswith("cloche_skill_"):
            del sys.modules[module]
    importlib.invalidate_caches()


class Commands:
    """Runs ``cloche`` in this process and reads what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.error = ""

    def __call__(self, *arguments: str, code: int = 0) -> str:
        """What it printed; ``code`` is the exit code it must end with."""
        self._capsys.readouterr()
        ended = run(arguments)
        printed = self._capsys.readouterr()
        self.error = printed.err
        assert ended == code, printed
        assert "Traceback" not in printed.out + printed.err
        return printed.out

    def plugins(self) -> dict[str, dict[str, object]]:
        """Rows of ``cloche plugins --json`` by name; they must always be there."""
        return {row["name"]: row for row in json.loads(self("plugins", "--json"))}


@pytest.fixture
def cloche(capsys: pytest.CaptureFixture[str]) -> Commands:
    """The command line."""
    return Commands(capsys)


@pytest.fixture(scope="session")
def s3_url() -> Iterator[str]:
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def aws(s3_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """AWS's own settings point to the server of the test."""
    for name, value in {
        "AWS_ENDPOINT_URL_S3": s3_url,
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_REGION": "eu-west-1",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    # What is made a second time since the first was slow is there already.
    monkeypatch.setattr("cloche.workspace.s3.READ_SECONDS", 60)
