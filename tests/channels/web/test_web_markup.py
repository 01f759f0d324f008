"""Markdown becomes a tree of known elements: nothing is lost, and nothing else comes of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche_channels.web.markup import DEPTH, TAGS, Node, is_address, tree

SIGNS = st.text(alphabet="*_~`[]()<>!#-+|:\\/&\n\t \"'ab1.é花ش\u200f\ufffd😀", max_size=200)
LINKS = st.sampled_from(
    [
        "javascript:alert(1)",
        "JaVaScRiPt:x",
        "data:text/html,<b>",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example",
        "/api/export",
        "https://ok.example/a_b(c)",
        "mailto:a@b.de",
        "https:x",
        "http:\\\\evil",
        "&#106;avascript:alert(1)",
        "java\nscript:x",
        "#enter=x",
        "blob:x",
    ]
)

tree("")  # what is loaded at the first use takes longer than one example may


def nodes(tree: list[Any], depth: int = 1) -> Any:
    for node in tree:
        if isinstance(node, list):
            yield node, depth
            yield from nodes(node[2:], depth + 1)


def check(found: list[Node]) -> None:
    for (tag, attributes, *_), depth in nodes(found):
        assert tag in TAGS
        assert depth <= DEPTH
        assert set(attributes) <= {"a": {"href"}, "ol": {"start"}, "pre": {"lang"}}.get(
            tag, {"align"} if tag in ("th", "td") else set()
        )
        if "href" in attributes:
            assert attributes["href"].lower().startswith(("http://", "https://", "mailto:"))
        if "start" in attributes:
            assert attributes["start"].isdecimal()
    json.dumps(found)


@given(SIGNS)
def test_any_text_becomes_known_elements(text: str) -> None:
    check(tree(text))


@given(st.text(max_size=300))
def test_any_unicode_becomes_known_elements(text: str) -> None:
    check(tree(text))


@given(SIGNS, LINKS)
def test_only_pages_and_mailboxes_elsewhere_are_links(words: str, link: str) -> None:
    for text in (
        f"[{words}]({link})",
        f"![{words}]({link})",
        f"<{link}>",
        f"[a]\n\n[a]: {link}",
        link,
    ):
        check(tree(text))


@given(st.lists(st.text(alphabet="abcé花ش", min_size=1, max_size=8), min_size=1, max_size=20))
def test_no_word_is_lost(written: list[str]) -> None:
    from cloche_channels.web import markup

    def words(node: Any) -> str:
        return node if isinstance(node, str) else " ".join(map(words, node[2:]))

    text = "\n".join(f"- **{word}** `{word}` <b>{word}</b>" for word in written)
    shown = " ".join(words(node) for node in markup.tree(text))
    assert sum(shown.count(word) for word in set(written)) >= 3 * len(set(written))


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("a\nb", [["p", {}, "a", ["br", {}], "b"]]),
        ("# One\n###### Six", [["h3", {}, "One"], ["h6", {}, "Six"]]),
        ("<b>x</b>", [["p", {}, "<b>x</b>"]]),
        ("<script>alert(1)</script>", [["p", {}, "<script>alert(1)</script>"]]),
        ("![alt](https://e.org/x.png)", [["p", {}, ["a", {"href": "https://e.org/x.png"}, "alt"]]]),
        ("![](data:image/png;base64,AA)", [["p", {}, "data:image/png;base64,AA"]]),
        ("[here](/api/export)", [["p", {}, "here", " (/api/export)"]]),
        ("3. c", [["ol", {"start": "3"}, ["li", {}, "c"]]]),
        ("```js\nx < 1\n```", [["pre", {"lang": "js"}, "x < 1\n"]]),
        ("---", [["hr", {}]]),
        ("~~no~~", [["p", {}, ["s", {}, "no"]]]),
        (
            "|a|\n|:-:|\n|1|",
            [
                [
                    "table",
                    {},
                    ["thead", {}, ["tr", {}, ["th", {"align": "center"}, "a"]]],
                    ["tbody", {}, ["tr", {}, ["td", {"align": "center"}, "1"]]],
                ]
            ],
        ),
        (
            "see https://e.org/a_b.",
            [["p", {}, "see ", ["a", {"href": "https://e.org/a_b"}, "https://e.org/a_b"], "."]],
        ),
        (
            "看https://e.org/花。好",
            [["p", {}, "看", ["a", {"href": "https://e.org/花"}, "https://e.org/花"], "。好"]],
        ),
        ("https:// and http://)", [["p", {}, "https:// and http://)"]]),
        ("", []),
    ],
)
def test_markdown_is_read_as_people_know_it(markdown: str, expected: list[Node]) -> None:
    assert tree(markdown) == expected


@pytest.mark.parametrize(
    "text",
    [
        "> " * 500 + "deep",
        "- " * 500 + "deep",
        "**" * 2000 + "x",
        "[" * 3000,
        "*a " * 3000,
        "`" * 5000,
        "<" * 5000,
        "![" * 1000 + "x" + "](y)" * 1000,
        "_" * 3000 + "a" + "_" * 3000,
        "https://" * 2000,
    ],
    ids=range(10),
)
def test_what_is_written_to_be_slow_or_deep_is_neither(text: str) -> None:
    check(tree(text))  # within the suite's time limit


@pytest.mark.parametrize(
    "text",
    [
        f"[a]: http://e.org/{'x' * 50_000}\n\n" + "[a]" * 16_000,
        f"[花]: http://e.org/{'x' * 1_000}\n\n" + "[花]" * 30_000,
        f"[a]: {'x' * 50_000}\n\n" + "[a]" * 16_000,
        f"[a]: http://e.org/{'x' * 50_000}\n\n" + "![a]" * 12_000,
    ],
    ids=range(4),
)
def test_one_address_behind_many_words_makes_no_more_than_the_text(text: str) -> None:
    assert tree(text) == [["pre", {}, text]]


@pytest.mark.parametrize(
    "text",
    [
        "|a|b|c|\n|-|-|-|\n" + "|x|\n" * 9_000,
        "[a](http://e.org/b) " * 5_000,
        "**a** _b_ `c`\n\n- d\n" * 4_000,
        "[a]: http://e.org/b\n\n" + "[a] " * 500,
    ],
    ids=range(4),
)
def test_a_tree_is_not_many_times_its_text(text: str) -> None:
    built = tree(text)
    assert built[0] != ["pre", {}, text]
    assert len(json.dumps(built)) < 500_000 + 40 * len(text)


def test_an_address_is_one_by_its_beginning_alone() -> None:
    assert is_address("HTTPS://e.org")
    assert not is_address(" https://e.org")
    assert not is_address("javascript:https://e.org")


@pytest.mark.parametrize(
    ("markdown", "strong"),
    [
        ("**注意：**请浇水", "注意："),
        ("这是**“重点”**内容", "“重点”"),
        ("- 用**C++**写", "C++"),
        ("水は**「大切」**です", "「大切」"),
        ("**Ojo:** riega", "Ojo:"),
    ],
)
def test_stars_beside_letters_without_spaces_are_emphasis(markdown: str, strong: str) -> None:
    found = tree(markdown)
    assert [node[2] for node, _ in nodes(found) if node[0] == "strong"] == [strong]
    assert "*" not in json.dumps(found)


def test_stars_in_code_stay() -> None:
    assert tree("`**注意：**请`") == [["p", {}, ["code", {}, "**注意：**请"]]]
