from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cloche.language import detect


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("hi", "en"),
        ("thanks!", "en"),
        ("Two cellos and a harp in the attic.", "en"),
        ("Quite heavy, to be honest", "en"),
        ("I love 古筝 a lot", "en"),
        ("My teacher José Muñoz lives in Málaga", "en"),
        ("hola", "es"),
        ("Tomates en la terraza", "es"),
        ("Nada de plástico", "es"),
        ("¡Buenas!", "es"),
        ("me llamo Ana", "es"),
        ("Prefiero el té", "es"),
        ("你好", "zh"),
        ("我的MacBook坏了", "zh"),
        ("只用木头的。", "zh"),
        ("我喜歡彈古箏", "zh"),
        ("用 acoustic guitar 弹 blues", "zh"),
    ],
)
def test_even_short_texts_are_told_apart(text: str, language: str) -> None:
    assert detect(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "12:30 (3 x 4)",
        "\N{THUMBS UP SIGN}",
        "こんにちは、元気ですか",
        "トマトを三本植えました",
        "안녕하세요",
        "Привет, как дела?",
        "مرحبا بك",
        "J'ai trois guitares dans le salon",
        "Ich habe drei Gitarren im Keller",
        "Eu tenho três violões na sala",
        "Ho tre chitarre nel salotto",
        "Ik heb drie gitaren in de kamer",
        "Jag har tre gitarrer",
        "Tinc tres guitarres a la terrassa",
        "Merci beaucoup",
        "Danke",
        "Obrigado",
        "https://example.org/the/and/of",
    ],
)
def test_what_is_none_of_them_or_unclear_is_left_to_the_caller(text: str) -> None:
    assert detect(text) == ""


@given(st.text())
@example("\ud800")
@example("\u0130" * 5000)
@example("ﷺ" * 2000)
def test_no_text_breaks_it(text: str) -> None:
    assert detect(text) in ("", "en", "es", "zh")


@given(st.text(alphabet="ぁあいうえアイウエオ가나다라", min_size=1))
def test_japanese_and_korean_are_not_taken_for_chinese(text: str) -> None:
    assert detect(text + "日本") == ""


@given(st.sampled_from(["full width", "the way it is", "¿qué hay?", "我有一把琴"]))
def test_width_and_case_do_not_matter(text: str) -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text.upper())
    assert detect(wide) == detect(text)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        *(("Show me week.md", "en"), ("send me plan.txt", "en"), ("read año.md", "en")),
        *(("delete plan.txt", "en"), ("remove el-plan-de-la-casa.txt", "en")),
        *(("muéstrame week.md", "es"), ("envíame plan.txt", "es"), ("lee the-plan.md", "es")),
        *(("borra plan.txt", "es"), ("dame notes.md", "es")),
        *(("读plan.txt", "zh"), ("给我week.md", "zh"), ("删除my-long-plan-of-the-day.txt", "zh")),
        *(("plan.txt", ""), ("the-plan.md", "")),
    ],
)
def test_what_a_file_is_called_tells_no_language(text: str, language: str) -> None:
    assert detect(text) == language
