"""What is wrong in files that people write by hand is told with its line, never a traceback."""

from __future__ import annotations

import pytest

from cloche.documents import parse_json, parse_yaml
from cloche.errors import ManifestError

LONG = "9" * 5_000


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f'{{"a": "1",\n"b": {LONG}}}', 2),
        (f'{{"a": "{LONG}9",\n\n"b": -{LONG}}}', 3),
        (f'["a \\" {LONG}9",\n{LONG}]', 2),
        (LONG, 1),
    ],
)
def test_a_number_that_is_too_long_for_json_is_told_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ManifestError, match="a number cannot be read or is too long") as caught:
        parse_json(text, "skills.json")
    assert str(caught.value).startswith(f"skills.json:{line}:")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"a: 1\nb:\n  - {LONG}", 3),
        (f"a:\n  b: {LONG}", 2),
        ("a: 0x_", 1),
        (LONG, 1),
    ],
)
def test_a_number_that_yaml_cannot_hold_is_told_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ManifestError, match="a number cannot be read or is too long") as caught:
        parse_yaml(text, "examples.yaml")
    assert str(caught.value).startswith(f"examples.yaml:{line}")
    assert parse_yaml(f"a: '{LONG}'", "examples.yaml").value == {"a": LONG}
    assert parse_yaml(text, "examples.yaml", texts_only=True).value is not None
