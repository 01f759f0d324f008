"""Bodies that nobody has seen yet: samples with one thing changed, and plain junk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from cloche.channels import ChannelRequest, Document

JUNK: Final = (
    b"", b" ", b"{", b"[", b"null", b"true", b"[]", b"{}", b"0", b'"text"', b"\xff\xfe\x00",
    b"\x00",
    b"<xml/>", b"a=b&c=d", b"[[[[[[", b'{"a":' * 5000, b"[" * 100_000, b'{"id": 1e999}', b"NaN",
    b'{"a": "\\ud800"}',
)  # fmt: skip
STRANGE: Final[tuple[Document, ...]] = (
    None, True, 0, -1, 7.5, 10**30, "", "x" * 5000, "\x00", "日本", [], {}, [[]], {"a": {"b": []}},
)  # fmt: skip
MOST: Final = 4000
"""Changed documents of one sample."""


def changed(sample: ChannelRequest) -> Iterator[ChannelRequest]:
    """The sample with one value taken out or replaced by something strange."""
    if sample.is_form:
        fields = dict(parse_qsl(sample.body.decode(), keep_blank_values=True))
        for name in fields:
            for value in ("", "x" * 5000, "\x00", "日本", "[]"):
                yield replace(sample, body=urlencode(fields | {name: value}).encode())
            yield replace(sample, body=urlencode(_without(fields, name)).encode())
        return
    document = json.loads(sample.body)
    for number, each in enumerate(_changes(document)):
        if number >= MOST:
            return
        yield replace(sample, body=json.dumps(each).encode())


def _changes(document: Any) -> Iterator[Any]:
    yield from (strange for strange in STRANGE)
    if isinstance(document, dict):
        for name, value in document.items():
            yield _without(document, name)
            for each in _changes(value):
                yield document | {name: each}
    elif isinstance(document, list):
        for at, value in enumerate(document):
            for each in _changes(value):
                yield [*document[:at], each, *document[at + 1 :]]


def _without(document: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != name}
