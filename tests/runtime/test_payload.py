"""Payloads: one schema; what is refused is told by field and reason, without quoting a value."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.documents import shared_resource
from cloche.runtime.payload import (
    ChannelRequests,
    Check,
    ConsoleMessage,
    DueReminder,
    Health,
    Register,
    Unregister,
    parse_payload,
)
from cloche.runtime.refusals import RefusedError

ID = "0123456789abcdef" * 2
REQUEST = {"method": "POST", "headers": {"X-A": "b"}, "query": {"q": "1"}, "body": "aGk="}


FIRST_FIELDS = {
    "channel": ("channel", "requests"),
    "reminder": ("reminder", "at"),
    "register": ("channel", "address"),
    "unregister": ("channel",),
    "check": (),
    "message": ("text",),
    "health": (),
}
KINDS = json.loads(shared_resource("schemas", "invocation.schema.json").read_text("utf-8"))[
    "properties"
]["kind"]["enum"]


def channel(**changes: object) -> dict[str, object]:
    return {"kind": "channel", "channel": "line", "requests": [{**REQUEST, **changes}]}


def test_a_channels_requests() -> None:
    payload = parse_payload(channel(received="2026-05-01T10:00:00+02:00"))
    assert isinstance(payload, ChannelRequests)
    (forwarded,) = payload.requests
    assert forwarded.received == datetime(2026, 5, 1, 8, tzinfo=UTC)
    assert forwarded.request.body == b"hi"
    assert forwarded.request.headers == {"x-a": "b"}
    assert forwarded.request.query == {"q": "1"}


@pytest.mark.parametrize(
    ("document", "payload"),
    [
        (
            {"kind": "reminder", "reminder": ID, "at": "2026-05-01T08:00:00Z"},
            DueReminder(ID, datetime(2026, 5, 1, 8, tzinfo=UTC)),
        ),
        (
            {"kind": "register", "channel": "line", "address": "https://a.example/x"},
            Register("line", "https://a.example/x"),
        ),
        ({"kind": "unregister", "channel": "line"}, Unregister("line")),
        ({"kind": "check"}, Check()),
        ({"kind": "check", "channel": "line"}, Check("line")),
        ({"kind": "message", "text": "hi"}, ConsoleMessage("hi")),
        ({"kind": "health"}, Health()),
    ],
)
def test_the_other_kinds(document: object, payload: object) -> None:
    assert parse_payload(document) == payload


@pytest.mark.parametrize(
    ("document", "field", "reason"),
    [
        (None, "", "must be an object"),
        ([], "", "must be an object"),
        ({}, "kind", "is missing"),
        ({"kind": "talk"}, "kind", "must be one of channel, reminder"),
        ({"kind": "message"}, "text", "is missing"),
        ({"kind": "message", "text": ""}, "text", "1 to 20000 characters"),
        ({"kind": "message", "text": " \n\u3000"}, "text", "1 to 20000 characters"),
        ({"kind": "message", "text": 3}, "text", "must be the words"),
        (
            {"kind": "message", "text": "a", "actor": "ben"},
            "",
            "a field that is none of kind, text",
        ),
        ({"kind": "health", "user": "ben"}, "", "a field that is none of kind"),
        ({"kind": "channel", "channel": "line"}, "requests", "is missing"),
        ({"kind": "channel", "channel": "No!", "requests": [REQUEST]}, "channel", "name of a"),
        ({"kind": "channel", "channel": "line", "requests": []}, "requests", "1 to 100"),
        (channel(body="a"), "requests[0].body", "base64"),
        (channel(body="a=b="), "requests[0].body", "base64"),
        (channel(method="GET"), "requests[0].method", "must be POST"),
        (channel(headers={"a": 1}), "requests[0].headers", "holds something that must be a text"),
        (channel(sender="ben"), "requests[0]", "a field that is none of body, headers"),
        (channel(received="yesterday"), "requests[0].received", "an instant with its offset"),
        (channel(received="2026-99-01T10:00:00Z"), "requests[0].received", "an instant"),
        ({"kind": "reminder", "reminder": "x", "at": "2026-05-01T08:00:00Z"}, "reminder", "id of"),
        ({"kind": "reminder", "reminder": ID, "at": "2026-05-01"}, "at", "an instant"),
        ({"kind": "reminder", "reminder": ID}, "at", "is missing"),
        ({"kind": "register", "channel": "l", "address": "http://a"}, "address", "the https"),
        ({"kind": "register", "channel": "l"}, "address", "is missing"),
        ({"kind": "register", "address": "https://a"}, "channel", "is missing"),
        (
            {"kind": "register", "channel": "l", "address": "https://a", "drop_pending": 1},
            "drop_pending",
            "true where",
        ),
        ({"kind": "unregister"}, "channel", "is missing"),
        (
            {"kind": "unregister", "channel": "l", "who": "ben"},
            "",
            "a field that is none of channel, kind",
        ),
        ({"kind": "check", "channel": ["l"]}, "channel", "name of a channel"),
        ({"kind": "reminder", "at": "2026-05-01T08:00:00Z"}, "reminder", "is missing"),
        (
            {"kind": "reminder", "reminder": ID, "at": "2026-05-01T08:00:00Z", "actor": "ben"},
            "",
            "a field that is none of at, kind, reminder",
        ),
        (
            {"kind": "channel", "channel": "line", "requests": [REQUEST] * 101},
            "requests",
            "1 to 100",
        ),
        ({"kind": "channel", "channel": "line", "requests": [3]}, "requests[0]", "must be one"),
        (channel(query=[]), "requests[0].query", "must be an object of texts"),
        (channel(actor="ben"), "requests[0]", "a field that is none of body, headers"),
    ],
)
def test_what_is_refused_is_told_by_field_and_reason(
    document: object, field: str, reason: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        parse_payload(document)
    told = caught.value.document
    assert told["error"] == "invalid_payload"
    assert told.get("field", "") == field
    assert reason in str(told["message"])


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_takes_a_field_that_is_none_of_its_own(kind: str) -> None:
    with pytest.raises(RefusedError) as caught:
        parse_payload({"kind": kind, "actor": "ben"})
    assert caught.value.document.get("field", "") in ("", *FIRST_FIELDS[kind])


def test_nothing_that_was_written_is_said_back() -> None:
    for document in (
        channel(headers={"authorization": ["hunter2"]}),
        {"kind": "message", "text": ["hunter2"]},
        {"kind": "hunter2"},
        channel(body="hunter2!"),
        channel(headers={"hunter2": 1}),
        channel(query={"hunter2": {"hunter2": "hunter2"}}),
        channel(hunter2=1),
        {"kind": "health", "hunter2": 1},
        {"kind": "channel", "channel": "line", "requests": [{"hunter2": 1}]},
        {"kind": "channel", "channel": {"hunter2": 1}, "requests": [REQUEST]},
    ):
        with pytest.raises(RefusedError) as caught:
            parse_payload(document)
        assert "hunter2" not in json.dumps(caught.value.document) + caught.value.field


MANY = [
    {"kind": "channel", "channel": "line", "requests": [3] * 99_999},
    {"kind": "channel", "channel": "line", "requests": [{"headers": 1}] * 99_999},
    channel(headers=dict.fromkeys(map(str, range(99_999)), 1)),
    channel(query=dict.fromkeys(map(str, range(99_999)))),
    {"kind": "health", **dict.fromkeys(map(str, range(99_999)))},
    {
        "kind": "channel",
        "channel": "line",
        "requests": [{**REQUEST, "headers": dict.fromkeys(map(str, range(200)), 1)}] * 100,
    },
    {"kind": "message", "text": [[3] * 50_000] * 2},
]


@pytest.mark.parametrize("document", MANY)
def test_what_is_too_much_is_counted_and_not_looked_at(document: object) -> None:
    """By the calls it takes and not by time: a million are a tenth of a second."""
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        with pytest.raises(RefusedError):
            parse_payload(document)
    finally:
        sys.setprofile(None)
    assert calls < 1_000_000


def names(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        for name, inner in schema.get("properties", {}).items():
            yield name
            yield from names(inner)
        for inner in schema.values():
            yield from names(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from names(inner)


def test_no_payload_names_an_actor() -> None:
    text = shared_resource("schemas", "invocation.schema.json").read_text("utf-8")
    found = set(names(json.loads(text)))
    assert {"channel", "requests", "reminder", "at"} <= found
    assert not found & {"actor", "actor_id", "user", "user_id", "sender", "owner", "who", "person"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["kind", "channel", "requests", "body", "headers", "at", "text"]),
            inner | st.sampled_from(["channel", "reminder", "message", "health"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_whatever_comes_is_read_or_refused(document: object) -> None:
    with suppress(RefusedError):
        parse_payload(document)


@given(st.binary(max_size=200))
def test_bodies_come_through_as_they_are(body: bytes) -> None:
    payload = parse_payload(channel(body=base64.b64encode(body).decode()))
    assert isinstance(payload, ChannelRequests)
    assert payload.requests[0].request.body == body
