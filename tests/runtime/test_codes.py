"""The codes that answers and logs carry are those that the page explains."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

import cloche.runtime
from cloche.errors import ModelCause, StoreCause
from cloche.memory.recall import Away
from cloche.turn import Failure

RUNTIME = Path(cloche.runtime.__file__).parent
PAGE = (Path(__file__).parents[2] / "docs" / "runtime.md").read_text(encoding="utf-8")


def explained(column: str) -> list[str]:
    """The codes of the table with this first column."""
    table = re.search(rf"^\| {column} \| meaning \|\n\|[-|]+\|\n((?:\|.*\n)+)", PAGE, re.M)
    assert table
    return re.findall(r"^\| `([a-z_]+)` \| \S", table[1], re.M)


def flat(*kinds: object) -> set[str]:
    """The words of literal types, nested as they may be."""
    found: set[str] = set()
    for kind in kinds:
        found |= {kind} if isinstance(kind, str) else flat(*get_args(kind))
    return found


@pytest.mark.parametrize(
    ("column", "codes"), [("failure", flat(Failure)), ("state", flat(StoreCause))]
)
def test_each_code_is_explained_once_and_no_other(column: str, codes: set[str]) -> None:
    assert len(codes) > 5
    assert sorted(explained(column)) == sorted(codes)


def test_what_kept_memory_from_being_read_is_a_code_of_the_store_or_our_own() -> None:
    assert flat(Away) == flat(StoreCause) | {"internal"}
    assert flat(ModelCause) < flat(Failure)


def test_each_code_of_a_refusal_is_explained_and_no_other() -> None:
    sources = [path.read_text(encoding="utf-8") for path in RUNTIME.glob("*.py")]
    given = {
        code
        for source in sources
        for code in re.findall(r'RefusedError\(\s*"([a-z_]+)"', source)
        + re.findall(r'^[A-Z_]+: Final = "([a-z_]+)"$', source, re.M)
    }
    table = re.search(r"^\| code \| status \| meaning \|\n.*\n((?:\|.*\n)+)", PAGE, re.M)
    assert table
    told = [re.findall(r"`([a-z_]+)`", row.split("|")[1]) for row in table[1].splitlines()]
    assert sorted(code for row in told for code in row) == sorted(given)
