"""The console before a real terminal: a prompt, answers as they come, Ctrl-C and Ctrl-D."""

from __future__ import annotations

import json
import os
import re
import select
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cloche.texts import say

NO_TERMINALS = "this system has no pseudo terminals"
pty = pytest.importorskip("pty", reason=NO_TERMINALS)
fcntl = pytest.importorskip("fcntl", reason=NO_TERMINALS)
termios = pytest.importorskip("termios", reason=NO_TERMINALS)

DRIVER = str(Path(__file__).with_name("console_driver.py"))
CODES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[=>]|\r")
CTRL_C, CTRL_D = b"\x03", b"\x04"


class Chat:
    """One chat in a pseudo terminal."""

    def __init__(self, folder: Path, **options: object) -> None:
        self.folder = folder
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        arguments = json.dumps({"interactive": True, **options})
        self._process = subprocess.Popen(
            [sys.executable, DRIVER, arguments, str(folder)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"},
        )
        os.close(theirs)
        self.raw = b""
        self._seen = 0

    @property
    def screen(self) -> str:
        """All that was shown, without escape codes."""
        return CODES.sub("", self.raw.decode("utf-8", errors="replace"))

    def send(self, data: str | bytes) -> None:
        os.write(self._ours, data.encode() if isinstance(data, str) else data)

    def say(self, words: str) -> None:
        self.send(f"{words}\r")

    def expect(self, text: str) -> None:
        """Wait until a text is shown after what was expected last."""
        until = time.monotonic() + 30
        while text not in self.screen[self._seen :]:
            assert time.monotonic() < until, f"no {text!r} in {self.screen[self._seen :]!r}"
            self._read(0.2)
        self._seen = self.screen.index(text, self._seen) + len(text)

    def release(self, name: str) -> None:
        (self.folder / name).touch()

    def log(self) -> str:
        return (self.folder / "log").read_text(encoding="utf-8")

    def ended(self) -> int:
        """Wait for the end; the exit code."""
        until = time.monotonic() + 30
        while self._process.poll() is None:
            assert time.monotonic() < until, self.screen
            self._read(0.2)
        self._read(0)
        return self._process.returncode

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(10)
        os.close(self._ours)

    def _read(self, seconds: float) -> None:
        ready, _, _ = select.select([self._ours], [], [], seconds)
        if ready:
            try:
                self.raw += os.read(self._ours, 65536)
            except OSError:  # what Linux says when the other end is closed
                time.sleep(0)


@pytest.fixture
def chats(tmp_path: Path) -> Iterator[type[Chat]]:
    opened: list[Chat] = []

    def start(**options: object) -> Chat:
        chat = Chat(tmp_path, **options)
        opened.append(chat)
        chat.expect("ana>")
        return chat

    yield start  # type: ignore[misc]
    for chat in opened:
        chat.close()


def test_words_of_three_languages_are_answered_until_ctrl_d(chats: type[Chat]) -> None:
    chat = chats()
    for words in ("good morning", "¿qué tal?", "你好"):
        chat.say(words)
        chat.expect(f"You said: {words}")
        chat.expect("ana>")
    chat.send(CTRL_D)
    assert chat.ended() == 0
    assert "followed '你好'" in chat.log()
    assert "Traceback" not in chat.screen


def test_an_answer_is_shown_while_it_is_written(chats: type[Chat]) -> None:
    chat = chats()
    chat.say("stream")
    chat.expect("first")
    chat.release("release0")
    chat.expect("first word")
    chat.release("release1")
    chat.expect("• one")
    chat.expect("second")
    chat.release("release2")
    chat.expect("ana>")
    chat.send(CTRL_D)
    assert chat.ended() == 0
    assert b"\x1b[2J" not in chat.raw, "the model's escape code reached the terminal"
    assert "*wo" not in chat.screen.split("first word")[-1]


def test_ctrl_c_stops_the_answer_and_keeps_the_chat(chats: type[Chat]) -> None:
    chat = chats(language="es")
    chat.say("wait")
    while not (chat.folder / "log").exists() or "waiting" not in chat.log():
        chat._read(0.1)
    chat.send(CTRL_C)
    chat.expect(say("chat_stopped", "es"))
    assert "stopped" in chat.log()
    chat.expect("ana>")
    chat.say("sigo")
    chat.expect("You said: sigo")
    chat.expect("ana>")
    chat.send(CTRL_D)
    assert chat.ended() == 0


def test_ctrl_c_at_the_prompt_drops_the_line(chats: type[Chat]) -> None:
    chat = chats()
    chat.send("half a th")
    chat.expect("half a th")
    chat.send(CTRL_C)
    chat.expect(say("chat_ctrl_d", "en"))
    chat.expect("ana>")
    chat.say("whole")
    chat.expect("You said: whole")
    chat.expect("ana>")
    chat.send(CTRL_D)
    assert chat.ended() == 0
    assert "half" not in chat.log()


def test_a_backslash_and_a_paste_make_one_message_of_many_lines(chats: type[Chat]) -> None:
    chat = chats()
    chat.say("one\\")
    chat.expect("...")
    chat.say("two")
    chat.expect("You said: one")
    chat.expect("ana>")
    chat.send("\x1b[200~three\nfour\x1b[201~\r")
    chat.expect("You said: three")
    chat.expect("ana>")
    chat.send(CTRL_D)
    assert chat.ended() == 0
    assert r"heard console:ana 'one\ntwo'" in chat.log()
    assert r"heard console:ana 'three\nfour'" in chat.log()


def test_memory_is_written_while_the_person_types_and_before_the_next_turn(
    chats: type[Chat],
) -> None:
    chat = chats()
    chat.say("slow memory")
    chat.expect("You said: slow memory")
    chat.expect("ana>")  # the prompt does not wait for memory
    chat.say("next")
    chat.expect("next")
    chat.release("remember")
    chat.expect("You said: next")
    lines = [line for line in chat.log().splitlines() if line.startswith(("heard", "followed"))]
    assert lines[1:3] == ["followed 'slow memory'", "heard console:ana 'next'"]
    chat.expect("ana>")
    chat.send(CTRL_D)
    assert chat.ended() == 0


def test_ctrl_d_waits_until_what_was_said_is_remembered(chats: type[Chat]) -> None:
    chat = chats()
    chat.say("slow memory")
    chat.expect("You said: slow memory")
    chat.expect("ana>")
    chat.send(CTRL_D)
    chat.release("remember")
    assert chat.ended() == 0
    assert "followed 'slow memory'" in chat.log()


def test_verbose_and_buttons_are_shown_under_the_answer(chats: type[Chat]) -> None:
    chat = chats(verbose=True)
    chat.say("buttons")
    chat.expect("- Sí: yes")
    chat.expect("model-x: 1200 tokens in")
    chat.expect("recalled (fits, 0.50) fact: Una nota de dos líneas")
    chat.expect("ana>")
    chat.send(CTRL_D)
    assert chat.ended() == 0


def test_a_failed_turn_is_one_sentence(chats: type[Chat]) -> None:
    chat = chats()
    chat.say("/image nowhere.png look")
    chat.expect(say("chat_file_missing", "en", path="nowhere.png"))
    chat.expect("ana>")
    chat.say("break")
    chat.expect(say("model_failed", "en")[:40])
    chat.expect("ana>")
    chat.send(CTRL_D)
    assert chat.ended() == 0
