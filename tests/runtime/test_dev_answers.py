"""What a console message to the runtime is answered with."""

from __future__ import annotations

from cloche.messages import Reply, ReplyFile
from cloche.runtime.dev import answer_of
from cloche.turn import Turn, nothing

PLAN = ReplyFile("console_-ana", "made/plan.txt", "plan.txt", 4, "I cannot send `plan.txt` here.")


def test_a_file_that_cannot_go_out_is_said_below_the_words() -> None:
    for text, told in (
        ("Here.", "Here.\n\nI cannot send `plan.txt` here."),
        ("", "I cannot send `plan.txt` here."),
    ):
        turn = Turn("t", Reply(text, files=(PLAN,)), "en", nothing)
        assert answer_of(turn)["text"] == told
