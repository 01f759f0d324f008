from __future__ import annotations

import sqlite3

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cloche.memory.local.tokens import (
    MAX_QUERY_WORDS,
    index_words,
    match_expression,
    query_words,
)

# Scripts whose letters SQLite's tables know as long as Python's do.
LETTERS = st.characters(min_codepoint=1, max_codepoint=0x24F) | st.characters(
    min_codepoint=0x400, max_codepoint=0x45F
)
CHINESE = st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("?! — …", []),
        ("Two words", ["two", "words"]),
        ("snake_case e-mail", ["snake", "case", "e", "mail"]),
        ("我在阳台", ["我", "在", "阳", "台", "我在", "在阳", "阳台"]),
        ("茶", ["茶"]),
        ("3月9日", ["3", "月", "9", "日"]),
        ("WiFi路由器", ["wifi", "路", "由", "器", "路由", "由器"]),
        ("ＡＢＣ ｶﾒﾗ", ["abc", "カ", "メ", "ラ", "カメ", "メラ"]),
        ("Straße İzmir", ["strasse", "izmir"]),
        ("túneles", ["túneles", "túnel"]),
    ],
)
def test_texts_become_the_words_they_are_found_by(text: str, words: list[str]) -> None:
    assert index_words(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Where is the brass lamp?", ["brass", "lamp"]),
        ("¿Dónde está la lámpara de latón?", ["lámpara", "latón"]),
        ("donde esta la lampara", ["lampara"]),
        ("我的灯在哪里?", ["灯"]),
        ("阳台上有什么灯", ["阳台", "台上", "灯"]),
        ("the the lamp lamp", ["lamp"]),
        ("How old is my son?", ["old", "son"]),
        ("What did I say of the hay in that era?", ["say", "hay", "era"]),
        ("¿Quiénes son los dueños del laúd?", ["quiénes", "quién", "dueños", "laúd"]),
        ("¿Qué hay en el armario?", ["armario"]),
        ("我的son几岁", ["son", "几岁"]),
        ("who is it", ["who", "is", "it"]),
        ("什么", ["什么"]),
        ("的", ["的"]),
        ("", []),
    ],
)
def test_queries_keep_what_tells_something(text: str, words: list[str]) -> None:
    assert query_words(text) == words


def test_a_long_query_is_its_beginning_and_its_end() -> None:
    words = query_words(" ".join(f"w{n}" for n in range(1000)))
    assert len(words) == MAX_QUERY_WORDS
    assert (words[0], words[-1]) == ("w0", "w999")


@given(st.text())
def test_a_query_has_words_whenever_its_text_has(text: str) -> None:
    assert bool(query_words(text)) == bool(index_words(text))
    assert all('"' not in word and "\0" not in word for word in index_words(text))


@given(st.text(LETTERS | CHINESE))
def test_every_text_finds_itself(text: str) -> None:
    words = query_words(text)
    assume(words)
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(
            "CREATE VIRTUAL TABLE f USING fts5("
            "words, tokenize = 'porter unicode61 remove_diacritics 2')"
        )
        connection.execute("INSERT INTO f VALUES (?)", (" ".join(index_words(text)),))
        found = connection.execute(
            "SELECT count(*) FROM f WHERE f MATCH ?", (match_expression(words),)
        )
        assert found.fetchone() == (1,)
    finally:
        connection.close()
