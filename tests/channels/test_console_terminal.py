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
PASTE, PASTED = "\x1b[200~", "\x1b[201~"
MARK_PASTES, LEAVE_PASTES = b"\x1b[?2004h", b"\x1b[?2004l"


class Chat:
    """One chat in a pseudo terminal."""

    def __init__(self, folder: Path, **options: object) -> None:
        self.folder = folder
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.modes_before = self.modes()
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
        left = data.encode() if isinstance(data, str) else data
        while left:  # a terminal takes some thousand bytes at once
            left = left[os.write(self._ours, left) :]

    def say(self, words: str) -> None:
        self.send(f"{words}\r")

    def expect(self, text: str) -> None:
        """Wait until a text is shown after what was expected last.

        A line is drawn once more, prompt and all, when it is sent: only an ``ana>`` after the
        answer is the next prompt.
        """
        until = time.monotonic() + 60
        while text not in self.screen[self._seen :]:
            assert time.monotonic() < until, f"no {text!r} in {self.screen[self._seen :]!r}"
            self._read(0.2)
        self._seen = self.screen.index(text, self._seen) + len(text)

    def expect_note(self, text: str) -> None:
        """Wait until the handler noted something."""
        until = time.monotonic() + 60
        while not (self.folder / "log").exists() or text not in self.log():
            assert time.monotonic() < until, f"no note {text!r}"
            self._read(0.1)

    def modes(self) -> list[object]:
        """How the terminal treats what is typed and shown."""
        return termios.tcgetattr(self._ours)

    def release(self, name: str) -> None:
        (self.folder / name).touch()

    def log(self) -> str:
        return (self.folder / "log").read_text(encoding="utf-8")

    def ended(self) -> int:
        """Wait for the end; the exit code."""
        until = time.monotonic() + 60
        while self._process.poll() is None:
            assert time.monotonic() < until, self.screen
            self._read(0.2)
        self._read(0)
        return self._process.returncode

    def close(self) -> None:
        """Kill it, if it has not ended; again does nothing."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(10)
        if self._ours >= 0:
            os.close(self._ours)
            self._ours = -1

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
    chat.expect_note("waiting")
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
    chat.send(f"{PASTE}three\nfour{PASTED}\r")
    chat.expect("You said: three")
    chat.expect("ana>")
    chat.send(CTRL_D)
    assert chat.ended() == 0
    assert r"heard console:ana 'one\ntwo'" in chat.log()
    assert r"heard console:ana 'three\nfour'" in chat.log()


def test_what_is_typed_while_an_answer_is_written_stands_at_the_next_prompt(
    chats: type[Chat],
) -> None:
    chat = chats()
    chat.say("stream")
    chat.expect("first")
    chat.send("¿y mañ")
    chat.release("release0")
    chat.expect("first word")
    chat.send("ana?")
    for name in ("release1", "release2"):
        chat.release(name)
    chat.expect("second")
    chat.expect("ana>")
    assert "mañ" not in chat.screen[: chat._seen], "shown in the middle of the answer"
    chat.expect("¿y mañana?")
    chat.say(" 好")
    chat.expect("You said: ¿y mañana? 好")
    chat.expect("ana>")
    chat.send(CTRL_D)
    assert chat.ended() == 0


def test_a_long_paste_while_an_answer_is_written_is_one_message(chats: type[Chat]) -> None:
    chat = chats()
    chat.say("stream")
    chat.expect("first")
    assert chat.raw.rfind(MARK_PASTES) > chat.raw.rfind(LEAVE_PASTES)
    text = f"one\n{'二' * 2000}\nthree"
    chat.send(f"{PASTE}{text}{PASTED}\rnext\r")
    for number in range(3):
        chat.release(f"release{number}")
    chat.expect("You said: one")
    chat.expect("You said: next")
    chat.expect("ana>")
    chat.send(CTRL_D)
    assert chat.ended() == 0
    assert f"heard console:ana {text!r}" in chat.log()


def test_ctrl_d_while_an_answer_is_written_ends_the_chat_after_it(chats: type[Chat]) -> None:
    chat = chats()
    chat.say("stream")
    chat.expect("first")
    chat.send(CTRL_D)
    for number in range(3):
        chat.release(f"release{number}")
    assert chat.ended() == 0
    assert "second" in chat.screen
    assert "followed 'stream'" in chat.log()


def test_ctrl_c_stops_only_the_answer_and_keeps_what_was_typed(chats: type[Chat]) -> None:
    chat = chats()
    chat.say("wait")
    chat.expect_note("waiting")
    chat.send("half a th")
    chat.send(CTRL_C)
    chat.expect(say("chat_stopped", "en"))
    chat.expect("ana>")
    chat.expect("half a th")
    chat.say("ought")
    chat.expect("You said: half a thought")
    chat.expect("ana>")
    chat.send(b"wait\r" + CTRL_C + b"all at once\r")
    chat.expect(say("chat_stopped", "en"))
    chat.expect("You said: all at once")
    chat.expect("ana>")
    chat.send(CTRL_D)
    assert chat.ended() == 0


def test_the_terminal_is_left_as_it_was(chats: type[Chat]) -> None:
    chat = chats()
    chat.say("hello")
    chat.expect("You said: hello")
    chat.expect("ana>")
    assert chat.modes() != chat.modes_before
    chat.send(CTRL_D)
    assert chat.ended() == 0
    assert chat.modes() == chat.modes_before
    assert chat.raw.rfind(LEAVE_PASTES) > chat.raw.rfind(MARK_PASTES)


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


def test_what_a_killed_chat_left_is_answered_before_the_first_prompt(
    chats: type[Chat], tmp_path: Path
) -> None:
    chat = chats()
    chat.say("stream")
    chat.expect("first")
    chat.close()
    for number in range(3):
        (tmp_path / f"release{number}").touch()
    again = chats(language="es")  # waits for the prompt
    assert say("chat_left", "es", words="stream") in " ".join(again.screen.split())
    assert "second" in again.screen
    again.say("sigo")
    again.expect("You said: sigo")
    again.expect("ana>")
    again.send(CTRL_D)
    assert again.ended() == 0


def test_what_ctrl_c_stopped_is_dropped_for_good(chats: type[Chat]) -> None:
    chat = chats()
    chat.say("wait")
    chat.expect_note("waiting")
    chat.send(CTRL_C)
    chat.expect(say("chat_stopped", "en"))
    chat.expect("ana>")
    chat.close()
    again = chats()
    assert "wait" not in again.screen
    again.send(CTRL_D)
    assert again.ended() == 0
    assert again.log().count("waiting") == 1
