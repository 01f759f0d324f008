"""What nobody handles, and what libraries say: told by type and place, and never by its words."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

BEGIN = """
import asyncio, gc, logging, sys, threading, warnings
from cloche.runtime.json_logs import set_up_json_logs
from cloche.logs import set_up_logging
from cloche.settings import Settings
from cloche.unhandled import tell_unhandled

tell_unhandled()
(set_up_json_logs if sys.argv[1] == "json" else set_up_logging)(Settings())
own, library = logging.getLogger("cloche.x"), logging.getLogger("library.x")
word = sys.argv[2]
def fail(*said):
    raise ValueError(word)
class Thing:
    def __repr__(self):
        return word
class Deleted:
    def __del__(self):
        fail()
async def failing():
    fail()
async def forgotten():
    task = asyncio.create_task(failing())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del task
    gc.collect()
async def called_back():
    asyncio.get_running_loop().call_soon(fail, word)
    await asyncio.sleep(0.01)
"""
WAYS = (
    ("asyncio.run(forgotten())", "ValueError"),
    ("asyncio.run(called_back())", "ValueError"),
    ("thread = threading.Thread(target=fail); thread.start(); thread.join()", "ValueError"),
    ("Deleted()", "ValueError"),
    ("warnings.warn(word)", "UserWarning at <string>"),
    ("library.error('broken', exc_info=ValueError(word))", "ValueError"),
    ("library.error(f'broken by {word}')", "is left out, at <string>"),
    ("library.error('broken by %s, %r, %d', word, ValueError(word), 3)", "'ValueError', 3"),
    ("library.error('broken by %(it)s', {'it': word})", "broken by …"),
    ("library.error(ValueError(word))", "ValueError"),
    ("library.error('broken %d', word)", "broken %d"),
    ("own.error('broken', exc_info=ValueError(word))", "ValueError"),
    ("own.error('broken by %s', ValueError(word))", "broken by ValueError"),
    ("own.error('broken by %(it)s', {'it': ValueError(word)})", "broken by ValueError"),
    ("own.error('broken by %s', [{1: (ValueError(word),)}])", "{1: ('ValueError',)}"),
    ("own.error('broken by %s', Thing())", "broken by Thing"),
    ("own.error(ValueError(word))", "ValueError"),
    ("own.error('broken %d %d', word)", "broken %d %d"),
    ("own.error('broken', exc_info=(ValueError, ValueError(word), word))", "could not be written"),
    ("fail()", "ended by what nobody handled"),
)
"""What is done one after another, and what is told of it; the last ends the process."""


def told(form: str, word: str) -> list[str]:
    """The lines of a process in which all of it happens."""
    script = "\n".join([BEGIN, *(way for way, _ in WAYS)])
    ended = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", script, form, word],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stdout == ""
    spelled = (word, json.dumps(word)[1:-1], repr(word.encode()))
    lines = ended.stderr.splitlines()
    assert [line for line in lines if any(each in line for each in spelled)] == []
    return lines


@pytest.mark.parametrize("word", ["hunter2", "contraseña", "我的密码"])
def test_a_json_log_is_all_there_is_and_has_types_and_places_in_place_of_words(word: str) -> None:
    documents = [json.loads(line) for line in told("json", word)]
    for document, (way, expected) in zip(documents, WAYS, strict=True):
        assert expected in document["message"] + document.get("error", ""), way
        if "fail" in str(document.get("at")):
            assert document["at"][-1] == "<string>:13 fail"


def test_a_plain_log_has_no_words_of_exceptions_either() -> None:
    lines = told("plain", "hunter2")
    assert sum(" cloche.unhandled: " in line for line in lines) == 4
    assert sum(line == "    at <string>:13 fail" for line in lines) == 5
    assert sum(line == "  ValueError" for line in lines) == 7
