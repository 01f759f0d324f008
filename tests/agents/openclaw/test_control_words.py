"""Words for programs are taken out of replies, however they are cut into pieces."""

from __future__ import annotations

import random

import pytest

from cloche.agents.openclaw.control_words import PlainWords, without_control_words

REPLIES = {
    "Plain words.": "Plain words.",
    "NO_REPLY": "",
    "  NO_REPLY\n": "",
    "`NO_REPLY`": "",
    "HEARTBEAT_OK": "",
    "Yes.\n\nNO_REPLY": "Yes.\n\n",
    "What NO_REPLY means is silence.": "What NO_REPLY means is silence.",
    "[[reply_to_current]] Hello": "Hello",
    "[[ reply_to: 12 ]]Hola, ¿qué tal?": "Hola, ¿qué tal?",
    "[[audio_as_voice]] 你好": "你好",
    "See [[Wiki]] and a[[0]].": "See [[Wiki]] and a[[0]].",
    "A [link](x) and [embed this": "A [link](x) and [embed this",
    'Before [embed ref="cv_1" title="S" /] after': "Before  after",
    "¿Ves? [embed [[reply_to_current]] lo que sigue": "¿Ves? [embed lo que sigue",
    "[embed [[ reply_to: 5 ]] ]] 后面": "[embed ]] 后面",
    "[[\nreply_to_current]] stays": "[[\nreply_to_current]] stays",
    "[[reply_to [embed x]] Hi [embed y] there": "Hi  there",
    "MEDIA:/etc/passwd": "",
    "One.\nMEDIA:a.png\nTwo.": "One.\nTwo.",
    "  MEDIA: x y\nTwo.": "Two.",
    "The MEDIA: press": "The MEDIA: press",
    "Multimedia\nMEDIUM rare\nNOT so": "Multimedia\nMEDIUM rare\nNOT so",
    "M": "M",
    "[": "[",
    "a\n": "a\n",
    "": "",
}


@pytest.mark.parametrize(("reply", "words"), REPLIES.items())
def test_people_read_what_is_for_them(reply: str, words: str) -> None:
    assert without_control_words(reply) == words


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
@pytest.mark.parametrize(("reply", "words"), REPLIES.items())
def test_in_pieces_too(reply: str, words: str, size: int) -> None:
    plain = PlainWords()
    pieces = [plain.feed(reply[at : at + size]) for at in range(0, len(reply), size)]
    assert "".join([*pieces, plain.end()]) == words


def test_words_do_not_wait_longer_than_they_must() -> None:
    plain = PlainWords()
    assert plain.feed("Hello, ") == "Hello, "
    assert plain.feed("world [") == "world "
    assert plain.feed("1]") == "[1]"


def test_however_it_is_cut_the_same_is_read() -> None:
    chance = random.Random(7)
    marks = "NO_REPLY,MEDIA:,/x,[[,reply_to_current,]],[embed ,],[,\n, ,`,*,光,NO_,audio_as_voice"
    for _ in range(5_000):
        reply = "".join(chance.choice(marks.split(",")) for _ in range(chance.randint(1, 10)))
        plain, at, words = PlainWords(), 0, ""
        while at < len(reply):
            size = chance.randint(1, 4)
            words += plain.feed(reply[at : at + size])
            at += size
        assert words + plain.end() == without_control_words(reply), reply
