"""The binary event stream of ConverseStream (``application/vnd.amazon.eventstream``).

A frame is: total length u32, headers length u32, CRC-32 of these eight bytes, headers, payload,
CRC-32 of all before. A header is: name length u8, name, type 7 (string), value length u16, value.
"""

from __future__ import annotations

import json
import struct
from binascii import crc32
from collections.abc import Mapping

from cloche.state.store import Json


def event_frame(event_type: str, payload: Mapping[str, Json]) -> bytes:
    """One event of a stream."""
    return _frame({":message-type": "event", ":event-type": event_type}, payload)


def exception_frame(exception_type: str, message: str) -> bytes:
    """An error inside a stream that has begun."""
    headers = {":message-type": "exception", ":exception-type": exception_type}
    return _frame(headers, {"message": message})


def _frame(headers: Mapping[str, str], payload: Mapping[str, Json]) -> bytes:
    head = b"".join(
        _header(name, value)
        for name, value in {**headers, ":content-type": "application/json"}.items()
    )
    body = json.dumps(payload, ensure_ascii=False).encode()
    prelude = struct.pack(">II", 16 + len(head) + len(body), len(head))
    message = prelude + struct.pack(">I", crc32(prelude)) + head + body
    return message + struct.pack(">I", crc32(message))


def _header(name: str, value: str) -> bytes:
    key, text = name.encode(), value.encode()
    return struct.pack(">B", len(key)) + key + struct.pack(">BH", 7, len(text)) + text
