"""How a platform proves that a webhook request is its own: data a channel declares.

Standard library only: the cloud's ingress runs this file as it is, and asks
``cloche.channels.verification``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class SharedSecret:
    """A header carries the secret itself.

    Attributes:
        header: Its name in lower case.
        secret: Key of the channel's secret it must equal.
    """

    header: str
    secret: str


@dataclass(frozen=True, slots=True)
class Signature:
    """A header carries an HMAC, made over a template of headers and body.

    Attributes:
        header: Name of the signature's header, in lower case.
        secret: Key of the channel's secret the signature is made with.
        template: What is signed: ``{body}`` and ``{header:x-request-timestamp}`` stand for bytes.
        algorithm: Hash function.
        encoding: How the signature is written.
        prefix: What stands before it.
        timestamp: Header with the second it was signed at; "" = the platform sends none.
        max_age_seconds: Older or newer requests are refused where there is a timestamp.
    """

    header: str
    secret: str
    template: str = "{body}"
    algorithm: Literal["sha256", "sha1", "sha512"] = "sha256"
    encoding: Literal["hex", "base64"] = "hex"
    prefix: str = ""
    timestamp: str = ""
    max_age_seconds: int = 300


Authentication: TypeAlias = SharedSecret | Signature


@dataclass(frozen=True, slots=True)
class Challenge:
    """A question a platform asks an address before it delivers there.

    In a JSON body (``when`` and ``answer`` are JSON pointers) it comes signed like every request.
    In a query (they are names of parameters) it comes as a GET with a token that is a secret.

    Attributes:
        place: Where it stands.
        when: Which value tells that a request is a challenge.
        equals: What that value is; for a query, "" = present.
        answer: Which value is sent back as the whole body.
        token: For a query: the parameter that must equal the secret ``secret``.
        secret: Key of that secret.
    """

    place: Literal["body", "query"]
    when: str
    equals: str
    answer: str
    token: str = ""
    secret: str = ""
