"""Emphasis beside letters that no space parts from signs is emphasis on every platform."""

from __future__ import annotations

from collections.abc import Sequence

import pyromark
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from cloche.channels import Entity, Formatting, Limits, for_commonmark
from cloche.delivery.rendering import render
from cloche.delivery.rendering.reading import read, read_strictly

WIDE = Limits(text=10**6, text_bytes=10**6, entities=10**6)

CASES = [
    ("**注意：**请浇水", [("bold", "注意：")]),
    ("**注意**：请浇水", [("bold", "注意")]),
    ("这是**“重点”**内容", [("bold", "“重点”")]),
    ("记住*（重要）*我对花生过敏", [("italic", "（重要）")]),
    ("价格**$100**的，**50%**以上", [("bold", "$100"), ("bold", "50%")]),
    ("用**C++**写", [("bold", "C++")]),
    ("请~~（不要）~~浇水", [("strikethrough", "（不要）")]),
    ("请看**`ls -l`**命令", [("code", "ls -l")]),
    ("**大家好！**_hi_", [("bold", "大家好！"), ("italic", "hi")]),
    ("打开**[网站](https://e.org)**再说", [("link", "网站"), ("bold", "网站")]),
    ("水は**「大切」**です", [("bold", "「大切」")]),
    ('이것은 **"강조"**입니다', [("bold", '"강조"')]),
    ("- **浇水：**每天\n- **施肥：**每月", [("bold", "浇水："), ("bold", "施肥：")]),
    ("> **浇水：**每天", [("blockquote", "浇水：每天"), ("bold", "浇水：")]),
    ("## **浇水：**每天", [("bold", "浇水：每天"), ("underline", "浇水：每天")]),
    ("The word **（重要）**means important", [("bold", "（重要）")]),
    ("答案是||巴黎||吧，不是||“罗马”||。", [("spoiler", "巴黎"), ("spoiler", "“罗马”")]),
    ("||结局：**“死”**了||", [("spoiler", "结局：“死”了"), ("bold", "“死”")]),
]  # fmt: skip
AS_BEFORE = [
    "`**注意：**请`",
    "```\n**注意：**请\n```",
    "    **注意：**请",
    "\\**注意：\\**请",
    "Price**(new)**is 5",
    "2*3*4 = 24，5*（6）",
    "word**(x)**word",
    "[a](http://e.org/**（x）**请)",
    "<b title='**：**请'>",
    "a 🌱**(x)**b",
    "if(a||b||c)",
    "`甲||乙||丙`",
    "【*】是星号",
]


def formatted_in(markdown: str) -> list[tuple[str, str]]:
    (only,) = render(markdown, WIDE, "entities")
    return [(each.kind, only.text[each.start : each.end]) for each in only.entities]


@pytest.mark.parametrize(("markdown", "formatted"), CASES)
def test_no_star_is_left_beside_a_letter_without_spaces(
    markdown: str, formatted: list[tuple[str, str]]
) -> None:
    assert sorted(formatted_in(markdown)) == sorted(formatted)
    formattings: tuple[Formatting, ...] = ("entities", "plain")
    for formatting in formattings:
        (only,) = render(markdown, WIDE, formatting)
        assert not set("*~`|") & set(only.text + only.plain)


@pytest.mark.parametrize(("markdown", "formatted"), CASES)
def test_a_platform_that_knows_commonmark_alone_gets_what_it_understands(
    markdown: str, formatted: list[tuple[str, str]]
) -> None:
    (only,) = render(markdown, WIDE, "markdown")
    text, entities = read_strictly(only.text)
    assert "".join(text.split()) == "".join(read(markdown)[0].split())
    shown = [(each.kind, text[each.start : each.end].replace("\u200a", "")) for each in entities]
    assert sorted(shown) == sorted(formatted)
    assert only.text.replace("\u200a", "") == markdown
    assert for_commonmark(only.text) == only.text


@pytest.mark.parametrize("markdown", AS_BEFORE)
def test_code_addresses_escapes_and_other_scripts_are_left_alone(markdown: str) -> None:
    assert for_commonmark(markdown) == markdown
    assert read(markdown) == read_strictly(markdown)


SIGNS = (
    *"*~_`|[]()<>!\\ \n-#", "**", "~~", "***", "请", "水", "，", "：", "“", "”", "（", "）",
    "a", "(", ")", "$", "🌱", "\u3000", "강", "`x**（y）**z`", "](http://x)",
    "\n- ", "\n> ", "```\n", "\n    ", "<b>", "|a|\n|-|\n", "[请**（x）**请]: b\n",
    "\\*", "&#42;", "\u0830",
)  # fmt: skip


@given(st.lists(st.sampled_from(SIGNS), max_size=30).map("".join))
@example("[请**（x）**请]: b\n\n[请**（x）**请]")
def test_nothing_but_stars_is_read_otherwise(markdown: str) -> None:
    """All the words are there, and code is the same code."""
    friendly, strict = read(markdown), read_strictly(markdown)
    stars = str.maketrans("", "", "*~ \n-")  # and the rule below a table's head, which is as wide
    assert friendly[0].translate(stars) == strict[0].translate(stars)
    assert _code(*friendly).translate(stars) == _code(*strict).translate(stars)
    assert for_commonmark(markdown).replace("\u200a", "") == markdown


def _code(text: str, entities: Sequence[Entity]) -> str:
    return "\0".join(text[e.start : e.end] for e in entities if e.kind in ("code", "pre", "link"))


AROUND = st.text("请水，a1 ,.", max_size=8)
INSIDE = st.text("请水a（）“”，：!(", min_size=1, max_size=8)
WIDE_SIGNS = set("请水，（）：")


@given(AROUND, INSIDE, AROUND)
def test_stars_are_never_text_where_a_wide_letter_or_sign_is_beside_them(
    before: str, inside: str, after: str
) -> None:
    assume({before[-1:], inside[0]} & WIDE_SIGNS and {inside[-1], after[:1]} & WIDE_SIGNS)
    assert "*" not in read(f"{before}**{inside}**{after}")[0]


def test_the_parser_counts_the_same_signs_as_punctuation() -> None:
    from cloche.delivery.rendering.flanking import _UNUSED, is_punctuation

    for char in "，。：；！？、“”（）《》「」【】…—·￥$%+＋!?.,:;\"'()[]{}<>@#^&=|~-🌱→" + _UNUSED:
        found = {"Start": "Strong"} in list(pyromark.events(f"a**{char}x** b"))
        assert is_punctuation(char) is not found, char
