from __future__ import annotations

import tomllib
from importlib.resources import files

from cloche.texts import say


def test_chinese_texts_address_the_person_as_one_does_a_friend() -> None:
    text = files("cloche.texts").joinpath("zh.toml").read_text(encoding="utf-8")
    assert [key for key, said in tomllib.loads(text).items() if "\u60a8" in said] == []


def test_brackets_are_full_width_in_chinese() -> None:
    assert say("command_memory_kind", "zh", kind="事实", count=2) == "**事实**（2）"
    assert say("command_memory_kind", "es", kind="Hechos", count=2) == "**Hechos** (2)"
