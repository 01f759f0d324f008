"""Turns through a real gateway: what the model reads, what the person reads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cloche.prompt import Exchange
from cloche.testing.script import Asked, call, say

from .conftest import World

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_turn_is_answered(world: World) -> None:
    chat = world.chat("ann/one")
    answer = await chat.say("Hello there")
    print(json.dumps(world.model.bodies[0]["messages"], indent=1)[-1500:])
    assert answer.text == "All right."
