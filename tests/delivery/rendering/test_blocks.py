"""What stands on a line of its own in a reply does so for whoever reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cloche.channels import Formatting, Limits
from cloche.delivery.rendering import render

WIDE = Limits(text=10**6, text_bytes=10**6, entities=10**6)

LEAVES = {
    "words": "{0}",
    "strong words": "**{0}** _{0}_ [{0}](http://{0})",
    "code": "```sh\n{0}\n```",
    "indented": "\n    {0}\n",
    "table": "\n| {0} | {0} |\n|---|---|\n| {0} | {0} |\n",
    "heading": "## {0}",
    "rule": "\n***\n{0}",
    "html": "\n<div>{0}</div>\n",
    "task": "- [ ] {0}",
}
BLOCKS = st.recursive(
    st.sampled_from([*LEAVES]),
    lambda inside: st.tuples(
        st.sampled_from(("bullets", "numbers", "quote")), st.lists(inside, min_size=1, max_size=4)
    ),
    max_leaves=10,
)


def lines_of(block: object, names: Iterator[int]) -> list[str]:
    """A block as Markdown; whatever stands in one block has a number of its own."""
    if isinstance(block, tuple):
        kind, inside = block
        if kind == "quote":
            each = [lines_of(one, names) for one in inside]
            return [f"> {line}".rstrip() for one in each for line in (*one, "")][:-1]
        sign = "- " if kind == "bullets" else "1. "
        return [
            (sign if not number else " " * len(sign)) + line if line else ""
            for one in inside
            for number, line in enumerate(lines_of(one, names))
        ]
    return LEAVES[str(block)].format(f"w{next(names)}").split("\n")


def written(blocks: list[object], gap: str) -> str:
    names = count(1)
    return gap.join("\n".join(lines_of(block, names)) for block in blocks)


@given(st.lists(BLOCKS, min_size=1, max_size=4), st.sampled_from(["\n", "\n\n"]))
@example([("numbers", ["words", "code", "words"])], "\n")
@pytest.mark.parametrize("formatting", ["plain", "entities"])
def test_no_line_holds_words_of_two_blocks(
    formatting: Formatting, blocks: list[object], gap: str
) -> None:
    text = written(blocks, gap)
    for part in render(text, WIDE, formatting):
        for line in part.text.split("\n"):
            assert len(set(re.findall(r"w\d+", line))) <= 1, (text, part.text)


@pytest.mark.parametrize("formatting", ["plain", "entities"])
@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("1. Run:\n   ```sh\n   ls\n   ```\n   Look.\n2. Do", "1. Run:\nls\nLook.\n2. Do"),
        ("1. Ejecuta:\n   ```\n   ls\n   ```\n   **Luego** mira.", "1. Ejecuta:\nls\nLuego mira."),
        ("- 运行：\n  ```\n  ls\n  ```\n  然后看。", "\u2022 运行：\nls\n然后看。"),
        ("- a\n  > q\n\n  b", "\u2022 a\nq\nb"),
        ("- a\n  # b\n  c", "\u2022 a\nb\nc"),
        ("- a\n\n  ***\n\n  b", "\u2022 a\n————————\nb"),
        ("- a\n  | b |\n  |---|\n\n  c", "\u2022 a\nb\nc"),
        ("- a\n  <div>\n\n  b", "\u2022 a\n<div>\nb"),
        ("> - a\n>   ```\n>   b\n>   ```\n>   c", "\u2022 a\nb\nc"),
        ("- a **b**\n  c `d` e\n- [ ] f", "\u2022 a b\nc d e\n\u2610 f"),
    ],
)  # fmt: skip
def test_what_follows_a_block_in_an_item_begins_a_line(
    formatting: Formatting, markdown: str, text: str
) -> None:
    (only,) = render(markdown, WIDE, formatting)
    assert only.text.rstrip("\n") == text
