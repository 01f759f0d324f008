"""Two doors of one person: linked by a code confirmed from both, with what the second had."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from cloche.access.codes import make_code
from cloche.access.doors import handle_of
from cloche.errors import MemoryUnavailableError
from cloche.ids import actor_id
from cloche.links import KEY, LinkError
from cloche.llm.usage import Usage
from cloche.memory.holdings import read_holdings
from cloche.memory.records import Tag
from cloche.messages import Address
from cloche.people import person_prefix
from cloche.reminders.reminder import Place, Reminder, reminder_id
from cloche.reminders.schedule import Once

if TYPE_CHECKING:
    from conftest import Build, House

ANA, ANN, BEN = Address("telegram", "ana"), Address("slack", "ann"), Address("telegram", "ben")
A, B = actor_id(ANA), actor_id(ANN)


@pytest.fixture
async def home(house: House) -> House:
    """Ana owns the assistant, and Ann's door (hers, too) was let in and told something."""
    await house.claim()
    await house.let_in("ann", "slack")
    await house.say("ana", "I drink oolong.")
    await house.say("ann", "My cat is called Miso.", "slack")
    return house


async def texts(house: House, actor: str) -> list[str]:
    return sorted(record.text for record in await house.memory.store.iterate(actor))


async def said(house: House, actor: str) -> list[str]:
    return sorted(event.user_text for event in await house.memory.store.iterate_events(actor))


async def actor(house: House, address: Address) -> str:
    return await house.people.actor_of(address)


async def test_what_the_second_door_had_is_the_persons_after_both_confirmed(home: House) -> None:
    told = await home.link("ann")
    assert "memories: 1" in told
    assert await texts(home, A) == ["I drink oolong.", "My cat is called Miso."]
    assert await said(home, A) == ["I drink oolong.", "My cat is called Miso."]
    assert await texts(home, B) == []
    assert await said(home, B) == []
    assert await home.memory.state.list_items(person_prefix(B)) == []
    assert "Miso" in await home.say("ana", "/memory")
    assert "oolong" in await home.say("ann", "/memory", "slack")
    await home.say("ann", "I hate anise.", "slack")
    assert "I hate anise." in await texts(home, A)


async def test_before_the_first_confirms_nothing_is_linked(home: House) -> None:
    code = (await home.say("ana", "/link")).split("/link ")[1].split("`")[0]
    await home.say("ann", f"/link {code}", "slack")
    assert await actor(home, ANN) == B
    assert "Ann" in await home.say("ana", "/link yes"), "nobody confirms without being told who"
    assert await actor(home, ANN) == B
    assert "Done" in await home.say("ana", "/link yes")
    assert await actor(home, ANN) == A


@pytest.mark.parametrize("who", ["ana", "ann"])
async def test_either_side_can_take_it_back(home: House, who: str) -> None:
    code = (await home.say("ana", "/link")).split("/link ")[1].split("`")[0]
    await home.say("ann", f"/link {code}", "slack")
    channel = "telegram" if who == "ana" else "slack"
    assert "no longer" in await home.say(who, "/link no", channel)
    assert "Nobody" in await home.say("ana", "/link yes")
    assert await actor(home, ANN) == B


async def test_a_code_is_good_for_one_door_and_for_half_an_hour(home: House) -> None:
    await home.let_in("ben")
    code = (await home.say("ana", "/link")).split("/link ")[1].split("`")[0]
    await home.say("ann", f"/link {code}", "slack")
    assert "can't let you in" in await home.say("ben", f"/link {code}")
    await home.say("ana", "/link no")
    late = (await home.say("ana", "/link")).split("/link ")[1].split("`")[0]
    home.clock.pass_(minutes=30, seconds=1)
    assert "can't let you in" in await home.say("ann", f"/link {late}", "slack")


async def test_a_known_person_has_a_few_tries_with_codes_too(home: House) -> None:
    told = [await home.say("ann", f"/link {make_code()}", "slack") for _ in range(6)]
    assert "Those were too many" in told[-1]
    assert "Those were too many" not in told[-2]
    code = (await home.say("ana", "/link")).split("/link ")[1].split("`")[0]
    assert "Those were too many" in await home.say("ann", f"/link {code}", "slack")
    assert await home.say("ann", "hello", "slack")


async def test_a_door_that_nobody_let_in_comes_in_by_the_link(home: House) -> None:
    await home.link("annie", channel="mail")
    assert "oolong" in await home.say("annie", "/memory", "mail")
    assert "Ana" in await home.say("annie", "/people", "mail"), "the owner's door is the owner's"
    await home.say("annie", "/unlink", "mail")
    assert "let in" in await home.say("annie", "hello", "mail")


async def test_one_door_cannot_be_linked_to_itself(home: House) -> None:
    code = (await home.say("ana", "/link")).split("/link ")[1].split("`")[0]
    assert "already" in await home.say("ana", f"/link {code}")
    await home.link("ann")
    code = (await home.say("ana", "/link")).split("/link ")[1].split("`")[0]
    assert "already" in await home.say("ann", f"/link {code}", "slack")


async def test_a_group_is_no_place_to_link(home: House) -> None:
    group = {"conversation": "family", "group": True}
    private = "private"
    assert private in await home.say("ana", "/link", **group)
    assert private in await home.say("ana", "/link yes", **group)
    assert private in await home.say("ana", "/people", **group)
    code = (await home.say("ana", "/link")).split("/link ")[1].split("`")[0]
    assert private in await home.say("ann", f"/link {code}", "slack", **group)
    assert await home.doors.linking.asker(A) is None


async def test_three_doors_are_one_person(home: House) -> None:
    await home.link("ann")
    await home.let_in("anne", "mail")
    await home.say("anne", "I collect stamps.", "mail")
    code = (await home.say("ann", "/link", "slack")).split("/link ")[1].split("`")[0]
    await home.say("anne", f"/link {code}", "mail")
    await home.say("ana", "/link")
    assert "Done" in await home.say("ann", "/link yes", "slack")
    assert await actor(home, Address("mail", "anne")) == A
    assert len(await texts(home, A)) == 3


async def test_a_person_with_doors_brings_them_along(home: House) -> None:
    await home.link("ann")
    await home.let_in("ben")
    await home.say("ben", "My boat is red.")
    await home.link("ana", first="ben", channel="telegram")
    for door in (ANA, ANN, BEN):
        assert await actor(home, door) == actor_id(BEN)
    assert len(await texts(home, actor_id(BEN))) == 3


async def test_unlinking_changes_only_what_comes_later(home: House) -> None:
    await home.link("ann")
    assert "remembered by itself" in await home.say("ann", "/unlink", "slack")
    assert "I remember nothing" in await home.say("ann", "/memory", "slack")
    await home.say("ann", "My dog is called Rex.", "slack")
    assert await texts(home, A) == ["I drink oolong.", "My cat is called Miso."]
    assert await texts(home, B) == ["My dog is called Rex."]


async def test_the_person_parts_a_door_by_its_number(home: House) -> None:
    assert "No other chat" in await home.say("ana", "/unlink")
    await home.link("ann")
    assert "1. Ann (`slack:ann`)" in await home.say("ana", "/unlink")
    assert "1. Ann (`slack:ann`)" in await home.say("ana", "/unlink 7")
    assert "Parted" in await home.say("ana", "/unlink 1")
    assert await actor(home, ANN) == B


@pytest.mark.parametrize(
    ("language", "refused", "roles"),
    [
        ("en", "Ask me in Ana (`telegram:ana`)", "Ana (`telegram:ana`) — owner, this chat — guest"),
        ("es", "Pídemelo en Ana", "Ana (`telegram:ana`) — a cargo, este chat — invitado"),
        ("zh", "请在 Ana", "Ana (`telegram:ana`) — 主人，这里 — 客人"),
    ],
)
async def test_doors_of_one_person_keep_their_roles_and_the_chat_says_so(
    home: House, language: str, refused: str, roles: str
) -> None:
    await home.say("ann", f"/language {language}", "slack")
    code = (await home.say("ann", "/link", "slack")).split("`")[1].split()[1]
    await home.say("ana", f"/link {code}")
    await home.say("ann", "/link", "slack")
    assert roles in await home.say("ann", "/link yes", "slack")
    for asked in ("/people", "/pair"):
        assert refused in await home.say("ann", asked, "slack")
    await home.say("ana", "/language en")
    listed = await home.say("ana", "/people")
    ana, ann = handle_of(ANA), handle_of(ANN)
    assert f"`{ana}` Ana (`telegram:ana`) — owner, joined with Ann `{ann}` — " in listed
    assert f"`{ann}` Ann (`slack:ann`) — guest, joined with Ana `{ana}` — " in listed


async def test_a_door_that_has_all_its_person_may_do_is_told_of_no_roles(home: House) -> None:
    told = await home.link("ann")
    assert told.startswith("Done: Ann (`slack:ann`) and this chat are one.")
    assert "—" not in told


async def test_a_person_cannot_be_let_in_again_who_is_in(home: House) -> None:
    await home.link("ann")
    assert "you are in already" in await home.say("ana", "/people allow Ann")
    assert "can't show yourself out" in await home.say("ana", "/people remove Ann")


async def test_what_is_no_code_is_told_so_in_a_joined_chat_too(home: House) -> None:
    await home.link("ann")
    assert "can't let you in with that code" in await home.say("ann", "/link nonsense", "slack")
    told = await home.say("ann", f"/link {make_code()}", "slack")
    assert told.startswith("This chat is joined to another one already")


@pytest.mark.parametrize(
    ("language", "come", "stay"),
    [
        ("en", "come here from now on: 1", "belong to this chat alone: 1"),
        ("es", "llegan aquí desde ahora: 1", "son solo de este chat: 1"),
        ("zh", "发到这里：1 个", "只属于这个聊天：1 个"),
    ],
)
async def test_reminders_of_a_door_that_is_parted_are_told_still_and_it_is_said_where(
    home: House, language: str, come: str, stay: str
) -> None:
    store, at = home.memory.reminders, home.clock() + timedelta(hours=1)

    async def ask(text: str, place: Place) -> None:
        id_ = reminder_id(A, text)
        await store.put(Reminder(id_, A, place, text, "en", Once(at, "UTC"), home.clock()))

    async def told() -> dict[str, list[tuple[str, str]]]:
        """What comes where, by door, to whom it belongs."""
        due = await store.due(at, ["telegram", "slack"])
        found: dict[str, list[tuple[str, str]]] = {}
        for one in due:
            door = Address(one.place.channel, one.place.sender)
            assert await home.people.actor_of(door) == one.actor  # else nobody would be told
            found.setdefault(one.place.conversation, []).append((one.text, one.actor))
        return {where: sorted(texts) for where, texts in found.items()}

    there = Place("slack", "D7", "ann")
    await home.link("ann")
    await home.say("ana", f"/language {language}")
    await ask("oil the pegs", there)
    await ask("tune", Place("telegram", "ana", "ana"))
    assert come in await home.say("ana", "/unlink 1")
    assert await told() == {"ana": [("oil the pegs", A), ("tune", A)]}
    # Said at the door itself, it keeps what was asked for there.
    await home.say("ana", "/language en")
    await home.link("ann")
    await home.say("ana", f"/language {language}")
    await ask("buy strings", there)
    assert stay in await home.say("ann", "/unlink", "slack")
    assert await told() == {
        "ana": [("oil the pegs", A), ("tune", A)],
        "D7": [("buy strings", B)],
    }
    assert len(await store.list(A)) == 2


async def test_a_parted_door_without_reminders_says_nothing_of_them(home: House) -> None:
    await home.link("ann")
    assert "eminders" not in await home.say("ana", "/unlink 1")


async def test_a_parted_door_is_named_as_it_is_listed(home: House) -> None:
    await home.link("ann")
    assert "in Ann (`slack:ann`) from now on" in await home.say("ana", "/unlink 1")


async def test_while_links_cannot_be_read_nobody_uses_another_persons_memory(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await home.link("ann")
    real = home.memory.state.get

    async def no_links(key: str) -> Any:
        if key == KEY:
            raise MemoryUnavailableError("away", cause="io")
        return await real(key)

    monkeypatch.setattr(home.memory.state, "get", no_links)
    assert await actor(home, ANN) == B
    person = await home.people.of(home.message("ann", "hello", "slack"))
    assert person.actor == B


@pytest.mark.parametrize(
    "damage",
    [[], "x", {B: 1}, {B: {"to": A}}, {B: {"channel": "slack", "sender": "eve", "to": A}}],
)
async def test_damaged_links_lead_nowhere(home: House, damage: Any) -> None:
    await home.link("ann")
    await home.memory.state.put(KEY, damage)
    assert await actor(home, ANN) == B


STEPS = ("add_event", "write", "compare_and_set", "rename", "merge", "forget", "mark_moved")


@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("step", STEPS)
async def test_a_move_that_was_cut_off_is_finished_at_the_next_start(
    build: Build, monkeypatch: pytest.MonkeyPatch, step: str, after: int
) -> None:
    house = await build()
    await house.claim()
    await house.let_in("ann", "slack")
    for words in ("My cat is called Miso.", "I hate anise.", "/timezone Europe/Oslo"):
        await house.say("ann", words, "slack")
    owners = {
        "add_event": house.memory.store,
        "write": house.memory.store,
        "forget": house.memory.store,
        "compare_and_set": house.memory.state,
        "rename": house.memory.groups,
        "merge": house.doors.limits,
        "mark_moved": house.doors.links,
    }
    link = await house.doors.links.join(ANN, A)
    calls = 0

    class Killed(BaseException):
        pass

    real = getattr(owners[step], step)

    async def dies(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > after:
            raise Killed
        return await real(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(owners[step], step, dies)
        try:
            await house.doors.mover.move(link)
        except Killed:
            assert not (await house.doors.links.all())[0].moved
        else:
            assert after, "the step happened once"

    again = await build()
    assert (await again.doors.links.all())[0].moved
    assert await texts(again, A) == ["I hate anise.", "My cat is called Miso."]
    assert await said(again, A) == ["I hate anise.", "My cat is called Miso."]
    assert await texts(again, B) == []
    assert await again.memory.state.list_items(person_prefix(B)) == []
    assert (await again.people.settings(A)).time_zone == "Europe/Oslo"


async def test_what_waits_in_the_spool_is_moved_once_it_is_written(
    home: House, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*args: Any, **kwargs: Any) -> Any:
        raise MemoryUnavailableError("away", cause="locked")

    with monkeypatch.context() as patch:
        for method in ("add_event", "write", "search", "iterate", "iterate_events", "get"):
            patch.setattr(home.memory.store, method, away)
        await home.say("ann", "I hate anise.", "slack")
        assert "it follows" in await home.link("ann")
    again = await build()
    assert "I hate anise." in await texts(again, A)
    assert await texts(again, B) == []


async def test_nothing_is_moved_past_writes_that_another_process_is_writing(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*args: Any, **kwargs: Any) -> Any:
        raise MemoryUnavailableError("away", cause="locked")

    async def another_does() -> int:
        return 0

    with monkeypatch.context() as patch:
        patch.setattr(home.memory.store, "add_event", away)
        await home.say("ann", "I hate anise.", "slack")
    monkeypatch.setattr(home.memory.writer, "catch_up", another_does)
    assert await home.memory.writer.pending(B)
    assert "it follows" in await home.link("ann")
    assert not (await home.doors.links.all())[0].moved


async def test_what_was_said_while_links_were_away_follows_at_the_next_start(
    home: House, build: Build
) -> None:
    await home.link("ann")
    event = (await home.memory.store.iterate_events(A))[0]
    await home.memory.store.add_event(replace(event, id="stray", actor=B, user_text="Stray words."))
    again = await build()
    assert "Stray words." in await said(again, A)
    assert await said(again, B) == []


async def test_what_was_not_moved_yet_is_forgotten_with_the_person(
    home: House, build: Build
) -> None:
    await home.doors.links.join(ANN, A)
    await home.memory.forgetter.everything(A)
    again = await build()
    assert await said(again, A) == await said(again, B) == []
    assert await actor(again, ANN) == A, "the doors are one person's as before"


async def test_a_turn_of_the_door_that_ends_while_it_is_moved_is_not_lost(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = (await home.memory.store.iterate_events(B))[0]
    real = home.doors.mover._items

    async def meanwhile(door: str, person: str) -> int:
        late = replace(event, id="late", user_text="Late words.")
        await home.memory.store.add_event(late)
        return await real(door, person)

    monkeypatch.setattr(home.doors.mover, "_items", meanwhile)
    await home.link("ann")
    assert "Late words." in await said(home, A)


async def test_what_both_had_under_one_name_is_kept_beside(home: House) -> None:
    state = home.memory.state
    await state.put(f"{person_prefix(A)}storage/tea/pot", {"size": 1})
    await state.put(f"{person_prefix(B)}storage/tea/pot", {"size": 2})
    await state.put(f"{person_prefix(B)}storage/tea/cup", {"size": 3})
    await home.link("ann")
    kept = dict((await read_holdings(A, home.memory.store, state)).state)
    assert kept["storage/tea/pot"] == {"size": 1}
    assert kept["storage/tea/cup"] == {"size": 3}
    assert kept[f"from/{B}/storage/tea/pot"] == {"size": 2}


async def test_the_persons_own_settings_count_and_no_switch_is_turned(home: House) -> None:
    await home.people.choose(A, language="es")
    await home.people.choose(B, language="en", time_zone="Europe/Oslo", private_in_groups=True)
    link = await home.doors.links.join(ANN, A)
    await home.doors.mover.move(link)
    settings = await home.people.settings(A)
    assert (settings.language, settings.time_zone) == ("es", "Europe/Oslo")
    assert not settings.private_in_groups


@pytest.mark.parametrize("own", ["", "Bergen"])
async def test_where_somebody_lives_is_told_by_the_door_only_where_they_did_not_tell(
    home: House, own: str
) -> None:
    await home.people.choose(A, language="es", place=own, latitude=60.4 if own else 0.0)
    await home.people.choose(B, place="Oslo", latitude=59.9, longitude=10.7, units="imperial")
    await home.doors.mover.move(await home.doors.links.join(ANN, A))
    settings = await home.people.settings(A)
    found = (settings.place, settings.latitude, settings.longitude)
    assert found == (("Bergen", 60.4, 0.0) if own else ("Oslo", 59.9, 10.7))
    assert settings.units == "imperial"


async def test_what_has_a_lifetime_keeps_it(home: House) -> None:
    state = home.memory.state
    await state.put(f"{person_prefix(B)}used/t", {"records": []}, ttl=timedelta(days=2))
    home.clock.pass_(days=1)
    await home.link("ann")
    item = await state.get(f"{person_prefix(A)}used/t")
    assert item is not None
    assert item.expires_at == home.clock.now + timedelta(days=1)


async def test_words_in_groups_are_the_persons_too(home: House) -> None:
    group = {"conversation": "family", "group": True}
    await home.say("ann", "The kettle is on.", "slack", **group)
    await home.link("ann")
    assert await home.memory.groups.forget(B) == 0
    assert await home.memory.groups.forget(A) == 1


async def test_labels_that_were_numbered_keep_their_meaning(home: House) -> None:
    key = next(key for key in home.memory.vocabulary.keys if not key.closed)
    labels = home.memory.keeper.labels
    for owner, first in ((A, "柿子"), (B, "狮子")):
        tag = key.tag(first)
        assert tag
        await labels.tag(owner, key, tag)
    record = (await home.memory.store.iterate(B))[0]
    await home.memory.store.update(replace(record, metadata={key.id: (Tag("shizi", "狮子"),)}))
    await home.link("ann")
    moved = await home.memory.store.get(A, record.id)
    assert moved is not None
    assert moved.metadata[key.id] == (Tag("shizi-2", "狮子"),)


async def test_a_person_shown_out_is_out_by_every_door(home: House) -> None:
    await home.let_in("ben")
    await home.let_in("benny", "mail")
    await home.link("benny", first="ben", channel="mail")
    await home.say("ana", "/people remove Benny")
    assert await home.say("ben", "hello") == ""
    assert await home.say("benny", "hello", "mail") == ""
    with pytest.raises(LinkError):
        await home.doors.links.join(Address("mail", "benny"), A)


@pytest.mark.parametrize(("own", "theirs"), [("removed", "owner"), ("owner", "removed")])
async def test_one_door_shown_out_counts_more_than_any_role(
    home: House, own: Any, theirs: Any
) -> None:
    await home.link("ann")
    await home.doors.roles.give(ANN, own)
    await home.doors.roles.give(ANA, theirs)
    assert await home.doors.roles.of(ANN) == "removed"
    assert await home.say("ann", "hello", "slack") == ""


async def test_a_budget_is_one_for_all_doors(home: House) -> None:
    await home.doors.limits.spent(A, usage(1.0))
    await home.doors.limits.spent(B, usage(2.0))
    await home.link("ann")
    assert await home.doors.limits.spent_today(A) == pytest.approx(3.0)
    gate, message = home.gate("slack"), home.message("ann", "hello", "slack")
    await gate.spent(message, usage(1.0))
    assert await home.doors.limits.spent_today(A) == pytest.approx(4.0)


def usage(dollars: float) -> Usage:
    return Usage("m", 10, 10, calls=1, cost_usd=dollars)


async def test_each_step_is_said_in_three_languages(home: House) -> None:
    await home.say("ana", "/language es")
    assert "une otro chat" in await home.say("ana", "/ayuda")
    assert "unir otro chat" in await home.say("ana", "/enlazar")
    await home.say("ana", "/language zh")
    assert "另一个聊天" in await home.say("ana", "/关联")
