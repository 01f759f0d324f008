"""Requests signed as a platform would sign them."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from cloche.channels import Authentication, ChannelRequest, SharedSecret, Signature


def signed(
    authentication: Authentication,
    secrets: Mapping[str, str],
    request: ChannelRequest,
    now: datetime,
) -> ChannelRequest:
    """The request with the headers that prove it: those it had are replaced."""
    headers = dict(request.headers)
    secret = secrets[authentication.secret]
    if isinstance(authentication, SharedSecret):
        return replace(request, headers=headers | {authentication.header: secret})
    if authentication.timestamp:
        headers[authentication.timestamp] = str(int(now.timestamp()))
    headers[authentication.header] = _signature(authentication, secret, request.body, headers)
    return replace(request, headers=headers)


def _signature(signature: Signature, secret: str, body: bytes, headers: Mapping[str, str]) -> str:
    # Headers first: their values and the body may look like slots themselves.
    before, slot, after = signature.template.partition("{body}")
    message = _filled(before, headers) + (body if slot else b"") + _filled(after, headers)
    digest = hmac.new(secret.encode(), message, signature.algorithm).digest()
    text = digest.hex() if signature.encoding == "hex" else base64.b64encode(digest).decode()
    return signature.prefix + text


def _filled(template: str, headers: Mapping[str, str]) -> bytes:
    pieces = template.split("{header:")
    filled = pieces[0]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}")
        filled += headers.get(name, "") + rest
    return filled.encode()
