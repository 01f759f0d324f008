"""Long texts are read beside the event loop, short ones at once."""

from __future__ import annotations

import threading

import pytest

from cloche.aside import AT_ONCE_CHARS, aside


@pytest.mark.parametrize("letter", ["a", "ñ", "茶"])
async def test_a_long_text_is_read_in_another_thread_and_a_short_one_here(letter: str) -> None:
    here = threading.get_ident()
    assert await aside(letter * AT_ONCE_CHARS, threading.get_ident) == here
    assert await aside(letter * (AT_ONCE_CHARS + 1), threading.get_ident) != here


async def test_what_the_work_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        await aside("x" * 1_000, lambda: 1 // 0)
