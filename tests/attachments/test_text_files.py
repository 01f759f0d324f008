"""What passes for plain text."""

from __future__ import annotations

import pytest

from cloche.attachments.text_files import decode

KEPT = "\t\n\r\f"


@pytest.mark.parametrize("code", [*range(0x20), 0x7F, 0x85, 0x20, 0x7E])
def test_what_controls_a_terminal_is_no_text(code: int) -> None:
    char = chr(code)
    told = f"olá{char}茶"
    plain = char in KEPT or (code >= 0x20 and code != 0x7F)
    assert decode(told.encode()) == (told if plain else None)
    assert decode(told.encode("utf-16")) == (told if plain else None)
