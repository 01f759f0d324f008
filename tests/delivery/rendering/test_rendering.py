"""What people get to read of a reply, on every kind of platform."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from time import process_time
from typing import Any

import pyromark
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cloche.channels import Entity, Formatting, Limits, TextUnit, length_of
from cloche.delivery.rendering import Rendered, render, to_markdown
from cloche.delivery.rendering.boundaries import is_blank
from cloche.delivery.rendering.reading import clean, read
from cloche.delivery.rendering.rendered import with_links_that_fit

TELEGRAM = Limits(text=4096, unit="utf16", text_bytes=32_768, entities=100)
WIDE = Limits(text=10**6, text_bytes=10**6, entities=10**6)
SIGNS = (
    *"*_`~|[]()<>#+-=.!&;:\\\n \tab1中é'\"$", "\n\n", "**", "~~", "||", "```", "<b>", "<br>",
    "http://x.y", "&amp;", "\n- ", "\n> ", "\n1. ", "\n# ", "\n    ", "|a|\n|-|\n", "[a]: b\n",
    "[w](http://v)", "![p](q)", "word ", "“强调”", "👩‍🚀", "🇳🇴", "e\u0301",
    "\u200b", "\ufeff", "\u0000",
    "\r\n", "\ud83d", "한국", "- [ ] ",
)  # fmt: skip
markdown = st.lists(st.sampled_from(SIGNS), max_size=40).map("".join)
anything = st.one_of(markdown, st.text(max_size=200), st.text(st.characters(), max_size=60))


def seen(text: str) -> str:
    """The characters that can be seen."""
    unseen = ("Zs", "Zl", "Zp", "Cc", "Cf")
    return "".join(
        each for each in text if not each.isspace() and unicodedata.category(each) not in unseen
    )


def styles(text: str, entities: Sequence[Entity]) -> list[tuple[str, frozenset[Any]]]:
    """Every visible character with how it is shown."""
    around: list[set[Any]] = [set() for _ in text]
    for each in entities:
        for at in range(each.start, each.end):
            around[at].add((each.kind, each.url, each.language))
    return [(char, frozenset(how)) for char, how in zip(text, around, strict=True) if seen(char)]


def kinds(text: str) -> list[tuple[str, str]]:
    """What is formatted how, of one message."""
    (only,) = render(text, WIDE, "entities")
    return [(each.kind, only.text[each.start : each.end]) for each in only.entities]


def shown(text: str, formatting: Formatting = "entities") -> str:
    (only,) = render(text, WIDE, formatting)
    return only.text


# What is shown


def test_b1_headings_and_bold_are_formatted_and_no_sign_is_left() -> None:
    assert kinds("## Head\n**b** _x") == [("bold", "Head"), ("underline", "Head"), ("bold", "b")]
    assert shown("## Head\n**b** _x") == "Head\nb _x"


def test_b2_an_address_in_angle_brackets_arrives() -> None:
    text = "**Chad Smith <chad@example.com>**"
    assert shown(text) == shown(text, "plain") == "Chad Smith chad@example.com"
    (only,) = render(text, WIDE, "entities")
    assert [each.url for each in only.entities if each.kind == "link"] == [
        "mailto:chad@example.com"
    ]
    assert shown("if a < b & c > d: use List<String>") == "if a < b & c > d: use List<String>"


def test_b3_bold_after_an_emoji_and_around_a_link() -> None:
    assert kinds("🌱 **Header**") == [("bold", "Header")]
    assert ("bold", "see https://e.org now") in kinds("**see <https://e.org> now**")
    assert ("link", "https://e.org") in kinds("**see <https://e.org> now**")


def test_b4_signs_that_mean_nothing_stay() -> None:
    text = "Done - 3.5 kg! (a+b=c) {x} #tag 5 > 4"
    assert shown(text) == text
    assert kinds(text) == []


def test_b5_plain_words_have_no_formatting() -> None:
    assert render("Water it on Monday.", TELEGRAM, "entities") == (
        Rendered("Water it on Monday.", (), "Water it on Monday."),
    )


def test_b6_a_long_block_of_code_is_code_in_every_part() -> None:
    code = "\n".join(f"line {number} = {number} * 2" for number in range(400))
    parts = render(f"```python\n{code}\n```", TELEGRAM, "entities")
    assert len(parts) == 2 + (len(code) > 8192)
    for part in parts:
        assert part.entities == (Entity("pre", 0, len(part.text), language="python"),)
    assert "\n".join(part.text for part in parts) == code


def test_b8_raw_bytes_are_bounded_too() -> None:
    quoted = "\n".join(["> " + "x"] * 1250)
    padded = quoted.replace("> x", ">" + " " * 24 + "x")
    for part in render(padded, TELEGRAM, "markdown"):
        assert len(part.text.encode()) <= 32_768
    wide = Limits(text=10_000, text_bytes=9_000)
    assert [len(part.text.encode()) for part in render("中" * 5000, wide, "plain")] == [9000, 6000]


def test_b11_emoji_count_twice_where_the_platform_counts_in_utf16() -> None:
    parts = render("🌱" * 2049, TELEGRAM, "entities")
    assert [length_of(part.text, "utf16") for part in parts] == [4096, 2]


def test_b14_formatting_after_an_emoji_is_where_it_belongs() -> None:
    assert kinds("🌱🌱 water **now** 🌱 and *here*") == [("bold", "now"), ("italic", "here")]


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<div>\n*a*\n</div>", "<div>\n*a*\n</div>"),
        ("- a\n  - b\n\n1. c\n2. d", "\u2022 a\n  \u2022 b\n\n1. c\n2. d"),
        ("- [ ] a\n- [x] b", "\u2610 a\n\u2611 b"),
        ("about ~5 and ~6, $5 or A$", "about ~5 and ~6, $5 or A$"),
        ("$x^2$ and \\(y\\)", "$x^2$ and (y)"),
        ("a || b || c", "a || b || c"),
        ("if(a||b||c)", "if(a||b||c)"),
        ("[1]: http://a.b\nsee", "see\n\n[1]: http://a.b"),
        ("[a]: b", "[a]: b"),
        ("![](http://p.q)", "http://p.q"),
        ("[x](../y) [z](javascript:alert(1))", "x (../y) z (javascript:alert(1))"),
        ("你好，**世界**。", "你好，世界。"),
    ],
)  # fmt: skip
def test_everything_an_author_wrote_is_read(markdown: str, text: str) -> None:
    squeezed = [" ".join(line.split()) for line in shown(markdown).split("\n")]
    assert squeezed == [" ".join(line.split()) for line in text.split("\n")]


def test_a_table_is_a_block_of_text_with_every_cell() -> None:
    assert kinds("| a || b |\n|---|---|---|\n| [c](http://d) | *e* | f | g |") == [
        (
            "pre",
            "a            |   | b |  \n-------------+---+---+--\nc (http://d) | e | f | g",
        )
    ]


def test_a_table_that_would_be_padding_is_lines_of_text() -> None:
    text = shown(f"| {'a' * 9000} |\n|---|\n" + "| b |\n" * 90)
    assert text.split("\n") == ["a" * 9000, *["b"] * 90]


def test_a_spoiler_is_hidden_and_the_word_or_is_not() -> None:
    assert kinds("the end: ||she *wins*||.") == [("spoiler", "she wins"), ("italic", "wins")]
    assert kinds("a || b || c") == []
    assert kinds("`||x||`") == [("code", "||x||")]


def test_nothing_but_a_quote_stands_around_code() -> None:
    assert kinds("**a `b` c**") == [("bold", "a"), ("code", "b"), ("bold", "c")]
    assert kinds("> `b` c") == [("blockquote", "b c"), ("code", "b")]
    assert kinds("[`b`](http://c)") == [("link", "b")]


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\u2060", "\u00ad", "\ufeff\n"])
@pytest.mark.parametrize("formatting", ["plain", "markdown", "entities"])
def test_where_nothing_can_be_seen_nothing_is_sent(text: str, formatting: Formatting) -> None:
    assert render(text, TELEGRAM, formatting) == ()


def test_addresses_can_be_read_where_there_are_no_links() -> None:
    text = "See [the notes](https://e.org/n) or <https://e.org> or [mail me](mailto:a@b.c)."
    assert shown(text, "plain") == (
        "See the notes (https://e.org/n) or https://e.org or mail me (mailto:a@b.c)."
    )
    (only,) = render(text, WIDE, "entities")
    assert only.plain == shown(text, "plain")


def test_markdown_that_fits_is_left_as_it_is() -> None:
    text = "# A\n\n* b\n* __c__ ~~d~~ <u>e</u>\n\n    code"
    assert shown(text, "markdown") == text
    assert render("---", Limits(text=4), "markdown") == (Rendered("---", (), "---"),)


def test_markdown_that_does_not_fit_is_whole_in_every_part() -> None:
    words = " ".join(f"word{number}" for number in range(60))
    parts = render(f"**{words}** [end](http://e.org)", Limits(text=120), "markdown")
    assert len(parts) == 4
    for part in parts[:-1]:
        assert part.text.startswith("**")
        assert part.text.endswith("**")
    assert all(len(part.text) <= 120 for part in parts)
    assert parts[-1].text.endswith("[end](<http://e.org>)")


# Where it is cut


def parts_of(text: str, size: int, **limits: Any) -> list[str]:
    return [part.text for part in render(text, Limits(text=size, **limits), "plain")]


def test_a_cut_is_made_after_a_paragraph_else_a_line_else_a_sentence_else_a_word() -> None:
    assert parts_of("One two.\n\nThree four. Five", 20) == ["One two.", "Three four. Five"]
    assert parts_of("One two three.\nFour five six", 20) == ["One two three.", "Four five six"]
    assert parts_of("One two. Three four. Five six", 24) == ["One two. Three four.", "Five six"]
    assert parts_of("One two three four five", 12) == ["One two", "three four", "five"]
    assert parts_of("Uno dos. ¿Tres cuatro? Cinco", 24) == ["Uno dos. ¿Tres cuatro?", "Cinco"]
    assert parts_of("今天浇水。明天施肥。后天收获", 11) == ["今天浇水。明天施肥。", "后天收获"]
    assert parts_of("番茄，黄瓜，茄子和辣椒", 8) == ["番茄，黄瓜，", "茄子和辣椒"]


def test_code_keeps_its_indentation_at_a_cut() -> None:
    code = "def f():\n    if x:\n        return 1\n    return 2"
    parts = render(f"```\n{code}\n```", Limits(text=24), "entities")
    assert "\n".join(part.text for part in parts) == code


@pytest.mark.parametrize(
    ("character", "size"),
    [
        ("👩‍🚀", 7),
        ("🇳🇴", 3),
        ("e\u0301\u0302", 4),
        ("👍🏽", 3),
        ("❤\ufe0f", 3),
        ("각", 5),
        ("नि", 3),
    ],
)
def test_what_people_see_as_one_character_is_not_cut(character: str, size: int) -> None:
    assert {
        part.replace(character, "") for part in parts_of(character * 50, size, unit="characters")
    } == {""}


def test_a_character_without_end_is_cut_all_the_same() -> None:
    parts = parts_of("a" + "\u0301" * 500, 100)
    assert [len(part) for part in parts] == [100, 100, 100, 100, 100, 1]


def test_no_message_has_more_entities_than_the_platform_takes() -> None:
    parts = render("**b** a " * 250, TELEGRAM, "entities")
    assert [len(part.entities) for part in parts] == [100, 100, 50]


# For everything at once

units: st.SearchStrategy[TextUnit] = st.sampled_from(["characters", "utf16", "bytes"])
limits = st.builds(
    Limits,
    text=st.sampled_from([4, 7, 30, 4096]),
    unit=units,
    text_bytes=st.sampled_from([4, 50, 32_768]),
    entities=st.sampled_from([9, 100]),
)


@given(anything, limits)
@example("a\ud83d\ude00" * 3, Limits(text=4, unit="utf16", text_bytes=4))
def test_nothing_is_lost_and_no_limit_broken(text: str, limits: Limits) -> None:
    whole, formatted = with_links_that_fit(*read(clean(text)), limits)
    parts = render(text, limits, "entities")
    assert seen("".join(part.text for part in parts)) == seen(whole)
    assert [each for part in parts for each in styles(part.text, part.entities)] == styles(
        whole, formatted
    )
    for part in parts:
        check(part, limits)


def check(part: Rendered, limits: Limits) -> None:
    assert not is_blank(part.text)
    assert len(part.entities) <= limits.entities
    for text in (part.text, part.plain):
        assert length_of(text, limits.unit) <= limits.text
        assert length_of(text, "bytes") <= limits.text_bytes
    for entity in part.entities:
        assert 0 <= entity.start < entity.end <= len(part.text)
    for one, other in pairwise(part.entities):
        assert one.start <= other.start
        assert other.start >= one.end or other.end <= one.end


@given(anything, limits)
def test_plain_text_loses_nothing_either(text: str, limits: Limits) -> None:
    parts = render(text, limits, "plain")
    whole = render(text, WIDE, "plain")
    assert seen("".join(part.text for part in parts)) == seen("".join(part.text for part in whole))
    for part in parts:
        check(part, limits)


@given(anything, st.sampled_from([40, 200]))
@example("[a]: b\n\n- ", 40)
@example("- [ ] ", 40)
def test_markdown_in_parts_reads_as_the_whole(text: str, size: int) -> None:
    parts = render(text, Limits(text=size, unit="utf16"), "markdown")
    assert seen("".join(read(part.text)[0] for part in parts)) == seen(read(clean(text))[0])
    for part in parts:
        check(part, Limits(text=size, unit="utf16"))


@given(anything)
def test_every_word_that_a_parser_finds_is_shown(text: str) -> None:
    found = []
    for payload in pyromark.events(clean(text), options=pyromark.Options.ENABLE_TABLES):
        if isinstance(payload, dict):
            found.append("".join(str(payload.get(kind, "")) for kind in ("Text", "Code", "Html")))
    # Signs that only some dialects of Markdown take for formatting may be gone, letters not.
    letters = (each for each in "".join(found) if each.isalnum())
    read_ = iter(read(clean(text))[0])
    assert all(letter in read_ for letter in letters)


@given(anything)
def test_markdown_made_from_formatted_text_reads_the_same(text: str) -> None:
    whole, formatted = read(clean(text))
    again = to_markdown(whole, formatted)
    assert "".join(read(again)[0].split()) == "".join(whole.split())


words = st.lists(
    st.sampled_from(["water", "fig,", "año", "“quoted”", "番茄", "*", "a_b", "5 > 4", "x.", "🌱"]),
    min_size=1,
    max_size=12,
)  # fmt: skip
simple_kinds = st.sampled_from(["bold", "italic", "strikethrough", "spoiler", "code", "link"])


@given(words, simple_kinds, st.data())
def test_words_that_people_formatted_stay_so(
    words: list[str], kind: Any, data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    start = len(" ".join(words[:first])) + bool(first)
    end = len(" ".join(words[: last + 1]))
    text = " ".join(words)
    entity = Entity(kind, start, end, url="https://e.org/?a=1&b=2" if kind == "link" else "")
    again, formatted = read(to_markdown(text, [entity]))
    assert again.split() == text.split()
    assert styles(again, formatted) == styles(text, [entity])


def test_b13_what_a_person_made_bold_is_bold_for_the_model() -> None:
    assert to_markdown("a word", [Entity("bold", 2, 6)]) == "a **word**"
    assert to_markdown("🌱 word", [Entity("italic", 2, 6)]) == "🌱 _word_"
    both = [Entity("bold", 0, 7), Entity("italic", 3, 7)]
    assert to_markdown("my word", both) == "**my _word_**"
    assert to_markdown("see this", [Entity("link", 4, 8, "http://e.org")]) == (
        "see [this](<http://e.org>)"
    )
    assert to_markdown("a\nb", [Entity("blockquote", 0, 1)]) == "> a\n\nb"
    assert to_markdown("x = 1", [Entity("pre", 0, 5, language="py")]) == "```py\nx = 1\n```"
    assert to_markdown("under", [Entity("underline", 0, 5)]) == "under"


@pytest.mark.parametrize(
    "text",
    [
        "Water it - 3.5 l!",
        "a < b, 2 * 3",
        "snake_case",
        "¿Qué? ¡Sí!",
        "番茄、黄瓜。",
        "#5 & more",
        "a | b",
    ],
)
def test_ordinary_text_needs_no_escapes(text: str) -> None:
    assert to_markdown(text, ()) == text


def test_where_signs_cannot_stand_the_words_do() -> None:
    assert to_markdown("a_b |", [Entity("spoiler", 4, 5)]) == "a_b |"


@pytest.mark.parametrize("text", ["1. a", "- a", "# a", "> a", "a\n---", "a|b\n-|-", "*a*", "<b>"])
def test_what_would_be_formatting_is_escaped(text: str) -> None:
    assert read(to_markdown(text, ())) == (text, ())


HARD = {
    "words": "The quick *brown* fox jumps. " * 3500,
    "quotes": ">" * 100_000,
    "nested lists": "- " * 50_000,
    "stars": "*a **b " * 14_000,
    "links that never end": "[a](" * 25_000,
    "tags": "<a " * 33_000,
    "scripts": "<script>\n\n" * 10_000,
    "bars": "||a " * 25_000,
    "one wide cell": "|" + "a" * 50_000 + "|\n|-|\n" + "|b|\n" * 12_000,
    "references": "".join(f"[a{number}]: b\n" for number in range(8000)),
    "accents": "a" + "\u0301" * 100_000,
    "flags": "\U0001f1e6" * 100_000,
    "nothing": "\u200b" * 100_000,
    "bold": "**b** " * 16_000,
    "growing code": "".join("`" * number + "a" for number in range(440)),
    "empty code": "~~~\n" * 50_000,
    "code of empty lines": "```\n\n```\n" * 18_000,
    "line ends by number": "&#10;\n\n" * 25_000,
    "spoilers side by side": "||a||" * 20_000,
    "stops": "." * 100_000,
    "dashes": "-" * 99_999 + "x",
    "numbered lists": "1. " * 33_000,
    "lists ever deeper": "\n".join("- " * number + "x" for number in range(1, 310)),
    "quotes with lists": "> - " * 25_000,
    "a long address": f"see [x](http://a/{'b' * 99_000}) ok",
    "an address of many": f"[a]: http://x/{'b' * 50_000}\n\n" + "[a] " * 12_000,
}
FORMATTINGS: tuple[Formatting, ...] = ("plain", "markdown", "entities")


SIGNED = ("spoilers side by side", "numbered lists", "a long address", "an address of many")


@pytest.mark.parametrize(
    ("text", "formatting"),
    [
        *((pytest.param(text, "entities", id=name)) for name, text in HARD.items()),
        *((pytest.param(HARD[name], "markdown", id=f"{name}, signed")) for name in SIGNED),
    ],
)
def test_a_hundred_thousand_characters_take_seconds_at_most(
    text: str, formatting: Formatting
) -> None:
    began = process_time()
    parts = render(text, TELEGRAM, formatting)
    assert process_time() - began < 10
    for part in parts:
        check(part, TELEGRAM)
    assert sum(len(part.text) for part in parts) < 4 * len(text)


@pytest.mark.parametrize("formatting", FORMATTINGS)
@pytest.mark.parametrize("size", [100, 1000, 4000])
@pytest.mark.parametrize("count", [1, 30])
@pytest.mark.parametrize("words", ["see", "mira", "请看"])
def test_no_address_is_too_long_to_be_read(
    formatting: Formatting, size: int, count: int, words: str
) -> None:
    urls = [f"http://a/{number}/{'b' * size}" for number in range(count)]
    text = " ".join(f"**{words} [x{number}]({url})**" for number, url in enumerate(urls))
    parts = render(text, Limits(text=1000, text_bytes=1500, entities=100), formatting)
    plain = "".join("".join(part.plain.split()) for part in parts)
    assert [url for url in urls if url not in plain] == []
    for part in parts:
        for each in (part.text, part.plain):
            assert len(each) <= 1000
            assert len(each.encode()) <= 1500
        assert all(0 <= each.start < each.end <= len(part.text) for each in part.entities)
    seen_of_all = "".join(part.plain for part in parts)
    assert all(f"x{number}" in seen_of_all for number in range(count))
