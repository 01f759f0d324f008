"""Text handed out piece by piece is the text in the end."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from cloche.agents.speech import Speech

texts = st.text(alphabet=st.sampled_from("ab 光é\n\t*"), max_size=30)


def spoken(answers: list[list[str]], *, heard: bool = True) -> tuple[str, list[str]]:
    pieces: list[str] = []

    async def listen(piece: str) -> None:
        pieces.append(piece)

    async def talk() -> str:
        speech = Speech(listen if heard else None)
        for answer in answers:
            speech.new_paragraph()
            for piece in answer:
                await speech.say(piece)
        return speech.text

    return asyncio.run(talk()), pieces


@given(st.lists(st.lists(texts, max_size=5), max_size=3))
def test_pieces_joined_are_the_text_however_it_is_split(answers: list[list[str]]):
    text, pieces = spoken(answers)
    assert "".join(pieces) == text
    assert text == text.strip()
    whole, _ = spoken([["".join(answer)] for answer in answers], heard=False)
    assert whole == text
    assert text == "\n\n".join(s for answer in answers if (s := "".join(answer).strip()))


def test_white_space_inside_stays():
    assert spoken([["a ", " b\n", "\nc"]])[0] == "a  b\n\nc"
