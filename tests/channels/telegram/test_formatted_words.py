"""What people write with Telegram's formatting: their own words, and how they were to look."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.chat_commands import parse_command
from cloche.messages import Message
from cloche_channels.telegram.parsing import Bot, parse_update


def parsed(text: str, *marks: tuple[str, int, int]) -> Message:
    """A private message; marks are of a kind, from where on, and how long."""
    entities = [{"type": kind, "offset": at, "length": size} for kind, at, size in marks]
    content = {"message_id": 1, "date": 1, "text": text, "entities": entities}
    sender = {"chat": {"id": 7, "type": "private"}, "from": {"id": 7, "first_name": "Ana"}}
    (message,) = parse_update({"update_id": 1, "message": content | sender}, Bot(42, "our_bot"))
    assert isinstance(message, Message)
    return message


@pytest.mark.parametrize(
    ("text", "piece", "formatted"),
    [
        ("请记住（重要）我对花生过敏", "（重要）", "请记住（**重要**）我对花生过敏"),
        ("我叫“小明”请记住", "“小明”", "我叫“**小明**”请记住"),
        ("注意：请浇水", "注意：", "**注意**：请浇水"),
        ("Price(new)is 5", "(new)", "Price(**new**)is 5"),
        ("I'm allergic to nuts!really", "I'm allergic to nuts!", "**I'm allergic to nuts**!really"),
        ("¡Hola!¿Qué tal?", "¡Hola!", "**¡Hola!**¿Qué tal?"),
        ("Precio(nuevo)es 5", "(nuevo)", "Precio(**nuevo**)es 5"),
        ("¡Hola!¿Qué tal?", "¿Qué tal?", "¡Hola!**¿Qué tal?**"),
        ("ok🌱thanks", "🌱", ""),
    ],
)
def test_formatting_never_changes_a_letter(text: str, piece: str, formatted: str) -> None:
    message = parsed(text, ("bold", text.index(piece), len(piece)))
    assert (message.text, message.formatted) == (text, formatted)


def test_a_spoiler_between_letters_stays_where_no_space_parts_words() -> None:
    assert parsed("答案是巴黎吧", ("spoiler", 3, 2)).formatted == "答案是||巴黎||吧"
    assert parsed("unbelievable", ("spoiler", 2, 7)).formatted == ""


KINDS = "bold italic underline strikethrough spoiler code pre blockquote".split()
WRITTEN = st.lists(
    st.sampled_from([*"请水，：（）“”a1 .!?&<*_`|~\\[]-#\n", "ñ", "🌱", "&amp;", "&#65;", "番茄"]),
    min_size=1,
    max_size=20,
).map("".join)


@given(
    WRITTEN,
    st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 20), st.integers(1, 9)), max_size=4),
)
def test_whatever_is_formatted_the_words_are_the_persons_own(
    text: str, marks: list[tuple[str, int, int]]
) -> None:
    """Letter by letter; as Markdown there are signs between them, and no reference for a letter."""
    message = parsed(text, *marks)
    assert message.text == text
    signs = "*_`|~>\\ \n\N{NO-BREAK SPACE}"
    assert [each for each in message.markdown if each not in signs] == [
        each for each in text if each not in signs
    ]


@pytest.mark.parametrize("kind", ["code", "bold", "pre", "italic", "spoiler", "blockquote"])
@pytest.mark.parametrize(
    ("text", "name", "argument"),
    [
        ("/forget all k7mf-q2xw-9pta", "forget", "all k7mf-q2xw-9pta"),
        ("/olvidar todo k7mf_q2xw_9pta", "forget", "todo k7mf_q2xw_9pta"),
        ("／忘记 全部 k3mf9x", "forget", "全部 k3mf9x"),
        ("/link k7mf-q2xw-9pta", "link", "k7mf-q2xw-9pta"),
        ("/help", "help", ""),
    ],
)
def test_a_command_with_formatting_is_a_command(
    kind: str, text: str, name: str, argument: str
) -> None:
    spans = [(0, len(text))]
    if argument:
        start = text.rindex(" ") + 1
        spans.append((start, len(text) - start))
    for start, length in spans:
        message = parsed(text, (kind, start, length))
        command = parse_command(message.text)
        assert command is not None
        assert (command.name, command.argument) == (name, argument)
        assert message.markdown == text
