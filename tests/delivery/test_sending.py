"""Replies on their way: what fails, what is tried again, at which pace, and what never is lost."""

from __future__ import annotations

import asyncio
import logging
from itertools import pairwise
from typing import Any

import pytest

from cloche.channels import (
    Capabilities,
    Left,
    Limits,
    MovedError,
    SendLaterError,
    SendRefusedError,
    UnreachableError,
)
from cloche.messages import Attachment, Button, Reply
from cloche.settings import DeliverySettings

PACED = DeliverySettings(pacing=True)


async def test_a_broken_connection_is_tried_again_in_order(world: Any) -> None:
    world.channel.failures += [ConnectionResetError(), TimeoutError(), RuntimeError("bug")]
    await world.say("one")
    await world.delivery.finished("c1")
    await world.say("two")
    await world.delivery.idle()
    assert world.channel.said == ["re: one", "re: two"]
    assert len(world.slept) == 3
    assert world.slept[0] < 1 < sum(world.slept) < 10


async def test_a_second_reply_waits_behind_one_that_fails(world: Any) -> None:
    world.channel.failures += [ConnectionResetError()] * 3
    await world.say("one")
    await world.say("/two")
    await world.delivery.idle()
    assert world.channel.said == ["re: one", "re: /two"]


async def test_the_platforms_wait_is_obeyed(world: Any) -> None:
    world.channel.failures.append(SendLaterError("flood", seconds=17))
    await world.say("one")
    await world.delivery.idle()
    assert world.channel.said == ["re: one"]
    assert 17 <= world.slept[0] <= 20


async def test_a_refused_part_is_sent_once_more_as_plain_text(world: Any) -> None:
    world.channel.failures.append(SendRefusedError("can't parse entities"))
    await world.say("one")
    await world.delivery.idle()
    assert world.channel.said == ["plain re: one"]
    assert world.slept == []


@pytest.mark.parametrize(
    ("buttons", "lines"),
    [
        ((Button("Yes", "/done 1"), Button("No", "No")), "- Yes: /done 1\n- No"),
        ((Button("Sí", ""), Button(" ", "/omitir 1")), "- Sí\n- /omitir 1"),
        ((Button("完成", "/完成 1"), Button(" ", "")), "- 完成: /完成 1"),
    ],
)
async def test_refused_buttons_are_written_out_as_text(
    build: Any, state: Any, clock: Any, buttons: tuple[Button, ...], lines: str
) -> None:
    world = build(state, clock, capabilities=Capabilities(formatting="entities", buttons=True))
    await world.delivery.start()
    world.assistant.answer = lambda message: Reply("the answer", buttons)
    world.channel.failures.append(SendRefusedError("BUTTON_DATA_INVALID"))
    await world.say("one")
    await world.delivery.idle()
    (part,) = world.channel.sent
    assert part.text == f"plain the answer\n\n{lines}"
    assert part.buttons == ()
    await world.delivery.close()


async def test_refused_buttons_never_make_a_part_too_long(
    build: Any, state: Any, clock: Any
) -> None:
    limits = Limits(text=30)
    world = build(
        state, clock, limits=limits, capabilities=Capabilities(formatting="entities", buttons=True)
    )
    await world.delivery.start()
    buttons = (Button("long enough", "long"), Button("ok", "ok"))
    world.assistant.answer = lambda message: Reply("the answer", buttons)
    world.channel.failures.append(SendRefusedError("BUTTON_DATA_INVALID"))
    await world.say("one")
    await world.delivery.idle()
    assert world.channel.said == ["plain the answer\n\n- ok"]
    await world.delivery.close()


async def test_a_part_refused_twice_does_not_block_the_next(world: Any) -> None:
    world.channel.failures += [SendRefusedError("no"), SendRefusedError("no")]
    await world.say("one")
    await world.delivery.idle()
    await world.say("two")
    await world.delivery.idle()
    assert world.channel.said == ["re: two"]


async def test_who_blocked_the_assistant_gets_everything_after_their_next_message(
    world: Any,
) -> None:
    world.channel.failures.append(UnreachableError("blocked"))
    await world.say("one")
    await world.delivery.idle()
    assert world.channel.said == []
    await world.say("back")
    await world.delivery.idle()
    assert world.channel.said == ["re: one", "re: back"]


async def test_what_waits_for_a_blocked_person_outlives_the_process(
    world: Any, build: Any, state: Any, clock: Any
) -> None:
    world.channel.failures.append(UnreachableError("blocked"))
    await world.say("one")
    await world.delivery.idle()
    await world.delivery.close()
    other = build(state, clock)
    other.channel.failures.append(UnreachableError("still blocked"))
    await other.delivery.start()
    await other.delivery.idle()
    assert other.channel.failures == []
    await other.delivery.accept(world.message("back"))
    await other.delivery.idle()
    assert other.channel.said == ["re: one", "re: back"]
    assert other.assistant.asked == ["back"]


async def test_nothing_is_sent_to_who_left_until_they_write(world: Any) -> None:
    held = world.assistant.hold("one")
    await world.say("one")
    await world.until(lambda: world.assistant.running)
    await world.delivery.accept(Left("u-left", "c1"))
    held.set()
    await world.delivery.idle()
    assert world.channel.said == []
    await world.say("back")
    await world.delivery.idle()
    assert world.channel.said == ["re: one", "re: back"]
    await world.delivery.accept(Left("u-left", "c1"))
    await world.say("again")
    await world.delivery.idle()
    assert world.channel.said[-1] == "re: again"


async def test_a_conversation_that_moved_is_written_to_where_it_is_now(
    world: Any, build: Any, state: Any, clock: Any
) -> None:
    world.channel.failures.append(MovedError("upgraded", conversation="-100"))
    await world.say("one")
    await world.delivery.idle()
    assert [p.conversation for p in world.channel.sent] == ["-100"]
    assert world.slept == []
    await world.say("two", conversation="-100")
    await world.delivery.idle()
    assert world.assistant.messages[1].conversation == "c1"


async def test_a_long_reply_goes_out_in_parts_and_in_order(
    build: Any, state: Any, clock: Any
) -> None:
    world = build(state, clock, limits=Limits(text=4))
    await world.delivery.start()
    world.channel.failures += [ConnectionResetError(), ConnectionResetError()]
    await world.say("abcdefgh")
    await world.delivery.idle()
    assert world.channel.said == ["re: ", "abcd", "efgh"]
    assert len({part.key for part in world.channel.sent}) == 3
    await world.delivery.close()


async def test_a_restart_in_the_middle_of_a_reply_sends_the_rest(
    build: Any, state: Any, clock: Any
) -> None:
    first = build(state, clock, limits=Limits(text=4))
    await first.delivery.start()
    send, forever = first.channel.send, asyncio.Event()

    async def one_then_hang(part: Any) -> None:
        if first.channel.sent:
            await forever.wait()
        await send(part)

    first.channel.send = one_then_hang
    await first.say("abcdefgh")
    await first.until(lambda: len(first.channel.sent) == 1)
    await asyncio.sleep(0.05)
    await first.delivery.close(seconds=0)
    second = build(state, clock, limits=Limits(text=4))
    await second.delivery.start()
    await second.delivery.idle()
    assert first.channel.said + second.channel.said == ["re: ", "abcd", "efgh"]
    assert second.assistant.asked == []


@pytest.mark.parametrize(
    ("limits", "group", "apart"),
    [
        (Limits(text=4, conversation_seconds=1, group_seconds=3), False, 1),
        (Limits(text=4, conversation_seconds=1, group_seconds=3), True, 3),
        (Limits(text=4, per_second=4), False, 0.25),
    ],
)
async def test_replies_keep_the_platforms_pace(
    build: Any, state: Any, clock: Any, limits: Limits, group: bool, apart: float
) -> None:
    world = build(state, clock, limits=limits, settings=PACED)
    await world.delivery.start()
    sent_at: list[float] = []
    send = world.channel.send

    async def timed(part: Any) -> None:
        await send(part)
        sent_at.append(clock.now.timestamp())

    world.channel.send = timed
    await world.say("abcd1234", group=group)
    await world.delivery.idle()
    assert [b - a for a, b in pairwise(sent_at)] == [apart, apart]
    await world.delivery.close()


async def test_all_chats_share_one_pace(build: Any, state: Any, clock: Any) -> None:
    world = build(state, clock, limits=Limits(per_second=10), settings=PACED)
    await world.delivery.start()
    for number in range(5):
        await world.say("hi", conversation=f"c{number}")
        await world.delivery.idle()
    assert len(world.channel.sent) == 5
    assert world.slept == pytest.approx([0.1] * 4, abs=1e-3)
    await world.delivery.close()


async def test_a_flood_to_one_chat_does_not_hold_up_another(world: Any) -> None:
    send, forever = world.channel.send, asyncio.Event()

    async def flooded(part: Any) -> None:
        if part.conversation == "c1":
            await forever.wait()
        await send(part)

    world.channel.send = flooded
    await world.say("one")
    await world.say("two", conversation="c2")
    await world.delivery.finished("c2")
    assert world.channel.said == ["re: two"]


async def test_an_exception_of_a_turn_is_a_sentence_and_never_shown(
    world: Any, caplog: pytest.LogCaptureFixture
) -> None:
    world.assistant.failure = ValueError("secret inner workings")
    with caplog.at_level(logging.CRITICAL):
        await world.say("one")
        await world.delivery.idle()
    assert len(world.channel.said) == 1
    assert "secret" not in world.channel.said[0]
    world.assistant.failure = None
    await world.say("two")
    await world.delivery.idle()
    assert world.channel.said[1] == "re: two"


async def test_a_turn_whose_reply_cannot_be_kept_is_counted(world: Any) -> None:
    async def never(*asked: Any, **more: Any) -> Any:
        raise ValueError("no reply is kept")

    world.delivery._outbox.keep = never
    await world.say("one")
    await world.delivery.idle()
    assert world.gate.spent_for == ["one"]


async def test_a_broken_gate_lets_nobody_in(world: Any) -> None:
    world.gate.failure = RuntimeError("broken")
    await world.say("one")
    await world.say("two", conversation="g", group=True)
    await world.delivery.idle()
    assert world.assistant.asked == []
    assert [p.conversation for p in world.channel.sent] == ["c1"]


async def test_the_gates_sentence_is_sent_instead_of_a_turn(world: Any) -> None:
    world.gate.refused["eve"] = Reply("who are you?")
    await world.say("hi", sender="eve")
    await world.delivery.idle()
    assert world.channel.said == ["who are you?"]
    assert world.assistant.asked == []


async def test_large_and_too_many_files_are_told_beside_the_answer(
    build: Any, state: Any, clock: Any
) -> None:
    world = build(state, clock, limits=Limits(attachments=2, file_bytes=2_500_000))
    await world.delivery.start()
    files = [Attachment(str(n), name=f"n{n}", size=size) for n, size in enumerate((1, 3 * 10**6))]
    await world.say("look", attachments=tuple(files))
    await world.delivery.idle()
    assert [a.ref for a in world.assistant.messages[0].attachments] == ["0"]
    assert world.channel.said[0].startswith("re: look\n\n")
    assert "`n1`" in world.channel.said[0]
    assert "2.5 MB" in world.channel.said[0]
    await world.say("many", attachments=(files[0],) * 3)
    await world.delivery.idle()
    assert len(world.assistant.messages[1].attachments) == 2
    assert "first 2 files" in world.channel.said[1]
    await world.say("", attachments=(files[1],))
    await world.delivery.idle()
    assert len(world.assistant.messages) == 2
    assert "2.5 MB" in world.channel.said[2]
    await world.delivery.close()


async def test_words_too_long_to_keep_are_told_in_a_sentence(world: Any) -> None:
    await world.say("长" * 90_000)
    await world.say("短")
    await world.delivery.idle()
    assert world.assistant.asked == ["短"]
    assert "200 kB" in world.channel.said[0]


async def test_words_that_just_fit_are_kept_whole(world: Any) -> None:
    words = "\x01" * 30_000 + "\ud800" + "x"
    await world.say(words)
    await world.delivery.idle()
    assert world.assistant.asked == [words]


async def test_buttons_the_platform_lacks_are_written_out(
    build: Any, state: Any, clock: Any
) -> None:
    buttons = (Button("Yes", "yes"), Button("No", "No"), Button("x" * 70, "long"))
    world = build(state, clock, capabilities=Capabilities(buttons=True))
    await world.delivery.start()
    world.assistant.answer = lambda message: Reply("Well?", buttons)
    await world.say("hi")
    await world.delivery.idle()
    assert world.channel.sent[0].buttons == buttons[:2]
    assert world.channel.said[0].startswith("Well?\n\n- xxx")
    await world.delivery.close()
    plain = build(state, clock)
    await plain.delivery.start()
    plain.assistant.answer = world.assistant.answer
    await plain.delivery.accept(world.message("hi"))
    await plain.delivery.idle()
    assert plain.channel.sent[0].buttons == ()
    assert "- Yes: `yes`\n- No\n" in plain.channel.said[0]
    await plain.delivery.close()


async def test_people_see_that_an_answer_is_being_written(
    build: Any, state: Any, clock: Any
) -> None:
    world = build(state, clock, capabilities=Capabilities(typing_seconds=4))
    await world.delivery.start()
    held = world.assistant.hold("one")
    await world.say("one")
    await world.until(lambda: len(world.channel.typed) >= 3)
    held.set()
    await world.delivery.idle()
    typed = len(world.channel.typed)
    await asyncio.sleep(0.01)
    assert len(world.channel.typed) == typed
    assert set(world.slept) == {4}
    await world.delivery.close()


class Watches:
    def __init__(self, broken: bool) -> None:
        self.seen: list[str] = []
        self.broken = broken

    def _see(self, what: str) -> None:
        self.seen.append(what)
        if self.broken:
            raise RuntimeError("a page went away")

    async def began(self, message: Any) -> None:
        self._see(f"began {message.text}")

    async def delta(self, piece: str) -> None:
        self._see(f"delta {piece}")

    async def answered(self, turn: Any) -> None:
        self._see(f"answered {turn.reply.text}")

    async def followed(self, remembered: Any) -> None:
        self._see("followed")


@pytest.mark.parametrize("broken", [False, True])
async def test_a_page_sees_the_answer_grow_and_its_failure_stops_nothing(
    world: Any, broken: bool
) -> None:
    world.channel.watcher = watches = Watches(broken)
    send = world.channel.send

    async def seen(part: Any) -> None:
        watches.seen.append("sent")
        await send(part)

    world.channel.send = seen
    await world.say("one")
    await world.delivery.idle()
    assert watches.seen == ["began one", "delta one", "answered re: one", "sent", "followed"]
    assert world.channel.said == ["re: one"]


async def test_a_reply_that_cannot_be_rendered_is_sent_as_it_was_written(
    world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> Any:
        raise RuntimeError("no grammar")

    turns = world.delivery._conversations._run.__self__
    monkeypatch.setattr(turns, "_render", broken)
    await world.say("x" * 5000)
    await world.delivery.idle()
    assert "".join(world.channel.said) == "re: " + "x" * 5000
    assert len(world.channel.said) > 1


async def test_the_time_of_attempts_counts_into_the_patience(world: Any) -> None:
    """A platform that is silent for a minute each time is left after a day, not after two."""
    send, begun = world.channel.send, world.clock()
    attempts = []

    async def never(part: Any) -> None:
        attempts.append(part.text)
        if part.text != "re: one":
            return await send(part)
        world.clock.pass_(seconds=3600)
        raise TimeoutError

    world.channel.send = never
    await world.say("one")
    await world.say("/two")
    await world.delivery.idle()
    assert world.channel.said == ["re: /two"]
    assert 20 <= attempts.count("re: one") <= 24
    assert (world.clock() - begun).total_seconds() < 26 * 3600
