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

    @property
    def media_type(self) -> str:
        """What the content type says the body is, without its parameters; "" = nothing."""
        return self.headers.get("content-type", "").split(";")[0].strip().lower()

    @property
    def is_form(self) -> bool:
        """Whether the body is a form: the content type says so, and it is no JSON after all."""
        return self.media_type == FORM and not _is_json(self.body)

    def document(self) -> Document:
        """The body as JSON or, where the content type says so, the fields of a form.

        An object or list of JSON is one whatever its content type, because programs call
        everything a form that they are not told to call otherwise. No form looks like that: in one
        braces, brackets and quotes are written with percent signs.

        Raises:
            RequestError: the body is neither; the message says where, and quotes nothing.
        """
        try:
            text = self.body.decode("utf-8")
            if self.is_form:
                return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=1000))
            document: Document = json.loads(text)
            return document
        except (ValueError, RecursionError) as error:
            raise RequestError("body: is neither JSON nor a form in UTF-8") from error


def _is_json(body: bytes) -> bool:
    """Whether it is an object or a list of JSON."""
    try:
        return body.lstrip()[:1] in (b"{", b"[") and isinstance(json.loads(body), dict | list)
    except (ValueError, RecursionError):
        return False
