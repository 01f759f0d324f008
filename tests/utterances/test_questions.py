"""A question never reaches a tool that writes; an order does, however politely it is put."""

from __future__ import annotations

import pytest

from cloche.documents import shared_resource
from cloche.skills import load_folder
from cloche.utterances import Example
from cloche.utterances.questions import is_order
from cloche.utterances.several import requests_in

SHARED = tuple(
    example
    for name in ("weather", "notes", "reminders", "memory")
    for example in load_folder(shared_resource("skills", name)).examples  # type: ignore[arg-type]
)
WRITES = frozenset(
    "live_in use_units add_note correct_note remember set_time_zone set_reminder forget_memory"
    " replace_in_memory".split()
)


def tools_for(text: str, examples: tuple[Example, ...] = SHARED) -> set[str]:
    return {way.tool for one in requests_in(examples, text) for way in one.ways[:1]}


@pytest.mark.parametrize(
    "question",
    [
        "My town is what?", "my home town is which", "My city is Oslo?", "My time zone is what?",
        "I live in Oslo?", "Do I live in Oslo?", "I live in Oslo, right?",
        "I live in Oslo. Right?", "We live in what town?",
        "Note for the fig?", "A note about the fig?",
        "I measure in celsius?",
        "¿Vivo en Granada?", "¿mi ciudad es Granada?", "mi ciudad es cuál?", "mi pueblo es cuál",
        "Vivo en Granada, ¿verdad?", "¿Nota de la higuera?", "¿mi zona horaria es cuál?",
        "¿Vivimos en qué ciudad?",
        "我住在哪里？", "我住在什么城市？", "我住在哪个城市？", "我们住在哪儿？",
        "我现在住在哪里呢",
        "我家在哪里？", "我的城市是哪个", "我住在奥斯陆吗？", "我住在奥斯陆，对吧？",
        "我的时区是什么？",
        "柠檬树的笔记有什么？", "玫瑰的笔记是什么？", "柠檬树的笔记里写了什么", "柠檬树的笔记呢",
    ],
)  # fmt: skip
def test_a_question_reaches_no_tool_that_writes(question: str) -> None:
    assert not tools_for(question) & WRITES


@pytest.mark.parametrize(
    ("order", "tool"),
    [
        ("Can you remind me at 5 to ask Ana what she wants?", "set_reminder"),
        ("Remind me to ask Ana where the key is", "set_reminder"),
        ("Could you note that the fig is ill?", "add_note"),
        ("Note: why is it yellow?", "add_note"),
        ("Note that I don't know what to do?", "add_note"),
        ("¿Puedes apuntar que la higuera está mal?", "add_note"),
        ("¿Puedes recordarme mañana a las 5 comer?", "set_reminder"),
        ("Apunta: ¿por qué está amarilla?", "add_note"),
        ("Mi ciudad es Granada", "live_in"),
        ("提醒我明天问小王要什么", "set_reminder"),
        ("请帮我记一下：买盐", "add_note"),
        ("记一下：不知道在哪里买的", "add_note"),
        ("给柠檬树记一条笔记：不知道有什么虫", "add_note"),
        ("My town is Oslo", "live_in"),
        ("I live in Oslo", "live_in"),
        ("我住在奥斯陆", "live_in"),
        ("我的城市是奥斯陆", "live_in"),
    ],
)
def test_orders_and_what_is_told_go_on_whatever_they_ask(order: str, tool: str) -> None:
    assert tools_for(order) == {tool}


@pytest.mark.parametrize(
    "question",
    [
        "Note for the fig?", "Notes for the fig?", "What does the note on the fig say?",
        "¿Nota de la higuera?", "¿Qué dice la nota de la higuera?", "¿Notas de la higuera?",
        "柠檬树的笔记有什么？", "玫瑰的笔记是什么？", "柠檬树的笔记里写了什么？",
        "柠檬树的笔记呢？",
    ],
)  # fmt: skip
def test_who_asks_for_a_note_is_shown_it(question: str) -> None:
    assert tools_for(question) == {"list_notes"}


def test_what_is_told_stays_told_beside_a_question() -> None:
    found = requests_in(SHARED, "My town is Oslo. What is the weather?")
    assert [(one.ways[0].tool, one.ways[0].arguments.get("place")) for one in found] == [
        ("live_in", "Oslo"),
        ("weather", None),
    ]


def test_a_tool_that_is_asked_things_is_reached_by_questions_in_any_form() -> None:
    shown = Example("show", {"en": ("the list of {what}", "what is on the list of {what}")})
    kept = Example("keep", {"en": ("the list of {what}", "put on the list: {what}")})
    assert tools_for("The list of eggs?", (shown,)) == {"show"}
    assert not tools_for("The list of eggs?", (kept,))
    assert tools_for("The list of eggs.", (kept,)) == {"keep"}


@pytest.mark.parametrize(
    ("asked", "order"),
    [
        ("¿me aplazas lo de los tomates una semana?", True), ("¿Nos apuntas dos sacos?", True),
        ("¿me has dicho dónde vivo?", False), ("¿me habías dicho eso?", False),
        ("¿vivo en Granada?", False), ("¿me gusta el té?", False),
    ],
)  # fmt: skip
def test_who_asks_somebody_for_a_deed_orders_it(asked: str, order: bool) -> None:
    assert is_order(asked) is order
