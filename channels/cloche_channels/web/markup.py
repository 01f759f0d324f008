"""Markdown that a model wrote, as a tree of what the page may build: never as HTML.

The page makes one element per node and sets texts; there is no way from here to markup. A node is
a text, or a list of a tag, its attributes and its children: ``["a", {"href": "https://…"}, "x"]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Node: TypeAlias = "str | list[str | dict[str, str] | Node]"

TAGS: Final = frozenset(
    """
    p h3 h4 h5 h6 strong em s code pre blockquote ul ol li table thead tbody tr th td a br hr
    """.split()
)
"""All that the page builds."""
DEPTH: Final = 24
"""Deeper nesting, which nobody writes on purpose, is shown flat."""

_MOST_CHARS: Final = 100_000
_GROWTH: Final = 20
"""How many times its text a tree may be beyond those; a table fills up what its rows lack."""
_NODE_CHARS: Final = 10

_ADDRESS: Final = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)
_BARE: Final = re.compile(r"https?://[^\s<>\"'`\u3000-\u303f\uff00-\uffef]+", re.IGNORECASE)
_TRAILING: Final = ".,;:!?)]}*_"
_HEADINGS_BELOW: Final = 2
"""The page's own headings take the first two levels."""


def tree(markdown: str) -> list[Node]:
    """The blocks of a text. Raw HTML is text, a picture is a link, a strange address is shown.

    A text that would be many times itself, as one address behind thousands of words is, is shown
    as it was written.
    """
    from cloche.channels import for_commonmark

    builder = _Builder(_MOST_CHARS + _GROWTH * len(markdown))
    try:
        return builder.build(_parser().parse(for_commonmark(markdown)))
    except _TooLargeError:
        return [["pre", {}, markdown]]


def is_address(href: str) -> bool:
    """Whether a link may lead there: a page or a mailbox elsewhere, nothing of this machine's."""
    return bool(_ADDRESS.match(href))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Without raw HTML; entities and backslashes are read, addresses are made safe to be written.
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


class _TooLargeError(Exception):
    """A tree has become larger than it may."""


class _Builder:
    """Puts tokens together; holds one list of children per element that is open."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._top: list[Node] = []
        self._open: list[list[Node]] = [self._top]
        self._links: list[str] = []

    def build(self, tokens: Sequence[Token]) -> list[Node]:
        for token in tokens:
            self._add(token)
        return self._top

    def _add(self, token: Token) -> None:
        if token.type == "inline":
            for child in token.children or ():
                self._add(child)
        elif token.type == "link_open":
            self._links.append(href := str(token.attrs.get("href", "")))
            self._enter(["a", {"href": href}] if is_address(href) else None)
        elif token.type == "link_close":
            self._leave()
            if not is_address(href := self._links.pop()) and href:
                self._put(f" ({href})")
        elif token.nesting and not token.hidden:
            if token.nesting == 1:
                self._enter([_tag(token), _attributes(token)])
            else:
                self._leave()
        elif token.type == "text" and not self._links:
            self._put(*_linked(token.content))
        elif not token.hidden:
            self._put(_leaf(token))

    def _put(self, *nodes: Node) -> None:
        self._left -= sum(map(_size, nodes))
        if self._left < 0:
            raise _TooLargeError
        self._open[-1].extend(node for node in nodes if node)

    def _enter(self, node: list[str | dict[str, str] | Node] | None) -> None:
        """Open an element; None, or one too deep, lets its children stand where it would."""
        if node is None or len(self._open) > DEPTH:
            self._open.append(self._open[-1])
            return
        self._put(node)
        self._open.append(node)  # type: ignore[arg-type] # what follows tag and attributes are nodes

    def _leave(self) -> None:
        self._open.pop()


def _size(node: Node | dict[str, str]) -> int:
    """About how many characters tell of it."""
    if isinstance(node, str):
        return len(node)
    inside = node.values() if isinstance(node, dict) else node
    return _NODE_CHARS + sum(map(_size, inside))


def _leaf(token: Token) -> Node:
    """A node without elements in it."""
    match token.type:
        case "softbreak" | "hardbreak":
            return ["br", {}]
        case "hr":
            return ["hr", {}]
        case "image":
            return _picture(token)
    if token.tag == "code" and token.block:
        language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
        return ["pre", {"lang": language} if language else {}, token.content]
    # Else text; markup that somebody wrote is text, too.
    return ["code", {}, token.content] if token.tag == "code" else token.content


def _tag(token: Token) -> str:
    if re.fullmatch("h[1-6]", token.tag):
        return f"h{min(6, int(token.tag[1]) + _HEADINGS_BELOW)}"
    return token.tag if token.tag in TAGS else "p"


def _attributes(token: Token) -> dict[str, str]:
    found: dict[str, str] = {}
    if "start" in token.attrs:
        found["start"] = str(token.attrs["start"])
    if aligned := re.fullmatch(r"text-align:(left|right|center)", str(token.attrs.get("style"))):
        found["align"] = aligned[1]
    return found


def _picture(token: Token) -> Node:
    """Nothing is loaded from elsewhere: whoever wants to see the picture follows the link."""
    source = str(token.attrs.get("src", ""))
    words = token.content or source
    return ["a", {"href": source}, words] if is_address(source) else words


def _linked(text: str) -> Iterator[Node]:
    """A text with the addresses in it as links."""
    at = 0
    for found in _BARE.finditer(text):
        address = found[0].rstrip(_TRAILING)
        if len(address) <= len("https://"):
            continue
        yield text[at : found.start()]
        yield ["a", {"href": address}, address]
        at = found.start() + len(address)
    yield text[at:]
