"""The command line as a whole: one sentence per failure, plugins' commands isolated."""

from __future__ import annotations

import json
import logging
import os
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.core import TyperGroup

from cloche import __version__
from cloche.cli import app
from cloche.cli.app import COMMANDS, built_in
from cloche.cli.output import echo, print_json, printable
from cloche.errors import ClocheError, ManifestError, SettingsError
from cloche.logs import LogHandler

if TYPE_CHECKING:
    from conftest import Commands, Site

GROUP = """
import typer

def register(app: typer.Typer) -> None:
    @app.command()
    def ship(name: str) -> None:
        typer.echo(f"shipped {name}")

    @app.command("call-off")
    def stop() -> None:
        raise KeyboardInterrupt
"""

BROKEN_GROUPS = {
    "raises": ("1 / 0", "ZeroDivisionError"),
    "no-register": ("", "no function register"),
    "register-raises": ("def register(app): raise SystemExit", "register: tried to end"),
    "register-arguments": ("def register(): pass", "register: raised: TypeError"),
    "odd-parameter": (
        "def register(app):\n    @app.command()\n    def odd(x: list[list[int]]): pass\n",
        "register: its commands cannot be built",
    ),
    "takes-plugins": (
        "def register(app):\n"
        "    @app.command()\n    def plugins(): pass\n"
        "    @app.command()\n    def other(): pass\n",
        "register: there is already a command plugins",
    ),
    "newer-api": ("cloche_api = 7\ndef register(app): pass", "plugin API 7"),
}


def process(*arguments: str, home: Path, **kwargs) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cloche", *arguments],
        env={"CLOCHE_HOME": str(home), "PATH": os.environ["PATH"], **kwargs.pop("env", {})},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **kwargs,
    )


def test_version_and_help(cloche):
    assert cloche("--version") == f"cloche {__version__}\n"
    printed = cloche("--help")
    for command in app.COMMANDS:
        assert f"  {command}" in printed


def test_help_and_plugins_load_no_model_library(tmp_path):
    heavy = ("pydantic_ai", "boto3", "botocore", "aiohttp", "numpy", "anthropic", "openai", "mcp")
    code = f"""
import sys
from cloche.cli.app import run
assert run(["--help"]) == 0
assert run(["plugins", "--json"]) == 0
loaded = [name for name in {heavy} if name in sys.modules]
assert not loaded, loaded
"""
    environ = {**os.environ, "CLOCHE_HOME": str(tmp_path), "CLOCHE_PLUGINS": ""}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environ,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_an_unknown_command_is_one_sentence(cloche):
    cloche("plugin", code=2)
    assert "Did you mean 'plugins'" in cloche.error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (SettingsError("MODEL_ID is empty."), "cloche: MODEL_ID is empty.\n"),
        (
            ManifestError("skills.json", "x is wrong.", line=3),
            "cloche: skills.json:3: x is wrong.\n",
        ),
        (ClocheError("It is late."), "cloche: It is late.\n"),
    ],
)
def test_an_expected_failure_is_told_in_one_sentence(cloche, monkeypatch, error, told):
    def fail(settings):
        raise error

    monkeypatch.setattr("cloche.plugins.load_host", fail)
    assert cloche("plugins", code=2) == ""
    assert cloche.error == told


def test_a_setting_that_is_wrong_does_not_stop_help(site, cloche, monkeypatch):
    site.plugin("ship", GROUP, group="cloche.commands")
    monkeypatch.setenv("CLOCHE_NO_SUCH_THING", "1")
    assert "plugins" in cloche("--help")
    for arguments in (("plugins",), ("ship", "x")):
        cloche(*arguments, code=2)
        assert "CLOCHE_NO_SUCH_THING" in cloche.error
        assert cloche.error.count("\n") == 1


def test_a_plugins_commands_stand_beside_the_hosts(site, cloche):
    site.plugin("ship", GROUP, group="cloche.commands")
    assert "call-off" in cloche("--help")
    assert cloche("ship", "tea") == "shipped tea\n"
    cloche("call-off", code=130)
    assert cloche.plugins()["ship"]["status"] == "ok"


def test_a_plugins_commands_can_be_left_out(site, cloche, monkeypatch):
    site.plugin("ship", GROUP, group="cloche.commands")
    monkeypatch.setenv("CLOCHE_PLUGINS", "")
    cloche("ship", "tea", code=2)
    assert cloche.plugins()["ship"]["status"] == "off"


@pytest.mark.parametrize("name", BROKEN_GROUPS)
def test_a_broken_command_group_is_one_row_and_the_others_run(site, cloche, name):
    code, reason = BROKEN_GROUPS[name]
    site.plugin(name, code, group="cloche.commands")
    site.plugin("ship", GROUP, group="cloche.commands")
    row = cloche.plugins()[name]
    assert (row["kind"], row["status"]) == ("commands", "set aside")
    assert reason in row["reason"]
    assert row["remedy"]
    assert cloche("ship", "tea") == "shipped tea\n"
    assert name in cloche.error  # a person who misses its command learns why
    assert "  other" not in cloche("--help")


def test_a_closed_pipe_is_quiet(tmp_path):
    command = f"{shlex.quote(sys.executable)} -m cloche plugins --json | true"
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        env={"CLOCHE_HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""


def test_a_terminal_that_knows_no_chinese_still_gets_its_output(site, tmp_path):
    site.plugin("odd", "raise ValueError('茶壶')")
    environ = {"PYTHONPATH": str(site.folder), "PYTHONIOENCODING": "cp1252"}
    done = process("plugins", home=tmp_path, env=environ)
    assert done.returncode == 0, done.stderr
    assert "\\u8336\\u58f6" in done.stdout


def test_in_a_terminal_there_is_a_table(site, cloche, monkeypatch):
    site.plugin("odd", "raise ValueError('[bold]')")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    printed = cloche("plugins")
    assert "\t" not in printed
    assert "ValueError ([bold])" in printed


def test_in_a_pipe_there_is_one_line_for_each_row(site, cloche):
    site.plugin("odd", "raise ValueError('a\\tb')")
    lines = [line.split("\t") for line in cloche("plugins").splitlines()]
    assert {len(line) for line in lines} == {8}
    assert lines[0] == [
        "name",
        "kind",
        "version",
        "hooks",
        "channels",
        "status",
        "reason",
        "remedy",
    ]


def test_json_is_the_same_in_a_pipe_and_in_a_terminal(site, cloche, monkeypatch):
    site.plugin("odd", "raise ValueError('茶')")
    piped = cloche("plugins", "--json")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert cloche("plugins", "--json") == piped
    assert "茶" in json.loads(piped)[-1]["reason"]


@given(st.text())
def test_what_others_wrote_is_one_line_without_control_characters(text):
    shown = printable(text)
    assert shown.isprintable() or not shown.isascii()
    assert not set(shown) & {"\n", "\r", "\t", "\x1b", "\x07", "\u202e"}
    assert printable(shown) == shown


ODD = "\x00\x07\x08\x1b\x7f\x9b\x85\u202e\u2066\ud800"
STEERING = "\x00\x07\x08\x1b[2J\x7f\x9b2J\x85\u202e\u2066\ud800"


def test_what_is_printed_cannot_steer_a_terminal(capsys):
    echo(f"a\tb\n{STEERING}é你")
    echo(STEERING, err=True)
    printed = capsys.readouterr()
    assert printed.out.startswith("a\tb\n\ufffd")
    assert printed.out.endswith("é你\n")
    for stream in printed:
        assert not set(stream) & set(ODD)


def test_json_escapes_what_could_steer_a_terminal_and_means_the_same(capsys):
    print_json({STEERING: [STEERING, "é你"]})
    printed = capsys.readouterr().out
    assert not set(printed) & set(ODD)
    assert "é你" in printed
    assert json.loads(printed) == {STEERING: [STEERING, "é你"]}


def test_an_error_that_quotes_others_cannot_steer_a_terminal(cloche, monkeypatch):
    def fail(settings):
        raise ManifestError("SKILL.md", f"there is no key {STEERING}.")

    monkeypatch.setattr("cloche.plugins.load_host", fail)
    cloche("plugins", code=2)
    assert "there is no key" in cloche.error
    assert not set(cloche.error) & set(ODD)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has it")
@pytest.mark.parametrize("words", ["--version", "--help", "plugins", "plugins --json", "doctor"])
def test_output_that_has_no_room_is_told_in_one_sentence(tmp_path, words):
    command = f"{shlex.quote(sys.executable)} -m cloche {words} > /dev/full"
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        env={"CLOCHE_HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == "cloche: the output cannot be written: No space left on device.\n"
    assert done.returncode == 2


@pytest.mark.parametrize(
    "group",
    [(), *((one,) for one in ("memory", "people", "reminders", "skills", "channel", "new"))],
    ids="".join,
)
def test_every_command_is_summed_up_in_a_line_of_a_terminal(
    cloche: Commands, monkeypatch: pytest.MonkeyPatch, group: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("CLOCHE_PLUGINS", "")
    listed = cloche(*group, "--help").split("Commands:")[1].splitlines()
    assert len(listed) >= 2
    assert not [line for line in listed if line.endswith("...")]


@pytest.mark.parametrize(
    "command",
    [
        ("memory", "show"),
        ("memory", "export"),
        ("memory", "doctor"),
        ("memory", "used"),
        ("memory", "forget", "--all", "--yes"),
        ("reminders", "list"),
        ("reminders", "run", "--at", "2199-01-01T00:00"),
        ("people", "list"),
        ("people", "pair"),
        ("chat", "--once", "Hello"),
    ],
    ids=" ".join,
)
def test_an_assistant_is_named_in_the_same_ways_everywhere(
    site: Site, cloche: Commands, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    site.assistant("tea")
    site.assistant("loom")
    monkeypatch.setenv("CLOCHE_PLUGINS", "tea,loom")
    monkeypatch.setenv("CLOCHE_TIME_ZONE", "UTC")
    cloche(*command, "tea")
    cloche(*command, "--assistant", "tea")
    cloche(*command, "tea", "--assistant", "tea")
    cloche(*command, "tea", "--assistant", "loom", code=2)
    assert "name two assistants" in cloche.error
    told = cloche(*command, code=2) + cloche.error
    named = " ".join(command[:1] if command[0] == "chat" else command[:2])
    assert f"name one of them, as in `cloche {named} --assistant" in told
    assert "tea" in told
    assert "loom" in told
    quiet_again()


@pytest.mark.parametrize("command", ["serve", "channel"])
def test_a_channel_that_is_not_there_is_met_with_those_that_are(
    site: Site, cloche: Commands, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    site.assistant("tea")
    monkeypatch.setenv("CLOCHE_PLUGINS", "tea")
    asked = ("serve", "tea", "--channel") if command == "serve" else ("channel", "record")
    cloche(*asked, "telegrm", code=2)
    assert "no channel named 'telegrm'; did you mean 'telegram'? There are: " in cloche.error
    cloche(*asked, "nope", code=2)
    assert "no channel named 'nope'. There are: " in cloche.error
    assert "telegram" in cloche.error.split("There are:")[1]
    quiet_again()


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_are_there_once_however_often_they_are_made(name: str) -> None:
    made = []
    for _ in range(2):
        root = typer.Typer()
        import_module(f"cloche.cli.{name}").register(root)
        groups = [group.typer_instance for group in root.registered_groups]
        made.append(sum(len(group.registered_commands) for group in (root, *groups) if group))
    assert made[0] == made[1] > 0


@pytest.mark.parametrize("group", ["memory", "people", "reminders", "skills", "new"])
def test_of_a_group_only_the_command_that_is_asked_for_is_made(group: str) -> None:
    every = built_in(group).commands[group]
    assert isinstance(every, TyperGroup)
    assert len(every.commands) > 1
    for name in every.commands:
        one = built_in(group, name).commands[group]
        assert isinstance(one, TyperGroup)
        assert [*one.commands] == [name]
        assert one.help == every.help
    for none in ("", "--help", "nothing-of-this-name"):
        several = built_in(group, none).commands[group]
        assert isinstance(several, TyperGroup)
        assert several.commands.keys() == every.commands.keys()


def quiet_again() -> None:
    root = logging.getLogger()
    for handler in [each for each in root.handlers if isinstance(each, LogHandler)]:
        root.removeHandler(handler)
