"""The scripted model that plugin authors test with."""

from __future__ import annotations

import pytest
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelConnectionError, ModelHTTPError, ModelRateLimitError
from pydantic_ai.messages import BinaryContent

from cloche.testing.fake_model import FakeModel
from cloche.testing.script import Asked, call, fault, say


async def test_it_answers_in_order_and_calls_tools():
    fake = FakeModel([[say("Let me see."), call("double", number=21)], say("It is 42.")])
    agent = Agent(fake, instructions="Be exact.")

    @agent.tool_plain
    def double(number: int) -> str:
        return str(number * 2)

    assert (await agent.run("What is twice 21?")).output == "It is 42."
    assert fake.asked == [
        Asked(1, "fake", False, "Be exact.", "What is twice 21?", ("double",), (), ()),
        Asked(2, "fake", False, "Be exact.", "What is twice 21?", ("double",), ("42",), ()),
    ]


async def test_streamed_it_says_the_same_in_pieces():
    fake = FakeModel(lambda asked: say(f"You said: {asked.words}. 好。"))
    async with Agent(fake).run_stream("Bien") as run:
        pieces = [piece async for piece in run.stream_text(delta=True, debounce_by=None)]
    assert "".join(pieces) == "You said: Bien. 好。"
    assert len(pieces) > 1
    assert fake.asked[0].stream


async def test_it_sees_pictures():
    fake = FakeModel()
    await Agent(fake).run(["Look", BinaryContent(b"?", media_type="image/png")])
    assert fake.asked[0].images == ("image/png",)
    assert fake.asked[0].words == "Look"


async def test_faults_are_what_a_provider_s_would_be():
    fake = FakeModel([say("Here.")], faults={1: fault(429), 2: fault(500), 3: fault("cut")})
    agent = Agent(fake)
    with pytest.raises(ModelRateLimitError):
        await agent.run("one")
    with pytest.raises(ModelHTTPError, match="500"):
        await agent.run("two")
    with pytest.raises(ModelConnectionError):
        await agent.run("three")
    assert (await agent.run("four")).output == "Here."


async def test_a_script_that_ran_out_says_so():
    fake = FakeModel([say("Only this.")])
    agent = Agent(fake)
    await agent.run("one")
    with pytest.raises(ModelHTTPError, match="the script has 1 answers"):
        await agent.run("two")


def test_as_a_chosen_model_it_costs_nothing():
    chosen = FakeModel().chosen()
    assert (chosen.provider, chosen.model_id) == ("demo", "fake")
