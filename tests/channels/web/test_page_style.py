"""The page's style sheet says what it is meant to show."""

import re
from importlib.resources import files

SHEET = (files("cloche_channels.web") / "static" / "page.css").read_text(encoding="utf-8")


def _shown(content: str) -> str:
    """What a browser makes of a CSS string: an escaped sign, or a backslash that was escaped."""
    return re.sub(
        r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))",
        lambda found: chr(int(found[1], 16)) if found[1] else found[2],
        content,
    )


def test_what_the_sheet_writes_itself_is_read_as_signs_and_never_as_their_escapes() -> None:
    written = [_shown(text) for text in re.findall(r'content:\s*"([^"]*)"', SHEET)]

    assert "↓\u00a0" in written  # before the name of a file that was sent
    assert not [text for text in written if "\\" in text]
