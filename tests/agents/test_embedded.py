"""A turn through pydantic-ai: what is asked, what is answered, what goes wrong."""

from __future__ import annotations

import asyncio
import io

import pytest
from PIL import Image as PILImage

from cloche.agents.agent import Agent
from cloche.agents.embedded import MAX_MODEL_CALLS, EmbeddedAgent
from cloche.agents.tool_runs import MAX_TOOL_CALLS
from cloche.errors import ModelError
from cloche.patience import Patience
from cloche.prompt import Exchange, Image
from cloche.testing.fake_model import FakeModel
from cloche.testing.script import Asked, Call, call, fault, say


def png(size: tuple[int, int] = (30, 20)) -> bytes:
    buffer = io.BytesIO()
    PILImage.new("RGB", size, "purple").save(buffer, "PNG")
    return buffer.getvalue()


async def test_streamed_and_whole_answers_are_the_same(
    provider, open_agent, prompt_of, tools, listener
):
    script = [
        [say("  Let me look.\n"), call("look_up", word="sun")],
        say("\n\nIt is *light*. 光。  Más no sé.\n"),
    ]
    async with open_agent(provider, script * 2) as (agent, _):
        whole = await agent.ask(prompt_of(), tools)
        streamed = await agent.ask(prompt_of(), tools, listener)
    assert whole.text == "Let me look.\n\nIt is *light*. 光。  Más no sé."
    assert streamed == whole
    assert listener.text == whole.text
    assert len(listener.pieces) > 5


@pytest.mark.parametrize(
    "said",
    [
        "NO_REPLY",
        "**HEARTBEAT_OK**",
        "MEDIA:/etc/passwd",
        "[[reply_to_current]]",
        "\u200b\u2060\u200b",
    ],
)
async def test_what_nobody_can_see_or_is_for_programs_is_no_answer(
    provider, streamed, open_agent, prompt_of, listener, said: str
):
    async with open_agent(provider, [say(said)] * 3) as (agent, _):
        with pytest.raises(ModelError) as failed:
            await agent.ask(prompt_of(), (), listener if streamed else None)
    assert failed.value.cause in ("empty", "cut")


async def test_words_for_programs_are_left_out_and_can_be_spoken_of(
    provider, open_agent, prompt_of
):
    said = "NO_REPLY means that nothing is said.\nNO_REPLY\nMEDIA:/etc/passwd"
    async with open_agent(provider, [say(said)]) as (agent, _):
        answer = await agent.ask(prompt_of(), ())
    assert answer.text == "NO_REPLY means that nothing is said."


async def test_tools_are_called_and_their_results_returned(
    provider, streamed, open_agent, prompt_of, tools, listener
):
    seen: list[Asked] = []

    def script(asked: Asked):
        seen.append(asked)
        return say(asked.results[0]) if asked.results else call("look_up", word="太阳")

    async with open_agent(provider, script) as (agent, _):
        answer = await agent.ask(prompt_of(), tools, listener if streamed else None)
    assert [asked.tools for asked in seen] == [("look_up", "fail")] * 2
    assert answer.text == "太阳 means light (3, console-_ann)"
    assert [(use.tool, use.arguments, use.ok) for use in answer.tool_uses] == [
        ("look_up", '{"word":"太阳"}', True)
    ]


async def test_several_tools_of_one_answer_run_in_order(provider, open_agent, prompt_of, tools):
    script = [[call("look_up", word="a"), call("look_up", word="b", limit=1)], say("Done.")]
    async with open_agent(provider, script) as (agent, server):
        answer = await agent.ask(prompt_of(), tools)
    assert [use.arguments for use in answer.tool_uses] == ['{"word":"a"}', '{"word":"b","limit":1}']
    assert "b means light (1" in str(server.requests[1].body)


async def test_what_is_asked_stands_in_its_order(provider, open_agent, prompt_of, tools):
    seen: list[Asked] = []

    def script(asked: Asked):
        seen.append(asked)
        return say("Seen.")

    picture = Image("image/png", png())
    async with open_agent(provider, script) as (agent, server):
        await agent.ask(prompt_of(images=(picture,)), tools)
    assert seen[0].system == "You are Ada, who explains words."
    now = "<now>Monday 30 November 2026, 09:12, Europe/Oslo</now>"
    assert seen[0].words == f"{now}\nWhat is the sun?"
    assert seen[0].images == ("image/png",)
    assert server.requests[0].images[0].data == png()
    body = server.requests[0].rendered.data.decode()
    parts = ["look_up", "You are Ada", "I am Ann", "Hello", "Good morning", "<now>", "the sun?"]
    if provider == "openai":
        parts[:2] = ["look_up", "You are Ada"]
    assert [body.index(part) for part in parts] == sorted(body.index(part) for part in parts)


async def test_a_picture_without_words_is_sent_with_words_that_say_so(
    provider, open_agent, prompt_of
):
    history = (Exchange("", "A purple flower."), Exchange("And now?", ""))
    async with open_agent(provider, [say("A flower.")]) as (agent, server):
        await agent.ask(prompt_of("", history=history, images=(Image("image/png", png()),)), ())
    assert server.requests[0].rendered.data.count(b"(a picture or file without words)") == 2


async def test_a_first_turn_without_anything_known_is_fine(provider, open_agent, prompt_of):
    async with open_agent(provider, [say("Hello.")]) as (agent, _):
        prompt = prompt_of("Hi", stable="", session="", history=(), turn="")
        assert (await agent.ask(prompt, ())).text == "Hello."


CAUSES = {
    "401": (fault(401), "auth"),
    "403": (fault(403), "auth"),
    "429": (fault(429, retry_after=0), "throttled"),
    "500": (fault(500, retry_after=0), "server"),
    "400": (fault(400, "very-secret-key-1234567890 What is the sun?"), "refused"),
    "404": (fault(404), "refused"),
    "slow": (fault("slow"), "timeout"),
    "cut": (fault("cut"), "cut"),
    "truncated": (fault("truncated"), "cut"),
    "empty": (fault("empty"), "empty"),
    "filtered": (say("", stop="filter"), "refused"),
}


@pytest.mark.parametrize(("trouble", "cause"), CAUSES.values(), ids=CAUSES.keys())
async def test_every_trouble_has_its_cause_and_tells_no_secret(
    provider, streamed, open_agent, prompt_of, listener, trouble, cause: str
):
    timeout = 0.3 if cause == "timeout" else 10
    async with open_agent(provider, [trouble, trouble], timeout=timeout) as (agent, _):
        with pytest.raises(ModelError) as failed:
            await agent.ask(prompt_of(), (), listener if streamed else None)
    assert failed.value.cause == cause
    assert "secret" not in str(failed.value)
    assert "the sun" not in str(failed.value)


async def test_a_model_that_hangs_is_given_up_early_though_nobody_watches(
    provider, open_agent, prompt_of
):
    async with open_agent(provider, [fault("slow")] * 2, timeout=60) as (agent, _):
        async with asyncio.timeout(20):
            with pytest.raises(ModelError) as failed:
                await agent.ask(prompt_of(patience=Patience(0.5)), ())
    assert failed.value.cause == "timeout"


async def test_nobody_there_is_unreachable(provider, open_agent, prompt_of, listener):
    async with open_agent(provider, []) as (agent, server):
        server.stop()
        for on_delta in (None, listener):
            with pytest.raises(ModelError) as failed:
                await agent.ask(prompt_of(), (), on_delta)
            assert failed.value.cause == "unreachable"


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_what_may_pass_is_asked_once_more(
    provider, streamed, open_agent, prompt_of, listener, status: int
):
    script = [fault(status, retry_after=0), say("Here I am.")]
    async with open_agent(provider, script) as (agent, server):
        answer = await agent.ask(prompt_of(), (), listener if streamed else None)
    assert answer.text == "Here I am."
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_what_will_not_pass_is_not_asked_again(provider, open_agent, prompt_of, status: int):
    async with open_agent(provider, [fault(status)] * 2) as (agent, server):
        with pytest.raises(ModelError):
            await agent.ask(prompt_of(), ())
    assert len(server.requests) == 1


async def test_a_provider_that_wants_a_long_pause_is_not_waited_for(
    provider, open_agent, prompt_of
):
    async with open_agent(provider, [fault(429, retry_after=60)] * 2) as (agent, server):
        with pytest.raises(ModelError) as failed:
            await agent.ask(prompt_of(), ())
    assert failed.value.cause == "throttled"
    assert len(server.requests) == 1


FALLBACKS = {
    "bedrock": "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "anthropic": "claude-sonnet-4-6",
    "openai": "another-model",
}


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_when_a_model_is_down_twice_its_fallback_answers_and_is_what_is_paid_for(
    provider, streamed, open_agent, prompt_of, listener, status: int
):
    other = FALLBACKS[provider]

    def script(asked: Asked):
        return say("Here I am.") if asked.model == other else fault(status, retry_after=0)

    async with open_agent(provider, script, fallback_id=other) as (agent, server):
        answer = await agent.ask(prompt_of(), (), listener if streamed else None)
    assert answer.text == "Here I am."
    assert listener.text == (answer.text if streamed else "")
    assert [request.model == other for request in server.requests] == [False, False, True]
    assert answer.usage.model == other
    assert answer.usage.calls == 1


@pytest.mark.parametrize(
    "trouble",
    [fault(400), fault(401), fault("slow"), fault("cut")],
    ids=["400", "401", "slow", "cut"],
)
async def test_what_another_model_would_not_mend_is_not_asked_of_the_fallback(
    provider, open_agent, prompt_of, listener, trouble
):
    other = FALLBACKS[provider]
    async with open_agent(provider, lambda _: trouble, timeout=0.5, fallback_id=other) as (
        agent,
        server,
    ):
        with pytest.raises(ModelError):
            await agent.ask(prompt_of(), (), listener)
    assert other not in {request.model for request in server.requests}


async def test_a_fallback_that_fails_too_is_what_is_told(provider, open_agent, prompt_of):
    other = FALLBACKS[provider]

    def script(asked: Asked):
        return fault(401) if asked.model == other else fault(500, retry_after=0)

    async with open_agent(provider, script, fallback_id=other) as (agent, _):
        with pytest.raises(ModelError) as failed:
            await agent.ask(prompt_of(), ())
    assert failed.value.cause == "auth"


@pytest.mark.parametrize("trouble", [fault("cut"), fault(500, midway=True)], ids=["cut", "midway"])
async def test_what_breaks_off_after_it_was_heard_is_cut(
    provider, open_agent, prompt_of, listener, trouble
):
    async with open_agent(provider, [trouble] * 2) as (agent, server):
        with pytest.raises(ModelError) as failed:
            await agent.ask(prompt_of(), (), listener)
    assert failed.value.cause == "cut"
    assert listener.text
    assert len(server.requests) == 1


async def test_a_failure_after_a_first_paragraph_was_heard_is_cut(
    provider, open_agent, prompt_of, tools, listener
):
    script = [[say("A moment."), call("look_up", word="sun")], fault(401)]
    async with open_agent(provider, script) as (agent, _):
        with pytest.raises(ModelError) as failed:
            await agent.ask(prompt_of(), tools, listener)
    assert failed.value.cause == "cut"
    assert listener.text == "A moment."


async def test_an_answer_that_ran_out_of_tokens_shows_it(
    provider, streamed, open_agent, prompt_of, listener
):
    async with open_agent(provider, [say("The sun is a", stop="length")]) as (agent, _):
        answer = await agent.ask(prompt_of(), (), listener if streamed else None)
    assert answer.text == "The sun is a …"
    assert listener.text == (answer.text if streamed else "")


async def test_a_model_that_calls_tools_for_ever_is_made_to_answer(
    provider, open_agent, prompt_of, tools
):
    def script(asked: Asked):
        if asked.number == MAX_MODEL_CALLS:
            return say("Enough.")
        return call("look_up", word=f"word {asked.number}")

    async with open_agent(provider, script) as (agent, server):
        answer = await agent.ask(prompt_of(), tools)
    assert answer.text == "Enough."
    assert len(server.requests) == MAX_MODEL_CALLS
    assert len(answer.tool_uses) == MAX_MODEL_CALLS - 1


async def test_a_tool_that_fails_the_same_way_twice_is_not_called_again(
    provider, open_agent, prompt_of, tools
):
    script = [call("fail", word="a"), call("fail", word="b"), say("I could not.")]
    async with open_agent(provider, script) as (agent, server):
        answer = await agent.ask(prompt_of(), tools)
    assert answer.text == "I could not."
    assert [use.ok for use in answer.tool_uses] == [False, False]
    last = server.requests[-1].body
    none = {
        "bedrock": lambda: last["additionalModelRequestFields"]["tool_choice"] == {"type": "none"},
        "anthropic": lambda: last["tool_choice"] == {"type": "none"},
        "openai": lambda: last["tool_choice"] == "none",
    }
    assert none[provider]()


async def test_a_model_that_will_not_stop_calling_ends_in_an_error(prompt_of, tools):
    fake = FakeModel(lambda asked: call("fail", word="again"))
    with pytest.raises(ModelError) as failed:
        await EmbeddedAgent(fake.chosen()).ask(prompt_of(), tools)
    assert failed.value.cause == "empty"
    assert len(fake.asked) == 3


async def test_a_flood_of_calls_in_one_answer_is_bounded(prompt_of, tools):
    flood = [call("look_up", word=f"w{n}") for n in range(MAX_TOOL_CALLS + 5)]
    fake = FakeModel([flood, say("Done.")])
    answer = await EmbeddedAgent(fake.chosen()).ask(prompt_of(), tools)
    assert sum(use.ok for use in answer.tool_uses) == MAX_TOOL_CALLS
    assert "too many calls" in fake.asked[1].results[-1]


async def test_a_tool_that_does_not_exist_is_told_to_the_model(prompt_of, tools):
    fake = FakeModel([call("no_such_tool"), say("Sorry.")])
    answer = await EmbeddedAgent(fake.chosen()).ask(prompt_of(), tools)
    assert fake.asked[1].results == ("There is no tool no_such_tool; there are: look_up, fail.",)
    assert not answer.tool_uses[0].ok


@pytest.mark.parametrize("provider", ["bedrock", "anthropic", "openai"])
async def test_arguments_that_are_no_json_are_told_to_the_model(
    provider, open_agent, prompt_of, tools, listener
):
    seen: list[tuple[str, ...]] = []

    def script(asked: Asked):
        seen.append(asked.results)
        return say("Sorry.") if asked.results else Call("look_up", raw='{"word": ')

    async with open_agent(provider, script) as (agent, _):
        answer = await agent.ask(prompt_of(), tools, listener)
    assert "arguments" in seen[1][0]
    assert not answer.tool_uses[0].ok
    assert answer.text == "Sorry."


async def test_a_listener_that_fails_is_not_taken_for_the_model(provider, open_agent, prompt_of):
    async def gone(piece: str) -> None:
        raise BrokenPipeError("the terminal was closed")

    async with open_agent(provider, [say("Hello.")]) as (agent, _):
        with pytest.raises(BrokenPipeError):
            await agent.ask(prompt_of(), (), gone)


def test_it_is_an_agent():
    assert isinstance(EmbeddedAgent(FakeModel().chosen()), Agent)


async def test_an_agent_can_be_asked_again_after_it_was_closed(provider, open_agent, prompt_of):
    async with open_agent(provider, [say("One."), say("Two.")]) as (agent, _):
        await agent.ask(prompt_of(), ())
        await agent.close()
        assert (await agent.ask(prompt_of(), ())).text == "Two."
