"""Order, merging, bursts, edits, groups: what a person sees of the queue."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cloche.channels import Left, Limits, Moved
from cloche.errors import MemoryUnavailableError
from cloche.messages import Address, Attachment, Correction, Quoted


async def test_a_message_is_answered_and_what_follows_is_done(world: Any) -> None:
    await world.say("hello")
    await world.delivery.finished("c1")
    assert world.channel.said == ["re: hello"]
    assert world.assistant.followed == ["hello"]
    assert world.gate.spent_for == ["hello"]
    assert world.delivery.busy == 0


async def test_an_update_delivered_again_is_answered_once(world: Any) -> None:
    message = await world.say("hello")
    await world.delivery.accept(message)
    await world.delivery.idle()
    await world.delivery.accept(message)
    await world.delivery.idle()
    assert world.channel.said == ["re: hello"]


async def test_after_a_day_an_update_is_forgotten(world: Any) -> None:
    message = await world.say("hello")
    await world.delivery.idle()
    world.clock.pass_(hours=23, minutes=59)
    await world.delivery.accept(message)
    await world.delivery.idle()
    assert world.assistant.asked == ["hello"]
    world.clock.pass_(minutes=2)
    await world.delivery.accept(message)
    await world.delivery.idle()
    assert world.assistant.asked == ["hello", "hello"]


async def test_what_queues_up_during_a_turn_becomes_the_next_one(world: Any) -> None:
    held = world.assistant.hold("one")
    await world.say("one")
    await world.until(lambda: world.assistant.running)
    await world.say("two")
    await world.say("three")
    held.set()
    await world.delivery.idle()
    assert world.assistant.asked == ["one", "two\nthree"]
    assert world.channel.said == ["re: one", "re: two\nthree"]


async def test_what_one_request_brings_is_one_turn(world: Any) -> None:
    await world.delivery.accept(world.message("one"), world.message("two"))
    await world.delivery.idle()
    assert world.assistant.asked == ["one\ntwo"]


async def test_commands_are_turns_of_their_own(world: Any) -> None:
    texts = ["one", "two", "/memory", "／new", "three", "four"]
    await world.delivery.accept(*map(world.message, texts))
    await world.delivery.idle()
    assert world.assistant.asked == ["one\ntwo", "/memory", "／new", "three\nfour"]


async def test_two_people_in_a_group_are_never_merged(world: Any) -> None:
    ann = [world.message(text, group=True) for text in ("a1", "a2")]
    bob = world.message("b1", sender="bob", group=True)
    await world.delivery.accept(ann[0], bob, ann[1])
    await world.delivery.idle()
    assert world.assistant.asked == ["a1", "b1", "a2"]
    assert [m.address.sender for m in world.assistant.messages] == ["ann", "bob", "ann"]


async def test_conversations_do_not_wait_for_each_other(world: Any) -> None:
    held = world.assistant.hold("slow")
    await world.say("slow")
    await world.say("quick", conversation="c2")
    await world.delivery.finished("c2")
    assert world.channel.said == ["re: quick"]
    held.set()
    await world.delivery.idle()


async def test_threads_of_a_chat_are_conversations_of_their_own(world: Any) -> None:
    held = world.assistant.hold("slow")
    await world.say("slow", thread="1")
    await world.say("quick", thread="2")
    await world.delivery.finished("c1#2")
    assert [(p.thread, p.text) for p in world.channel.sent] == [("2", "re: quick")]
    held.set()
    await world.delivery.idle()


async def test_no_more_turns_run_at_once_than_the_operator_allows(
    build: Any, state: Any, clock: Any
) -> None:
    from cloche.settings import DeliverySettings

    world = build(state, clock, settings=DeliverySettings(conversations=2, pacing=False))
    await world.delivery.start()
    held = world.assistant.hold("hi")
    for number in range(6):
        await world.say("hi", conversation=f"c{number}")
    await world.until(lambda: len(world.assistant.running) == 2)
    held.set()
    await world.delivery.idle()
    assert len(world.channel.sent) == 6
    assert world.assistant.most_at_once == 2
    await world.delivery.close()


async def test_an_album_is_one_turn_with_every_caption_and_file(world: Any) -> None:
    parts = []
    for number in range(4):
        file = Attachment(f"f{number}", size=10)
        text = f"caption {number}" if number % 2 else ""
        parts.append(world.message(text, burst="album", attachments=(file,)))
    await asyncio.gather(*map(world.delivery.accept, parts))
    await world.delivery.idle()
    (message,) = world.assistant.messages
    assert message.text == "caption 1\ncaption 3"
    assert [a.ref for a in message.attachments] == ["f0", "f1", "f2", "f3"]
    assert len(world.channel.sent) == 1
    assert world.slept, "the album was not waited for"


async def test_parts_of_an_album_come_together_round_somebody_elses_words(world: Any) -> None:
    first = world.message("look", burst="album", group=True)
    between = world.message("hm", sender="bob", group=True)
    second = world.message("at this", burst="album", group=True)
    await world.delivery.accept(first, between, second)
    await world.delivery.idle()
    assert world.assistant.asked == ["look\nat this", "hm"]


async def test_an_edit_replaces_words_that_still_wait(world: Any) -> None:
    held = world.assistant.hold("one")
    await world.say("one")
    await world.until(lambda: world.assistant.running)
    wrong = await world.say("two spons")
    await world.say("and three")
    await world.say("two spoons", ref=wrong.ref, edits=True)
    held.set()
    await world.delivery.idle()
    assert world.assistant.asked == ["one", "two spoons\nand three"]
    assert world.assistant.messages[1].corrected == ()


async def test_an_edit_of_what_was_answered_is_a_note_in_the_next_turn(world: Any) -> None:
    said = await world.say("two spons")
    await world.delivery.idle()
    await world.say("two spoonz", ref=said.ref, edits=True)
    await world.say("two spoons", ref=said.ref, edits=True)
    await world.delivery.idle()
    assert world.assistant.asked == ["two spons"]
    await world.say("thanks")
    await world.delivery.idle()
    assert world.assistant.messages[1].text == "thanks"
    assert world.assistant.messages[1].corrected == (Correction("two spons", "two spoons"),)
    await world.say("bye")
    await world.delivery.idle()
    assert world.assistant.messages[2].corrected == ()


async def test_a_note_survives_the_process_and_lapses_after_a_day(
    world: Any, build: Any, state: Any, clock: Any
) -> None:
    said = await world.say("two spons")
    await world.delivery.idle()
    await world.say("two spoons", ref=said.ref, edits=True)
    await world.delivery.close()
    other = build(state, clock)
    await other.delivery.start()
    await other.delivery.accept(world.message("next"))
    await other.delivery.idle()
    assert other.assistant.messages[0].corrected == (Correction("two spons", "two spoons"),)
    await other.delivery.accept(
        world.message("two forks", ref=said.ref, edits=True), world.message("/help")
    )
    await other.delivery.idle()
    clock.pass_(hours=25)
    third = build(state, clock)
    await third.delivery.start()
    await third.delivery.accept(world.message("last"))
    await third.delivery.idle()
    assert third.assistant.messages[0].corrected == ()


@pytest.mark.parametrize(("was", "now"), [("/forget all", "/forget one"), ("tea", "/forget all")])
async def test_an_edit_never_runs_a_command(world: Any, was: str, now: str) -> None:
    said = await world.say(was)
    await world.delivery.idle()
    await world.say(now, ref=said.ref, edits=True)
    await world.say("next")
    await world.delivery.idle()
    assert world.assistant.asked == [was, "next"]
    assert world.assistant.messages[1].corrected == ()


async def test_a_command_edited_while_it_waits_runs_once_as_it_is_now(world: Any) -> None:
    held = world.assistant.hold("one")
    await world.say("one")
    await world.until(lambda: world.assistant.running)
    wrong = await world.say("/forgt")
    await world.say("/forget x", ref=wrong.ref, edits=True)
    held.set()
    await world.delivery.idle()
    assert world.assistant.asked == ["one", "/forget x"]


async def test_an_edit_that_changes_no_word_is_no_note(world: Any) -> None:
    said = await world.say("see example.org")
    await world.delivery.idle()
    await world.say("see example.org", ref=said.ref, edits=True)
    await world.say("next")
    await world.delivery.idle()
    assert world.assistant.messages[1].corrected == ()


async def test_nobody_corrects_anothers_words(world: Any) -> None:
    held = world.assistant.hold("one")
    await world.say("one", group=True)
    await world.until(lambda: world.assistant.running)
    said = await world.say("mine", group=True)
    await world.say("stolen", sender="bob", ref=said.ref, edits=True, group=True)
    held.set()
    await world.delivery.idle()
    assert world.assistant.asked == ["one", "mine"]


async def test_words_to_others_in_a_group_are_only_overheard(world: Any) -> None:
    await world.say("psst", group=True, addressed=False)
    await world.say("psst psst", group=True, addressed=False)
    await world.say("you there", group=True)
    await world.delivery.idle()
    assert [m.text for m in world.assistant.overheard] == ["psst", "psst psst"]
    assert world.assistant.asked == ["you there"]
    assert world.gate.asked == ["you there"]
    assert len(world.channel.sent) == 1


async def test_a_strangers_words_in_a_group_are_overheard_and_met_with_silence(world: Any) -> None:
    world.gate.refused["eve"] = None
    await world.say("answer me", sender="eve", group=True)
    await world.delivery.idle()
    assert world.channel.sent == []
    assert world.assistant.asked == []
    assert [m.text for m in world.assistant.overheard] == ["answer me"]


async def test_merging_stops_at_the_files_the_channel_reads(
    build: Any, state: Any, clock: Any
) -> None:
    world = build(state, clock, limits=Limits(attachments=3))
    await world.delivery.start()
    two = (Attachment("a", size=1), Attachment("b", size=1))
    await world.delivery.accept(
        world.message("first", attachments=two), world.message("second", attachments=two)
    )
    await world.delivery.idle()
    assert world.assistant.asked == ["first", "second"]
    assert world.channel.said == ["re: first", "re: second"]
    await world.delivery.close()


async def test_merged_words_keep_what_was_quoted_and_point_at_the_last(world: Any) -> None:
    quote = Quoted("their words", "Bob", forwarded=True)
    await world.delivery.accept(
        world.message("see", quoted=(quote,), group=True), world.message("well?", group=True)
    )
    await world.delivery.idle()
    assert world.assistant.messages[0].quoted == (quote,)
    assert world.channel.sent[0].answers == "m2"


async def test_words_that_are_merged_or_edited_keep_their_formatting(world: Any) -> None:
    first = world.message("water me", formatted="**water** me")
    await world.delivery.accept(first, world.message("no *signs*"))
    await world.delivery.idle()
    (merged,) = world.assistant.messages
    assert merged.text == "water me\nno *signs*"
    assert merged.formatted == "**water** me\nno *signs*"
    held = world.assistant.hold("wait")
    await world.say("wait")
    await world.until(lambda: world.assistant.running)
    queued = await world.say("one", formatted="**one**")
    await world.say("two", formatted="_two_", ref=queued.ref, edits=True)
    held.set()
    await world.delivery.idle()
    assert (world.assistant.messages[-1].text, world.assistant.messages[-1].formatted) == (
        "two",
        "_two_",
    )
    await world.say("plain")
    await world.delivery.idle()
    assert world.assistant.messages[-1].formatted == ""


async def test_a_conversation_that_moved_keeps_its_name_for_memory(
    world: Any, build: Any, state: Any, clock: Any
) -> None:
    await world.say("before")
    await world.delivery.idle()
    await world.delivery.accept(
        Moved("u-move", "c1", "c1-new"), world.message("after", conversation="c1-new")
    )
    await world.delivery.idle()
    assert [m.conversation for m in world.assistant.messages] == ["c1", "c1"]
    assert [p.conversation for p in world.channel.sent] == ["c1", "c1-new"]
    await world.delivery.close()
    other = build(state, clock)
    await other.delivery.start()
    await other.delivery.accept(world.message("later", conversation="c1-new"))
    await other.delivery.idle()
    assert other.assistant.messages[0].conversation == "c1"
    assert other.channel.sent[0].conversation == "c1-new"


@pytest.mark.parametrize("thread", ["", "7"])
async def test_an_update_delivered_again_after_its_chat_moved_is_answered_once(
    world: Any, build: Any, state: Any, clock: Any, thread: str
) -> None:
    """Its chat is called by the new id in it, before and after the move is known."""
    update = world.message("hello", conversation="c1-new", group=True, thread=thread)
    await world.delivery.accept(update)
    await world.delivery.accept(Moved("u-move", "c1", "c1-new"))
    await world.delivery.accept(update)
    assert await world.delivery.knows(update)
    await world.delivery.idle()
    assert world.channel.said == ["re: hello"]
    later = world.message("later", conversation="c1-new", group=True, thread=thread)
    await world.delivery.accept(later)
    await world.delivery.accept(Moved("u-move-2", "c1-new", "c1-newest"))
    await world.delivery.accept(later)
    await world.delivery.idle()
    await world.delivery.close(seconds=1)
    other = build(state, clock)
    await other.delivery.start()
    await other.delivery.accept(update, later)
    await other.delivery.idle()
    assert [*world.channel.said, *other.channel.said] == ["re: hello", "re: later"]
    await other.delivery.close(seconds=1)


async def test_who_left_is_taken_for_gone_once_whatever_their_chat_is_called(world: Any) -> None:
    left = Left("u-left", "c1-new")
    await world.delivery.accept(left)
    await world.delivery.accept(Moved("u-move", "c1", "c1-new"))
    await world.say("back", conversation="c1-new")
    await world.delivery.accept(left)
    await world.delivery.idle()
    assert world.channel.said == ["re: back"]
    assert world.delivery.reaches("c1-new")


@pytest.mark.parametrize("by_place", [False, True])
async def test_a_turn_of_a_chat_that_moved_is_run_again_with_all_its_rows(
    world: Any, build: Any, state: Any, clock: Any, by_place: bool
) -> None:
    """Its rows were kept by different names of the chat."""
    world.assistant.hold("one")
    await world.say("one", conversation="c1", thread="7")
    await world.until(lambda: world.assistant.running)
    world.assistant.hold("two\nthree")
    await world.say("two", conversation="c1", thread="7")
    await world.delivery.accept(
        Moved("u-move", "c1", "c1-new"), world.message("three", conversation="c1-new", thread="7")
    )
    world.assistant.gates["one"].set()
    await world.until(lambda: "two\nthree" in world.assistant.asked)
    await world.delivery.close(seconds=0)
    other = build(state, clock)
    await other.delivery.start(by_place=by_place)
    await other.say("four", id="u-4", conversation="c1-new", thread="7")
    await other.delivery.idle()
    assert other.assistant.asked == ["two\nthree", "four"]
    await other.delivery.close(seconds=1)


@pytest.mark.parametrize("fails", [1, 2, 3])
async def test_behind_a_message_that_could_not_be_kept_none_is(
    world: Any, state: Any, fails: int
) -> None:
    """What comes again comes in the order it was written, in each conversation."""
    mine = [world.message(text) for text in ("one", "two", "three")]
    elsewhere = world.message("elsewhere", conversation="c2", address=Address("doorway", "bob"))
    claim, broken = state.compare_and_set, {world.delivery._inbox._key("c1", f"u{fails}")}

    async def away_once(key: str, *also: Any, **more: Any) -> Any:
        if key in broken:
            broken.remove(key)
            raise MemoryUnavailableError("busy", cause="locked")
        return await claim(key, *also, **more)

    state.compare_and_set = away_once
    with pytest.raises(MemoryUnavailableError):
        await world.delivery.accept(*mine, elsewhere)
    await world.delivery.idle()
    assert "elsewhere" in world.assistant.asked
    await world.delivery.accept(*mine, elsewhere)
    await world.delivery.idle()
    told = [text for text in world.assistant.asked if text != "elsewhere"]
    assert "\n".join(told) == "one\ntwo\nthree"
    assert world.assistant.asked.count("elsewhere") == 1


@pytest.mark.parametrize("said", ["to others", "to the assistant"])
async def test_an_edit_that_the_store_is_away_for_is_not_lost_nor_what_follows_it(
    world: Any, state: Any, said: str
) -> None:
    mine = said != "to others"
    first = await world.say("one spoon", group=True, addressed=mine)
    await world.delivery.idle()
    edit = world.message("two spoons", ref=first.ref, edits=True, group=True)
    write, away = state.compare_and_set, [True] * 3

    async def away_for_a_while(key: str, value: Any, *also: Any, **more: Any) -> Any:
        if key.startswith("inbox/") and more["version"] and away:
            away.pop()
            raise MemoryUnavailableError("busy", cause="locked")
        return await write(key, value, *also, **more)

    state.compare_and_set = away_for_a_while
    await world.delivery.accept(edit, world.message("and tea", group=True))
    await world.delivery.idle()
    assert world.assistant.asked[-1] == ("and tea" if mine else "two spoons\nand tea")
    corrected = [note.now for note in world.assistant.messages[-1].corrected]
    assert corrected == (["two spoons"] if mine else [])


async def test_a_stopped_turn_is_over_and_the_next_message_is_answered(world: Any) -> None:
    assert not await world.delivery.stop("c1")
    world.assistant.hold("long")
    await world.say("long")
    await world.until(lambda: world.assistant.running)
    assert await world.delivery.stop("c1")
    await world.say("next")
    await world.delivery.idle()
    assert world.channel.said == ["re: next"]


async def test_who_hangs_up_has_sent_it_all_the_same(world: Any) -> None:
    task = asyncio.create_task(world.delivery.accept(world.message("hello")))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await world.until(lambda: world.channel.said == ["re: hello"])
    await world.delivery.idle()


async def test_nothing_is_taken_before_the_start_and_after_the_end(
    build: Any, state: Any, clock: Any
) -> None:
    world = build(state, clock)
    with pytest.raises(MemoryUnavailableError):
        await world.say("early")
    await world.delivery.start()
    await world.delivery.close()
    with pytest.raises(MemoryUnavailableError):
        await world.say("late")
    assert (world.channel.opened, world.channel.closed) == (1, 1)


async def test_the_same_id_in_two_chats_is_two_updates(world: Any) -> None:
    await world.say("here", id="7")
    await world.say("there", id="7", conversation="c2", address=Address("doorway", "bob"))
    await world.delivery.idle()
    assert sorted(world.assistant.asked) == ["here", "there"]


@pytest.mark.parametrize("now", ["@bot two spoons?", "@bot ¿dos cucharas?", "@bot 两把勺子？"])
async def test_an_edit_that_names_the_bot_at_last_is_a_first_address(world: Any, now: str) -> None:
    said = await world.say("nobody asked", group=True, addressed=False)
    await world.delivery.idle()
    assert world.channel.said == []
    await world.say(now, group=True, ref=said.ref, edits=True)
    await world.delivery.idle()
    assert world.channel.said == [f"re: {now}"]
    await world.say("@bot three spoons", group=True, ref=said.ref, edits=True)
    await world.delivery.idle()
    assert world.channel.said == [f"re: {now}"], "from then on it was answered"


async def test_a_first_address_survives_the_process(
    world: Any, state: Any, clock: Any, build: Any
) -> None:
    said = await world.say("nobody asked", group=True, addressed=False)
    await world.delivery.idle()
    world.assistant.hold("@bot spoons?")
    await world.say("@bot spoons?", group=True, ref=said.ref, edits=True)
    await world.until(lambda: world.assistant.asked == ["@bot spoons?"])
    await world.delivery.close(seconds=0)
    other = build(state, clock)
    await other.delivery.start()
    await other.delivery.idle()
    assert other.channel.said == ["re: @bot spoons?"]
    await other.delivery.close(seconds=1)


async def test_words_to_others_that_become_a_command_run_none(world: Any) -> None:
    said = await world.say("nobody asked", group=True, addressed=False)
    await world.delivery.idle()
    await world.say("/forget x", group=True, ref=said.ref, edits=True)
    await world.delivery.idle()
    assert world.assistant.asked == []
