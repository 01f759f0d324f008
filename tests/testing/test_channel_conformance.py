"""The conformance class passes for good channels of each kind, and each of its tests can fail."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

import pytest

from cloche.channels import (
    Capabilities,
    Challenge,
    Channel,
    ChannelRequest,
    Incoming,
    Limits,
    Part,
    Pointers,
    Polled,
    Secret,
    SendError,
    SendLaterError,
    SendRefusedError,
    SharedSecret,
    Signature,
    UnreachableError,
)
from cloche.delivery.rendering import Rendered, render
from cloche.errors import RequestError
from cloche.messages import Address, Message
from cloche.testing import ChannelConformance, PlatformAnswer

Failure = (AssertionError, pytest.fail.Exception)


class Hook(Channel):
    """JSON in and out, a secret in a header."""

    name: ClassVar[str] = "hook"
    limits = Limits(text=2000, request_bytes=200_000)
    secrets = (
        Secret("secret", "what the header X-Secret must hold"),
        Secret("url", "where replies are posted"),
    )
    authentication: ClassVar[Any] = SharedSecret("x-secret", "secret")
    pointers = Pointers(("/id",), ("/room",), ("/from",), burst=("/album",))

    def parse(self, request: ChannelRequest) -> Sequence[Incoming]:
        match request.document():
            case {
                "id": str(id_), "room": str(room), "from": str(sender), "text": str(text), **rest
            } if id_ and room and sender:  # fmt: skip
                album = rest.get("album")
                burst = album if isinstance(album, str) else ""
                return [Message(id_, Address(self.name, sender), room, text, burst=burst)]
            case {"joined": _}:
                return ()
        raise RequestError("body: needs id, room, from and text")

    async def send(self, part: Part) -> None:
        message = {"room": part.conversation, "text": part.text, "key": part.key}
        url = self.context.secret("url")
        async with self.context.http().post(url, json=message) as response:
            if response.status == 429:
                seconds = float(response.headers["Retry-After"])
                raise SendLaterError("asked to wait", seconds=seconds)
            response.raise_for_status()


class Signed(Hook):
    """A signed platform with entities, small messages and a challenge."""

    name = "signed"
    limits = Limits(text=300, unit="utf16", entities=10)
    capabilities = Capabilities(formatting="entities", buttons=True)
    authentication = Signature(
        "x-signature",
        "secret",
        template="v0:{header:x-at}:{body}",
        prefix="v0=",
        timestamp="x-at",
    )
    challenge = Challenge("body", when="/type", equals="hello", answer="/challenge/0~1")


class Asked(Hook):
    """Markdown, and a challenge in the query."""

    name = "asked"
    limits = Limits(text=280, unit="bytes")
    capabilities = Capabilities(formatting="markdown")
    challenge = Challenge("query", "mode", "", "challenge", "token", "secret")


class Polling(Hook):
    """Nobody delivers to it."""

    name = "polling"
    authentication = None
    pointers = None

    async def poll(self, cursor: str) -> Polled:
        return Polled((), cursor)


def sample(**more: object) -> ChannelRequest:
    document = {"id": "1", "room": "kitchen", "from": "ana", "text": "¿hola? 你好"} | more
    return ChannelRequest(json.dumps(document).encode(), {"content-type": "application/json"})


class TestHook(ChannelConformance):
    """Somebody's whole test module."""

    channel: ClassVar[type[Channel]] = Hook
    settings: ClassVar[Mapping[str, str]] = {"url": "https://chat.example.org/send"}
    samples = (sample(), sample(id="2", album="a1"))
    ignored = (ChannelRequest(b'{"joined": "ben"}'),)


class TestSigned(TestHook):
    channel = Signed


class TestAsked(TestHook):
    channel = Asked


class TestPolling(TestHook):
    channel = Polling


def parse_with(change: Callable[[Message], Incoming]) -> Callable[..., Sequence[Incoming]]:
    def parse(self: Hook, request: ChannelRequest) -> Sequence[Incoming]:
        return [
            change(each) if isinstance(each, Message) else each
            for each in Hook.parse(self, request)
        ]

    return parse


def careless_parse(self: Hook, request: ChannelRequest) -> Sequence[Incoming]:
    document: Any = request.document()
    return [
        Message(str(document["id"]), Address(self.name, document["from"]), document["room"], "x")
    ]


async def fire_and_forget(self: Hook, part: Part) -> None:
    """Sends nothing."""


async def fails_for_good(self: Hook, part: Part) -> None:
    try:
        await Hook.send(self, part)
    except SendLaterError:
        raise
    except Exception as error:
        raise UnreachableError("gone") from error


async def takes_all_for_refusal(self: Hook, part: Part) -> None:
    try:
        await Hook.send(self, part)
    except Exception as error:
        raise SendRefusedError("refused") from error


async def tells_its_secret(self: Hook, part: Part) -> None:
    try:
        await Hook.send(self, part)
    except SendLaterError as error:
        raise SendLaterError(f"at {self.context.secret('url')}", seconds=error.seconds) from error
    except Exception as error:
        raise SendError(f"at {self.context.secret('url')}") from error


async def in_the_background(self: Any, part: Part) -> None:
    self.task = asyncio.create_task(Hook.send(self, part))


async def says_it_is_done(self: Hook, part: Part) -> None:
    url, room = self.context.secret("url"), {"room": part.conversation}
    async with self.context.http().post(url, json=room):
        pass


async def only_ascii(self: Hook, part: Part) -> None:
    part.text.encode("ascii")
    await Hook.send(self, part)


async def loses_a_part(self: Any, part: Part) -> None:
    self.count = getattr(self, "count", 0) + 1
    if self.count != 2:
        await Hook.send(self, part)


def renamed(message: Message) -> Message:
    return Message("1", Address("other", "ana"), message.conversation, message.text)


SIGNATURE = Signature("x-signature", "secret", template="{header:x-at}", timestamp="x-at")
UNTIMED = Signature("x-signature", "secret", template="{body}", timestamp="x-at")

BROKEN: dict[str, tuple[type[Hook], dict[str, Any], str, str]] = {
    "name": (Hook, {"name": "My Hook"}, "test_its_name_and_limits_are_possible", "name:"),
    "limits": (Hook, {"limits": Limits(text=0)}, "test_its_name_and_limits_are_possible", "text"),
    "setting": (
        Hook,
        {"secrets": (*Hook.secrets, Secret("Key", "x"))},
        "test_its_settings_are_named_and_explained",
        "'Key'",
    ),
    "unexplained": (
        Hook,
        {"secrets": (*Hook.secrets, Secret("key", " "))},
        "test_its_settings_are_named_and_explained",
        "what it is",
    ),
    "unreachable": (Hook, {"authentication": None}, "test_it_can_be_reached", "write poll"),
    "undeclared secret": (
        Hook,
        {"authentication": SharedSecret("x-secret", "token")},
        "test_its_secrets_are_asked_for",
        "token",
    ),
    "optional secret": (
        Hook,
        {"secrets": (Secret("secret", "x", "never"), Hook.secrets[1])},
        "test_its_secrets_are_asked_for",
        "secret",
    ),
    "unsigned body": (
        Signed,
        {"authentication": SIGNATURE},
        "test_all_of_a_signed_request_is_signed",
        "body",
    ),
    "unsigned time": (
        Signed,
        {"authentication": UNTIMED},
        "test_all_of_a_signed_request_is_signed",
        "x-at",
    ),
    "no pointers": (Hook, {"pointers": None}, "test_its_pointers_are_json_pointers", "pointers"),
    "other ids": (
        Hook,
        {"pointers": Pointers(("/id",), ("/room",), ("/text",), ("/album",))},
        "test_ids_are_where_the_pointers_say",
        "sender",
    ),
    "no burst": (
        Hook,
        {"pointers": Pointers(("/id",), ("/room",), ("/from",))},
        "test_ids_are_where_the_pointers_say",
        "burst",
    ),
    "other channel": (
        Hook,
        {"parse": parse_with(renamed)},
        "test_its_samples_are_messages",
        "address.channel",
    ),
    "no messages": (
        Hook,
        {"parse": lambda self, request: ()},
        "test_its_samples_are_messages",
        "no message in the sample",
    ),
    "careless": (
        Hook,
        {"parse": careless_parse},
        "test_no_document_makes_parse_fail",
        "parse raised",
    ),
    "silent": (Hook, {"send": fire_and_forget}, "test_a_part_is_sent", "did not ask"),
    "deaf": (Hook, {"send": fails_for_good}, "test_what_passes_is_tried_again", "give the part up"),
    "sullen": (
        Hook,
        {"send": takes_all_for_refusal},
        "test_what_passes_is_tried_again",
        "give the part up",
    ),
    "talkative": (
        Hook,
        {"send": tells_its_secret},
        "test_what_passes_is_tried_again",
        "holds a secret",
    ),
    "blind": (Hook, {"send": says_it_is_done}, "test_what_passes_is_tried_again", "DID NOT RAISE"),
    "impatient": (
        Hook,
        {"send": says_it_is_done},
        "test_a_platform_that_asks_to_wait_is_understood",
        "DID NOT RAISE",
    ),
    "hasty": (
        Hook,
        {"send": in_the_background},
        "test_a_platform_that_hangs_is_waited_for_and_given_up",
        "the platform has said nothing",
    ),
    "forgetful": (
        Hook,
        {"send": loses_a_part},
        "test_a_reply_arrives_whole_and_in_order_through_all_failures",
        "never reached the platform",
    ),
}


def conformance(kind: type[Channel], **attributes: object) -> ChannelConformance:
    """The tests an author would get."""
    made = type("TestMine", (TestHook,), {"channel": kind, **attributes})
    return made()


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_wrong_with_a_channel_fails_one_test(what: str, tmp_path: Path) -> None:
    kind, changes, name, told = BROKEN[what]
    test = getattr(conformance(type("Broken", (kind,), changes)), name)
    given = {"tmp_path": tmp_path, "trouble": PlatformAnswer({}, 500)}
    with pytest.raises(Failure, match=told):
        test(**{each: given[each] for each in inspect.signature(test).parameters})


def test_a_channel_that_cannot_write_every_script_fails() -> None:
    narrow = conformance(type("Narrow", (Hook,), {"send": only_ascii}))
    with pytest.raises(UnicodeEncodeError):
        narrow.test_the_platform_gets_whatever_text_there_is()


def without_checking(*args: object) -> bool:
    return True


HOST_FAULTS: dict[str, tuple[str, Any, str]] = {
    "any secret will do": (
        "cloche.delivery.webhooks.verify",
        without_checking,
        "test_a_forged_request_is_refused",
    ),
    "everything is new": (
        "cloche.delivery.inbox.Inbox._key",
        lambda self, place, update: f"inbox/hook/c/{uuid4().hex}",
        "test_an_authentic_request_is_answered_once",
    ),
    "no secret is needed": (
        "cloche.delivery.webhooks._secrets_of",
        lambda channel: {},
        "test_without_its_secret_it_is_not_served",
    ),
    "no limit holds": (
        "cloche.testing.channels.texts.render",
        lambda text, limits, formatting: (Rendered(text, (), text),),
        "test_any_text_is_split_within_the_limits",
    ),
    "half is lost": (
        "cloche.testing.channels.texts.render",
        lambda text, limits, formatting: render(text, limits, formatting)[:1],
        "test_a_hundred_thousand_characters_arrive_whole",
    ),
}


@pytest.mark.parametrize("what", HOST_FAULTS)
def test_a_host_that_forgets_its_part_fails_too(
    what: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    place, instead, name = HOST_FAULTS[what]
    test = getattr(conformance(Hook), name)
    given = {"tmp_path": tmp_path, "caplog": caplog}
    monkeypatch.setattr(place, instead)
    with pytest.raises(Failure):
        test(**{each: given[each] for each in inspect.signature(test).parameters})


def test_a_test_that_is_taken_out_is_missed() -> None:
    changed = conformance(Hook, test_a_forged_request_is_refused=None)
    with pytest.raises(Failure, match="test_a_forged_request_is_refused"):
        changed.test_no_inherited_test_is_removed_or_replaced()


def test_samples_are_needed() -> None:
    with pytest.raises(Failure, match="give samples"):
        conformance(Hook, samples=()).test_its_samples_are_messages()
