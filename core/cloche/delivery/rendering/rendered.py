"""A reply as the messages a platform takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cloche.channels.declared import Formatting, Limits
from cloche.channels.parts import Entity
from cloche.channels.units import length_of
from cloche.delivery.rendering.addresses import with_addresses, with_long_addresses
from cloche.delivery.rendering.boundaries import is_blank
from cloche.delivery.rendering.inline import destination
from cloche.delivery.rendering.reading import clean, for_commonmark, read
from cloche.delivery.rendering.splitting import Splitter
from cloche.delivery.rendering.writing import shortest_markdown, to_markdown


@dataclass(frozen=True, slots=True)
class Rendered:
    """One message.

    Attributes:
        text: In the channel's formatting; never blank.
        entities: Its formatting, where the channel takes entities.
        plain: The same without formatting, for a platform that refused it.
    """

    text: str
    entities: tuple[Entity, ...]
    plain: str


def render(markdown: str, limits: Limits, formatting: Formatting) -> tuple[Rendered, ...]:
    """A reply as messages in order, each within all limits at once; none where nothing is seen.

    Nothing is lost but space at the cuts. A cut is made after a paragraph, else a line, a sentence,
    a word, a visible character; formatting it goes through ends and begins again.

    Args:
        markdown: What the assistant said.
        limits: ``text`` in its ``unit``, ``text_bytes`` and ``entities`` count here. As Markdown, a
            message's signs count as well.
        formatting: "plain" has the addresses of links beside their words; "markdown" is the source
            itself where all of it fits; "entities" is text with its formatting beside it.
    """
    source = clean(markdown)
    if is_blank(source):
        return ()
    text, entities = read(source)
    if formatting == "plain":
        whole = with_addresses(text, entities)
        return tuple(Rendered(part, (), part) for part, _ in Splitter(whole, (), limits).parts())
    if formatting == "markdown" and _excess(whole := _as_written(source), limits) <= 1:
        plain = with_addresses(text, entities).strip("\n")
        return (Rendered(whole, (), plain if _excess(plain, limits) <= 1 else whole),)
    text, entities = with_links_that_fit(text, entities, limits)
    return tuple(_parts(text, entities, limits, formatting))


def _as_written(source: str) -> str:
    return for_commonmark(source).strip("\n")


def with_links_that_fit(
    text: str, entities: tuple[Entity, ...], limits: Limits
) -> tuple[str, tuple[Entity, ...]]:
    """A text whose links are short enough for a part to be more than an address; others are text.

    Text can be cut, an address behind words cannot.
    """
    return with_long_addresses(
        text, entities, lambda url: 2 * _excess(destination(url), limits) > 1
    )


def _parts(
    text: str, entities: tuple[Entity, ...], limits: Limits, formatting: Formatting
) -> Iterator[Rendered]:
    """Parts whose plain form, with the addresses of its links, fits as well."""
    splitter, share = Splitter(text, entities, limits), 1.0
    while (part := splitter.take(share)) is not None:
        plain = with_addresses(*part)
        shortest = shortest_markdown(*part) if formatting == "markdown" else part[0]
        excess = max(_excess(plain, limits), _excess(shortest, limits))
        if excess <= 1 and formatting == "markdown":
            written = to_markdown(*part)
            excess = _excess(written, limits)
        else:
            written = part[0]
        if excess > 1 and len(part[0]) > 1:
            splitter.give_back()
            share *= min(0.9, 1 / excess)
            continue
        if excess > 1:  # one character, with more signs around it than there is room for
            plain = written = part[0]
        yield Rendered(written, () if formatting == "markdown" else part[1], plain)
        share = min(1.0, share * 1.5)


def _excess(text: str, limits: Limits) -> float:
    """How much of the limits on length a text takes; more than 1 is too much."""
    return max(
        length_of(text, limits.unit) / limits.text, length_of(text, "bytes") / limits.text_bytes
    )
