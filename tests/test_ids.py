"""Ids: whatever a platform calls a person, two people never become one."""

from datetime import date

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from cloche.ids import (
    ID_PATTERN,
    actor_id,
    conversation_id,
    escape,
    record_id,
    session_id,
    turn_id,
)
from cloche.messages import Address

channels = st.from_regex(r"[a-z][a-z0-9-]{0,31}", fullmatch=True)
# Lone surrogates too: platforms hand over what they like.
names = st.text(
    st.characters(codec=None, exclude_categories=()),
    min_size=1,
    max_size=300,  # type: ignore[arg-type]
)
near_misses = st.text(alphabet="ab_-h0123456789f", min_size=1, max_size=130)
addresses = st.builds(Address, channels, names | near_misses)


@given(addresses, addresses)
@example(Address("a", "b_-c"), Address("a", "b-c"))
@example(Address("a", "_"), Address("a", "_5f_"))
@example(Address("a", "José"), Address("a", "Jose\u0301"))
@example(Address("a", "x" * 200), Address("a", "x" * 201))
def test_two_addresses_are_two_actors(one: Address, other: Address) -> None:
    assume(one != other)
    assert actor_id(one) != actor_id(other)


@given(addresses)
def test_an_actor_id_fits_agentcore(address: Address) -> None:
    assert ID_PATTERN.fullmatch(actor_id(address))
    assert actor_id(address) == actor_id(address)


@given(names | near_misses)
def test_a_short_address_cannot_be_made_to_look_like_a_long_one(sender: str) -> None:
    long = actor_id(Address("c", "\u01f4" * 20 + sender + "x" * 100))
    head, digest = long[:-66], long[-64:]
    for forged in (f"{head}_h{digest}", f"{head}h{digest}", head + digest, long):
        for sender_text in (forged, forged.removeprefix("c_-")):
            assert actor_id(Address("c", sender_text)) != long


@given(addresses, names, st.dates(), st.integers(1, 10**6))
def test_conversation_and_session_ids_fit_agentcore(
    address: Address, conversation: str, day: date, counter: int
) -> None:
    where = conversation_id(address.channel, conversation)
    session = session_id(where, day, counter)
    assert ID_PATTERN.fullmatch(where)
    assert ID_PATTERN.fullmatch(session)
    assert session.endswith(f"{day:%Y%m%d}_-{counter}")
    assert session != session_id(where, day, counter + 1)


@given(names, names, st.dates())
def test_two_conversations_have_two_sessions(one: str, other: str, day: date) -> None:
    assume(one != other)
    assert session_id(conversation_id("c", one), day, 1) != session_id(
        conversation_id("c", other), day, 1
    )


def test_different_days_and_counters_never_meet() -> None:
    where = conversation_id("c", "x" * 300)
    ids = {session_id(where, date(2026, 1, d), c) for d in range(1, 28) for c in (1, 11, 111)}
    assert len(ids) == 27 * 3


@pytest.mark.parametrize("address", [Address("", "x"), Address("c", ""), Address("C x", "y")])
def test_nobody_is_acted_for_without_an_address(address: Address) -> None:
    with pytest.raises(ValueError, match="channel"):
        actor_id(address)


@given(names)
def test_escape_uses_only_the_alphabet(text: str) -> None:
    assert all(char.isascii() and (char.isalnum() or char in "_-") for char in escape(text))


def test_the_same_update_is_the_same_turn_and_the_same_record() -> None:
    address = Address("c", "李")
    assert turn_id(address, "chat", "7") == turn_id(address, "chat", "7")
    assert turn_id(address, "chat", "7") != turn_id(address, "chat", "8")
    assert turn_id(address, "a_-b", "c") != turn_id(address, "a", "b_-c")
    assert record_id("a", "b") == record_id("a", "b") != record_id("ab")
    assert 40 == len(record_id("a"))
