"""What an assistant writes, as messages of a platform: formatted, and cut within its limits."""

from __future__ import annotations

from cloche.delivery.rendering.reading import for_commonmark
from cloche.delivery.rendering.rendered import Rendered, render
from cloche.delivery.rendering.writing import to_markdown

__all__ = ["Rendered", "for_commonmark", "render", "to_markdown"]
