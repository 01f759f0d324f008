"""A turn that is broken off is paid for and told of: stopped, timed out, at the process's end."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from cloche.channels import OwnerOptions
from cloche.clock import utc_now
from cloche.delivery import Delivery
from cloche.house import House, opened
from cloche.ids import actor_id
from cloche.messages import Address, Message
from cloche.plugins import load_host
from cloche.runtime.host import channels_of
from cloche.runtime.metrics import EmbeddedMetrics
from cloche.runtime.observed import Observed, Requests
from cloche.settings import ModelSettings, Settings
from cloche.testing.bedrock import BedrockEndpoint
from cloche.testing.script import Answer, Asked, fault, say

if TYPE_CHECKING:
    from conftest import Site

HAIKU = "global.anthropic.claude-haiku-4-5-20251001-v1:0"
ANA = Address("posted", "ana")


class Says:
    """What the model does with the next thing it is asked, learning included."""

    def __init__(self) -> None:
        self.answer: Callable[[Asked], Answer] = lambda _: say("Fine.")

    def __call__(self, asked: Asked) -> Answer:
        return self.answer(asked)


@dataclass
class Served:
    """A channel's delivery with everything behind it, and what is told of its turns."""

    house: House
    model: BedrockEndpoint
    lines: list[str]

    @property
    def delivery(self) -> Delivery:
        return self.house.deliveries["posted"]

    async def accept(self, words: str) -> None:
        await self.delivery.accept(Message(words, ANA, "r", words, sender_name="Ana"))

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(20):
            while not holds():
                await asyncio.sleep(0.01)

    async def spent(self) -> float:
        return await self.house.assistant.doors.limits.spent_today(actor_id(ANA))

    @property
    def metrics(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]

    @property
    def counted(self) -> int:
        """Input tokens, as the model's server counted them."""
        return sum(one.counted.all for one in self.model.requests if one.counted)


@pytest.fixture
def says() -> Says:
    return Says()


@pytest.fixture
async def served(
    settings: Settings, site: Site, says: Says, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Served]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "loopback")
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    with BedrockEndpoint(says) as model:
        by_wire = ModelSettings(provider="bedrock", base_url=model.url, region="eu-west-1")
        update = {"model": by_wire, "model_id": HAIKU, "agent": "embedded"}
        async with _opened(settings.model_copy(update=update), model) as served:
            yield served


@asynccontextmanager
async def _opened(chosen: Settings, model: BedrockEndpoint) -> AsyncIterator[Served]:
    host, lines = load_host(chosen), []
    tell = [EmbeddedMetrics("tea", lines.append, utc_now)]
    async with opened(
        host,
        "tea",
        chosen,
        channels_of(host, chosen),
        OwnerOptions("ana"),
        observed=lambda assistant: Observed(assistant, Requests(), tell),
    ) as house:
        delivery = house.deliveries["posted"]
        await delivery.start()
        yield Served(house, model, lines)
        await delivery.close(seconds=0.1)


def over(log: io.StringIO) -> list[dict[str, Any]]:
    told = [json.loads(line) for line in log.getvalue().splitlines()]
    return [line for line in told if line["message"] == "a turn is over"]


@pytest.mark.parametrize("words", ["Tell me a story", "Cuéntame un cuento", "讲个故事"])
async def test_a_turn_that_its_person_stops(
    served: Served, says: Says, log: io.StringIO, words: str
) -> None:
    says.answer = lambda _: say("word " * 500, pause=0.05)
    await served.accept(words)
    await served.until(lambda: served.model.requests)
    await asyncio.sleep(0.2)  # it streams
    assert await served.delivery.stop("r")
    await served.delivery.idle()
    (told,), (metrics,) = over(log), served.metrics
    assert told["failure"] == "stopped"
    assert told["conversation"] == "posted_-r"
    assert len(told["turn"]) == 32
    assert metrics["Failures"] == 0
    assert metrics["ModelCalls"] == 1
    assert served.counted / 2 < metrics["TokensIn"] < served.counted * 2
    assert told["tokens"][0] == metrics["TokensIn"]
    assert await served.spent() == pytest.approx(metrics["CostUSD"], abs=2e-6)
    assert metrics["CostUSD"] > 0


async def test_a_turn_that_the_end_of_the_process_breaks_off(
    served: Served, says: Says, log: io.StringIO
) -> None:
    says.answer = lambda _: say("word " * 500, pause=0.05)
    await served.accept("Tell me a story")
    await served.until(lambda: served.model.requests)
    await served.delivery.close(seconds=0.2)
    (told,), (metrics,) = over(log), served.metrics
    assert told["failure"] == "closed"
    assert metrics["ModelCalls"] == 1
    assert metrics["TokensIn"] > served.counted / 2
    assert await served.spent() == pytest.approx(metrics["CostUSD"], abs=2e-6)


async def test_what_follows_a_turn_and_is_broken_off_by_the_end_of_the_process(
    served: Served, says: Says, log: io.StringIO
) -> None:
    says.answer = lambda asked: fault("slow") if "<said" in asked.words else say("Noted.")
    await served.accept("I drink oolong every morning at home.")
    await served.until(lambda: len(served.model.requests) == 2)
    await served.delivery.close(seconds=0.2)
    (told,), (metrics,) = over(log), served.metrics
    assert told["failure"] == ""  # it was answered
    assert "afterwards" in told["milliseconds"]
    assert metrics["ModelCalls"] == 2
    assert metrics["TokensIn"] > served.counted / 2
    assert await served.spent() == pytest.approx(metrics["CostUSD"], abs=4e-6)


async def test_a_turn_that_something_ends_from_within(
    served: Served, says: Says, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ended(*_: object, **__: object) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr("cloche.reminders.reminding.Reminding.told", ended)
    await served.accept("What is oolong?")
    await served.delivery.idle()
    (told,), (metrics,) = over(log), served.metrics
    assert told["failure"] == "internal"
    assert metrics["Failures"] == 1
    assert metrics["ModelCalls"] == 1
    assert await served.spent() == pytest.approx(metrics["CostUSD"], abs=2e-6)


async def test_a_turn_that_takes_too_long(
    served: Served, says: Says, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent that goes on when nobody waits any longer is broken off."""
    monkeypatch.setattr("cloche.agents.routing.in_time", _at_once)
    says.answer = lambda asked: fault("slow") if "oolong" in asked.words else say("{}")
    await served.accept("What is oolong?")
    await served.delivery.idle()
    (told,), (metrics,) = over(log), served.metrics
    assert told["failure"] == "timeout"
    assert metrics["ModelCalls"] >= 1
    assert metrics["TokensIn"] > 0
    assert await served.spent() == pytest.approx(metrics["CostUSD"], abs=4e-6)


async def _at_once(_: object, what: Any) -> Any:
    """Nobody waits for longer than a moment."""
    task = asyncio.ensure_future(what)
    await asyncio.wait({task}, timeout=0.5)
    task.cancel()
    await asyncio.wait({task})
    raise TimeoutError
