"""``cloche runtime`` as a process: signals, a port that is taken, killed, settings refused."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from cloche.delivery.delivery import CLOSE_SECONDS

from .processes import SECRET, Process, until

if TYPE_CHECKING:
    from conftest import Commands


def test_sigterm_lets_what_runs_finish_and_begins_nothing(start: Callable[..., Process]) -> None:
    one = start().ready()
    with ThreadPoolExecutor() as pool:
        running = pool.submit(one.post, "wait for me", "1")
        until(lambda: one.lines("asked"))
        one.process.send_signal(signal.SIGTERM)
        until(lambda: one.invoke({"kind": "health"})[0] == 503)
        assert one.get("/ping")["status"] == "HealthyBusy"
        status, told = one.post("too late", "2", "other")
        assert (status, told["error"]) == (503, "closing")
        one.let()
        assert running.result()[0] == 200
    assert one.process.wait(30) == 0
    assert one.lines("sent") == ["You said: wait for me"]
    assert one.lines("asked") == ["wait for me"]
    out, err = one.process.communicate()
    assert "Traceback" not in out + err
    for line in err.splitlines():
        assert json.loads(line)["level"] in ("info", "warning")
    assert SECRET not in out + err


@pytest.mark.parametrize("word", ["hunter2", "contraseña", "我的密码"])
def test_whatever_fails_in_a_plugin_is_told_in_json_and_without_words(
    start: Callable[..., Process], word: str
) -> None:
    one = start().ready()
    assert one.post(f"leak {word}", "1")[0] == 200
    assert one.end() == 0
    _, err = one.process.communicate()
    assert word not in err
    assert json.dumps(word)[1:-1] not in err
    told = [json.loads(line) for line in err.splitlines()]
    assert sum(line.get("error") == "ValueError" for line in told) == 4
    assert sum(line["logger"] == "slowly" for line in told) == 2
    assert sum("UserWarning" in line["message"] for line in told) == 1


@pytest.mark.parametrize("moment", ["loading", "opening"])
def test_sigterm_before_anything_began_ends_it_at_once(
    start: Callable[..., Process], moment: str
) -> None:
    one = start(TEST_WAITS=moment)
    until(lambda: one.lines(moment))
    began = time.monotonic()
    assert one.end() == 0
    assert time.monotonic() - began < 30
    out, err = one.process.communicate()
    assert "Traceback" not in out + err


def test_a_turn_that_takes_too_long_is_run_by_the_next_process(
    start: Callable[..., Process],
) -> None:
    one = start().ready()
    with ThreadPoolExecutor() as pool:
        running = pool.submit(one.post, "3600", "1")
        until(lambda: one.lines("asked"))
        began = time.monotonic()
        assert one.end() == 0
        assert time.monotonic() - began < CLOSE_SECONDS + 30
        assert running.result()[0] == 503
    two = start().ready()
    until(lambda: len(two.lines("asked")) == 2)


def test_killed_in_a_turn_it_is_answered_by_the_next_process(start: Callable[..., Process]) -> None:
    one = start().ready()
    with ThreadPoolExecutor() as pool:
        running = pool.submit(one.post, "1 more", "1")
        until(lambda: one.lines("asked"))
        one.process.kill()
        assert running.result()[0] == 0
    one.process.wait(10)
    two = start().ready()
    until(lambda: two.lines("sent") == ["You said: 1 more"])
    assert two.post("1 more", "1")[0] == 200  # the queue sends it again
    assert two.lines("sent") == ["You said: 1 more"]
    assert two.end() == 0


def test_the_owners_words_and_metrics(start: Callable[..., Process]) -> None:
    one = start("--dev", CLOCHE_RUNTIME__METRICS="emf").ready()
    status, told = one.invoke({"kind": "message", "text": "hello"})
    assert (status, told["text"]) == (200, "You said: hello")
    assert one.end() == 0
    out, _ = one.process.communicate()
    metrics = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    assert [each["Turns"] for each in metrics] == [1]
    assert re.search(r"listens at http://127\.0\.0\.1:\d+/invocations", out)


def test_without_dev_it_says_that_it_listens_everywhere(start: Callable[..., Process]) -> None:
    one = start().ready()
    assert one.end() == 0
    out, _ = one.process.communicate()
    assert re.search(r"listens at http://0\.0\.0\.0:\d+/invocations", out)


def test_what_is_wrong_is_one_sentence_and_ends_with_two(start: Callable[..., Process]) -> None:
    one = start().ready()
    taken = start()
    assert f":{one.url.rpartition(':')[2]} cannot be listened on" in refused(taken)
    assert one.end() == 0
    for name, value in [
        ("CLOCHE_RUNTIME__METRICS", "much"),
        ("CLOCHE_AGENT", "nobody"),
    ]:
        assert name in refused(start(**{name: value}))


def refused(one: Process) -> str:
    """What it says before it ends."""
    out, err = one.process.communicate(timeout=120)
    assert one.process.returncode == 2, out + err
    assert out == ""  # nothing that sounds as if it went on
    assert "Traceback" not in err
    (told,) = [line for line in err.splitlines() if line.startswith("cloche: ")]
    return told


def test_it_listens_on_the_contracts_port_unless_another_is_named(cloche: Commands) -> None:
    assert re.search(r"--port\b.*?\[default: 8080\b", cloche("runtime", "--help"), re.DOTALL)
