"""What ``@tool`` takes, what it refuses, and the schema a model is shown."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
import textwrap
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel

from cloche.errors import PluginError
from cloche.tools import ToolContext, tool


class Cup(BaseModel):
    colour: str
    size: int = 2


class Guest(BaseModel):
    user_id: str


async def reply(ctx: ToolContext) -> str:
    """Give an answer."""
    return "yes"


def test_the_model_sees_types_descriptions_and_defaults() -> None:
    @tool
    async def pour(
        ctx: ToolContext,
        leaf: Annotated[str, "Which tea."],
        cups: list[Cup],
        strength: Literal["weak", "strong"] = "weak",
        schema: int | None = None,
    ) -> str:
        """Pour tea.

        For one guest or for many.

        Args:
            strength: How strong, as the guest
                likes it.
            leaf: The annotation wins over this.
        """
        return leaf

    assert pour.name == "pour"
    assert pour.description == "Pour tea. For one guest or for many."
    properties = pour.schema["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["leaf", "cups", "strength", "schema"]
    assert properties["leaf"] == {"type": "string", "description": "Which tea."}
    assert properties["strength"] == {
        "default": "weak",
        "description": "How strong, as the guest likes it.",
        "enum": ["weak", "strong"],
        "type": "string",
    }
    assert pour.schema["required"] == ["leaf", "cups"]
    assert pour.schema["additionalProperties"] is False


def test_limits_can_be_set_and_have_defaults() -> None:
    quick = tool(timeout_seconds=1.5, max_result_chars=100)(reply)
    assert (quick.timeout_seconds, quick.max_result_chars) == (1.5, 100)
    assert (tool(reply).timeout_seconds, tool(reply).max_result_chars) == (20.0, 8000)


def test_a_tool_without_arguments_shows_an_empty_object() -> None:
    assert tool(reply).schema == {
        "additionalProperties": False,
        "properties": {},
        "type": "object",
    }


def test_the_schema_is_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    source = tmp_path / "kettle.py"
    source.write_text(
        textwrap.dedent("""
        import json
        from typing import Literal
        from cloche import ToolContext, tool

        @tool
        async def boil(ctx: ToolContext, when: Literal["now", "later"], cups: set[str]) -> str:
            "Boil water."
            return when

        print(json.dumps(boil.schema))
        """)
    )
    outputs = {
        subprocess.run(
            [sys.executable, str(source)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ""},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert json.loads(outputs.pop())["properties"]["when"]["enum"] == ["now", "later"]


def not_async(ctx: ToolContext, leaf: str) -> str:
    """Say it."""
    return leaf


async def no_context(leaf: str) -> str:
    """Say it."""
    return leaf


async def nothing_taken() -> str:
    """Say it."""
    return ""


async def no_docstring(ctx: ToolContext, leaf: str) -> str:
    return leaf


async def unannotated(ctx: ToolContext, leaf) -> str:  # type: ignore[no-untyped-def]
    """Say it."""
    return str(leaf)


async def many(ctx: ToolContext, *leaves: str) -> str:
    """Say it."""
    return "".join(leaves)


async def any_name(ctx: ToolContext, **leaves: str) -> str:
    """Say it."""
    return "".join(leaves)


async def by_place(ctx: ToolContext, leaf: str, /) -> str:
    """Say it."""
    return leaf


async def for_actor(ctx: ToolContext, actor: str) -> str:
    """Say it."""
    return actor


async def for_actor_id(ctx: ToolContext, actor_id: str) -> str:
    """Say it."""
    return actor_id


async def for_user(ctx: ToolContext, userId: str) -> str:  # noqa: N803
    """Say it."""
    return userId


async def for_guest(ctx: ToolContext, guests: list[Guest]) -> str:
    """Say it."""
    return str(guests)


async def returns_number(ctx: ToolContext) -> int:
    """Say it."""
    return 1


async def unknown_type(ctx: ToolContext, leaf: Leaf) -> str:  # type: ignore[name-defined]  # noqa: F821
    """Say it."""
    return str(leaf)


async def odd_type(ctx: ToolContext, leaf: threading_lock) -> str:
    """Say it."""
    return str(leaf)


class threading_lock:  # noqa: N801
    """No type that JSON has."""


async def wrong_args(ctx: ToolContext, leaf: str) -> str:
    """Say it.

    Args:
        leav: A slip of the pen.
    """
    return leaf


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (not_async, "must be async"),
        (no_context, "first parameter is not annotated with ToolContext"),
        (nothing_taken, "first parameter is not annotated with ToolContext"),
        (no_docstring, "no docstring"),
        (unannotated, "'leaf' has no annotation"),
        (many, "'*leaves'"),
        (any_name, "'*leaves'"),
        (by_place, "positional only"),
        (for_actor, "ctx.actor"),
        (for_actor_id, "ctx.actor"),
        (for_user, "ctx.actor"),
        (for_guest, "'user_id' inside an argument"),
        (returns_number, "does not return str"),
        (unknown_type, "cannot be resolved"),
        (odd_type, "cannot be a model's argument"),
        (wrong_args, "'leav', which is no parameter"),
    ],
)
def test_what_cannot_be_a_tool_is_refused_when_it_is_defined(
    function: Callable[..., Awaitable[str]], told: str
) -> None:
    with pytest.raises(PluginError) as caught:
        tool(function)
    assert told in str(caught.value)
    assert caught.value.plugin == function.__name__
    assert caught.value.remedy


@pytest.mark.parametrize(
    "name",
    ["username", "user_name", "userName", "person", "person_id", "sender", "owner", "owner_id",
     "on_behalf_of", "on_behalf_of_user", "for_user", "for_person", "as_user", "acting_user",
     "user_ids", "users", "target_user_id", "actor_key", "user_email", "requester", "uid", "USER"],
)  # fmt: skip
def test_no_argument_lets_a_model_say_whom_it_acts_for(name: str) -> None:
    with pytest.raises(PluginError, match="who it acts for"):
        tool(_with_argument(name))


@pytest.mark.parametrize(
    "name",
    ["people", "person_count", "name", "name_of_leaf", "account", "user_agent", "ownership",
     "personal", "uses", "group", "to", "by", "recipient"],
)  # fmt: skip
def test_a_name_that_only_holds_such_a_word_is_an_argument(name: str) -> None:
    assert tool(_with_argument(name)).schema["properties"] == {name: {"type": "string"}}


def _with_argument(name: str) -> Callable[..., Awaitable[str]]:
    async def say(ctx: ToolContext, **given: str) -> str:
        """Say it."""
        return str(given)

    say.__annotations__ = {"ctx": ToolContext, name: str, "return": str}
    said = inspect.signature(say)
    named = inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=str)
    first = said.parameters["ctx"].replace(annotation=ToolContext)
    say.__signature__ = said.replace(parameters=[first, named], return_annotation=str)  # type: ignore[attr-defined]
    return say


def test_impossible_limits_and_names_are_refused() -> None:
    with pytest.raises(PluginError, match="timeout_seconds"):
        tool(timeout_seconds=0)(reply)
    with pytest.raises(PluginError, match="max_result_chars"):
        tool(max_result_chars=99)(reply)

    async def tè(ctx: ToolContext) -> str:  # noqa: PLC2401
        """Say it."""
        return ""

    with pytest.raises(PluginError, match="name must match"):
        tool(tè)
