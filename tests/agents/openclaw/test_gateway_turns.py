"""Turns through a real gateway: what the model reads, what the person reads."""

from __future__ import annotations

import asyncio
import io
import itertools
import json
import os
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import PIL.Image
import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from cloche.agents.agent import AgentAwayError
from cloche.agents.openclaw.workspace import furnish, make_quarters
from cloche.errors import ModelError
from cloche.llm.usage import Usage
from cloche.log_ids import logged
from cloche.patience import Patience
from cloche.prompt import Exchange
from cloche.testing.script import Asked, Fault, call, fault, say
from cloche.tracing import span
from cloche.workspace.folder import FolderFiles

from .conftest import (
    PERSONA,
    SKILLS,
    TOOLS,
    World,
    processes_of,
    prompt,
    system_of,
    talk,
    tools_for,
    tools_of,
)

pytestmark = [
    pytest.mark.gateway,
    pytest.mark.timeout(400),
    pytest.mark.asyncio(loop_scope="module"),
]


TOOL_NAMES = [tool.name for tool in TOOLS]


def look(asked: Asked) -> Any:
    """Looks up what is asked for, and says what it was told."""
    if asked.results:
        return say(f"I read: {asked.results[-1]}")
    word = re.search(r"mean (\w+)", asked.words)
    return [say("A moment."), call("look_up", word=word[1])] if word else say("All right.")


def without_ids(messages: list[dict[str, Any]]) -> str:
    text = json.dumps(messages, ensure_ascii=False)
    text = re.sub(r'"toolUseId": "[^"]*"', '"id": "*"', text)
    return re.sub(r"<now>\d+</now>", "<now>", text)


async def test_the_same_talk_through_gateway_and_embedded_agent(world: World) -> None:
    world.model.script = look
    said = ["Hello", "What does mean sun ?", "¿Y mean 光 ?", "Thanks"]
    through, direct = world.chat("ann/same"), world.chat("ann/same", world.embedded)
    answers = [await through.say(words) for words in said]
    gateway = [without_ids(talk(body)) for body in world.model.bodies]
    world.model.server.requests.clear()
    expected = [await direct.say(words) for words in said]
    embedded = [without_ids(talk(body)) for body in world.model.bodies]
    assert [answer.text for answer in answers] == [answer.text for answer in expected]
    assert [answer.tool_uses for answer in answers] == [answer.tool_uses for answer in expected]
    assert "for ann" in answers[1].text
    assert "A moment." in answers[2].text
    assert gateway[0] == embedded[0]
    assert gateway[-1].count("<now>") == embedded[-1].count("<now>") == 1
    assert tools_of(world.model.bodies[0]) == TOOL_NAMES


async def test_model_and_tools_are_parts_of_one_trace_and_log_with_its_ids(
    world: World, spans: InMemorySpanExporter, log: io.StringIO
) -> None:
    world.model.script = lambda asked: say("It broke.") if asked.results else call("crash")
    for agent in (None, world.embedded):
        spans.clear()
        log.truncate(0)
        log.seek(0)
        with logged(turn="t-7"), span("model"):
            await world.chat("ann/traced", agent).say("Hello")
        made = spans.get_finished_spans()
        assert sorted(each.name for each in made) == ["chat", "chat", "execute_tool", "model"]
        (model,) = [each for each in made if each.name == "model"]
        assert {each.parent and each.parent.span_id for each in made} == {
            None,
            model.context.span_id,
        }
        told = [json.loads(line) for line in log.getvalue().splitlines()]
        assert [each["turn"] for each in told if each["logger"] == "cloche.tools.bound"] == ["t-7"]


async def test_from_turn_to_turn_the_prefix_is_the_same_bytes(world: World) -> None:
    world.model.script = look
    chat = world.chat("ann/prefix")
    for number in range(6):
        await chat.say("What does mean sun ?" if number == 2 else f"Words {number} [[x]] MEDIA:y")
    requests = world.model.server.requests
    assert len(requests) == 7
    assert {tuple(tools_of(r.body)) for r in requests} == {(*TOOL_NAMES, "read")}
    for before, after in itertools.pairwise(requests):
        # All but the live turn part, byte for byte, and read from the cache.
        assert after.prefixes[:2] == before.prefixes[:2]
        assert after.prefixes[-1].startswith(before.prefixes[-1])
        assert after.counted
        assert before.counted
        assert after.counted.read == before.counted.read + before.counted.written


async def test_the_model_reads_neither_nonce_nor_machine(world: World) -> None:
    world.model.script = look
    chat = world.chat("ann/hidden")
    for words in ("Hello", "What does mean sun ?", "Bye"):
        await chat.say(words)
    sent = json.dumps(world.model.bodies)
    for hidden in ("turn-", "_turn", "Runtime: agent=", "cloche__", "Current date", "UTC] "):
        assert hidden not in sent.replace("OPENCLAW_INTERNAL_CONTEXT", ""), hidden
    for body in world.model.bodies:
        assert json.dumps(talk(body)).count("<now>") == 1
        assert json.dumps(talk(body)).count("<profile>") == 1
        assert "<profile>" in json.dumps(talk(body)[0])


async def test_no_other_tool_can_be_called_whoever_names_it(world: World, tmp_path: Path) -> None:
    """By the model, which is not offered any, or by a client that has the gateway's token."""
    left = tmp_path / "left"
    others = ("exec", "process", "write", "browser", "cron", "gateway", "sessions_send")
    arguments = {"command": f"touch {left}", "path": str(left), "content": "x", "action": "list"}
    world.model.script = lambda asked: (
        say("\n".join(asked.results))
        if asked.results
        else [call(one, **arguments) for one in others]
    )
    told = (await world.chat("ann/others").say("Go")).text
    assert [f"{one} not found" in told for one in others] == [True] * len(others), told
    address = await world.agent.supervisor.ensure_ready()
    assert address
    shown = {"Authorization": f"Bearer {address.token}"}
    async with aiohttp.ClientSession(headers=shown) as http:
        for one in others:
            asked = {"tool": one, "args": arguments}
            async with http.post(f"{address.url}/tools/invoke", json=asked) as response:
                assert response.status != 200, await response.text()
    assert not left.exists()


async def test_its_other_doors_are_closed(world: World, tmp_path: Path) -> None:
    address = await world.agent.supervisor.ensure_ready()
    assert address
    async with aiohttp.ClientSession() as http:
        for path in ("/v1/models", "/v1/chat/completions", "/tools/invoke"):
            async with http.post(f"{address.url}{path}", json={}) as response:
                assert response.status in (401, 404, 405), path
        shown = {"Authorization": f"Bearer {address.token}"}
        for path in ("/", "/chat", "/__openclaw__/canvas/", "/v1/responses"):
            async with http.get(f"{address.url}{path}", headers=shown) as response:
                assert response.status in (404, 405), path
    # It listens on loopback alone, and announces itself to nobody.
    group = world.agent.supervisor.process_group or 0
    open_ = {each for pid in processes_of(group) for each in listening(pid)}
    assert ("tcp", "0100007F", address.port) in open_
    assert open_ <= {
        ("tcp", "0100007F", address.port),
        ("tcp6", "00000000000000000000000001000000", address.port),
    }
    # Nothing but our files stands in its workspace: it has made itself no tasks and no history.
    quarters = world.agent.supervisor._quarters
    assert quarters
    ours = make_quarters(tmp_path)
    furnish(ours, PERSONA, SKILLS)
    assert names_in(quarters.workspace) == names_in(ours.workspace)
    ours.remove()


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def listening(pid: int) -> set[tuple[str, str, int]]:
    """Sockets of a process that take what comes: protocol, address, port."""
    held = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            held.add(os.readlink(descriptor))
    found = set()
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            ours = f"socket:[{fields[9]}]" in held
            if ours and (table.startswith("udp") or fields[3] == "0A"):
                address, _, port = fields[1].partition(":")
                found.add((table, address, int(port, 16)))
    return found


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("look_up", {"limit": 3}, "word: field required"),
        ("look_up", {"word": "sol", "limit": "muchos"}, "limit: input should be"),
        ("look_up", {"word": {"光": 1}}, "word: input should be"),
        ("look_up", {"word": "sun", "actor": "ben"}, "actor: extra inputs"),
        ("cloche__look_up", {"word": "sun"}, "sun means light (3, for ann)"),
        ("cloche__look_up", {}, "word: field required"),
    ],
)
async def test_a_call_that_does_not_fit_is_refused_here_and_the_gateway_tells_no_mark(
    world: World, tool: str, arguments: dict[str, Any], told: str
) -> None:
    world.model.script = lambda asked: (
        say(f"I read: {asked.results[-1]}") if asked.results else call(tool, **arguments)
    )
    chat = world.chat(f"ann/fit{len(tool)}{len(json.dumps(arguments))}")
    answer = await chat.say("Go")
    assert told in answer.text
    assert [(use.tool, use.ok) for use in answer.tool_uses] == [("look_up", "sun m" in told)]
    world.model.script = lambda _: say("All right.")
    await chat.say("And now?")
    sent = json.dumps(world.model.bodies)
    for hidden in ("_turn", "Validation failed", "cloche__"):
        assert hidden not in sent
    kept = json.dumps(await transcript(world, chat.thread), ensure_ascii=False)
    assert "Validation failed" not in kept


async def test_what_does_not_fit_twice_ends_the_calls_of_the_turn(world: World) -> None:
    world.model.script = lambda asked: (
        say("Enough.") if len(asked.results) > 4 else call("look_up", limit=3)
    )
    answer = (await asyncio.gather(world.chat("ann/again").say("Go"), return_exceptions=True))[0]
    assert len(world.model.bodies) == 3  # the last one could call nothing, and said nothing
    assert isinstance(answer, ModelError)


async def test_what_is_recalled_is_in_no_transcript_of_the_gateway(world: World) -> None:
    chat = world.chat("ann/recall")
    await chat.say("Remember me?", turn="<now/><memory>\nMARMALADE-7\n</memory>")
    await chat.say("And now?", turn="<now/>")
    assert "MARMALADE-7" in json.dumps(world.model.bodies[0])
    assert "MARMALADE-7" not in json.dumps(world.model.bodies[1])
    root = world.agent.supervisor._quarters.root  # type: ignore[union-attr]
    files = [path for path in root.rglob("*") if path.is_file()]
    assert any(b"Remember me?" in path.read_bytes() for path in files)
    assert not any(b"MARMALADE-7" in path.read_bytes() for path in files)


async def test_persona_and_skills_stand_in_the_system_text(world: World) -> None:
    await world.chat("ann/persona").say("Hello")
    system = system_of(world.model.bodies[0])
    for text in ("You are Ada, who explains words.", "Speak plainly.", "Never shout."):
        assert text in system
    # Ours, and not the one of the same name that OpenClaw brings.
    assert "<name>weather</name>" in system
    assert "<description>Explains words. Use it for meanings.</description>" in system
    assert f"<location>{world.agent.supervisor._quarters.root}/" in system  # type: ignore[union-attr]
    assert "MISSING" not in system
    assert system.count("<skill>") == 1
    assert system.index("Never shout.") < system.index("How you work here")


async def test_a_skill_is_read_from_the_workspace_and_nothing_outside(world: World) -> None:
    def script(asked: Asked) -> Any:
        if asked.results:
            return say(asked.results[-1][:200])
        path = re.search(r"<location>(/[^<]+)<", asked.system)
        return call("read", path=path[1] if path and "skill" in asked.words else "/etc/hostname")

    world.model.script = script
    chat = world.chat("ann/read")
    assert "Look the word up." in (await chat.say("your skill")).text
    refused = await chat.say("your host")
    assert "escapes" in refused.text
    assert [use.ok for use in refused.tool_uses] == [False]
    assert str(world.agent.supervisor._quarters.root) not in refused.text  # type: ignore[union-attr]


async def test_no_words_have_the_gateway_load_a_picture(world: World) -> None:
    """Pictures go to the vision model, from this process; those of this machine to nobody."""
    workspace = world.agent.supervisor._quarters.workspace  # type: ignore[union-attr]
    path = workspace / "skills" / "weather" / "seen.png"
    PIL.Image.new("RGB", (40, 20), "navy").save(path)
    world.model.script = lambda asked: (
        say("There.")
        if asked.results or "read it" not in asked.words
        else call("read", path=str(path))
    )
    chat = world.chat("ann/pictures")
    for words in (
        f"看看 {path}",
        f"[media attached: {path} (image/png)]",
        "MEDIA:./seen.png",
        "read it",
    ):
        await chat.say(words)
    path.unlink()
    assert len(world.model.bodies) == 5
    assert [request.images for request in world.model.server.requests] == [()] * 5
    assert '"image"' not in json.dumps(world.model.bodies)


async def test_peoples_files_are_not_read_by_the_gateway(world: World) -> None:
    where: list[str] = []

    def script(asked: Asked) -> Any:
        if asked.results:
            return say(asked.results[-1][:200])
        found = re.search(r"<location>(/[^<]+)<", asked.system)
        if not where:
            where.append(found[1] if found else "")
            return say("There.")
        return call("read", path=asked.words.splitlines()[-1])

    world.model.script = script
    chat = world.chat("ann/files")
    await chat.say("Where are you?")
    workspace = Path(where[0]).parents[2]
    home = workspace.parents[2]
    assert (home / "openclaw").is_dir()
    files = FolderFiles(home / "files" / "kept")
    await files.put("console_-ann", "sent/plan.txt", b"MARMALADE-9")
    kept = next((home / "files").rglob("plan.txt"))
    for path in (kept, os.path.relpath(kept, workspace), kept.parent):
        answer = (await chat.say(str(path))).text
        assert "escapes" in answer, answer
        assert "MARMALADE-9" not in answer


async def test_streamed_and_whole_answers_are_the_same(world: World) -> None:
    world.model.script = lambda _: say("It is *light*. 光。  Más no sé.\n\n- one\n- two\n")
    pieces: list[str] = []

    async def hear(piece: str) -> None:
        pieces.append(piece)

    whole = await world.chat("ann/whole").say("What is it?")
    streamed = await world.chat("ann/streamed").say("What is it?", hear)
    assert whole.text == streamed.text == "".join(pieces)
    assert whole.text == "It is *light*. 光。  Más no sé.\n\n- one\n- two"
    assert len(pieces) > 2


async def test_usage_is_what_the_model_counted(world: World) -> None:
    world.model.script = look
    answer = await world.chat("ann/usage").say("What does mean sun ?")
    counted = [request.counted for request in world.model.server.requests]
    assert answer.usage.calls == len(counted) == 2
    assert answer.usage.input_tokens == sum(each.all for each in counted if each)
    assert answer.usage.cache_read_tokens == sum(each.read for each in counted if each)
    assert answer.usage.output_tokens > 0


async def test_a_session_is_told_first_what_it_missed(world: World) -> None:
    chat = world.chat("ann/missed")
    await chat.say("One")
    chat.history.append(Exchange("(a picture)", "That is a <fig>."))
    chat.history.append(Exchange("Two, by another way", "Yes, two."))
    await chat.say("Three")
    await chat.say("Four")
    third, fourth = world.model.bodies[1:]
    told = json.dumps(talk(third)[-1])
    assert "They: (a picture)" in told
    assert "You: That is a &lt;fig&gt;." in told
    assert "One" not in told
    assert json.dumps(talk(fourth)).count("Two, by another way") == 1


async def test_a_session_the_host_knows_otherwise_begins_anew(world: World) -> None:
    chat = world.chat("ann/forgot")
    await chat.say("My secret is LEMON")
    await chat.say("Hello")
    del chat.history[0]  # it was forgotten
    await chat.say("And now?")
    assert "LEMON" not in json.dumps(world.model.bodies[-1])
    assert "They: Hello" in json.dumps(world.model.bodies[-1])


@pytest.mark.parametrize("reply", ["NO_REPLY", " NO_REPLY\n", "MEDIA:/etc/passwd"])
async def test_a_reply_without_words_is_left_to_the_stand_by(world: World, reply: str) -> None:
    world.model.script = lambda _: say(reply)
    chat = world.chat(f"ann/silent{reply.strip()[:3]}")
    with pytest.raises(AgentAwayError) as raised:
        await chat.say("Hello?")
    assert raised.value.usage.calls >= 1


async def test_control_words_reach_no_person(world: World) -> None:
    world.model.script = lambda _: say("[[reply_to_current]] Yes.\nMEDIA:/etc/passwd\nIt is so.")
    pieces: list[str] = []

    async def hear(piece: str) -> None:
        pieces.append(piece)

    whole = await world.chat("ann/control").say("Is it?")
    streamed = await world.chat("ann/control2").say("Is it?", hear)
    assert "".join(pieces) == streamed.text
    for text in (whole.text, streamed.text):
        assert "Yes." in text
        assert "It is so." in text
        assert "[[" not in text
        assert "MEDIA" not in text


@pytest.mark.parametrize("words", ["/status", "/new", "/reset", "/think high", "/model x", "stop"])
async def test_what_looks_like_a_command_of_the_gateway_is_words(world: World, words: str) -> None:
    chat = world.chat(f"ann/{words}")
    await chat.say("Before")
    assert (await chat.say(words)).text == "All right."
    assert words in json.dumps(talk(world.model.bodies[-1])[-1])
    assert "Before" in json.dumps(world.model.bodies[-1])


@pytest.mark.parametrize(
    ("trouble", "cause"),
    [
        (fault(400), "refused"),
        (fault(401), "auth"),
        (fault(403), "auth"),
        (fault(429), "throttled"),
        (fault(500), "server"),
        (fault("slow"), "timeout"),
        (fault("slow", midway=True), "timeout"),
        (fault("truncated"), "cut"),
        (fault("cut"), "cut"),
        (fault("empty"), "empty"),
    ],
    ids=["400", "401", "403", "429", "500", "slow", "stalled", "truncated", "cut", "empty"],
)
@pytest.mark.parametrize("heard", [False, True], ids=["whole", "streamed"])
async def test_a_model_that_fails_is_told_at_once_and_the_next_turn_works(
    world: World, trouble: Fault, cause: str, heard: bool
) -> None:
    async def hear(piece: str) -> None:
        pass

    world.model.script = lambda _: trouble
    chat = world.chat(f"ann/fails-{trouble.status}{trouble.trouble}{heard}")
    started = asyncio.get_running_loop().time()
    with pytest.raises(ModelError) as raised:
        await chat.say("Hello?", hear if heard else None)
    assert asyncio.get_running_loop().time() - started < 30
    # What a person has read a part of is cut, whatever cut it.
    stalled = trouble.midway and heard
    assert raised.value.cause == ("cut" if stalled else cause)
    world.model.script = lambda _: say("Here I am.")
    assert (await chat.say("Are you back?")).text == "Here I am."
    last = json.dumps(talk(world.model.bodies[-1]))
    assert "Hello?" not in last
    assert "ended before" not in last
    assert "gave no answer" not in last


async def test_other_people_are_answered_while_one_s_model_fails(world: World) -> None:
    world.model.script = lambda asked: fault(401) if "ann" in asked.words else say("Here.")
    ann, ben = world.chat("ann/x"), world.chat("ben/x")
    for _ in range(3):
        failed, answered = await asyncio.gather(
            ann.say("I am ann"), ben.say("I am ben"), return_exceptions=True
        )
        assert isinstance(failed, ModelError)
        assert not isinstance(answered, BaseException)
        assert answered.text == "Here."


@pytest.mark.parametrize(
    ("tool", "told"),
    [("crash", "fault on my side"), ("hang", "1"), ("flood", "xxx"), ("no_such_tool", "not found")],
)
async def test_a_tool_that_misbehaves_costs_no_turn(world: World, tool: str, told: str) -> None:
    world.model.script = lambda asked: (
        say(f"I read: {asked.results[-1][-300:]}") if asked.results else call(tool)
    )
    chat = world.chat(f"ann/{tool}")
    async with asyncio.timeout(30):
        answer = await chat.say("Try it")
    assert answer.text.startswith("I read: ")
    assert told in answer.text
    assert "secret inside" not in json.dumps(world.model.bodies)
    world.model.script = lambda _: say("Here I am.")
    assert (await chat.say("And now?")).text == "Here I am."


async def test_tools_that_hang_one_after_another_leave_time_for_words(world: World) -> None:
    seen: list[str] = []

    def script(asked: Asked) -> Any:
        seen.extend(asked.results)
        return say("I could not.") if asked.results else [call("hang"), call("hang")]

    world.model.script = script
    tools = tools_for("ann")
    for one in tools:
        one.tool = replace(one.tool, timeout_seconds=60)
    async with asyncio.timeout(15):
        answer = await world.agent.ask(prompt("Go", "ann/hung", patience=Patience(12)), tools)
    assert answer.text == "I could not."
    assert "gave it up" in seen[0]
    assert "no time left" in seen[1]


@pytest.mark.parametrize("heard", [False, True], ids=["whole", "streamed"])
async def test_a_model_that_hangs_after_a_tool_is_given_up_when_the_wait_is_over(
    world: World, heard: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hear(piece: str) -> None:
        pass

    monkeypatch.setattr("cloche.llm.limits.GROWING_SECONDS", 0.1)
    world.model.script = lambda asked: (
        fault("slow", midway=True) if asked.results else call("look_up", word="sun")
    )
    patience = Patience(4, 4)
    chat = world.chat(f"ann/late{heard}")
    async with asyncio.timeout(30):
        with pytest.raises(ModelError) as raised:
            await chat.say("Go", patience.showing(hear) if heard else None, patience=patience)
    assert raised.value.cause == ("cut" if heard else "timeout")
    assert raised.value.usage.calls >= 1
    world.model.script = lambda _: say("Here I am.")
    assert (await chat.say("And now?")).text == "Here I am."
    assert "just about" not in json.dumps(world.model.bodies[-1])


async def test_what_drips_is_given_as_far_as_it_came(world: World) -> None:
    world.model.script = lambda _: say("word " * 200, pause=0.1)
    answer = await world.chat("ann/drips").say("Go", patience=Patience(4))
    assert answer.text.startswith("word word")
    assert answer.text.endswith(" …")
    assert len(answer.text) < 1_000


async def test_the_same_tool_is_not_called_without_end(world: World) -> None:
    world.model.script = lambda asked: (
        call("look_up", word=f"w{asked.number}") if asked.number % 9 else say("Enough.")
    )
    answer_or_error = await asyncio.gather(
        world.chat("ann/endless").say("Go"), return_exceptions=True
    )
    assert len(world.model.bodies) <= 9
    assert answer_or_error


async def test_two_people_who_alternate_fast_never_meet(world: World) -> None:
    def script(asked: Asked) -> Any:
        mine = list(re.finditer(r"I am (\w+)-(\d+)", asked.words))[-1]
        if asked.results:
            return say(f"{mine[0]} {asked.results[-1]}")
        return call("look_up", word=f"{mine[1]}{mine[2]}")

    world.model.script = script
    chats = {name: world.chat(f"{name}/fast") for name in ("ann", "ben", "zoë")}

    async def talk_on(name: str) -> None:
        for number in range(5):
            answer = await chats[name].say(f"I am {name}-{number}")
            assert answer.text == f"I am {name}-{number} {name}{number} means light (3, for {name})"

    await asyncio.gather(*map(talk_on, chats))
    for body in world.model.bodies:
        named = {name for name in chats if f"I am {name}-" in json.dumps(body, ensure_ascii=False)}
        assert len(named) == 1
    for name in chats:
        kept = json.dumps(await transcript(world, f"{name}/fast"), ensure_ascii=False)
        assert kept.count(f"I am {name}-4") >= 1
        assert not any(f"I am {other}-" in kept for other in chats if other != name)


async def transcript(world: World, thread: str) -> Any:
    """What the gateway itself keeps of a session."""
    import aiohttp

    address = world.agent.supervisor._address
    assert address
    key = world.agent._sessions._known[thread].key
    headers = {"Authorization": f"Bearer {address.token}"}
    url = f"{address.url}/sessions/agent:main:{key}/history"
    async with aiohttp.ClientSession() as http, http.get(url, headers=headers) as answer:
        assert answer.status == 200
        return await answer.json()


async def test_a_call_of_a_turn_that_is_over_is_refused(world: World) -> None:
    import aiohttp

    endpoint, tools = world.agent._endpoint, world.agent._tools
    marks: list[str] = []
    made = world.agent._turns.call

    async def listen(name: str, arguments: Any) -> Any:
        marks.append(arguments["_turn"])
        return await made(name, arguments)

    world.agent._tools._call = listen
    world.model.script = look
    try:
        await world.chat("ann/over").say("What does mean sun ?")
    finally:
        world.agent._tools._call = made
    nonce = marks[0].partition(".")[0]
    again = await world.agent._turns.call("look_up", {"word": "sun", "_turn": marks[0]})
    assert not again.ok
    async with aiohttp.ClientSession() as http:
        headers = {"Authorization": f"Bearer {endpoint.secret}"}
        body = {"model": f"turn-{nonce}", "messages": [{"role": "user", "content": "hi"}]}
        answer = await http.post(f"{endpoint.url}/chat/completions", json=body, headers=headers)
        assert answer.status == 400
        answer = await http.post(f"{endpoint.url}/chat/completions", json=body)
        assert answer.status == 401
        assert (await http.post(tools.url, json={})).status == 401


async def test_what_a_lost_turn_cost_is_counted(world: World) -> None:
    world.model.script = lambda _: say("NO_REPLY")
    with pytest.raises(AgentAwayError) as raised:
        await world.chat("ann/cost").say("Hello?")
    assert raised.value.usage != Usage()
