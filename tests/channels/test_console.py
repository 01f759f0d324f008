"""The console before a pipe: one turn per line, plain text or JSON, and one message."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloche.channels import ChannelContext, FileToSend, OwnerOptions, Part, UnreachableError
from cloche.clock import utc_now
from cloche.errors import RequestError
from cloche.messages import Attachment
from cloche.texts import say
from cloche_channels.console import ConsoleChannel, provide_channels
from cloche_channels.console.channel import check_file

DRIVER = str(Path(__file__).with_name("console_driver.py"))
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs the console; ``said`` is what is piped in."""

    def run_(said: bytes | str = b"", env: dict[str, str] | None = None, **options: object):  # type: ignore[no-untyped-def]
        return subprocess.run(
            [sys.executable, DRIVER, json.dumps(options), str(tmp_path)],
            input=said.encode() if isinstance(said, str) else said,
            capture_output=True,
            timeout=120,
            check=False,
            env={**os.environ, **(env or {})},
        )

    return run_


@pytest.fixture
def log(tmp_path: Path) -> Callable[[], list[str]]:
    """What the handler noted."""
    return lambda: (tmp_path / "log").read_text(encoding="utf-8").splitlines()


def test_each_line_gets_one_answer_in_three_languages(
    run: Run, log: Callable[[], list[str]]
) -> None:
    done = run("good morning\n¿qué tal, mañana?\n\n明天下雨吗\n")
    assert done.stdout.decode().splitlines() == [
        "You said: good morning",
        "You said: ¿qué tal, mañana?",
        "You said: 明天下雨吗",
    ]
    assert (done.returncode, done.stderr) == (0, b"")
    followed = [line for line in log() if line.startswith("followed")]
    assert followed == [
        "followed 'good morning'",
        "followed '¿qué tal, mañana?'",
        "followed '明天下雨吗'",
    ]


@pytest.mark.parametrize(
    "env", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
            {"PYTHONIOENCODING": "ascii"}]
)  # fmt: skip
def test_words_survive_a_locale_without_letters(run: Run, env: dict[str, str]) -> None:
    done = run("año 植物\n".encode() + b"caf\xff\n", env=env)
    assert done.stdout.decode() == "You said: año 植物\nYou said: caf\ufffd\n"
    assert (done.returncode, done.stderr) == (0, b"")


def test_no_escape_code_of_an_answer_reaches_the_pipe(run: Run) -> None:
    done = run("\x1b]0;owned\x07\x1b[2J hi\n")
    assert done.stdout.decode() == "You said: \ufffd]0;owned\ufffd\ufffd[2J hi\n"


def test_once_says_one_thing_and_ends(run: Run, log: Callable[[], list[str]]) -> None:
    done = run("not read\n", once="hola")
    assert done.stdout.decode() == "You said: hola\n"
    assert done.returncode == 0
    assert log()[-1] == "followed 'hola'"
    assert "heard console:ana 'hola'" in log()


@pytest.mark.parametrize(("said", "sentence"), [("fail", "Sorry."), ("break", None)])
def test_once_without_an_answer_says_so_politely_and_fails(
    run: Run, said: str, sentence: str | None
) -> None:
    done = run(once=said)
    assert done.returncode == 1
    assert done.stdout.decode() == f"{sentence or say('model_failed', 'en')}\n"


def test_a_turn_that_breaks_does_not_end_the_chat(run: Run) -> None:
    done = run("break\nbroken memory\nstill there?\n", language="es")
    assert done.stdout.decode().splitlines() == [
        say("model_failed", "es"),
        "You said: broken memory",
        "You said: still there?",
    ]
    assert done.returncode == 0


@pytest.mark.parametrize("leaving", ["/quit", " /EXIT ", "/salir", "／退出"])
def test_quit_ends_the_chat_like_the_end_of_the_pipe(run: Run, leaving: str) -> None:
    done = run(f"hola\n{leaving}\nnever read\n")
    assert done.stdout.decode() == "You said: hola\n"
    assert done.returncode == 0


def test_data_that_is_no_text_is_not_sent_and_told_in_one_sentence(run: Run) -> None:
    done = run(b"hola\n\x89PNG\x1a\x00\x00\n\xff\xfe\xfd\n", language="es")
    assert done.stdout.decode() == "You said: hola\n"
    assert done.stderr.decode() == say("chat_line_unreadable", "es") + "\n"
    assert done.returncode == 0


def test_escapes_in_what_was_recalled_do_not_reach_a_log(run: Run) -> None:
    done = run(once="recall escapes", verbose=True)
    assert b"recalled" in done.stderr
    assert b"\x1b" not in done.stderr


def test_json_has_one_object_per_turn(run: Run) -> None:
    done = run("hola\n你好\n", as_json=True)
    first, second = (json.loads(line) for line in done.stdout.decode().splitlines())
    assert second["reply"] == "You said: 你好"
    assert first == {
        "turn": "t1",
        "notices": [],
        "skills": {"called": [], "listed": [], "opened": [], "unavailable": {}},
        "reply": "You said: hola",
        "buttons": [],
        "files": [],
        "language": "es",
        "agent": "embedded",
        "away": "starting",
        "model": "model-x",
        "tokens": {"input": 1200, "output": 34, "cache_read": 1000, "cache_write": 0},
        "cost_usd": 0.00125,
        "recalled": [
            {
                "id": "mem-12345678",
                "kind": "fact",
                "text": "Una nota\nde dos líneas",
                "why": "fits",
                "score": 0.5,
            }
        ],
        "trimmed": [
            {"part": "memory", "id": "mem-12345678", "how": "shortened", "reason": "long"},
            {"part": "earlier", "id": "turn-9", "how": "left out", "reason": "budget"},
            {"part": "earlier", "id": "turn-9/answer", "how": "left out", "reason": "budget"},
        ],
        "tools": [{"tool": "brew", "arguments": '{"leaf":"oolong"}', "ok": True}],
        "failure": "",
        "unread": [],
        "degraded": "",
        "seconds": {"recall": 0.0031, "model": 1.2},
        "remembered": {
            "records": [],
            "waiting": 0,
            "tokens": {"input": 300, "output": 20, "cache_read": 0, "cache_write": 0},
            "cost_usd": 0.0004,
        },
    }


def test_json_keeps_an_answer_whole_that_a_terminal_would_not_get(run: Run) -> None:
    done = run("\x1b[2J\n", as_json=True)
    assert json.loads(done.stdout)["reply"] == "You said: \x1b[2J"
    assert b"\x1b" not in done.stdout


def test_verbose_tells_beside_the_answers_what_they_took(run: Run) -> None:
    done = run(once="hola", verbose=True)
    assert done.stdout.decode() == "You said: hola\n"
    told = done.stderr.decode()
    for piece in (
        "agent: embedded (the other is away: starting)",
        "model-x: 1200 tokens in (1000 cached, 0 written to the cache), 34 out; $0.001250",
        "recalled (fits, 0.50) fact: Una nota de dos líneas",
        "shortened (memory, longer than one may be): mem-12345678",
        "left out (earlier, no room left): 2",
        'tool brew({"leaf":"oolong"}) ok',
        "time: recall 3 ms, model 1200 ms",
        "remembering: model-x: 300 tokens in (0 cached, 0 written to the cache), 20 out; $0.000400",
    ):
        assert piece in told


def test_buttons_are_listed(run: Run) -> None:
    assert run(once="buttons").stdout.decode() == "You said: buttons\n- Sí: yes\n"


def test_a_reader_that_leaves_ends_the_chat_quietly(tmp_path: Path) -> None:
    out, into = os.pipe()
    os.close(out)
    process = subprocess.run(
        [sys.executable, DRIVER, "{}", str(tmp_path)],
        input=b"one\ntwo\n",
        stdout=into,
        stderr=subprocess.PIPE,
        timeout=120,
        check=False,
    )
    os.close(into)
    assert (process.returncode, process.stderr) == (0, b"")
    noted = (tmp_path / "log").read_text()
    assert "followed 'one'" in noted
    assert "heard console:ana 'two'" not in noted


def test_pictures_go_with_the_first_message(
    run: Run, log: Callable[[], list[str]], tmp_path: Path
) -> None:
    (tmp_path / "a b.png").write_bytes(b"12345")
    (tmp_path / "花.jpg").write_bytes(b"123")
    pictures = [str(tmp_path / "a b.png"), str(tmp_path / "花.jpg")]
    done = run(
        f"what are these?\n/image '{pictures[0]}' again\n/image nothing.png\n", images=pictures
    )
    assert done.stdout.decode().splitlines() == [
        "You said: what are these?",
        "You said: again",
        say("chat_file_missing", "en", path="nothing.png"),
    ]
    assert [line for line in log() if line.startswith("picture")] == [
        "picture a b.png 5 bytes",
        "picture 花.jpg 3 bytes",
        "picture a b.png 5 bytes",
    ]


def test_a_picture_may_come_without_words(
    run: Run, log: Callable[[], list[str]], tmp_path: Path
) -> None:
    (tmp_path / "a.png").write_bytes(b"12345")
    assert run(once="", images=[str(tmp_path / "a.png")]).returncode == 0
    assert "picture a.png 5 bytes" in log()


def test_messages_have_ids_of_their_own(run: Run, log: Callable[[], list[str]]) -> None:
    run("same\nsame\n")
    ids = [line for line in log() if line.startswith("conversation ana")]
    assert len(set(ids)) == 2


def killed_while_answering(folder: Path, said: bytes = b"stream\n", **options: object) -> None:
    """A chat that is killed in the middle of an answer."""
    chat = subprocess.Popen(
        [sys.executable, DRIVER, json.dumps(options), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with chat:
        assert chat.stdin
        chat.stdin.write(said)
        chat.stdin.flush()
        until = time.monotonic() + 90
        while "heard" not in (folder / "log").read_text() if (folder / "log").exists() else True:
            assert time.monotonic() < until
            time.sleep(0.02)
        chat.kill()


@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_what_a_killed_chat_left_is_answered_by_the_next_which_says_so(
    run: Run, tmp_path: Path, language: str
) -> None:
    killed_while_answering(tmp_path)
    for number in range(3):
        (tmp_path / f"release{number}").touch()
    done = run("hola\n", language=language)
    assert done.stderr.decode() == say("chat_left", language, words="stream") + "\n"
    first, _, rest = done.stdout.decode().partition("second\n")
    assert first.startswith("# Head")
    assert rest == "You said: hola\n"
    assert run("").stdout == b"", "it is answered once"


def test_what_was_left_comes_as_json_too_and_before_the_one_message(
    run: Run, tmp_path: Path
) -> None:
    killed_while_answering(tmp_path)
    for number in range(3):
        (tmp_path / f"release{number}").touch()
    done = run(once="hola", as_json=True)
    left, said = (json.loads(line)["reply"] for line in done.stdout.splitlines())
    assert left.startswith("# Head")
    assert said == "You said: hola"


def test_what_was_left_is_answered_to_its_owner_alone(run: Run, tmp_path: Path) -> None:
    killed_while_answering(tmp_path)
    for number in range(3):
        (tmp_path / f"release{number}").touch()
    assert run("hola\n", owner="ben").stdout == b"You said: hola\n"
    assert b"# Head" in run("").stdout


def test_the_pictures_of_what_was_left_are_looked_at(
    run: Run, tmp_path: Path, log: Callable[[], list[str]]
) -> None:
    (tmp_path / "a.png").write_bytes(b"12345")
    killed_while_answering(tmp_path, images=[str(tmp_path / "a.png")])
    for number in range(3):
        (tmp_path / f"release{number}").touch()
    before = len(log())
    run("")
    assert "picture a.png 5 bytes" in log()[before:]


def options(**changes: object) -> OwnerOptions:
    return OwnerOptions("ana", "Tess", "es", interactive=False, **changes)  # type: ignore[arg-type]


def console(**changes: object) -> ConsoleChannel:
    nothing: Any = None
    return ConsoleChannel(
        ChannelContext({}, nothing, utc_now, nothing, commands={}, owner=options(**changes))
    )


async def test_only_files_the_owner_named_are_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"1")
    with pytest.raises(RequestError, match="not named"):
        await console().fetch(Attachment(str(secret)))


def test_a_file_that_cannot_be_read_is_refused_in_one_sentence(tmp_path: Path) -> None:
    big = tmp_path / "big.png"
    with big.open("wb") as file:
        file.truncate(51_000_000)
    for path, sentence in {
        tmp_path / "none.png": "No existe el archivo",
        tmp_path: "es una carpeta",
        Path("/dev/null"): "No se puede leer",
        Path("a" * 5000): "No se puede leer",
        Path("a\0b"): "No ",
        big: "demasiado grande",
    }.items():
        with pytest.raises(RequestError, match=sentence) as refused:
            check_file(path, "es")
        assert "\n" not in str(refused.value)
    with pytest.raises(RequestError, match="No existe"):
        console(images=(tmp_path / "none.png",))


async def test_another_owners_answer_waits_for_them_and_is_shown_to_nobody_else() -> None:
    channel = console()
    await channel.open()
    channel.running.set()
    with pytest.raises(UnreachableError):
        await channel.send(Part("ben", "For Ben alone."))
    assert channel.watch("ben") is None


class Shown(ConsoleChannel):
    """Keeps what it would print."""

    shown = ""

    async def send(self, part: Part) -> None:
        self.shown = part.text


@pytest.mark.parametrize("name", ["plan.txt", "el-plan-de-la-casa.txt", "很长的计划名字在这里.txt"])
@pytest.mark.parametrize("language", ["en", "es", "zh"])
async def test_where_a_file_lies_is_said_in_the_language_of_the_turn(
    language: str, name: str
) -> None:
    nothing: Any = None
    channel = Shown(ChannelContext({}, nothing, utc_now, nothing, commands={}, owner=options()))
    instead = say("reply_file_instead", language, name=name).replace("`", '"')
    file = FileToSend(name, "text/plain", b"dig", Path("/kept") / name)
    await channel.send_file(Part("ana", instead), file)
    assert channel.shown == say("chat_file_lies", language, name=name, path=file.path)


def test_nobody_is_acted_for_without_an_owner() -> None:
    nothing: Any = None
    for owner in (None, OwnerOptions("")):
        with pytest.raises(RequestError, match="nobody is named"):
            ConsoleChannel(ChannelContext({}, nothing, utc_now, nothing, {}, owner))


def test_the_console_is_found_as_a_channel() -> None:
    assert provide_channels() == [ConsoleChannel]
