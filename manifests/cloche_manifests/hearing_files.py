"""The words by which people ask for their files, in three languages: what the skill hears."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

HEARING: Final[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "skills" / "files" / "hearing.toml").read_text(encoding="utf-8")
)
"""Templates by language, and the kinds of files with what they are called and end in."""
_QUOTES: Final = (("`", "`"), ('"', '"'), ("'", "'"), ("“", "”"), ("«", "»"))
_QUOTED: Final = "|".join(
    f"{first}(?P<quoted{number}>[^{last}]{{1,80}}){last}"
    for number, (first, last) in enumerate(_QUOTES)
)
_SIGNLESS: Final = r"""[^\s`"“”«»]{1,80}"""
_FILE: Final = rf"{_QUOTED}|(?P<file>(?:{_SIGNLESS} ){{0,2}}{_SIGNLESS}\.\d?[a-z][a-z0-9]{{0,9}})"
_SLOTS: Final = {
    "file": f"(?:{_FILE})",
    "what": r"(?P<what>\w[\w -]{0,40}?)",
    "maybe": r"(?P<maybe>\w[\w -]{0,60}?)",
    "new": r"""(?P<new>[^\s`"“”«»:：][^`"“”«»:：]{0,60}?)""",
    "text": r"(?P<text>\S.*)",
}
_BESIDE: Final = ("day", "text")
_MOST_WORDS_OF_A_NAME: Final = 4  # where words that may be about anything name a file
_SIGNS: Final = " .,!?¡¿。！？，"
_POLITE: Final = re.compile(r",? (?:please|por favor)$")


def heard(text: str, about: str) -> dict[str, Any] | None:
    """The file that words are about, by one of a kind of patterns; None where they are not."""
    said = " ".join(text.split()) if about != "save" else text
    said = _POLITE.sub("", said.strip(_SIGNS).casefold().replace("’", "'"))
    for language, pattern in _patterns(about):
        if found := pattern.fullmatch(said):
            words, groups = HEARING[language], found.groupdict()
            if groups.get("this"):
                return {"name": "file", "days_ago": 0}
            what = next(found[name] for name in groups if name not in _BESIDE and found[name])
            if what.split(" ")[0] in words["not_files"] and not groups.get("file"):
                return None
            if groups.get("maybe") and len(what.split(" ")) > _MOST_WORDS_OF_A_NAME:
                return None
            told: dict[str, Any] = {"name": _as_written(what, text)}
            if day := groups.get("day"):
                told["days_ago"] = words["days"][day]
            if groups.get("maybe"):
                told["if_any"] = True
            if given := groups.get("text"):
                told["text"] = _as_written(given, text)
            return told
    return None


@cache
def _patterns(about: str) -> Sequence[tuple[str, re.Pattern[str]]]:
    made = []
    for language, words in HEARING.items():
        slots = _SLOTS | {name: words.get(name, "") for name in ("ask", "the", "this", "day")}
        for template in words.get(about, ()):
            pieces = re.split(r"\{(\w+)\}", template)
            pieces[1::2] = [slots[name] for name in pieces[1::2]]
            made.append((language, re.compile("".join(pieces), re.DOTALL)))
    return made


def _as_written(name: str, text: str) -> str:
    """A name with its capitals."""
    at = text.casefold().find(name)
    return text[at : at + len(name)] if at >= 0 and len(text) == len(text.casefold()) else name
