"""What the fake model servers keep of every request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cloche.testing.pictures import Picture
from cloche.testing.prompt_cache import Counted, Rendered


@dataclass(frozen=True)
class Recorded:
    """One request as it arrived, and what it counted.

    Attributes:
        operation: What was asked for, as the service calls it (``Converse``, ``messages``, ...).
        model: The model id, decoded.
        body: The JSON body.
        headers: HTTP headers, names in lower case.
        rendered: The request as the prompt cache sees it.
        images: Its pictures, decoded, when it was acceptable.
        counted: Input tokens by the cache; None when it was refused or failed.
    """

    operation: str
    model: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    rendered: Rendered
    images: tuple[Picture, ...] = ()
    counted: Counted | None = None

    @property
    def prefixes(self) -> tuple[bytes, ...]:
        """The rendered bytes up to each cache point."""
        return self.rendered.prefixes
