from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.memory.extraction.sentences import MAX_CHARS, clauses, sentences


def said(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I own a harp. It is old! Really?", ["I own a harp.", "It is old!", "Really?"]),
        ("It weighs 6.5 kg. Heavy.", ["It weighs 6.5 kg.", "Heavy."]),
        (
            "I play at 3 p.m. on Sundays. Dr. Hill comes too.",
            ["I play at 3 p.m. on Sundays.", "Dr. Hill comes too."],
        ),
        ("Strings, bows, e.g. a spare one. Yes.", ["Strings, bows, e.g. a spare one.", "Yes."]),
        ("He is J. Bach, opus No. 5 is his.", ["He is J. Bach, opus No. 5 is his."]),
        ("Wait... no idea. Hm...", ["Wait... no idea.", "Hm..."]),
        ('She said "stop." Then left.', ['She said "stop."', "Then left."]),
        ("one line\nanother line", ["one line", "another line"]),
        ("lower case. still two", ["lower case.", "still two"]),
        ("A lute; a drum.", ["A lute;", "a drum."]),
        ("Tengo un arpa, ¿la afino? ¡Vale!", ["Tengo un arpa,", "¿la afino?", "¡Vale!"]),
        ("La Sra. Gil toca p. ej. el arpa. Bien.", ["La Sra. Gil toca p. ej. el arpa.", "Bien."]),
        ("我有一把琴。很旧！真的？是；好", ["我有一把琴。", "很旧！", "真的？", "是；", "好"]),
        ("你好!我有一把琴.真的", ["你好!", "我有一把琴.", "真的"]),
        ("1. a lute\n2) a drum\n- a bow\n• a reed", ["a lute", "a drum", "a bow", "a reed"]),
        ("①琴\n②鼓", ["琴", "鼓"]),
        ("", []),
        (" \n\t\n", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert said(text) == expected


def test_a_list_stays_with_the_heading_that_says_what_it_is() -> None:
    text = "My instruments:\n- a lute\n- a drum\n\nBye now."
    assert said(text) == ["My instruments:\n- a lute\n- a drum", "Bye now."]
    assert said("我的乐器：\n- 琴\n- 鼓") == ["我的乐器：\n- 琴\n- 鼓"]


@pytest.mark.parametrize(
    "text",
    [
        "> I own a harp",
        "```\nmy harp is old\n```",
        "```python\nI = 'own a harp'",
        "---- Forwarded message ----\nI own a harp.\nI like it.",
        "On Mon, 3 May 2026, Ana <ana@example.org> wrote:\nI own a harp.",
        "El lun, 3 may 2026, Ana escribió:\nTengo un arpa.",
        "---------- 转发的消息 ---------\n我有一把琴。",
    ],
)
def test_other_peoples_words_are_left_out(text: str) -> None:
    assert said(text) == []
    assert said(f"Mine is a lute.\n{text}") == ["Mine is a lute."]


def test_what_follows_a_quoted_line_is_the_persons_again() -> None:
    assert said("> I own a harp\nI own a lute") == ["I own a lute"]


def test_clauses_keep_their_place_in_the_whole_text() -> None:
    text = "Hm. I own a lute, my room is small: may I play?"
    whole = sentences(text)[1]
    parts = clauses(whole)
    assert [part.text for part in parts] == ["I own a lute", "my room is small", "may I play?"]
    assert all(text[part.start : part.end] == part.text for part in parts)
    assert [c.text for c in clauses(sentences("我有一把琴，能弹吗？")[0])] == [
        "我有一把琴",
        "能弹吗？",
    ]


TEXTS = st.text(
    alphabet=st.sampled_from('ab I.!?。！？；;:：,，¿¡\n\r\u2028 >-*`1.)（）"“”琴\u0301')
)


@given(TEXTS)
def test_every_sentence_is_exactly_its_piece_of_the_text(text: str) -> None:
    end = 0
    for sentence in sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.text.strip() == sentence.text != ""
        assert sentence.start >= end
        end = sentence.end
        for clause in clauses(sentence):
            assert text[clause.start : clause.end] == clause.text


@given(st.text(alphabet="a 琴,", min_size=MAX_CHARS, max_size=3 * MAX_CHARS))
def test_no_sentence_is_longer_than_a_memory_may_be(text: str) -> None:
    found = sentences(text)
    assert all(len(sentence.text) <= MAX_CHARS for sentence in found)
    kept = "".join("".join(sentence.text.split()) for sentence in found)
    assert kept == "".join(text.split())
