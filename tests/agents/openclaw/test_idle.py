"""How long a gateway may do nothing for a turn: less where the person's patience runs out."""

from __future__ import annotations

import pytest

from cloche.agents.openclaw.agent import DONE_SECONDS, STUCK_SECONDS, _most_idle
from cloche.agents.openclaw.turns import LiveTurn
from cloche.agents.speech import Speech
from cloche.patience import Patience
from cloche.prompt import Prompt
from cloche.testing.fake_model import FakeModel


@pytest.mark.parametrize(
    ("after", "unanswered", "answered"),
    [
        (0, STUCK_SECONDS, DONE_SECONDS),
        (17, STUCK_SECONDS, DONE_SECONDS),
        (19, DONE_SECONDS, DONE_SECONDS),  # who stands by needs the rest
        (27, DONE_SECONDS, 1.5),  # all is said: it is not held back for the gateway's notes
        (29, DONE_SECONDS, 0),
    ],
)
async def test_what_is_left_of_the_wait_is_not_spent_on_an_idle_gateway(
    after: float, unanswered: float, answered: float
) -> None:
    now = [100.0]
    patience = Patience(30, 60, now=lambda: now[0])
    prompt = Prompt("", "", (), "", "Hello", patience=patience)
    turn = LiveTurn(FakeModel().chosen(), prompt, (), (), Speech(None))
    now[0] += after
    assert _most_idle(turn) == unanswered
    turn.is_answered = True
    assert _most_idle(turn) == pytest.approx(answered)
    await turn.close()
