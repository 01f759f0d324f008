"""A growing Markdown answer is printed block by block, and comes out whole."""

from __future__ import annotations

import io
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from cloche_channels.console.answers import StreamedAnswer, block_ends


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("one\n\ntwo", "one\n\n"),
        ("one\n\ntwo\n\n", "one\n\n"),
        ("one\ntwo", ""),
        ("- a\n\n  more of a\n\nb", "- a\n\n  more of a\n\n"),
        ("```\na\n\nb\n\nc", ""),
        ("```\na\n\nb\n```\n\nc", "```\na\n\nb\n```\n\n"),
        ("~~~~\n```\n\nx\n~~~\n\ny", ""),
        ("", ""),
    ],
)
def test_a_block_is_finished_when_another_one_begins(text: str, finished: str) -> None:
    ends = block_ends(text)
    assert text[: ends[-1] if ends else 0] == finished


@given(st.text("ab \n`-1.", max_size=60), st.integers(0, 60))
def test_what_is_finished_stays_finished(text: str, cut: int) -> None:
    early, all_ = block_ends(text[:cut]), block_ends(text)
    assert all_[: len(early)] == early
    assert [*early, *block_ends(text, early[-1] if early else 0)] == all_


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


async def streamed(pieces: list[str], text: str) -> str:
    console = Console(file=io.StringIO(), width=60, highlight=False)
    with StreamedAnswer(console) as answer:
        for piece in pieces:
            await answer.add(piece)
        await answer.finish(text)
    return "\n".join(line.rstrip() for line in shown(console).splitlines())


async def words(pieces: list[str], text: str) -> str:
    return " ".join((await streamed(pieces, text)).split())


ANSWER = (
    "Uno **dos**.\n\n- tres\n- 四\n\n> quoted\n\n## Head\n\n```\ncode\n\nmore\n```\n\n"
    "1. a\n2. b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\nThe [end](https://x.example)."
)


@given(st.lists(st.integers(0, len(ANSWER)), max_size=12))
async def test_streamed_and_whole_answers_look_the_same(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(ANSWER)]
    pieces = [ANSWER[a:b] for a, b in itertools.pairwise(edges)]
    assert await streamed(pieces, ANSWER) == await streamed([], ANSWER)


async def test_one_blank_line_stands_between_blocks() -> None:
    text = "Me contaste:\n\n- uno\n- dos\n\n\n\n> tres\n\nFin."
    assert await streamed(list(text), text) == "Me contaste:\n\n • uno\n • dos\n\n▌ tres\n\nFin.\n"


async def test_an_address_is_shown_beside_its_words() -> None:
    assert "end (https://x.example)" in await words([], ANSWER)


async def test_an_answer_cut_short_is_followed_by_what_is_said_instead() -> None:
    assert await words(["I think that"], "Sorry, not now.") == "I think that Sorry, not now."


async def test_a_clause_added_at_the_end_is_shown_once() -> None:
    assert await words(["Yes."], "Yes.\n\n(Without memory.)") == "Yes. (Without memory.)"


async def test_an_escape_code_written_as_an_entity_stays_harmless() -> None:
    assert "\x1b" not in await streamed([], "a &#27;[2J b &#x9b;2J c \x1b[2J")
