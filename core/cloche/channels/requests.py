"""What a chat platform delivers, before a channel has parsed it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias
from urllib.parse import parse_qsl

from cloche.errors import RequestError

Document: TypeAlias = "bool | int | float | str | list[Document] | dict[str, Document] | None"
"""A body that was read: JSON, or the fields of a form."""

FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class ChannelRequest:
    """One request of a platform, or one update that polling brought, as it came.

    Attributes:
        body: The bytes, exactly: signatures are made over them.
        headers: By lower-case name.
        query: Of the address; of a name given twice, the last.
        method: In capitals.
        path: Of the address, without the query.
    """

    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    query: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    method: str = "POST"
    path: str = "/"

    def document(self) -> Document:
        """The body as JSON or, where the content type says so, the fields of a form.

        Raises:
            RequestError: the body is neither; the message says where, and quotes nothing.
        """
        kind = self.headers.get("content-type", "").split(";")[0].strip().lower()
        try:
            text = self.body.decode("utf-8")
            if kind == FORM:
                return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=1000))
            document: Document = json.loads(text)
            return document
        except (ValueError, RecursionError) as error:
            raise RequestError("body: is neither JSON nor a form in UTF-8") from error
