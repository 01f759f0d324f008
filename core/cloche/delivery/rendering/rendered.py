"""A reply as the messages a platform takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cloche.channels.declared import Formatting, Limits
from cloche.channels.parts import Entity
from cloche.channels.units import length_of
from cloche.delivery.rendering.addresses import with_addresses
from cloche.delivery.rendering.boundaries import is_blank
from cloche.delivery.rendering.reading import clean, read
from cloche.delivery.rendering.splitting import Splitter
from cloche.delivery.rendering.writing import to_markdown


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
    if formatting == "markdown":
        return tuple(_as_markdown(source.strip("\n").rstrip(), text, entities, limits))
    return tuple(
        Rendered(part, inside, _plain(part, inside, limits))
        for part, inside in Splitter(text, entities, limits).parts()
    )


def _as_markdown(
    source: str, text: str, entities: tuple[Entity, ...], limits: Limits
) -> Iterator[Rendered]:
    if _fits(source, limits):
        plain = _plain(text, entities, limits).strip("\n")
        yield Rendered(source, (), plain if _fits(plain, limits) else source)
        return
    splitter = Splitter(text, entities, limits)
    share = 1.0
    while (part := splitter.take(share)) is not None:
        written = to_markdown(*part)
        if not _fits(written, limits) and len(part[0]) > 1:
            splitter.give_back()
            share *= min(0.9, limits.text / length_of(written, limits.unit))
            continue
        yield Rendered(written, (), _plain(*part, limits))
        share = 1.0


def _plain(text: str, entities: tuple[Entity, ...], limits: Limits) -> str:
    """With the addresses of its links, where there is room for them."""
    addressed = with_addresses(text, entities)
    return addressed if _fits(addressed, limits) else text


def _fits(text: str, limits: Limits) -> bool:
    return (
        length_of(text, limits.unit) <= limits.text
        and length_of(text, "bytes") <= limits.text_bytes
    )
