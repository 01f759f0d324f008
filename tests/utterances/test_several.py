"""Two requests in one message: each by its own clause, and one where it is one."""

from __future__ import annotations

import pytest

from cloche.utterances import Example
from cloche.utterances.several import requests_in

COUNTED = {"one": 1, "two": 2, "uno": 1, "dos": 2, "一": 1, "二": 2}


def counts(text: str) -> dict[str, str] | None:
    """Hears "two spoons", wherever it stands alone."""
    words = text.lower().replace("勺", " spoons").split()
    return {"n": words[0]} if len(words) == 2 and words[0] in COUNTED else None


EXAMPLES = (
    Example(
        "tell_later",
        {
            "en": ("remind me to {text}", "{when} remind me to {text}"),
            "es": ("recuérdame {text}",),
            "zh": ("提醒我{text}", "{when}提醒我{text}"),
        },
        {"text": "{text}"},
        {"text": "x", "when": "x"},
    ),
    Example("drop", {"en": ("cancel {text}",), "es": ("cancela {text}",), "zh": ("取消{text}",)},
            {"text": "{text}"}, {"text": "x"}),
    Example("count", {"en": ("one spoons",)}, hear=counts),
    Example("show", {"en": ("show my list",), "es": ("muestra mi lista",), "zh": ("看看清单",)}),
)  # fmt: skip


def asked(text: str) -> list[tuple[str, str]]:
    """Which tool each request is for, and the words that ask for it."""
    return [
        (one.ways[0].tool if one.ways else "", one.words) for one in requests_in(EXAMPLES, text)
    ]


@pytest.mark.parametrize(
    ("text", "requests"),
    [
        (
            "two spoons and remind me to eat",
            [("count", "two spoons"), ("tell_later", "remind me to eat")],
        ),
        (
            "Two spoons. Also remind me to eat!",
            [("count", "Two spoons"), ("tell_later", "remind me to eat")],
        ),
        (
            "remind me to eat and then show my list",
            [("tell_later", "remind me to eat"), ("show", "show my list")],
        ),
        (
            "cancel the eggs, show my list and remind me to eat",
            [
                ("drop", "cancel the eggs"),
                ("show", "show my list"),
                ("tell_later", "remind me to eat"),
            ],
        ),
        (
            "cancela los huevos y recuérdame comer",
            [("drop", "cancela los huevos"), ("tell_later", "recuérdame comer")],
        ),
        (
            "recuérdame comer, y además muestra mi lista",
            [("tell_later", "recuérdame comer"), ("show", "muestra mi lista")],
        ),
        ("二勺，提醒我吃饭", [("count", "二勺"), ("tell_later", "提醒我吃饭")]),
        ("取消鸡蛋，然后提醒我吃饭", [("drop", "取消鸡蛋"), ("tell_later", "提醒我吃饭")]),
        # One request, whatever joins its words
        (
            "remind me to buy eggs and milk",
            [("tell_later", "remind me to buy eggs and milk")],
        ),
        (
            "remind me to call Ana and cancel the gym",
            [("tell_later", "remind me to call Ana and cancel the gym")],
        ),
        (
            "remind me to add salt and two spoons",
            [("tell_later", "remind me to add salt and two spoons")],
        ),
        (
            "recuérdame llamar a Ana y cancela el gimnasio",
            [("tell_later", "recuérdame llamar a Ana y cancela el gimnasio")],
        ),
        ("提醒我买鸡蛋和牛奶", [("tell_later", "提醒我买鸡蛋和牛奶")]),
        ("提醒我打电话，取消健身房", [("tell_later", "提醒我打电话，取消健身房")]),
        # What nobody understood stands among what was
        (
            "Two spoons. What is the moon made of?",
            [("count", "Two spoons"), ("", "What is the moon made of?")],
        ),
        ("two spoons and blorp it", [("count", "two spoons"), ("", "blorp it")]),
        ("blorp it, and show my list", [("", "blorp it"), ("show", "show my list")]),
        ("nothing of all this", []),
    ],
)
def test_each_clause_that_is_understood_is_a_request(
    text: str, requests: list[tuple[str, str]]
) -> None:
    assert asked(text) == requests


def test_many_joints_take_no_time() -> None:
    assert asked("eggs and " * 200 + "remind me to eat")[-1:] != [("show", "")]
