"""Pieces of statements that correct ("No, on Tuesday"): put into what they correct, or nothing."""

from __future__ import annotations

import pytest

from cloche.memory.truth.completing import completed, fragment_of
from cloche.memory.truth.reading import Reader
from cloche.vocabulary import Vocabulary

READER = Reader(Vocabulary())

WHOLE = [
    # A time, a number, a date.
    ("I water the ferns every Monday.", "Actually, every Tuesday.", "every Tuesday"),
    ("Riego los helechos todos los lunes.", "No, todos los martes.", "todos los martes"),
    ("我每周一浇蕨。", "不对，每周二。", "每周二浇蕨"),
    ("My birthday is on 3 March.", "No, on 4 March.", "on 4 March"),
    ("Mi cumpleaños es el 3 de marzo.", "No, el 4 de marzo.", "el 4 de marzo"),
    ("我的生日是3月3日。", "不对，3月4日。", "3月4日"),
    ("I bought 20 chairs.", "No, 30.", "bought 30 chairs"),
    ("Compré 20 sillas.", "No, 30.", "Compré 30 sillas"),
    ("我买了20把椅子。", "不对，30把。", "买了30把椅子"),
    # A name.
    ("My cat is called Luna.", "No, her name is Lena.", "called Lena"),
    ("My cat is called Luna.", "Sorry, I mean Lena.", "called Lena"),
    ("Mi mujer se llama Eva.", "No, se llama Eve.", "se llama Eve"),
    ("Mi gata se llama Luna.", "Perdón, quise decir Lena.", "se llama Lena"),
    ("我妻子叫小红。", "不对，叫小兰。", "妻子叫小兰"),
    # A place.
    ("The lamp is in the hall.", "No, in the attic.", "in the attic"),
    ("The lamp is in the hall.", "No, I meant the attic.", "in the attic"),
    ("La lámpara está en el pasillo.", "No, en el desván.", "está en el desván"),
    ("La lámpara está en el pasillo.", "No, quise decir el desván.", "en el desván"),
    ("灯在走廊里。", "不，我是说阁楼。", "灯在阁楼"),
    # What is wrong is named.
    ("The lamp is in the attic.", "No, not in the attic, in the cellar.", "is in the cellar"),
    ("The lamp is in the cellar.", "It's not in the cellar, it's in the shed.", "is in the shed"),
    ("I have a pear by the gate.", "It's not a pear, it's an apple.", "have an apple by the gate"),
    ("My wife's name is Eva.", "Eve, not Eva.", "name is Eve"),
    ("La lámpara está en el desván.", "No, no en el desván, en el sótano.", "en el sótano"),
    ("La lámpara está en el desván.", "No está en el desván, está en el sótano.", "en el sótano"),
    ("Tengo un peral en casa.", "No es un peral, es un manzano.", "Tengo un manzano"),
    ("灯在阁楼里。", "不对，不在阁楼里，在地窖里。", "灯在地窖里"),
    ("我有一棵梨树。", "那不是梨树，是苹果树。", "一棵苹果树"),
]


@pytest.mark.parametrize(("old", "piece", "kept"), WHOLE)
def test_a_piece_is_put_into_the_statement_it_corrects(old: str, piece: str, kept: str) -> None:
    fragment = fragment_of(piece, READER, READER.read(old).language)
    assert fragment is not None
    found = completed(fragment, old, READER)
    assert found is not None
    assert kept in found
    assert found != old


@pytest.mark.parametrize(
    ("old", "piece"),
    [
        ("I bought 20 chairs.", "No, 5 minutes."),
        ("I bought 20 chairs.", "No, on Tuesday."),
        ("I love jazz.", "No, in the attic."),
        ("I bought 20 chairs and 3 lamps.", "No, 30."),
        ("Compré 20 sillas.", "No, el martes."),
        ("我买了20把椅子。", "不对，每周二。"),
        ("The lamp is in the hall.", "It's not in the cellar, it's in the shed."),
    ],
)
def test_what_has_no_place_in_a_statement_is_not_put_there(old: str, piece: str) -> None:
    fragment = fragment_of(piece, READER, READER.read(old).language)
    assert fragment is not None
    assert completed(fragment, old, READER) is None


@pytest.mark.parametrize(
    "text",
    [
        "I drink tea.",
        "No, I drink tea.",
        "Actually, I prefer coffee.",
        "No tengo perro, tengo gato.",
        "No leo novelas, leo poesía.",
        "I eat fish, not meat.",
        "My wife's name is Eve, not Eva.",
        "不对，我喝茶。",
        "我吃鱼，不是肉。",
        "En realidad prefiero el café.",
        "I meant to ask you.",
    ],
)
def test_a_whole_statement_is_no_piece(text: str) -> None:
    assert fragment_of(text, READER) is None
