"""Only the platform's own requests are let in, whatever else is sent."""

from __future__ import annotations

import ast
import base64
import hashlib
import hmac
import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cloche.channels
from cloche.channels import (
    Authentication,
    Challenge,
    ChannelRequest,
    Document,
    SharedSecret,
    Signature,
)
from cloche.channels.pointers import read
from cloche.channels.verification import challenge_answer, verify

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
SECRET = "hunter2-hunter2"
SECRETS = {"hook": SECRET}
SHARED = SharedSecret("x-token", "hook")
PLAIN = Signature("x-signature", "hook")
TIMED = Signature(
    "x-signature",
    "hook",
    template="v0:{header:x-timestamp}:{body}",
    prefix="v0=",
    timestamp="x-timestamp",
)
BODY = '{"text": "día 🌧"}'.encode()


def signed(body: bytes, at: datetime = NOW, secret: str = SECRET) -> ChannelRequest:
    stamp = str(int(at.timestamp()))
    digest = hmac.new(secret.encode(), f"v0:{stamp}:".encode() + body, "sha256").hexdigest()
    return ChannelRequest(body, {"x-timestamp": stamp, "x-signature": f"v0={digest}"})


def test_a_shared_secret_lets_in_who_has_it() -> None:
    assert verify(SHARED, SECRETS, ChannelRequest(BODY, {"x-token": SECRET}), NOW)


@pytest.mark.parametrize(
    "token",
    ["", "hunter2", f"{SECRET} ", SECRET.upper(), f"{SECRET}\0", "é", "\udce9", "\U000e9000"],
)
def test_a_shared_secret_lets_in_nobody_else(token: str) -> None:
    assert not verify(SHARED, SECRETS, ChannelRequest(BODY, {"x-token": token}), NOW)
    assert not verify(SHARED, SECRETS, ChannelRequest(BODY), NOW)
    assert not verify(SHARED, SECRETS, ChannelRequest(BODY, {}, {"x-token": SECRET}), NOW)


@pytest.mark.parametrize("secret", ["contraseña-ñandú", "密码密码密码", "\udce9\udcff-raw"])
def test_a_secret_may_be_written_in_any_script(secret: str) -> None:
    assert verify(SHARED, {"hook": secret}, ChannelRequest(BODY, {"x-token": secret}), NOW)


@pytest.mark.parametrize("secrets", [{}, {"hook": ""}, {"other": SECRET}])
@pytest.mark.parametrize("authentication", [SHARED, PLAIN, TIMED], ids=["shared", "plain", "timed"])
def test_without_a_secret_nothing_gets_in(
    secrets: dict[str, str], authentication: Authentication
) -> None:
    empty = hmac.new(b"", BODY, "sha256").hexdigest()
    for given_ in ("", SECRET, empty):
        request = ChannelRequest(BODY, {"x-token": given_, "x-signature": given_})
        assert not verify(authentication, secrets, request, NOW)
    assert not verify(authentication, secrets, signed(BODY, secret=""), NOW)


@given(st.binary(max_size=300))
def test_a_signature_lets_in_any_body_it_was_made_for(body: bytes) -> None:
    digest = hmac.new(SECRET.encode(), body, "sha256").hexdigest()
    for spelled in (digest, digest.upper()):
        assert verify(PLAIN, SECRETS, ChannelRequest(body, {"x-signature": spelled}), NOW)


@given(st.binary(max_size=300), st.binary(max_size=300), st.text(max_size=80))
def test_a_signature_is_good_for_its_own_body_alone(one: bytes, other: bytes, junk: str) -> None:
    digest = hmac.new(SECRET.encode(), one, "sha256").hexdigest()
    assert verify(PLAIN, SECRETS, ChannelRequest(other, {"x-signature": digest}), NOW) is (
        one == other
    )
    assert not verify(PLAIN, SECRETS, ChannelRequest(one, {"x-signature": junk}), NOW)


@pytest.mark.parametrize("algorithm", ["sha1", "sha256", "sha512"])
@pytest.mark.parametrize("encoding", ["hex", "base64"])
def test_signatures_of_all_kinds_are_read(algorithm: str, encoding: str) -> None:
    kind = Signature("x-signature", "hook", algorithm=algorithm, encoding=encoding, prefix="s=")  # type: ignore[arg-type] # the literals of the parametrisation
    digest = hmac.new(SECRET.encode(), BODY, algorithm).digest()
    text = digest.hex() if encoding == "hex" else base64.b64encode(digest).decode()
    assert verify(kind, SECRETS, ChannelRequest(BODY, {"x-signature": f"s={text}"}), NOW)
    assert not verify(kind, SECRETS, ChannelRequest(BODY, {"x-signature": text}), NOW)
    assert not verify(kind, SECRETS, ChannelRequest(BODY + b" ", {"x-signature": f"s={text}"}), NOW)


def test_a_base64_signature_counts_capitals() -> None:
    kind = Signature("x-signature", "hook", encoding="base64")
    text = base64.b64encode(hmac.new(SECRET.encode(), BODY, "sha256").digest()).decode()
    assert not verify(kind, SECRETS, ChannelRequest(BODY, {"x-signature": text.swapcase()}), NOW)


@given(st.integers(-100_000, 100_000))
def test_a_signed_request_is_good_for_five_minutes(seconds: int) -> None:
    request = signed(BODY, NOW + timedelta(seconds=seconds))
    assert verify(TIMED, SECRETS, request, NOW) is (abs(seconds) <= 300)


@pytest.mark.parametrize(
    "stamp", ["", " ", "soon", "-1", "1e9", "１７９６０２８４００", "NaN", "9" * 400, "0x10"]
)
def test_a_time_that_is_none_refuses(stamp: str) -> None:
    digest = hmac.new(SECRET.encode(), f"v0:{stamp}:".encode() + BODY, "sha256").hexdigest()
    headers = {"x-timestamp": stamp, "x-signature": f"v0={digest}"}
    assert not verify(TIMED, SECRETS, ChannelRequest(BODY, headers), NOW)


def test_a_signature_over_a_header_that_is_missing_refuses() -> None:
    digest = hmac.new(SECRET.encode(), b"v0::" + BODY, "sha256").hexdigest()
    assert not verify(TIMED, SECRETS, ChannelRequest(BODY, {"x-signature": f"v0={digest}"}), NOW)
    untimed = Signature("x-signature", "hook", template="{header:x-id}.{body}")
    digest = hmac.new(SECRET.encode(), b"." + BODY, "sha256").hexdigest()
    assert not verify(untimed, SECRETS, ChannelRequest(BODY, {"x-signature": digest}), NOW)


def test_what_stands_in_a_body_is_no_template() -> None:
    body = b"{header:x-timestamp}{body}"
    assert verify(TIMED, SECRETS, signed(body), NOW)


def test_the_time_of_another_request_does_not_fit() -> None:
    late, early = signed(BODY), signed(BODY, NOW - timedelta(hours=1))
    mixed = {**early.headers, "x-timestamp": late.headers["x-timestamp"]}
    assert not verify(TIMED, SECRETS, ChannelRequest(BODY, mixed), NOW)


def test_secrets_are_compared_by_digests_of_one_length(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = set()

    def compare(one: bytes, other: bytes) -> bool:
        lengths.update((len(one), len(other)))
        return one == other

    monkeypatch.setattr(hmac, "compare_digest", compare)
    for token in ("x", "x" * 5000, SECRET):
        verify(SHARED, SECRETS, ChannelRequest(BODY, {"x-token": token}), NOW)
    assert lengths == {hashlib.sha256().digest_size}


IN_BODY = Challenge("body", when="/type", equals="url_verification", answer="/challenge")
IN_QUERY = Challenge("query", "hub.mode", "subscribe", "hub.challenge", "hub.verify_token", "hook")


def test_a_challenge_in_a_body_is_answered() -> None:
    body = b'{"type": "url_verification", "challenge": 17, "token": "x"}'
    assert challenge_answer(IN_BODY, {}, ChannelRequest(body)) == "17"


@pytest.mark.parametrize(
    "body", [b'{"type": "message", "challenge": "x"}', b'{"type": 1}', b"[]", b"", b"\xff", b"null"]
)
def test_what_is_no_challenge_in_a_body_is_not_answered(body: bytes) -> None:
    assert challenge_answer(IN_BODY, {}, ChannelRequest(body)) is None


def asked(method: str = "GET", **changed: str) -> ChannelRequest:
    query = {"hub.mode": "subscribe", "hub.challenge": "abc", "hub.verify_token": SECRET}
    query |= {f"hub.{name}": value for name, value in changed.items()}
    return ChannelRequest(query=query, method=method)


def test_a_challenge_in_a_query_is_answered_where_its_token_is_ours() -> None:
    assert challenge_answer(IN_QUERY, SECRETS, asked()) == "abc"
    anything = Challenge("query", "hub.mode", "", "hub.challenge", "hub.verify_token", "hook")
    assert challenge_answer(anything, SECRETS, asked(mode="whatever")) == "abc"


def test_a_challenge_in_a_query_is_not_answered_to_strangers() -> None:
    assert challenge_answer(IN_QUERY, SECRETS, asked(verify_token="")) is None
    assert challenge_answer(IN_QUERY, SECRETS, asked(verify_token="guess")) is None
    assert challenge_answer(IN_QUERY, SECRETS, asked(mode="unsubscribe")) is None
    assert challenge_answer(IN_QUERY, SECRETS, asked(method="POST")) is None
    assert challenge_answer(IN_QUERY, SECRETS, ChannelRequest(method="GET")) is None
    for secrets in ({}, {"hook": ""}):
        assert challenge_answer(IN_QUERY, secrets, asked(verify_token="")) is None


RFC6901: Document = {
    "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, 'k"l': 6,
    " ": 7, "m~n": 8, "~1": "tilde", "日": "sol",
}  # fmt: skip


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/foo/0", "bar"), ("/foo/1", "baz"), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
        ("/e^f", "3"), ("/g|h", "4"), ("/i\\j", "5"), ('/k"l', "6"), ("/ ", "7"), ("/m~0n", "8"),
        ("/~01", "tilde"), ("/日", "sol"), ("/foo", None), ("", None), ("/foo/2", None),
        ("/foo/-", None), ("/foo/00", None), ("/foo/-1", None), ("/foo/１", None),
        ("/foo/0/0", None),
        ("/none", None), ("/foo/9999999999999999999999", None),
    ],
)  # fmt: skip
def test_a_pointer_finds_what_its_rfc_says(pointer: str, value: str | None) -> None:
    assert read((pointer,), RFC6901) == value


@pytest.mark.parametrize("pointer", ["foo", "foo/0", "/~2", "/a~", "~0"])
def test_what_is_no_pointer_is_told_to_the_author(pointer: str) -> None:
    with pytest.raises(ValueError, match="no JSON pointer"):
        read((pointer,), RFC6901)


@pytest.mark.parametrize(
    ("value", "id_"),
    [
        (7, "7"), (0, "0"), (-1003724596514, "-1003724596514"), (2**70, str(2**70)), (7.0, "7"),
        (1e21, "1" + 21 * "0"), (7.5, None), (float("nan"), None), (float("inf"), None),
        (True, None), (False, None), (None, None), ("", None), ([], None), ({}, None),
        (" x ", " x "),
    ],
)  # fmt: skip
def test_an_id_is_a_text_or_the_digits_of_a_number(value: Document, id_: str | None) -> None:
    assert read(("/id",), {"id": value}) == id_


def test_a_number_too_long_to_be_written_is_no_id() -> None:
    assert read(("/id",), {"id": 10**5000}) is None


def test_the_first_pointer_that_finds_an_id_counts() -> None:
    pointers = ("/message/chat/id", "/edited_message/chat/id", "/chat")
    assert read(pointers, {"edited_message": {"chat": {"id": 5}}, "chat": 6}) == "5"
    assert read(pointers, {"message": {"chat": {"id": None}}, "chat": "six"}) == "six"
    assert read(pointers, {}) is None
    assert read((), {"id": 1}) is None


@given(
    st.dictionaries(st.text(), st.text(min_size=1), min_size=1),
    st.sampled_from(["application/json", "APPLICATION/JSON; charset=utf-8", ""]),
)
def test_every_name_of_a_body_can_be_pointed_at(fields: dict[str, str], kind: str) -> None:
    request = ChannelRequest(json.dumps(fields).encode(), {"content-type": kind})
    for name, value in fields.items():
        pointer = "/" + name.replace("~", "~0").replace("/", "~1")
        assert read((pointer,), request.document()) == value


@given(st.dictionaries(st.text(st.characters(codec="utf-8"), min_size=1), st.text(
    st.characters(codec="utf-8"), min_size=1), min_size=1))  # fmt: skip
def test_the_fields_of_a_form_are_pointed_at_in_the_same_way(fields: dict[str, str]) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded; charset=UTF-8"}
    request = ChannelRequest(urlencode(fields).encode(), headers)
    for name, value in fields.items():
        assert (
            read(("/" + name.replace("~", "~0").replace("/", "~1"),), request.document()) == value
        )


json_documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(
    json_documents, st.lists(st.text(max_size=4).map(lambda s: s.replace("~", "~0")), max_size=4)
)
def test_reading_never_fails_whatever_a_stranger_sends(
    document: Document, steps: list[str]
) -> None:
    found = read(("".join(f"/{step}" for step in steps),), document)
    assert found is None or found


@pytest.mark.parametrize("module", ["authentication", "pointers", "requests", "verification"])
def test_what_the_ingress_runs_needs_the_standard_library_alone(module: str) -> None:
    source = Path(cloche.channels.__file__).with_name(f"{module}.py").read_text("utf-8")
    tree = ast.parse(source)
    names = set()
    for node in tree.body:  # what is imported for types alone stands deeper
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    ours = {name for name in names if name.startswith("cloche")}
    assert ours <= {"cloche.channels", "cloche.channels.authentication", "cloche.errors"}
    assert {name.split(".")[0] for name in names - ours} <= sys.stdlib_module_names
