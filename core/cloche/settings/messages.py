"""One sentence for each setting that is refused: where it stands, its name, what it may be."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from cloche.settings.files import PREFIX, Entry

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_MODEL: Final = ("MODEL__PROVIDER", "MODEL.PROVIDER", "MODEL_ID")
_QUOTED: Final = re.compile(r"'([^']*)'")


def unknown_name(entry: Entry, known: Collection[str]) -> str:
    """The sentence for a name that is no setting."""
    if _bare(entry.name) == "MODEL":  # whose it is and which one are two settings
        meant = " and ".join(known_one for known_one in known if _bare(known_one) in _MODEL)
        return f"{entry.where}: {entry.name} is no setting: set {meant}."
    return f"{entry.where}: {entry.name} is no setting{nearest(entry.name, known)}."


def nearest(name: str, known: Collection[str]) -> str:
    """`` (did you mean X?)`` for the known name most like ``name``, or ""."""
    # The wrong case, or a prefix too many, is the nearest there can be.
    spelled = {_bare(each): each for each in known}
    found = difflib.get_close_matches(_bare(name), spelled, n=1, cutoff=0.5)
    return f" (did you mean {spelled[found[0]]}?)" if found else ""


def _bare(name: str) -> str:
    return name.upper().removeprefix(PREFIX)


def wrong_value(entry: Entry, error: ErrorDetails, *, secret: bool) -> str:
    """The sentence for a value that does not fit; a secret's value is not in it."""
    shown = "" if secret else f", not {_shown(entry.value)}"
    return f"{entry.where}: {entry.name} {_rule(error)}{shown}."


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _rule(error: ErrorDetails) -> str:
    """What the value must be, from pydantic's stable error types."""
    ctx = error.get("ctx", {})
    match error["type"]:
        case "literal_error":
            return f"must be one of {', '.join(filter(None, _QUOTED.findall(ctx['expected'])))}"
        case "greater_than":
            return f"must be more than {ctx['gt']:g}"
        case "greater_than_equal":
            return f"must be at least {ctx['ge']:g}"
        case "less_than_equal":
            return f"must be at most {ctx['le']:g}"
        case "int_parsing" | "int_type" | "int_from_float" | "int_parsing_size":
            return "must be a whole number"
        case "float_parsing" | "float_type" | "finite_number":
            return "must be a number"
        case "tuple_type":
            return "must be names separated by commas"
        case "value_error":
            return str(ctx["error"])
        case _:
            return "must be text"
