"""A parser's events, changed so that everything an author wrote comes to be read.

The renderer behind this drops what it does not know: HTML, the addresses of links in tables, cells
beyond a table's columns, references nobody refers to. Here each of them becomes text. What common
Markdown writes with the same signs but a chat means otherwise (one ``~``, ``||`` between words)
becomes what the chat means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from cloche.delivery.rendering.addresses import beside, can_be_opened
from cloche.delivery.rendering.apart import apart
from cloche.delivery.rendering.flanking import Parsed
from cloche.delivery.rendering.spoilers import spoilers
from cloche.delivery.rendering.tables import flat_table
from cloche.delivery.rendering.unread import unread_definitions

Payload: TypeAlias = Any
"""What pyromark hands out: a name, or a dictionary with one name and its data."""
Event: TypeAlias = "tuple[Payload, Mapping[str, int]]"

DEEPEST: Final = 10
"""Lists within lists and quotes within quotes; what is deeper is written like this depth."""
_BREAK: Final = re.compile(r"<br\s*/?>", re.IGNORECASE)
_ADDRESSES: Final = ("Link", "Image")
_NOWHERE: Final[Mapping[str, int]] = {}


def events_of(parsed: Parsed) -> tuple[Event, ...]:
    """The events to render, with their ranges in bytes of the source."""
    source = parsed.source.encode()
    rest = unread_definitions(source, parsed.events)
    deepest = _deepest_list(parsed.events, len(source))
    reading = _Reading(parsed, spoilers(source, parsed.events), deepest)
    return (*apart(parsed.unmarked(reading.read(parsed.events))), *_paragraph(rest))


def parse(markdown: str) -> list[Event]:
    """What CommonMark sees in a text, with tables, strikethrough and tasks."""
    import pyromark

    options = (
        pyromark.Options.ENABLE_TABLES
        | pyromark.Options.ENABLE_STRIKETHROUGH
        | pyromark.Options.ENABLE_TASKLISTS
    )
    found: list[Any] = list(pyromark.events_with_range(markdown, options=options))
    return found


@dataclass(slots=True)
class _Address:
    """A link or picture that is open."""

    url: str
    shown: bool
    text: str = ""


class _Reading:
    def __init__(self, parsed: Parsed, marks: Mapping[int, Payload], deepest_list: int) -> None:
        self._parsed, self._source = parsed, parsed.source.encode()
        self._marks = marks
        self._addresses: list[_Address] = []
        self._depth = {"List": 0, "BlockQuote": 0}
        self._deepest = {"List": deepest_list, "BlockQuote": DEEPEST}
        self._in_code = False
        self._html_lines = 0

    def read(self, events: Iterable[Event]) -> Iterator[Event]:
        table: list[Event] | None = None
        for payload, where in events:
            if table is not None:
                table.append((payload, where))
                if payload == {"End": "Table"}:
                    yield from self._table(table)
                    table = None
            elif _tag(payload, "Start") == "Table":
                table = [(payload, where)]
            else:
                yield from self._one(payload, where)

    def _table(self, events: list[Event]) -> Iterator[Event]:
        # Spoilers and lists need no telling apart inside: a table is shown as one block of text.
        inside = _Reading(self._parsed, {}, DEEPEST)
        cells = [*self._parsed.unmarked(inside.in_table(events))]
        yield from flat_table(cells, self._source)

    def in_table(self, events: Iterable[Event]) -> Iterator[Event]:
        """Cells as text alone: formatting has no place in a block of fixed width."""
        for payload, where in events:
            if isinstance(payload, str):
                yield {"Text": " "}, where
            elif html := payload.get("InlineHtml", ""):
                yield {"Text": " " if _BREAK.fullmatch(html) else html}, where
            elif _tag(payload) in _ADDRESSES:
                yield from self._address(payload, where, shown=True)
            else:
                yield from self._told(payload, where)

    def _one(self, payload: Payload, where: Mapping[str, int]) -> Iterator[Event]:
        tag = _tag(payload)
        if isinstance(payload, str):
            yield payload, where
        elif "InlineHtml" in payload:
            yield from self._inline_html(payload["InlineHtml"], where)
        elif "Html" in payload or tag == "HtmlBlock":
            yield from self._html_block(payload, where)
        elif tag == "Strikethrough" and not self._is_double(where):
            yield from self._told({"Text": "~"}, where)
        elif tag in self._depth:
            yield from self._nested(tag, payload, where)
        elif tag in _ADDRESSES:
            yield from self._address(payload, where, shown=False)
        else:
            yield from self._told(_with_short_language(payload), where)

    def _told(self, payload: Payload, where: Mapping[str, int]) -> Iterator[Event]:
        """Pass on, and note the text for the links it stands in."""
        if _tag(payload) == "CodeBlock":
            self._in_code = "Start" in payload
        text = payload.get("Text", payload.get("Code", ""))
        for address in self._addresses:
            address.text += text
        if "Text" in payload and not self._in_code and "||" in text and where:
            yield from self._with_spoilers(text, where)
        else:
            yield payload, where

    def _with_spoilers(self, text: str, where: Mapping[str, int]) -> Iterator[Event]:
        at, begins = 0, where["start"]
        for found in re.finditer(r"\|\|", text):
            mark = self._marks.get(begins + len(text[: found.start()].encode()))
            if mark is not None:
                if at < found.start():
                    yield {"Text": text[at : found.start()]}, where
                yield mark, where
                at = found.end()
        if at < len(text):
            yield {"Text": text[at:]}, where

    def _inline_html(self, html: str, where: Mapping[str, int]) -> Iterator[Event]:
        if _BREAK.fullmatch(html):
            yield "HardBreak", where
        else:
            yield from self._told({"Text": html}, _NOWHERE)

    def _html_block(self, payload: Payload, where: Mapping[str, int]) -> Iterator[Event]:
        if "Html" not in payload:
            self._html_lines = 0
            yield {next(iter(payload)): "Paragraph"}, where
            return
        for line in payload["Html"].rstrip("\n").split("\n"):
            if self._html_lines:
                yield "SoftBreak", where
            self._html_lines += 1
            yield {"Text": line}, where

    def _nested(self, tag: str, payload: Payload, where: Mapping[str, int]) -> Iterator[Event]:
        starts = "Start" in payload
        self._depth[tag] += starts
        if self._depth[tag] <= self._deepest[tag]:
            yield payload, where
        self._depth[tag] -= not starts

    def _address(
        self, payload: Payload, where: Mapping[str, int], *, shown: bool
    ) -> Iterator[Event]:
        found = _address_of(payload)
        if found is not None:
            address = _Address(found, shown or bool(self._addresses) or not can_be_opened(found))
            self._addresses.append(address)
            if not address.shown:
                yield {"Start": {"Link": {"dest_url": address.url}}}, where
            return
        address = self._addresses.pop()
        told = beside(address.text, address.url) if address.shown else ""
        if not address.text.strip():
            told = address.url
        if told:
            yield from self._told({"Text": told}, _NOWHERE)
        if not address.shown:
            yield {"End": "Link"}, where

    def _is_double(self, where: Mapping[str, int]) -> bool:
        return self._source[where["start"] + 1 : where["start"] + 2] == b"~"


def _deepest_list(events: Iterable[Event], size: int) -> int:
    """How deep lists are shown: indentation never takes more room than the source."""
    items, depth = [0] * (DEEPEST + 1), 0
    for payload, _ in events:
        tag = _tag(payload)
        if tag == "List":
            depth += 1 if "Start" in payload else -1
        elif tag == "Item" and "Start" in payload:
            items[min(depth, DEEPEST)] += 1
    indented = 0
    for deepest in range(2, DEEPEST + 1):
        indented += 2 * sum(items[deepest:])
        if indented > size:
            return deepest - 1
    return DEEPEST


def _tag(payload: Payload, side: str = "") -> str:
    """The name of what starts or ends here, "" for anything else."""
    if not isinstance(payload, dict):
        return ""
    tag = payload.get(side) if side else payload.get("Start", payload.get("End"))
    return str(next(iter(tag)) if isinstance(tag, dict) else tag or "")


def _address_of(payload: Payload) -> str | None:
    """Where a link or picture that starts here leads."""
    tag = _tag(payload, "Start")
    if tag not in _ADDRESSES:
        return None
    data = payload["Start"][tag]
    url = str(data["dest_url"])
    return f"mailto:{url}" if data["link_type"] == "Email" else url


def _with_short_language(payload: Payload) -> Payload:
    """A fence's first word alone: the rest is for other programs."""
    if _tag(payload, "Start") == "CodeBlock" and isinstance(payload["Start"]["CodeBlock"], dict):
        words = str(payload["Start"]["CodeBlock"]["Fenced"]).split()
        return {"Start": {"CodeBlock": {"Fenced": words[0] if words else ""}}}
    return payload


def _paragraph(lines: Iterable[str]) -> Iterator[Event]:
    """Lines at the end of everything."""
    for number, line in enumerate(lines):
        yield ({"Start": "Paragraph"} if not number else "SoftBreak"), _NOWHERE
        yield {"Text": line}, _NOWHERE
    # An end without a start changes nothing.
    yield {"End": "Paragraph"}, _NOWHERE
