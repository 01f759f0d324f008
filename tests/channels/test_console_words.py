"""What is typed or piped in becomes whole messages."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche_channels.console.cleaning import safe_text
from cloche_channels.console.words import parse_image, piped_lines, read_words


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


async def piped(data: bytes) -> list[str]:
    out, into = os.pipe()
    os.write(into, data)
    os.close(into)
    try:
        return [line async for line in piped_lines(out)]
    finally:
        os.close(out)


async def test_pipe_is_read_as_utf8_whatever_it_holds() -> None:
    data = "\ufeffhello\r\n¿qué tal?\n你好".encode() + b"\n\xff\xfe broken\nlast"
    assert await piped(data) == ["hello", "¿qué tal?", "你好", "\ufffd\ufffd broken", "last"]


WORDS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\n\r\ufeff"))


@given(st.lists(WORDS, max_size=20))
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


@pytest.mark.parametrize("typed", ["/images", "see /image a.png", "/memory", "image a.png", ""])
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
