"""Reading ids out of a body by JSON pointers, as a channel declares them.

Standard library only: the cloud's ingress runs this file as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloche.channels.requests import Document

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_BAD_ESCAPE: Final = re.compile(r"~(?![01])")
_MISSING: Final = object()


def read(pointers: Sequence[str], document: Document) -> str | None:
    """The first value that the pointers find, as text; None when none of them finds one.

    What counts as found is an id: a string that is not empty, or a number, as its decimal digits
    (``7``, ``-100123``; ``7.0`` is 7 and ``7.5`` no id). null, true, lists and objects are not.

    Raises:
        ValueError: a pointer is not one (RFC 6901): ``""``, or ``/`` before each step, with ``~``
            only in ``~0`` and ``~1``.
    """
    for pointer in pointers:
        found = _as_id(_value(pointer, document))
        if found:
            return found
    return None


def _value(pointer: str, document: Document) -> object:
    if (pointer and not pointer.startswith("/")) or _BAD_ESCAPE.search(pointer):
        raise ValueError(f"{pointer!r} is no JSON pointer")
    value: object = document
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(name, _MISSING)
        elif isinstance(value, list) and _INDEX.fullmatch(name) and int(name) < len(value):
            value = value[int(name)]
        else:
            return _MISSING
    return value


def _as_id(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        # Python refuses to write integers of more than 4,300 digits; nobody's id has them.
        return str(value) if -(10**4000) < value < 10**4000 else ""
    return ""
