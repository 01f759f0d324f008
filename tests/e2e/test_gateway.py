"""Whole turns of an assistant through a real gateway, on unmodified boto3."""

from __future__ import annotations

import asyncio
import io
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import PIL.Image
import pytest

from cloche.agents.openclaw.installation import find_installation, installation_folder
from cloche.assembly import open_assistant
from cloche.errors import SettingsError
from cloche.plugins import load_host
from cloche.settings import OpenClawSettings, Settings
from cloche.testing.bedrock import BedrockEndpoint
from cloche.testing.script import Answer, Asked, call, say

FOLDER = str(installation_folder(OpenClawSettings()))
THERE = find_installation(OpenClawSettings(folder=FOLDER)) is not None
HAIKU = "eu.anthropic.claude-haiku-4-5-20251001-v1:0"
TURNS = 6


def script(asked: Asked) -> Answer:
    """Answers a chat; learns nothing."""
    if "Luthier" in asked.system:
        return say(f"Answer to: {asked.words[-40:]}")
    return call(asked.tools[0], statements=[])


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "loopback")
    monkeypatch.delenv("AWS_PROFILE", raising=False)


async def picture(channel: str, attachment: Any) -> bytes:
    buffer = io.BytesIO()
    PIL.Image.new("RGB", (40, 20), "navy").save(buffer, "PNG")
    return buffer.getvalue()


def bedrock_settings(bedrock: BedrockEndpoint) -> dict[str, Any]:
    return {
        "model": {"provider": "bedrock", "base_url": bedrock.url, "region": "eu-north-1"},
        "model_id": HAIKU,
    }


async def test_an_agent_that_is_asked_for_and_not_there_is_told(
    luthier: Callable[..., None], tmp_path: Path
) -> None:
    settings = Settings(
        home=tmp_path, agent="openclaw", openclaw=OpenClawSettings(folder=str(tmp_path))
    )
    with pytest.raises(SettingsError, match="make openclaw"):
        await open_assistant(load_host(settings), "luthier", settings)


async def test_what_a_killed_gateway_left_goes_with_the_next_start_whoever_answers(
    open_luthier: Callable[..., Any],
) -> None:
    home = (await open_luthier(agent=None)).folder
    left = home / "openclaw" / "gateway-0" / "state" / "talk.sqlite"
    left.parent.mkdir(parents=True)
    left.write_text("I have two lutes.")
    await open_luthier(agent=None)
    assert not list((home / "openclaw").glob("gateway-*/"))


@pytest.mark.gateway
@pytest.mark.timeout(400)
@pytest.mark.skipif(not THERE, reason="OpenClaw (make openclaw)")
async def test_turns_through_the_gateway_keep_the_prefix_and_the_memory(
    credentials: None,
    luthier: Callable[..., None],
    open_luthier: Callable[..., Any],
    chat: Callable[..., Any],
    clock: Any,
) -> None:
    luthier(chapters=3)  # above the model's minimum for a cached prefix
    async with BedrockEndpoint(script, clock=clock) as bedrock:
        assistant = await open_luthier(
            openclaw={"folder": FOLDER}, fetch=picture, **bedrock_settings(bedrock)
        )
        ana, ben = chat(assistant, "ana"), chat(assistant, "ben")
        # Nobody waits for a boot: the embedded agent answers the first turn.
        first = await ana.say("I only play gut strings.")
        assert first.reply.text.endswith("gut strings.")
        gateway = assistant._router._text
        async with asyncio.timeout(240):
            while await gateway.supervisor.ensure_ready() is None:
                await asyncio.sleep(0.2)
        bedrock.requests.clear()
        turns = [await ana.say(f"Tell me of strings, {n}.") for n in range(TURNS)]
        await ben.say("And me?")
        seen = len(bedrock.requests)
        await ana.say("What is on this?", "a.png")
        await ana.say("Thanks.")
        looked, thanked = (r for r in bedrock.requests[seen:] if "Luthier" in str(r.body["system"]))
        del bedrock.requests[seen:]
        # What another process has forgotten stands as a mark in the shared state alone.
        (actor,) = (one for one in gateway._sessions.people if one.endswith("ana"))
        await assistant.memory.forgotten.mark(actor)
        await gateway._renewals.look(actor)
        assert gateway._renewals.are_under_way
        requests = [r for r in bedrock.requests if "Luthier" in str(r.body.get("system"))]
    assert len(requests) == TURNS + 1
    assert all("OpenClaw" in str(request.body["system"]) for request in requests)
    hers, his = requests[:TURNS], requests[-1]
    for before, after in itertools.pairwise(hers):
        assert after.rendered.prefixes[-1].startswith(before.rendered.prefixes[-1])
        assert after.rendered.prefixes[0] == before.rendered.prefixes[0]
    assert his.rendered.prefixes[0] == hers[0].rendered.prefixes[0]
    assert "gut strings" in json.dumps(hers[0].body["messages"])  # it was told what it missed
    assert "gut strings" not in json.dumps(his.body["messages"])
    for request, turn in zip(hers, turns, strict=True):
        assert request.counted is not None
        assert turn.report.usage.cache_read_tokens == request.counted.read
        assert turn.report.usage.calls == 1
        assert not turn.report.failure
        last = request.body["messages"][-1]["content"]
        turn_at = next(at for at, block in enumerate(last) if "<now" in block.get("text", ""))
        assert not any("cachePoint" in block for block in last[turn_at:])
    # A picture is looked at with the vision model; the gateway is told of it, and has none of it.
    assert looked.model != thanked.model == HAIKU
    assert looked.images
    assert "OpenClaw" not in str(looked.body["system"])
    assert not thanked.images
    assert "They: What is on this?" in json.dumps(thanked.body["messages"][-1])
    assert thanked.rendered.prefixes[-1].startswith(hers[-1].rendered.prefixes[-1])
    read = [t.report.usage.cache_read_tokens / t.report.usage.input_tokens for t in turns[2:]]
    assert min(read) > 0.8
