"""What the runtime is invoked with: checked by one schema, then frozen data.

No payload names whom a turn acts for: that comes from a channel request that its channel has
authenticated, or from the reminder that is looked up.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import islice, takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from cloche.channels.requests import ChannelRequest
from cloche.documents import shared_resource
from cloche.runtime.refusals import RefusedError, invalid

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

SCHEMA: Final = "invocation.schema.json"
MOST_FAULTS: Final = 100
"""So many are looked for, of which one is told: tens of thousands take seconds."""


@dataclass(frozen=True, slots=True)
class Forwarded:
    """One request of a platform, and when it came to the ingress; None = now."""

    request: ChannelRequest
    received: datetime | None = None


@dataclass(frozen=True, slots=True)
class ChannelRequests:
    """Requests of one conversation, in the order they came."""

    channel: str
    requests: tuple[Forwarded, ...]


@dataclass(frozen=True, slots=True)
class DueReminder:
    """A reminder whose hour has come, and which hour that was."""

    reminder: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Register:
    """Have a channel's platform deliver to an address."""

    channel: str
    address: str
    drop_pending: bool = False


@dataclass(frozen=True, slots=True)
class Unregister:
    """Have a channel's platform deliver nowhere."""

    channel: str


@dataclass(frozen=True, slots=True)
class Check:
    """Ask what platforms say about their doors; "" = about all of them."""

    channel: str = ""


@dataclass(frozen=True, slots=True)
class ConsoleMessage:
    """The local owner's words."""

    text: str


@dataclass(frozen=True, slots=True)
class Health:
    """Ask how the runtime is."""


Payload: TypeAlias = (
    ChannelRequests | DueReminder | Register | Unregister | Check | ConsoleMessage | Health
)


def parse_payload(document: object) -> Payload:
    """The payload a JSON document is.

    Raises:
        RefusedError: it is none; names the field and the reason, and quotes no value.
    """
    faults = sorted(islice(_validator().iter_errors(document), MOST_FAULTS), key=_order)
    if faults:
        raise _refused(faults[0])
    assert isinstance(document, dict)  # noqa: S101 (the schema says so)
    return _made(document)


def _made(fields: Mapping[str, Any]) -> Payload:
    match fields["kind"]:
        case "channel":
            made = [_forwarded(one, f"requests[{at}]") for at, one in enumerate(fields["requests"])]
            return ChannelRequests(fields["channel"], tuple(made))
        case "reminder":
            return DueReminder(fields["reminder"], _instant(fields["at"], "at"))
        case "register":
            return Register(
                fields["channel"], fields["address"], fields.get("drop_pending") is True
            )
        case "unregister":
            return Unregister(fields["channel"])
        case "check":
            return Check(fields.get("channel", ""))
        case "message":
            return ConsoleMessage(fields["text"])
        case _:
            return Health()


def _forwarded(fields: Mapping[str, Any], where: str) -> Forwarded:
    try:
        body = base64.b64decode(fields["body"], validate=True)
    except (binascii.Error, ValueError) as error:
        raise invalid(f"{where}.body", f"must be {_means('request', 'body')}") from error
    headers = {name.lower(): value for name, value in fields["headers"].items()}
    if len(headers) < len(fields["headers"]):  # which of the two counts is anybody's guess
        raise invalid(f"{where}.headers", "has one name in two spellings")
    request = ChannelRequest(
        body, MappingProxyType(headers), MappingProxyType(dict(fields.get("query", {})))
    )
    received = fields.get("received")
    return Forwarded(request, _instant(received, f"{where}.received") if received else None)


def _instant(text: str, where: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise invalid(where, f"must be {_schema()['$defs']['instant']['description']}") from error


@cache
def _schema() -> Mapping[str, Any]:
    text = shared_resource("schemas", SCHEMA).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@cache
def _validator() -> Draft202012Validator:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    def counted(keyword: str, most: str) -> Callable[..., Iterable[ValidationError]]:
        """A keyword that looks at what is in a list or object only if that is not too much."""
        look = Draft202012Validator.VALIDATORS[keyword]

        def bounded(
            validator: Draft202012Validator, inner: Any, instance: Any, schema: Mapping[str, Any]
        ) -> Iterable[ValidationError]:
            sized = isinstance(instance, list | dict)
            too_much = sized and len(instance) > schema.get(most, len(instance))
            return () if too_much else look(validator, inner, instance, schema)

        return bounded

    kind: type[Draft202012Validator] = extend(  # type: ignore[no-untyped-call]
        Draft202012Validator,
        {
            "items": counted("items", "maxItems"),
            "additionalProperties": counted("additionalProperties", "maxProperties"),
        },
    )
    return kind(_schema())


def _means(definition: str, name: str) -> str:
    return str(_schema()["$defs"][definition]["properties"][name]["description"])


def _order(fault: ValidationError) -> tuple[bool, int, Sequence[str]]:
    """The kind before all, then what lies nearest to the top."""
    path = [str(part) for part in fault.absolute_path]
    return path != ["kind"], len(path), path


def _refused(fault: ValidationError) -> RefusedError:
    """A fault in words of the schema: the value itself may be what somebody wrote."""
    path = _named(fault.absolute_path)
    where = _spelled(path)
    schema = fault.schema if isinstance(fault.schema, dict) else {}
    instance = fault.instance if isinstance(fault.instance, dict) else {}
    if fault.validator == "additionalProperties":
        known = schema.get("properties", {})
        # The name itself is whatever somebody chose.
        return invalid(where, f"has a field that is none of {', '.join(sorted(known))}")
    if fault.validator == "required":
        name = next(name for name in schema["required"] if name not in instance)
        means = schema.get("properties", {}).get(name, {})
        described = _schema()["$defs"].get(str(means.get("$ref", "")).rpartition("/")[2], means)
        return invalid(_joined(where, name), f"is missing; it is {described['description']}")
    must = "must be" if len(path) == len(fault.absolute_path) else "holds something that must be"
    return invalid(where, f"{must} {schema.get('description', 'something else')}")


def _named(path: Iterable[str | int]) -> list[str | int]:
    """A path as far as its names are the schema's, and not what somebody chose."""
    return list(takewhile(lambda part: isinstance(part, int) or part in _known(), path))


def _spelled(path: Iterable[str | int]) -> str:
    """A path as people write it: ``requests[0].body``."""
    where = ""
    for part in path:
        where = f"{where}[{part}]" if isinstance(part, int) else _joined(where, part)
    return where


@cache
def _known() -> frozenset[str]:
    """The names of all fields there are."""
    return frozenset(_names(_schema()))


def _names(schema: object) -> Iterator[str]:
    if isinstance(schema, Mapping):
        yield from schema.get("properties", {})
    inner = schema.values() if isinstance(schema, Mapping) else schema
    for each in inner if not isinstance(inner, str) and isinstance(inner, Iterable) else ():
        yield from _names(each)


def _joined(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
