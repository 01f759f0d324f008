"""Where a number without end stands, told in a file of whatever shape."""

from __future__ import annotations

import time

from cloche.documents.json_lines import line_of_longest_number


def test_digits_in_a_text_are_no_number() -> None:
    assert line_of_longest_number('{"a": 1,\n"b": "99 \\" 999",\n"c": 22}') == 3


def test_a_text_that_nothing_closes_is_read_once() -> None:
    began = time.thread_time()
    assert line_of_longest_number("[\n12345,\n" + '"' + '\\"' * 60_000) == 2
    assert time.thread_time() - began < 3  # it took half a minute
