"""From the signature of a tool to the arguments a model may fill in, and back to checked values.

Every parameter after the first (the ``ToolContext``) is an argument. Its type comes from the
annotation, its description from ``Annotated[str, "..."]`` or the docstring's ``Args``.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema

from cloche.errors import PluginError, ToolError
from cloche.state.store import Json

_ACTOR_NAME: Final = re.compile(
    r"onbehalf(?:of\w*)?|behalfof\w*|inthenameof\w*"
    r"|(?:acting|as|for|by|from|to|the|target|current)*"
    r"(?:(?:actor|user|usuario)s?(?:ids?|uids?|keys?|names?|handles?|emails?|phones?)?"
    r"|(?:person|sender|owner|requester|caller)s?(?:ids?|uids?|keys?)?|uids?)"
)
"""Names (without "_", lower case) that would let a model say who it acts for."""
TOOL_NAME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9_]{0,63}")
"""What Bedrock, Anthropic and OpenAI all take as a tool's name."""
_SECTION: Final = re.compile(r"^(Args|Arguments|Returns|Raises|Yields|Example|Examples|Note):\s*$")
_ENTRY: Final = re.compile(r"^\s+(\w+)(?:\s*\([^)]*\))?:\s*(.*)$")


class Arguments(BaseModel):
    """The arguments of one tool; a subclass is made per tool, its fields aliased to the names."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", arbitrary_types_allowed=False, validate_default=True
    )

    @classmethod
    def names(cls, *, required: bool = False) -> tuple[str, ...]:
        """Names of the arguments, in order; with ``required`` only those without a default."""
        return tuple(
            info.alias or field
            for field, info in cls.model_fields.items()
            if info.is_required() or not required
        )

    def by_name(self) -> dict[str, object]:
        """Checked values, by the names that the function's parameters have."""
        return {
            info.alias or field: getattr(self, field)
            for field, info in type(self).model_fields.items()
        }

    def canonical(self) -> str:
        """The one JSON text of these values: sorted keys, defaults filled in."""
        return canonical_json(self.model_dump(mode="json", by_alias=True))


class _UntitledSchema(GenerateJsonSchema):
    """A JSON Schema without pydantic's titles: they tell a model nothing and cost tokens."""

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


def canonical_json(value: object) -> str:
    """The one spelling of a JSON value that hashes are made of."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def split_docstring(text: str) -> tuple[str, dict[str, str]]:
    """A Google docstring's description and what its ``Args`` say, line breaks as spaces."""
    description: list[str] = []
    entries: dict[str, str] = {}
    section, entry, indent = "", "", 0
    for line in inspect.cleandoc(text).splitlines():
        if header := _SECTION.match(line):
            section, entry, indent = header[1], "", 0
        elif not section:
            description.append(line.strip())
        elif section in ("Args", "Arguments") and line.strip():
            depth = len(line) - len(line.lstrip())
            indent = indent or depth
            if depth <= indent and (found := _ENTRY.match(line)):
                entry = found[1]
                entries[entry] = found[2].strip()
            elif entry:
                entries[entry] = f"{entries[entry]} {line.strip()}".strip()
    return " ".join(" ".join(description).split()), entries


def read_function(
    function: Callable[..., object], context: type
) -> tuple[str, str, type[Arguments]]:
    """Name, description and arguments that a tool's code declares.

    Args:
        function: The tool; its first parameter takes the context.
        context: The type that the first parameter must have.

    Raises:
        PluginError: it cannot be a tool; the reason names the place, the remedy what to write.
    """
    name = getattr(function, "__name__", repr(function))
    if not TOOL_NAME.fullmatch(name):
        raise PluginError(
            name, f"a tool's name must match {TOOL_NAME.pattern}.", remedy="Rename it."
        )
    if not inspect.iscoroutinefunction(function):
        raise PluginError(name, "a tool must be async.", remedy=f"Write: async def {name}(...)")
    description, described = split_docstring(function.__doc__ or "")
    if not description:
        raise PluginError(
            name, "it has no docstring.", remedy="Say in one line what it does; the model reads it."
        )
    return name, description, _arguments_of(name, function, context, described)


def schema_of(model: type[Arguments]) -> dict[str, Json]:
    """The JSON Schema a model is shown: the same bytes for the same signature."""
    schema = model.model_json_schema(by_alias=True, schema_generator=_UntitledSchema)
    schema.pop("title", None)
    schema.pop("description", None)
    return {**schema, "properties": schema.get("properties", {})}


def parse_arguments(model: type[Arguments], arguments: Mapping[str, Json]) -> Arguments:
    """Check what a model filled in.

    Raises:
        ToolError: it does not fit; one sentence that names each argument, never a value.
    """
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        told = "; ".join(
            f"{'.'.join(str(part) for part in problem['loc']) or 'arguments'}: "
            f"{problem['msg'][:1].lower()}{problem['msg'][1:]}"
            for problem in problems[:5]
        )
        names = ", ".join(model.names()) or "none"
        raise ToolError(
            f"Not done, the arguments do not fit ({told}); it takes: {names}.",
            key="tool_arguments",
        ) from error


def _type_hints(tool: str, function: Callable[..., object]) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        raise PluginError(
            tool,
            f"an annotation cannot be resolved: {error}.",
            remedy="Import what annotations name outside 'if TYPE_CHECKING'.",
        ) from error


def _check_parameter(tool: str, parameter: inspect.Parameter) -> None:
    name = parameter.name
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise PluginError(
            tool, f"it takes '*{name}'.", remedy="Name every argument: a model must see them."
        )
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise PluginError(tool, f"{name!r} is positional only.", remedy="Remove the '/'.")
    if parameter.annotation is parameter.empty:
        raise PluginError(tool, f"parameter {name!r} has no annotation.", remedy="Annotate it.")
    if names_an_actor(name):
        raise PluginError(
            tool,
            f"{name!r} would let the model say who it acts for.",
            remedy="Take the person from ctx.actor; it is never an argument.",
        )


def names_an_actor(name: str) -> bool:
    """True for an argument that would let a model say who a tool acts for."""
    return bool(_ACTOR_NAME.fullmatch(re.sub(r"[\W_]", "", name).lower()))


def _refuse_actor(tool: str, schema: Json) -> None:
    """Look into nested models too."""
    if isinstance(schema, list):
        for item in schema:
            _refuse_actor(tool, item)
    if not isinstance(schema, dict):
        return
    properties = schema.get("properties")
    for name in properties if isinstance(properties, dict) else ():
        if names_an_actor(name):
            raise PluginError(
                tool,
                f"{name!r} inside an argument would let the model say who it acts for.",
                remedy="Take the person from ctx.actor.",
            )
    for value in schema.values():
        _refuse_actor(tool, value)


def _field(
    parameter: inspect.Parameter, annotation: object, described: Mapping[str, str]
) -> tuple[object, Any]:
    words = described.get(parameter.name, "")
    if get_origin(annotation) is Annotated:
        base, *extras = get_args(annotation)
        words = next((extra for extra in extras if isinstance(extra, str)), words)
        kept = tuple(extra for extra in extras if not isinstance(extra, str))
        annotation = Annotated[(base, *kept)] if kept else base
    default = ... if parameter.default is parameter.empty else parameter.default
    return annotation, Field(default, alias=parameter.name, description=words or None)


def _arguments_of(
    tool: str, function: Callable[..., object], context: type, described: Mapping[str, str]
) -> type[Arguments]:
    parameters = list(inspect.signature(function).parameters.values())
    hints = _type_hints(tool, function)
    if not parameters or hints.get(parameters[0].name) is not context:
        raise PluginError(
            tool,
            f"its first parameter is not annotated with {context.__name__}.",
            remedy=f"Write: async def {tool}(ctx: {context.__name__}, ...) -> str",
        )
    fields: dict[str, Any] = {}
    for number, parameter in enumerate(parameters[1:]):
        _check_parameter(tool, parameter)
        # Aliases carry the real names, so that none ("schema", "copy") can hide one of pydantic's.
        fields[f"a{number}"] = _field(parameter, hints[parameter.name], described)
    if hints.get("return") is not str:
        raise PluginError(tool, "it does not return str.", remedy="Annotate it with '-> str'.")
    if unknown := sorted(set(described) - {parameter.name for parameter in parameters}):
        raise PluginError(
            tool,
            f"its docstring describes {unknown[0]!r}, which is no parameter.",
            remedy="Mend the name under Args.",
        )
    try:
        model = create_model(tool, __base__=Arguments, **fields)
        _refuse_actor(tool, schema_of(model))
    except PydanticUserError as error:
        raise PluginError(
            tool,
            f"an annotation cannot be a model's argument: {str(error).splitlines()[0]}",
            remedy="Use str, int, float, bool, Literal, list, dict or a pydantic model.",
        ) from error
    return model
