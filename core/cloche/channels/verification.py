"""Is a webhook request the platform's own? Asked before anything of it is read.

Standard library only: the cloud's ingress runs this file as it is. Whatever is missing (a secret,
a header, a timestamp) means no.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from typing import TYPE_CHECKING, Final

from cloche.channels import pointers
from cloche.channels.authentication import Authentication, Challenge, SharedSecret, Signature
from cloche.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from cloche.channels.requests import ChannelRequest

_SLOT: Final = re.compile(r"\{(body|header:[a-z0-9-]+)\}")
_SECONDS: Final = re.compile(r"[0-9]{1,12}")


def verify(
    authentication: Authentication,
    secrets: Mapping[str, str],
    request: ChannelRequest,
    now: datetime,
) -> bool:
    """Whether the request proves that it is the platform's; False where anything is missing.

    Args:
        authentication: What the channel declares.
        secrets: The channel's secrets by key; one that is missing or "" refuses every request.
        request: As it came, headers by lower-case name.
        now: The present instant, for timestamps.
    """
    secret = secrets.get(authentication.secret, "")
    given = request.headers.get(authentication.header, "")
    if not secret or not given:
        return False
    if isinstance(authentication, SharedSecret):
        return _same(given, secret)
    signed = _signed(authentication.template, request)
    if signed is None or not _is_fresh(authentication, request, now):
        return False
    if not given.startswith(authentication.prefix):
        return False
    given = given.removeprefix(authentication.prefix)
    given = given.lower() if authentication.encoding == "hex" else given
    return _same(given, _signature(authentication, secret, signed))


def challenge_answer(
    challenge: Challenge, secrets: Mapping[str, str], request: ChannelRequest
) -> str | None:
    """What to send back as the whole body; None when the request is no challenge.

    A challenge in a body is authenticated like every request, with ``verify``, and before this is
    asked. One in a query has nothing but its token, which is compared here.
    """
    if challenge.place == "body":
        try:
            document = request.document()
        except RequestError:
            return None
        if pointers.read((challenge.when,), document) != challenge.equals:
            return None
        return pointers.read((challenge.answer,), document)
    asked = request.query.get(challenge.when)
    if request.method != "GET" or asked is None or challenge.equals not in ("", asked):
        return None
    secret = secrets.get(challenge.secret, "")
    given = request.query.get(challenge.token, "")
    return request.query.get(challenge.answer) if secret and _same(given, secret) else None


def _is_fresh(signature: Signature, request: ChannelRequest, now: datetime) -> bool:
    if not signature.timestamp:
        return True
    signed_at = request.headers.get(signature.timestamp, "")
    if not _SECONDS.fullmatch(signed_at):
        return False
    return abs(now.timestamp() - int(signed_at)) <= signature.max_age_seconds


def _signed(template: str, request: ChannelRequest) -> bytes | None:
    """The bytes a signature is made over; None when the request lacks a header of them."""
    signed, at = b"", 0
    for slot in _SLOT.finditer(template):
        signed += _bytes(template[at : slot.start()])
        at = slot.end()
        if slot[1] == "body":
            signed += request.body
            continue
        value = request.headers.get(slot[1].removeprefix("header:"))
        if value is None:
            return None
        signed += _bytes(value)
    return signed + _bytes(template[at:])


def _signature(signature: Signature, secret: str, signed: bytes) -> str:
    digest = hmac.new(_bytes(secret), signed, signature.algorithm).digest()
    return digest.hex() if signature.encoding == "hex" else base64.b64encode(digest).decode()


def _same(given: str, expected: str) -> bool:
    """Compare in the same time whatever differs, the lengths included."""
    digests = (hashlib.sha256(_bytes(text)).digest() for text in (given, expected))
    return hmac.compare_digest(*digests)


def _bytes(text: str) -> bytes:
    """As it was on the wire: what is no UTF-8 in a header comes as surrogates."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
