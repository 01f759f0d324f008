from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.channels import Entity, Part, PartFile
from cloche.delivery.codec import (
    message_from_json,
    message_to_json,
    part_from_json,
    part_to_json,
)
from cloche.messages import Address, Attachment, Button, Message, Quoted

WORDS = st.text(max_size=20)
MESSAGES = st.builds(
    Message,
    id=WORDS,
    address=st.builds(Address, WORDS, WORDS),
    conversation=WORDS,
    text=st.text(),
    formatted=WORDS,
    attachments=st.lists(
        st.builds(Attachment, WORDS, WORDS, WORDS, st.none() | st.integers(0)), max_size=3
    ).map(tuple),
    sender_name=WORDS,
    group=st.booleans(),
    scope_keys=st.dictionaries(WORDS, WORDS, max_size=2),
    sent_at=st.none() | st.datetimes(timezones=st.just(UTC)),
    thread=WORDS,
    ref=WORDS,
    edits=st.booleans(),
    burst=WORDS,
    addressed=st.booleans(),
    quoted=st.lists(st.builds(Quoted, WORDS, WORDS, st.booleans(), st.booleans()), max_size=2).map(
        tuple
    ),
)
KINDS = st.sampled_from(["bold", "italic", "code", "pre", "link", "spoiler", "blockquote"])
PARTS = st.builds(
    Part,
    conversation=WORDS,
    text=WORDS,
    thread=WORDS,
    entities=st.lists(
        st.builds(Entity, KINDS, st.integers(0), st.integers(0), WORDS, WORDS), max_size=3
    ).map(tuple),
    buttons=st.lists(st.builds(Button, WORDS, WORDS), max_size=2).map(tuple),
    answers=WORDS,
    key=WORDS,
    plain=st.text(min_size=1, max_size=20),
    file=st.none() | st.builds(PartFile, WORDS, WORDS, WORDS),
)


@given(MESSAGES)
def test_a_message_is_read_as_it_was_written(message: Message) -> None:
    assert message_from_json(json.loads(json.dumps(message_to_json(message)))) == message


@given(PARTS)
def test_a_part_is_read_as_it_was_written(part: Part) -> None:
    assert part_from_json(json.loads(json.dumps(part_to_json(part)))) == part


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        "text",
        {"text": 5},
        {"attachments": {}},
        {"attachments": [1]},
        {"group": "yes"},
        {"sent_at": "yesterday"},
        {"quoted": [{"text": None}]},
    ],
)
def test_what_is_no_message_is_refused(document: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (that it is one is what counts)
        message_from_json(document)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "document", [None, {"entities": [["bold", 1]]}, {"entities": [["huge", 0, 1, "", ""]]}]
)
def test_what_is_no_part_is_refused(document: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        part_from_json(document)  # type: ignore[arg-type]


def test_a_message_of_words_alone_is_kept_small() -> None:
    message = Message(
        "1", Address("line", "ann"), "c", "hi", sent_at=datetime(2026, 1, 1, tzinfo=UTC)
    )
    assert set(message_to_json(message)) == {
        "id",
        "channel",
        "sender",
        "conversation",
        "text",
        "sent_at",
    }
