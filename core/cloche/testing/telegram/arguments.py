"""Arguments of a Bot API call: query, form, JSON and multipart say the same things."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from aiohttp import web
from aiohttp.web_request import FileField

from cloche.testing.telegram.refusal import bad_request


class Arguments:
    """What a call was given, each value read as its method documents it."""

    def __init__(
        self,
        values: Mapping[str, Any],
        files: Mapping[str, bytes],
        names: Mapping[str, tuple[str, str]] = MappingProxyType({}),
    ) -> None:
        """Take values as they came: a form's are text, JSON's have their own types.

        Args:
            values: What is no file.
            files: The bytes of files.
            names: What each file is called, and its media type.
        """
        self.values, self.files, self.names = values, files, names

    def text(self, name: str) -> str:
        """A string, "" when it was not given."""
        value = self.values.get(name, "")
        return value if isinstance(value, str) else json.dumps(value)

    def integer(self, name: str, default: int = 0) -> int:
        """A number; what is none counts as not given, as the service has it."""
        try:
            return int(str(self.values[name]))
        except (KeyError, ValueError):
            return default

    def boolean(self, name: str) -> bool:
        """True for ``true``, ``1``, ``yes`` in any case."""
        return str(self.values.get(name, "")).lower() in {"true", "1", "yes"}

    def given(self, name: str) -> bool:
        """Whether a value was given."""
        return self.values.get(name) not in (None, "")

    def json(self, name: str) -> Any:
        """A JSON value, which a form carries as text; None when it was not given.

        Raises:
            RefusedError: it is not JSON.
        """
        value = self.values.get(name)
        if not isinstance(value, str) or not value:
            return None if value == "" else value
        try:
            return json.loads(value)
        except ValueError:
            raise bad_request(f"can't parse {name} JSON object") from None


async def read_arguments(request: web.Request) -> Arguments:
    """The arguments of a call, wherever they stand.

    Raises:
        RefusedError: the body is not what its content type says.
    """
    values: dict[str, Any] = dict(request.query)
    files: dict[str, bytes] = {}
    names: dict[str, tuple[str, str]] = {}
    if request.content_type == "application/json":
        try:
            body = json.loads(await request.read() or b"{}")
        except ValueError:
            raise bad_request("can't parse the request body as JSON") from None
        values |= body if isinstance(body, dict) else {}
    elif request.can_read_body:
        for name, value in (await request.post()).items():
            if isinstance(value, FileField):
                files[name] = value.file.read()
                names[name] = (value.filename, value.content_type)
            else:
                values[name] = value
    return Arguments(values, files, names)
