"""Sentences that a tool understands by itself, where templates could not list how people say it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from cloche.errors import ToolError, raised_at
from cloche.state.store import Json
from cloche.tools.arguments import Arguments, parse_arguments

_log = logging.getLogger(__name__)

Hear: TypeAlias = Callable[[str], Mapping[str, Json] | None]
"""From a person's words to the arguments of a call; None where they are not for the tool."""

MAX_HEARD_CHARS: Final = 1_000
"""Longer texts are no sentences that one says to a tool."""


def checked_hearing(name: str, hears: Hear | None, arguments: type[Arguments]) -> Hear | None:
    """What a tool hears, held to its arguments: what it makes up counts as not heard.

    Args:
        name: The tool's, for the log.
        hears: What its author wrote; None = it is reached by templates only.
        arguments: What a call takes.
    """
    if hears is None:
        return None

    def heard(text: str) -> Mapping[str, Json] | None:
        if not text.strip() or len(text) > MAX_HEARD_CHARS:
            return None
        try:
            found = hears(text)
            if found is not None:
                parse_arguments(arguments, found)
            return found
        except ToolError:
            return None
        except Exception as error:
            # A person's words must not fail a turn; the exception's text may quote them.
            _log.error("tool %s hears: %s at %s", name, type(error).__name__, raised_at(error))
            return None

    return heard
