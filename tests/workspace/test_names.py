"""What a kept file may be called, whatever its sender calls it."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.workspace.names import (
    MAX_NAME_BYTES,
    MAX_NAME_CHARS,
    area_of,
    checked_key,
    folded,
    folder_of,
    is_key,
    is_name,
    name_from,
    numbered,
)

NASTY = st.sampled_from(
    [
        *("..", "/", "\\", "\0", ".", " ", ":", "CON", "nul", "com1", ".txt", "~", "$", "\u202e"),
        *(
            "\u200b",
            "e\u0301",
            "\u212a",
            "\ud800",
            "\uffff",
            "计划",
            "ñ",
            "👩‍🌾",
            "\n",
            "\u2028",
            "|",
        ),
    ]
)
NAMES = st.lists(st.one_of(NASTY, st.text(max_size=40)), max_size=12).map("".join)


@given(NAMES)
def test_whatever_a_file_is_called_it_gets_a_name_that_is_safe_everywhere(text: str) -> None:
    name = name_from(text)
    assert is_name(name)
    assert is_key(f"sent/{name}")
    assert 0 < len(name) <= MAX_NAME_CHARS
    assert len(name.encode()) <= MAX_NAME_BYTES
    assert PurePosixPath(name).name == name
    assert PureWindowsPath(name).name == name
    assert not name.startswith(".")
    assert name[-1] not in " ."
    assert unicodedata.normalize("NFC", name) == name
    assert all(unicodedata.category(char)[0] != "C" for char in name)
    assert name_from(name) == name


@given(NAMES, st.integers(2, 5000))
def test_a_number_makes_another_name(text: str, number: int) -> None:
    name = name_from(text)
    other = numbered(name, number)
    assert is_name(other)
    assert folded(other) != folded(name)


@given(st.text(), st.text())
def test_two_people_never_share_a_folder(one: str, other: str) -> None:
    if one and other and one != other:
        assert folder_of(one) != folder_of(other)
        assert folder_of(one).casefold() != folder_of(other).casefold()


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("plan.txt", "plan.txt"),
        ("My plan (final).pdf", "My plan (final).pdf"),
        ("计划.txt", "计划.txt"),
        ("man\u0303ana.md", "mañana.md"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ana\\plan.txt", "plan.txt"),
        ("/etc/shadow", "shadow"),
        ("..", "file"),
        ("", "file"),
        (".env", "env"),
        ("a\0b.txt", "ab.txt"),
        ("CON", "file CON"),
        ("nul.txt", "file nul.txt"),
        ("com¹.log", "file com¹.log"),
        ("plan.txt. ", "plan.txt"),
        ('what?"now"*.txt', "what__now__.txt"),
        ("gpj\u202etxt.exe", "gpjtxt.exe"),
        ("a\nb\tc.txt", "a b c.txt"),
        ("x" * 200 + ".txt", "x" * 76 + ".txt"),
    ],
)
def test_a_sent_name_stays_as_like_as_can_be(sent: str, kept: str) -> None:
    assert name_from(sent) == kept


@pytest.mark.parametrize(
    "key",
    [
        *("", "sent", "sent/", "/sent/a", "sent/../a", "sent/a/b", "sent/.a", "sent/a\\b", "../a"),
        *("other/a", "sent-/a", "sent-zz/a", "SENT/a", "sent/e\u0301", "sent/a\0", "sent/nul"),
        *("sent/a ", "sent/a.", "sent/\ud800", "sent/" + "计" * 61, "made-0123456789abc/a"),
    ],
)
def test_what_is_no_area_and_name_is_no_key(key: str) -> None:
    assert not is_key(key)
    with pytest.raises(ValueError, match="no area and name"):
        checked_key(key)


def test_names_that_some_system_takes_for_one_are_one() -> None:
    for one, other in [
        ("Plan.txt", "plan.TXT"),
        ("Straße", "STRASSE"),
        ("ＡＢＣ", "abc"),
        ("K", "k"),
    ]:
        assert folded(one) == folded(other)


def test_an_area_is_a_persons_own_or_of_one_group() -> None:
    assert area_of("sent") == "sent"
    assert is_key(f"{area_of('sent', 'telegram/-100')}/a")
    assert area_of("sent", "telegram/-100") != area_of("sent", "telegram/-101")


def test_nobody_has_no_folder() -> None:
    with pytest.raises(ValueError, match="actor is empty"):
        folder_of("")
