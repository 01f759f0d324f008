"""Tools: typed Python functions that a skill offers to the agent.

A tool is an async function whose first parameter is a ``ToolContext``; the others are what the
model fills in. Who it acts for comes from the context, never from an argument.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Final, overload

from cloche.errors import PluginError
from cloche.state.store import Json
from cloche.tools.arguments import Arguments, read_function, schema_of
from cloche.tools.context import ToolContext
from cloche.tools.hearing import Hear, checked_hearing

DEFAULT_TIMEOUT_SECONDS: Final = 20.0
DEFAULT_RESULT_CHARS: Final = 8_000
MIN_RESULT_CHARS: Final = 100

ToolFunction = Callable[..., Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Tool:
    """One function of a skill, as a model sees it; made by ``@tool``.

    Attributes:
        name: The function's name, unique within an assistant.
        description: The docstring up to its first section.
        schema: JSON Schema of the arguments; the same bytes for the same signature.
        function: What is called.
        timeout_seconds: Longer than this and the call is given up.
        max_result_chars: Longer answers are cut, with a note that says so.
        arguments: The type that checks arguments.
        hears: Arguments from words that it understands by itself; None where they are not for it.
        exact: True where it hears whole sentences, part for part: it goes before templates then.
        first: True where what it tells must not stand below what other tools tell.
        keeps: True when memory need not keep the words that ask for it: what they tell is data of
            its skill, or they only look something up.
        removes: True for one that takes something away for good. Beside a picture, which may have
            orders written in it, it runs only where it hears the person's own words ask for it.
        when_due: True for one that the host runs before it tells a reminder, with the reminder's
            id; no model sees it. It may change what the reminder says; its answer is not told.
    """

    name: str
    description: str
    schema: dict[str, Json] = field(hash=False)
    function: ToolFunction
    timeout_seconds: float
    max_result_chars: int
    arguments: type[Arguments] = field(repr=False)
    hears: Hear | None = field(default=None, repr=False)
    exact: bool = False
    first: bool = False
    keeps: bool = False
    removes: bool = False
    when_due: bool = False


@overload
def tool(function: ToolFunction, /) -> Tool: ...
@overload
def tool(
    *,
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
    max_result_chars: int = DEFAULT_RESULT_CHARS,
    hears: Hear | None = None,
    exact: bool = False,
    first: bool = False,
    keeps: bool = False,
    removes: bool = False,
    when_due: bool = False,
) -> Callable[[ToolFunction], Tool]: ...
def tool(
    function: ToolFunction | None = None,
    /,
    *,
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
    max_result_chars: int = DEFAULT_RESULT_CHARS,
    hears: Hear | None = None,
    exact: bool = False,
    first: bool = False,
    keeps: bool = False,
    removes: bool = False,
    when_due: bool = False,
) -> Tool | Callable[[ToolFunction], Tool]:
    """Make a tool of an async function: ``@tool`` or ``@tool(timeout_seconds=5)``.

    Args:
        function: The function; its first parameter is the ``ToolContext``, the others are what
            the model fills in, its docstring is what the model reads.
        timeout_seconds: How long a call may take.
        max_result_chars: How long an answer may be, at least 100.
        hears: Makes arguments of words that templates cannot list; see ``Tool``.
        exact: See ``Tool``.
        first: See ``Tool``.
        keeps: See ``Tool``.
        removes: See ``Tool``.
        when_due: See ``Tool``; its only argument is ``reminder``.

    Raises:
        PluginError: it cannot be a tool; the reason says what to change.
    """

    def make(target: ToolFunction) -> Tool:
        made = _make_tool(target, timeout_seconds, max_result_chars)
        heard = checked_hearing(made.name, hears, made.arguments)
        if when_due and set(made.arguments.names()) != {"reminder"}:
            raise PluginError(made.name, "a tool of what is due takes `reminder` and nothing else.")
        return replace(
            made,
            hears=heard,
            exact=exact,
            first=first,
            keeps=keeps,
            removes=removes,
            when_due=when_due,
        )

    return make if function is None else make(function)


def _make_tool(function: ToolFunction, timeout_seconds: float, max_result_chars: int) -> Tool:
    name, description, arguments = read_function(function, ToolContext)
    if timeout_seconds <= 0 or max_result_chars < MIN_RESULT_CHARS:
        raise PluginError(
            name,
            f"timeout_seconds must be above 0 and max_result_chars at least {MIN_RESULT_CHARS}.",
        )
    return Tool(
        name=name,
        description=description,
        schema=schema_of(arguments),
        function=function,
        timeout_seconds=timeout_seconds,
        max_result_chars=max_result_chars,
        arguments=arguments,
    )
