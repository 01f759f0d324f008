"""``cloche doctor``: what is installed, configured and reachable, without a secret in it."""

from __future__ import annotations

import asyncio
import json
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from threading import Event

import pytest

from cloche.clock import utc_now
from cloche.diagnosis.reachable import knock
from cloche.memory.local import LocalMemoryStore
from cloche.memory.operations import AddEvent
from cloche.memory.spool import Spool
from cloche.state.sqlite import SqliteStateStore
from cloche.testing.samples import make_event


@pytest.fixture
def port() -> Iterator[int]:
    """A port of this machine that answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port of this machine that nobody listens to, nor can: it is taken."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def own_server(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    """A model server on this machine that answers the door."""
    monkeypatch.setenv("CLOCHE_MODEL__PROVIDER", "openai")
    monkeypatch.setenv("CLOCHE_MODEL__BASE_URL", f"http://127.0.0.1:{port}/v1")
    monkeypatch.setenv("CLOCHE_MODEL__API_KEY", "my-very-secret-key")
    monkeypatch.setenv("MODEL_ID", "llama")


def report(cloche, code: int = 0) -> dict[str, dict[str, str]]:
    """Lines by name."""
    return {line["name"]: line for line in json.loads(cloche("doctor", "--json", code=code))}


def test_without_any_setting_the_demo_answers_and_all_is_well(site, cloche, cloche_home):
    site.assistant("tea")
    lines = report(cloche)
    assert "demo" in lines["model"]["value"]
    assert lines["home"]["value"] == str(cloche_home)
    assert "FTS5" in lines["sqlite"]["value"]
    assert lines["assistant tea"]["value"] == "cloche-tea 1.0"
    assert {line["status"] for line in lines.values()} <= {"ok", "absent", "warning"}
    assert {line["area"] for line in lines.values()} == {"installed", "configured", "reachable"}


def test_a_plugin_that_is_set_aside_is_a_warning_with_its_remedy(site, cloche, own_server):
    site.plugin("broken", "1 / 0")
    line = report(cloche)["plugin broken"]
    assert line["status"] == "warning"
    assert "ZeroDivisionError" in line["value"]
    assert "uninstall" in line["remedy"]


def test_settings_are_told_with_their_source_and_without_secrets(
    site, cloche, own_server, monkeypatch
):
    monkeypatch.setenv("CLOCHE_CHANNELS__BELL__TOKEN", "another-secret-value")
    with open(".env", "w", encoding="utf-8") as file:
        file.write("CLOCHE_TIME_ZONE=Europe/Oslo\n")
    printed = cloche("doctor", "--json", code=1) + cloche("doctor", code=1)
    assert "my-very-secret-key" not in printed
    assert "another-secret-value" not in printed
    lines = report(cloche, code=1)
    assert lines["CLOCHE_MODEL__API_KEY"]["value"] == "(hidden) from environment"
    assert lines["MODEL_ID"]["value"] == "llama from environment"
    assert lines["CLOCHE_TIME_ZONE"]["value"] == "Europe/Oslo from .env:1"
    assert lines["CLOCHE_CHANNELS__BELL__TOKEN"]["value"] == "(hidden) from environment"
    assert lines["channel settings"]["status"] == "failed"


def test_a_channel_for_which_nothing_is_set_is_told_with_what_to_do(site, cloche, cloche_home):
    lines = report(cloche)
    telegram = lines["channel telegram"]
    assert (telegram["area"], telegram["status"]) == ("configured", "absent")
    assert "CLOCHE_CHANNELS__TELEGRAM__TOKEN" in telegram["remedy"]
    assert "cloche serve --channel telegram" in telegram["remedy"]
    assert "cloche serve --channel web" in lines["channel web"]["value"]
    assert "cloche chat" in lines["channel console"]["value"]


def test_settings_of_a_channel_whose_plugin_is_set_aside_only_warn(
    site, cloche, own_server, monkeypatch
):
    site.plugin("bell", "1 / 0")
    monkeypatch.setenv("CLOCHE_CHANNELS__BELL__TOKEN", "another-secret-value")
    assert report(cloche)["channel settings"]["status"] == "warning"


def test_a_setting_that_is_wrong_is_told_with_what_is_installed(site, cloche, monkeypatch):
    monkeypatch.setenv("CLOCHE_HOM", "/tmp")
    lines = report(cloche, code=1)
    assert "CLOCHE_HOM" in lines["settings"]["value"]
    assert lines["python"]["status"] == "ok"


def test_a_home_that_cannot_be_written_to_is_needed(
    site, cloche, own_server, monkeypatch, tmp_path
):
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("CLOCHE_HOME", str(file / "home"))
    line = report(cloche, code=1)["home"]
    assert line["status"] == "failed"
    assert "CLOCHE_HOME" in line["remedy"]


@pytest.mark.parametrize(
    ("variable", "name"), [("CLOCHE_MEMORY__STORE", "memory store"), ("CLOCHE_AGENT", "agent")]
)
def test_an_adapter_that_is_not_there_is_needed(
    site, cloche, own_server, monkeypatch, variable, name
):
    monkeypatch.setenv(variable, "elsewhere")
    line = report(cloche, code=1)[name]
    assert line["status"] == "failed"
    assert variable in line["remedy"]


def test_an_agent_that_is_not_installed_is_needed_and_chat_says_the_same(
    site, cloche, monkeypatch, tmp_path
):
    site.assistant("tea")
    monkeypatch.setenv("CLOCHE_OPENCLAW__FOLDER", str(tmp_path / "none"))
    assert report(cloche)["agent"]["value"] == "auto: embedded answers"
    monkeypatch.setenv("CLOCHE_AGENT", "openclaw")
    line = report(cloche, code=1)["agent"]
    assert line["status"] == "failed"
    cloche("chat", "tea", "--once", "hello", code=2)
    for each in ("make openclaw", "CLOCHE_OPENCLAW__FOLDER"):
        assert each in line["remedy"]
        assert each in cloche.error


def test_a_legacy_model_is_a_warning(site, cloche, own_server, monkeypatch):
    monkeypatch.setenv("MODEL_ID", "claude-haiku-4-5-20251001")
    monkeypatch.setenv("VISION_MODEL_ID", "claude-sonnet-4-5")
    lines = report(cloche)
    assert lines["model"]["status"] == "warning"
    assert "legacy" in lines["model"]["value"]
    assert "MODEL_ID" in lines["model"]["remedy"]
    assert lines["model for pictures"]["status"] == "ok"


def test_a_model_that_does_not_say_whose_it_is_fails(site, cloche, monkeypatch):
    monkeypatch.setenv("MODEL_ID", "mystery")
    assert "CLOCHE_MODEL__PROVIDER" in report(cloche, code=1)["model"]["value"]


def test_a_server_that_answers_the_door_is_reachable(site, cloche, own_server, port):
    assert report(cloche)["model endpoint"] == {
        "area": "reachable",
        "name": "model endpoint",
        "status": "ok",
        "value": f"127.0.0.1:{port}",
        "remedy": "",
    }


def test_a_server_that_does_not_answer_fails(site, cloche, own_server, monkeypatch, closed_port):
    monkeypatch.setenv("CLOCHE_MODEL__BASE_URL", f"http://me:secret1@127.0.0.1:{closed_port}/v1")
    printed = cloche("doctor", "--json", code=1)
    failed = [line for line in json.loads(printed) if line["status"] == "failed"]
    assert [(line["area"], line["name"]) for line in failed] == [("reachable", "model endpoint")]
    assert f"127.0.0.1:{closed_port}: Connection refused" in failed[0]["value"]
    assert "secret1" not in printed


@pytest.mark.parametrize("address", ["http://127.0.0.1:99999/v1", "http:///v1"])
def test_an_address_that_is_none_fails(site, cloche, own_server, monkeypatch, address):
    monkeypatch.setenv("CLOCHE_MODEL__BASE_URL", address)
    assert report(cloche, code=1)["model endpoint"]["status"] == "failed"


@pytest.mark.parametrize("port_", ["", "hunter5"])
def test_of_an_address_only_the_door_is_shown(site, cloche, own_server, monkeypatch, port, port_):
    address = f"http://me:hunter2@127.0.0.1:{port_ or port}/hunter3/v1?key=hunter4"
    monkeypatch.setenv("CLOCHE_MODEL__BASE_URL", address)
    printed = cloche("doctor", code=int(bool(port_)))
    assert "hunter" not in printed + cloche.error
    assert bool(port_) or f"http://127.0.0.1:{port} from environment" in printed


def test_through_a_proxy_the_proxys_door_counts(
    site, cloche, own_server, monkeypatch, closed_port, port
):
    monkeypatch.setenv("CLOCHE_MODEL__BASE_URL", "http://models.invalid/v1")
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{port}")
    assert report(cloche)["model endpoint"]["value"] == "models.invalid:80 through a proxy"
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{closed_port}")
    assert report(cloche, code=1)["model endpoint"]["status"] == "failed"


def test_knocking_sends_nothing(port):
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert knock("127.0.0.1", server.getsockname()[1]) == ""
        connection, _ = server.accept()
        with connection:
            assert connection.recv(100) == b""


def test_knocking_gives_up_in_time(monkeypatch):
    looked_up = Event()

    def slow(*address, **options):
        looked_up.wait()
        raise OSError("too late")

    monkeypatch.setattr("socket.create_connection", slow)
    assert knock("nowhere", 443, seconds=0.01) == "no answer within 0.01 s"
    looked_up.set()


async def fill(home) -> None:
    """Stores as a chat leaves them, and one write that waits."""
    home.mkdir(parents=True, exist_ok=True)
    memory = LocalMemoryStore(home / "memory.db", utc_now)
    await memory.add_event(make_event())
    await memory.close()
    state = SqliteStateStore(home / "state.db", utc_now)
    await state.put("a/b", 1)
    await state.close()
    await Spool(home / "spool.jsonl", utc_now).append(AddEvent(make_event(2)))


def test_what_an_assistant_keeps_is_opened_and_what_waits_is_counted(
    site, cloche, own_server, cloche_home
):
    site.assistant("tea")
    asyncio.run(fill(cloche_home / "tea"))
    lines = report(cloche)
    assert lines["tea: memory"]["status"] == "ok"
    assert lines["tea: state"]["status"] == "ok"
    assert lines["tea: spool"]["status"] == "warning"
    assert lines["tea: spool"]["value"] == "1 writes wait for the memory"


@pytest.mark.parametrize("file", ["memory.db", "state.db"])
def test_a_file_that_cannot_be_opened_says_why_and_what_to_do(
    site, cloche, own_server, cloche_home, file
):
    site.assistant("tea")
    folder = cloche_home / "tea"
    folder.mkdir()
    (folder / file).write_bytes(b"this is no database, however long it is looked at " * 100)
    line = report(cloche, code=1)[f"tea: {file.removesuffix('.db')}"]
    assert line["status"] == "failed"
    assert "Move the file away" in line["remedy"]
    with sqlite3.connect(folder / f"new-{file}") as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    (folder / f"new-{file}").rename(folder / file)
    assert "Upgrade" in report(cloche, code=1)[f"tea: {file.removesuffix('.db')}"]["remedy"]


@pytest.mark.parametrize(
    ("file", "change", "missing"),
    [
        ("memory.db", "DROP TABLE vectors", "vectors"),
        ("memory.db", "ALTER TABLE records RENAME COLUMN scope TO area", "records.scope"),
        ("state.db", "ALTER TABLE items RENAME COLUMN expires_at TO ends", "items.expires_at"),
        ("state.db", "ALTER TABLE items RENAME TO things", "items"),
    ],
)
def test_a_file_with_other_tables_is_not_ok(
    site, cloche, own_server, cloche_home, file, change, missing
):
    site.assistant("tea")
    asyncio.run(fill(cloche_home / "tea"))
    with closing(sqlite3.connect(cloche_home / "tea" / file, isolation_level=None)) as connection:
        connection.execute(change)
    line = report(cloche, code=1)[f"tea: {file.removesuffix('.db')}"]
    assert line["status"] == "failed"
    assert missing.rpartition(".")[2] in line["value"]
    assert "Put a backup in its place" in line["remedy"]


def test_the_embedder_is_named_and_the_vectors_that_wait_are_counted(
    site, cloche, own_server, cloche_home, monkeypatch
):
    site.assistant("tea")
    asyncio.run(fill(cloche_home / "tea"))
    lines = report(cloche)
    assert lines["embedder"]["status"] == "absent"
    assert lines["embedder"]["remedy"]
    assert "tea: vectors" not in lines
    monkeypatch.setenv("CLOCHE_EMBEDDINGS__PROVIDER", "openai")
    monkeypatch.setenv("CLOCHE_EMBEDDINGS__API_KEY", "my-very-secret-key")
    lines = report(cloche)
    told = "openai:text-embedding-3-small/1536, 1536 dimensions"
    assert lines["embedder"]["value"] == told
    assert lines["tea: vectors"]["value"].startswith("1 wait")
    assert "very-secret" not in str(lines)


def test_an_embedder_that_cannot_be_built_says_what_to_set(
    site, cloche, own_server, cloche_home, monkeypatch
):
    site.assistant("tea")
    asyncio.run(fill(cloche_home / "tea"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("CLOCHE_EMBEDDINGS__PROVIDER", "openai")
    lines = report(cloche, code=1)
    assert lines["embedder"]["status"] == "failed"
    assert "CLOCHE_EMBEDDINGS__API_KEY" in lines["embedder"]["value"]
    assert lines["tea: memory"]["status"] == "ok"


def test_damaged_items_are_counted(site, cloche, own_server, cloche_home):
    site.assistant("tea")
    asyncio.run(fill(cloche_home / "tea"))
    for file, statement in (
        ("memory.db", "UPDATE events SET document = '{'"),
        ("state.db", "UPDATE items SET value = '{'"),
    ):
        connection = sqlite3.connect(cloche_home / "tea" / file)
        connection.execute(statement)
        connection.commit()
        connection.close()
    lines = report(cloche)
    for name in ("tea: memory", "tea: state"):
        assert lines[name]["status"] == "warning"
        assert "1 damaged items" in lines[name]["value"]
