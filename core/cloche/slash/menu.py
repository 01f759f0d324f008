"""The menu of commands that platforms show: from the sentences that ``/help`` says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from cloche.slash.names import NAMES, own_name
from cloche.texts import languages, say

_LEADING: Final = re.compile(r"^`[^`]*`(?: \w+ `[^`]*`)?\s*")
"""The command itself, or two ways to write it: a menu shows the name beside the clause."""
_ANOTHER: Final = re.compile(r"[,;，；][^,;，；`]{0,4}`")
"""Where the sentence goes on with another way to write it."""


def slash_menu() -> Mapping[str, Sequence[tuple[str, str]]]:
    """By language, each command's name there, without the slash, and one clause on what it does."""
    return {
        language: tuple((own_name(name, language), _clause(name, language)) for name in NAMES)
        for language in languages()
    }


def _clause(name: str, language: str) -> str:
    sentence = _LEADING.sub("", say(f"command_help_{name}", language))
    return _ANOTHER.split(sentence)[0].replace("`", "").rstrip(".。")
