"""Requests of a chat platform kept as samples for tests, without what is secret in them."""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from cloche.channels import Authentication, Challenge, ChannelRequest
from cloche.redact import PLACEHOLDER, Redactor

_SECRET_NAME: Final = re.compile(
    r"token|secret|passw|api[_-]?key|access[_-]?key|private[_-]?key|signature|credential|cookie"
    r"|authorization",
    re.IGNORECASE,
)
_OF_THE_WAY: Final = re.compile(
    r"accept.*|connection|content-length|host|via|forwarded|x-forwarded-.*|x-real-ip|cf-.*|cdn-.*"
    r"|true-client-ip|user-agent|transfer-encoding|traceparent|x-amz.*|x-request-id"
)
"""Headers that say how a request came, and from whose machine."""


def without_secrets(
    request: ChannelRequest,
    authentication: Authentication | None,
    challenge: Challenge | None,
    secrets: Iterable[str],
) -> ChannelRequest:
    """The request as a sample: what proves it, secrets and addresses of machines are taken out.

    Args:
        request: As it came.
        authentication: What the channel declares: its header goes.
        challenge: What the channel declares: its token goes.
        secrets: Values that must be nowhere in it.
    """
    redact = Redactor(secrets)
    proof = authentication.header if authentication else ""
    headers = {
        name: redact(value)
        for name, value in request.headers.items()
        if name != proof and not _OF_THE_WAY.fullmatch(name) and not _SECRET_NAME.search(name)
    }
    token = challenge.token if challenge else ""
    query = {
        name: PLACEHOLDER if name == token or _SECRET_NAME.search(name) else redact(value)
        for name, value in request.query.items()
    }
    return replace(request, headers=headers, query=query, body=_body(request, redact))


def write_recording(folder: Path, request: ChannelRequest) -> Path:
    """Keep a request under the next free number.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    document: dict[str, object] = {
        "method": request.method,
        "query": dict(request.query),
        "headers": dict(request.headers),
    }
    try:
        document["body"] = request.body.decode("utf-8")
    except UnicodeDecodeError:
        document["base64"] = base64.b64encode(request.body).decode()
    number = 1
    while (path := folder / f"{number:03}.json").exists():
        number += 1
    text = json.dumps(document, ensure_ascii=False, indent=2)
    path.write_text(f"{text}\n", encoding="utf-8")
    return path


def recorded_requests(folder: Path | str) -> tuple[ChannelRequest, ...]:
    """The requests that ``cloche channel record`` kept in a folder, in order.

    Args:
        folder: Where they lie: beside the file that calls this or in a folder above it, up to its
            package's, wherever the tests are run from.

    Raises:
        ValueError: there is no such folder, or a file in it is no recording.
    """
    found = _found(Path(folder), Path(sys._getframe(1).f_code.co_filename))
    return tuple(_read(path) for path in sorted(found.glob("*.json")))


def _found(folder: Path, caller: Path) -> Path:
    """The folder that is meant in a file of code; one inside another may be missing: it is empty.

    Raises:
        ValueError: there is none.
    """
    tried = []
    for above in caller.absolute().parents if caller.is_file() else [Path.cwd()]:
        tried.append(above / folder)
        if tried[-1].is_dir() or any(tried[-1].parent.glob("*.json")):
            return tried[-1]
        if folder.is_absolute() or (above / "pyproject.toml").is_file():
            break
    raise ValueError(
        f"There is no folder {folder} beside {caller.name} or above it up to {tried[-1].parent}: "
        "`cloche channel record` writes one."
    )


def _read(path: Path) -> ChannelRequest:
    match json.loads(path.read_text("utf-8")):
        case {"method": str(method), "query": dict(query), "headers": dict(headers), **rest}:
            match rest:
                case {"body": str(text)}:
                    return ChannelRequest(text.encode(), headers, query, method)
                case {"base64": str(text)}:
                    return ChannelRequest(base64.b64decode(text), headers, query, method)
    raise ValueError(f"{path} is no recorded request")


def _body(request: ChannelRequest, redact: Redactor) -> bytes:
    """JSON and forms keep their shape; other text is redacted as it is, other bytes not kept."""
    try:
        text = request.body.decode("utf-8")
    except UnicodeDecodeError:
        return b""
    if request.is_form:
        fields = dict(parse_qsl(text, keep_blank_values=True))
        return urlencode(_cleaned(fields, redact)).encode()
    try:
        document = json.loads(text)
    except ValueError:
        return redact(text).encode()
    kept = json.dumps(_cleaned(document, redact), ensure_ascii=False)
    if redact.knows_of(kept):  # an escape that ends as a secret begins: no shape is kept
        kept = redact(kept)
    return kept.encode("utf-8", "replace")


def _cleaned(value: Any, redact: Redactor) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [_cleaned(each, redact) for each in value]
    if isinstance(value, Mapping):
        return {
            redact(name): _instead(each, redact)
            if _SECRET_NAME.search(name)
            else _cleaned(each, redact)
            for name, each in value.items()
        }
    return value


def _instead(value: Any, redact: Redactor) -> Any:
    """Of a value whose name says that it is secret."""
    return PLACEHOLDER if isinstance(value, str | int | float) else _cleaned(value, redact)
