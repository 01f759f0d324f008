"""Markdown as plain text with a list of what is formatted."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from cloche.channels.parts import Entity, EntityKind
from cloche.delivery.rendering.boundaries import is_blank
from cloche.delivery.rendering.events import events_of, parse
from cloche.delivery.rendering.flanking import Parsed, is_unclear, parse_friendly, spaced
from cloche.delivery.rendering.line_ends import line_counting
from cloche.delivery.rendering.shaping import shaped
from cloche.messages import without_surrogates

if TYPE_CHECKING:
    from telegramify_markdown.config import RenderConfig
    from telegramify_markdown.entity import MessageEntity

_KINDS: Final[dict[str, EntityKind]] = {
    "bold": "bold", "italic": "italic", "underline": "underline", "code": "code", "pre": "pre",
    "strikethrough": "strikethrough", "spoiler": "spoiler", "text_link": "link",
    "blockquote": "blockquote",
}  # fmt: skip


def clean(text: str) -> str:
    """Text as every parser and platform takes it: one kind of line end, no NUL, no half pairs."""
    text = without_surrogates(text).replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\0", "\ufffd")


def read(markdown: str) -> tuple[str, tuple[Entity, ...]]:
    """The text that people read, and its formatting, for a ``clean`` Markdown text.

    What Markdown has no sign for stays text, HTML too; a text of which nothing would be seen is
    given back as it was. Emphasis is found beside Chinese letters, too.
    """
    return _read(markdown, parse_friendly(markdown, parse))


def read_strictly(markdown: str) -> tuple[str, tuple[Entity, ...]]:
    """The same for who knows CommonMark alone, and takes some stars beside letters for text."""
    return _read(markdown, Parsed(markdown, parse(markdown)))


def for_commonmark(markdown: str) -> str:
    """The same Markdown where CommonMark alone sees all its emphasis.

    A hair space stands beside some stars then; most texts stay as they are.
    """
    return spaced(parse_friendly(clean(markdown), parse)) if is_unclear(markdown) else markdown


def _read(markdown: str, parsed: Parsed) -> tuple[str, tuple[Entity, ...]]:
    from telegramify_markdown.converter import EventWalker

    walker = EventWalker(_config(), parsed.source)
    walker._buf = line_counting()  # the library's own counts all line ends at the end each time
    text, found, _ = walker.walk(events_of(parsed))
    if is_blank(text):
        return markdown, ()
    return text, shaped(text, _in_code_points(text, found))


@cache
def _config() -> RenderConfig:
    from telegramify_markdown.config import RenderConfig

    config = RenderConfig.isolated()
    config.cite_expandable = False
    symbols = config.markdown_symbol
    # Signs for a chat of any platform; the library's own decorate headings with pictures.
    symbols.heading_level_1 = symbols.heading_level_2 = ""
    symbols.heading_level_3 = symbols.heading_level_4 = ""
    symbols.unordered_list_item = "\N{BULLET}"
    symbols.task_completed = "\N{BALLOT BOX WITH CHECK}"
    symbols.task_uncompleted = "\N{BALLOT BOX}"
    return config


def _in_code_points(text: str, found: list[MessageEntity]) -> list[Entity]:
    """Telegram counts in UTF-16 code units, Python in code points."""
    index: list[int] | range = range(len(text) + 1)
    if not text.isascii() and max(text) > "\uffff":
        index = []
        for at, char in enumerate(text):
            index += [at] * (2 if char > "\uffff" else 1)
        index.append(len(text))
    return [
        Entity(
            _KINDS[each.type],
            index[each.offset],
            index[each.offset + each.length],
            url=each.url or "",
            language=each.language or "",
        )
        for each in found
        if each.type in _KINDS
    ]
