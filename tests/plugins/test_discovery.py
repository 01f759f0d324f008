"""Which plugins are found, and what is told when the same thing is found twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from cloche.errors import PluginError

CHANNEL = """
from cloche import Channel, hookimpl

class Bell(Channel):
    name = "{name}"
    def __init__(self, context=None): pass
    def parse(self, request): return ()
    async def send(self, part): pass

@hookimpl
def provide_channels(): return [Bell]
"""


def test_a_whole_assistant_is_found_with_its_hooks_and_version(site, cloche):
    site.assistant("tea")
    assert cloche.plugins()["tea"] == {
        "name": "tea",
        "kind": "assistant",
        "distribution": "cloche-tea",
        "version": "1.0",
        "hooks": ["provide_persona", "provide_skills", "provide_vocabulary", "provide_namespaces"],
        "status": "ok",
        "reason": "",
        "remedy": "",
        "channels": [],
    }


def test_without_any_plugin_the_commands_still_work(site, cloche, monkeypatch):
    monkeypatch.setattr("importlib_metadata.distributions", list)
    assert cloche("plugins") == "No plugins are installed.\n"
    assert cloche("plugins", "--json") == "[]\n"
    cloche("check", "tea", code=1)
    assert site.host().assistants == ()


def test_a_distribution_found_twice_is_used_from_the_first_place_and_warns(
    site, cloche, tmp_path, monkeypatch
):
    site.plugin("bell", CHANNEL.format(name="old"))
    first = type(site)(tmp_path / "first")
    first.add(
        "cloche-bell",
        {"cloche.plugins": {"bell": "cloche_bell"}},
        {"cloche_bell.py": CHANNEL.format(name="new")},
        version="2.0",
    )
    monkeypatch.syspath_prepend(str(first.folder))
    row = cloche.plugins()["bell"]
    assert (row["status"], row["version"]) == ("warning", "2.0")
    assert (
        f"cloche-bell is installed more than once; 2.0 is used, not 1.0 in {site.folder}"
        in (row["reason"])
    )
    assert "pip uninstall cloche-bell" in row["remedy"]
    assert "new" in site.host().channels()
    assert "old" not in site.host().channels()


def test_what_an_upgrade_left_behind_in_the_same_folder_is_told(site, cloche):
    site.plugin("bell", CHANNEL.format(name="bell"))
    site.metadata("cloche-bell", "[cloche.plugins]\nbell = cloche_bell", version="0.9")
    row = cloche.plugins()["bell"]
    assert row["status"] == "warning"
    assert "0.9" in row["reason"]


def test_the_same_folder_twice_on_the_path_is_no_second_copy(site, cloche, tmp_path, monkeypatch):
    site.plugin("bell", CHANNEL.format(name="bell"))
    (tmp_path / "alias").symlink_to(site.folder)
    monkeypatch.syspath_prepend(str(tmp_path / "alias"))
    assert cloche.plugins()["bell"]["status"] == "ok"


def test_a_name_claimed_by_two_distributions_loads_neither(site, cloche):
    site.assistant("tea")
    site.add("tea-rival", {"cloche.assistants": {"tea": "tea_rival"}}, {"tea_rival.py": "1 / 0"})
    site.assistant("coffee")
    rows = [row for row in site.host().rows if row.name == "tea"]
    assert {row.distribution for row in rows} == {"cloche-tea", "tea-rival"}
    assert {row.status for row in rows} == {"set aside"}
    assert all("cloche-tea and tea-rival" in row.reason for row in rows)
    assert "tea_rival" not in sys.modules
    assert "cloche_tea" not in sys.modules
    with pytest.raises(PluginError, match="cloche-tea and tea-rival"):
        site.host().assistant("tea")
    assert cloche.plugins()["coffee"]["status"] == "ok"


def test_the_same_name_in_two_groups_is_no_clash(site, cloche):
    site.assistant("tea")
    site.add(
        "tea-bell",
        {"cloche.plugins": {"tea": "tea_bell"}},
        {"tea_bell.py": CHANNEL.format(name="bell")},
    )
    assert {row.status for row in site.host().rows if row.name == "tea"} == {"ok"}


def test_a_plugin_that_takes_the_name_of_a_built_in_one_is_set_aside_alone(site):
    site.plugin("console", CHANNEL.format(name="bell"))
    rows = {row.distribution: row for row in site.host().rows if row.name == "console"}
    assert rows["cloche"].status == "ok"
    assert rows["cloche-console"].status == "set aside"
    assert "cloche and cloche-console" in rows["cloche-console"].reason


@pytest.mark.parametrize("name", ["Tea", "tea room", "茶", "té", "-tea", "t" * 33, "tea_room"])
def test_a_name_that_is_none_is_told_and_not_loaded(site, cloche, name):
    site.add("odd", {"cloche.plugins": {name: "odd_module"}}, {"odd_module.py": "1 / 0"})
    row = cloche.plugins()[name]
    assert row["status"] == "set aside"
    assert "is no name" in row["reason"]
    assert "odd_module" not in sys.modules


@pytest.mark.parametrize("value", ["odd_module:plugin", "odd-module", "odd_module [extra]"])
def test_an_entry_point_that_names_no_module_is_told(site, cloche, value):
    site.add("odd", {"cloche.plugins": {"odd": value}}, {"odd_module.py": "1 / 0"})
    assert "not a module" in cloche.plugins()["odd"]["reason"]


def test_a_module_that_is_not_there_is_told_apart_from_one_that_needs_another(site, cloche):
    site.add("gone", {"cloche.plugins": {"gone": "gone_package.module"}}, {})
    site.add("half", {"cloche.plugins": {"half": "half.gone"}}, {"half/__init__.py": ""})
    rows = cloche.plugins()
    assert "its module gone_package.module is not there" in rows["gone"]["reason"]
    assert "its module half.gone is not there" in rows["half"]["reason"]
    assert "Install half again" in rows["half"]["remedy"]


def test_metadata_that_cannot_be_read_is_one_row(site, cloche):
    site.assistant("tea")
    site.metadata("torn", "[cloche.plugins]\nthis is no entry point")
    rows = cloche.plugins()
    assert rows["?"]["status"] == "set aside"
    assert str(site.folder) in rows["?"]["reason"]
    assert rows["tea"]["status"] == "ok"
    assert {row.name: row.status for row in site.host(("tea",)).rows}["?"] == "set aside"


def test_a_strangers_torn_metadata_is_nobodys_row(site, cloche):
    site.metadata("torn", "[console_scripts]\nthis is no entry point")
    assert "?" not in cloche.plugins()


def test_a_distribution_without_metadata_is_one_row(site, cloche):
    info = site.folder / "nameless.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[cloche.plugins]\nbell = bell\n")
    assert cloche.plugins()["?"]["status"] == "set aside"


def test_talking_to_one_assistant_imports_no_other(site):
    site.assistant("tea")
    site.assistant("coffee", {"__init__.py": "raise SystemExit"})
    host = site.host()
    assert set(host.assistants) >= {"tea", "coffee"}
    assert "cloche_tea" not in sys.modules
    assert host.assistant("tea").name == "tea"
    assert "cloche_coffee" not in sys.modules


def test_hooks_are_called_once(site, tmp_path):
    code = site.assistant_code("tea")
    count = f"""
    from pathlib import Path
    calls = Path({str(tmp_path / "calls")!r})
    calls.write_text((calls.read_text() if calls.exists() else "") + "called ")"""
    code = code.replace("def provide_persona():", f"def provide_persona():{count}")
    site.assistant("tea", {"__init__.py": code})
    host = site.host()
    assert host.assistant("tea") == host.assistant("tea")
    assert host.rows == host.rows
    assert (tmp_path / "calls").read_text() == "called "


@pytest.mark.parametrize(
    ("asked", "answer"),
    [("te", "Did you mean tea?"), ("quartet-viola", "There are: "), ("", "There are: ")],
)
def test_an_assistant_that_is_not_there_is_answered_with_those_that_are(site, asked, answer):
    site.assistant("tea")
    with pytest.raises(PluginError, match=r"there is no assistant of that name") as raised:
        site.host().assistant(asked)
    assert answer in raised.value.remedy


def test_a_real_process_survives_a_broken_plugin(site):
    site.plugin("leaves", "import os, sys; sys.exit('no')")
    done = subprocess.run(
        [sys.executable, "-m", "cloche", "plugins"],
        env={"PYTHONPATH": str(site.folder), "CLOCHE_HOME": str(site.folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "set aside" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize("content", [b"\xff\xfe[cloche", b"[cloche.plugins\nbell = cloche_bell\n"])
def test_metadata_that_cannot_be_read_is_a_row_and_the_others_are_found(site, cloche_home, content):
    site.assistant("tea")
    site.metadata("broken", "")
    (site.folder / "broken-1.0.dist-info" / "entry_points.txt").write_bytes(content)
    for words in (("plugins", "--json"), ("chat", "tea", "--once", "hi")):
        # A process of its own: libraries look at all metadata only when they are imported.
        ended = subprocess.run(
            [sys.executable, "-c", "from cloche.cli.app import main; main()", *words],
            env={**os.environ, "PYTHONPATH": str(site.folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        if words[0] == "plugins":
            rows = {row["name"]: row for row in json.loads(ended.stdout)}
            assert rows["tea"]["status"] == "ok"
            assert str(site.folder) in rows["?"]["reason"]
