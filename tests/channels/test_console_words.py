"""What is typed or piped in becomes whole messages."""

from __future__ import annotations

import asyncio
import os
import random
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.texts import say
from cloche_channels.console.cleaning import safe_text
from cloche_channels.console.words import (
    CHUNK_BYTES,
    MAX_CHUNKS,
    MAX_LINE_CHARS,
    is_text,
    parse_image,
    piped_lines,
    read_words,
)


def reader(*lines: str) -> Callable[[bool], object]:
    left = list(lines)

    async def read_line(_continues: bool) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    return read_line


async def read_all(*lines: str) -> list[str]:
    read_line, found = reader(*lines), []
    while True:
        try:
            found.append(await read_words(read_line))  # type: ignore[arg-type]
        except EOFError:
            return found


async def test_every_line_is_a_message_and_a_backslash_joins_the_next() -> None:
    assert await read_all("hola", "one\\", "two\\", "three", "再见") == [
        "hola",
        "one\ntwo\nthree",
        "再见",
    ]


async def test_a_backslash_before_the_end_of_input_still_gives_a_message() -> None:
    assert await read_all("last\\") == ["last"]


async def piped(data: bytes, told: list[str] | None = None) -> list[str]:
    told = [] if told is None else told
    out, into = os.pipe()

    def write() -> None:
        with open(into, "wb") as pipe:
            pipe.write(data)

    threading.Thread(target=write).start()
    try:
        return [line async for line in piped_lines(out, told.append)]
    finally:
        os.close(out)


async def test_pipe_is_read_as_utf8_whatever_it_holds() -> None:
    data = "\ufeffhello\r\n¿qué tal?\n你好".encode() + b"\n\xff\xfe broken\nlast"
    assert await piped(data) == ["hello", "¿qué tal?", "你好", "\ufffd\ufffd broken", "last"]


WORDS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\n\r\ufeff"))


@given(st.lists(WORDS.filter(is_text), max_size=20))
async def test_lines_come_out_as_they_went_in(lines: list[str]) -> None:
    assert await piped("".join(f"{line}\n" for line in lines).encode()) == lines


async def test_a_character_cut_between_two_reads_stays_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cloche_channels.console.words.CHUNK_BYTES", 1)
    assert await piped("ñ 植物\n".encode()) == ["ñ 植物"]


@pytest.mark.parametrize(
    ("typed", "path", "words"),
    [
        ("/image a.png what is it?", "a.png", "what is it?"),
        ("/IMAGE a.png", "a.png", ""),
        ("／image 花.jpg 这是什么？", "花.jpg", "这是什么？"),
        ("/imagen flor.jpg ¿qué es?", "flor.jpg", "¿qué es?"),
        ("/Foto 'mi flor.jpg'", "mi flor.jpg", ""),
        ("/图片 花.jpg 这是什么？", "花.jpg", "这是什么？"),
        ("／圖片 花.jpg", "花.jpg", ""),
        ('/image "my photo.png" ¿qué es?', "my photo.png", "¿qué es?"),
        ("/image '/tmp/my photo.png'", "/tmp/my photo.png", ""),
        ("/image my\\ photo.png seen today", "my photo.png", "seen today"),
    ],
)
def test_image_command_names_a_file_and_says_something(typed: str, path: str, words: str) -> None:
    found = parse_image(typed)
    assert found is not None
    assert (found.path, found.words) == (Path(path), words)


def test_image_command_without_a_file_is_known_as_such() -> None:
    found = parse_image("/image ")
    assert found is not None
    assert found.path is None


@pytest.mark.parametrize(
    "typed",
    [
        "/images",
        "/imagenes a.png",
        "/图片集 a.png",
        "see /image a.png",
        "/memory",
        "image a.png",
        "",
    ],
)
def test_other_words_are_no_image_command(typed: str) -> None:
    assert parse_image(typed) is None


def test_escape_codes_reach_no_terminal() -> None:
    assert safe_text("\x1b[2Jgone\x07\x9b1m \ud800 a\r\nb\tc") == (
        "\ufffd[2Jgone\ufffd\ufffd1m \ufffd a\nb\tc"
    )


def test_words_of_any_language_stay_as_they_are() -> None:
    text = "Mañana, 明天 🌱 👩‍🌾 שלום e\u0301"
    assert safe_text(text) == text


@given(st.text(), st.integers(0, 40))
def test_pieces_are_cleaned_as_the_whole_is(text: str, cut: int) -> None:
    assert safe_text(text[:cut]) + safe_text(text[cut:]) == safe_text(text)
    assert not any(ord(char) < 32 and char not in "\n\t" for char in safe_text(text))
    safe_text(text).encode("utf-8")


async def test_a_pipe_that_never_ends_has_to_wait() -> None:
    out, into = os.pipe()
    os.set_blocking(into, False)
    written = 0

    def fill() -> None:
        nonlocal written
        with suppress(BlockingIOError):
            while True:
                written += os.write(into, b"hello\n" * 1000)

    fill()
    lines = piped_lines(out, [].append)
    assert await anext(lines) == "hello"
    before = -1
    while written > before:  # until the reader takes no more
        before = written
        for _ in range(50):
            await asyncio.to_thread(fill)
    # A pipe's own buffer beside what may be read ahead.
    assert written < (MAX_CHUNKS + 2) * CHUNK_BYTES + 2**20
    assert await anext(lines) == "hello"
    os.close(into)
    await lines.aclose()
    os.close(out)


async def test_a_line_that_is_too_long_is_cut_and_told() -> None:
    told: list[str] = []
    long, whole = "x" * (MAX_LINE_CHARS + 5), "y" * MAX_LINE_CHARS
    lines = await piped(f"a\n{long}\n{whole}\r\nb".encode(), told)
    assert lines == ["a", "x" * MAX_LINE_CHARS, whole, "b"]
    assert told == ["chat_line_cut"]


async def test_lines_without_end_are_joined_to_no_more_than_a_message() -> None:
    taken = 0

    async def read_line(_continues: bool) -> str:
        nonlocal taken
        taken += 1
        assert taken < 100
        return "x" * 100_000 + "\\"

    assert len(await read_words(read_line)) < MAX_LINE_CHARS + 200_000


async def test_binary_data_is_left_out_and_told_once() -> None:
    told: list[str] = []
    noise = random.Random(1).randbytes(200_000)
    lines = await piped("¿qué tal?\n".encode() + noise + "\n你好\n".encode(), told)
    assert (lines[0], lines[-1]) == ("¿qué tal?", "你好")
    assert sum(bool(line.strip()) for line in lines) < 12
    assert 0 < len(told) < 12
    assert set(told) == {"chat_line_unreadable"}


@given(st.text(st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\ufffd")))
def test_words_in_any_language_are_text(line: str) -> None:
    assert is_text(line)
    assert is_text(line, doubted=True)


def test_a_word_in_another_encoding_is_still_text() -> None:
    assert is_text("d\ufffdnde est\ufffd mi caf\ufffd")
    assert is_text("\x1b[200~pasted\x1b[201~")
    assert not is_text("\ufffd\ufffdPNG\x1a")
    assert not is_text("a name\0and more text")


@pytest.mark.parametrize("language", ["en", "es", "zh"])
@pytest.mark.parametrize("key", ["chat_keys", "chat_image_how", "command_help_image"])
def test_what_the_console_says_of_pictures_is_what_it_takes(language: str, key: str) -> None:
    named = re.search(r"/(image\w*|图片) \w+", say(key, language))
    assert named is not None
    assert (named[1] == "image") is (language == "en")
    assert parse_image(named[0]) is not None
