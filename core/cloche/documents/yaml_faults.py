"""What is wrong with a text that is no YAML, in words for whoever wrote it."""

from __future__ import annotations

import yaml


def yaml_fault(error: yaml.YAMLError, text: str) -> tuple[int, str]:
    """The 0-based line of a fault, and what to do about it."""
    if isinstance(error, yaml.reader.ReaderError):
        line = text.count("\n", 0, error.position)
        return line, "it holds a character that YAML does not take: delete it."
    if not isinstance(error, yaml.MarkedYAMLError):
        return 0, "it is not YAML."
    mark = error.problem_mark or error.context_mark
    problem = error.problem or "it is not YAML"
    line = mark.line if mark else 0
    if "mapping values are not allowed" in problem:
        told = "a text has ': ' inside: put it in double quotes."
    elif "'\\t'" in problem:
        told = "there is a tab: indent with spaces."
    elif problem.startswith(("expected ',' or", "expected the node content")):
        told = (
            "a bracket or brace is not closed, or a text starts with one: close it, or put the "
            "text in double quotes."
        )
    elif problem.startswith("expected <block end>"):
        told = "there is more after a value: put texts with brackets or quotes in double quotes."
    elif problem.startswith("could not find expected ':'"):
        told = "a line is no 'key: value': give it a key, or put the text above in double quotes."
    else:
        told = f"{problem}: check the indentation, and put texts in double quotes."
    return line, told
