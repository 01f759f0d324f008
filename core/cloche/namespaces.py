"""Scopes of memory: whose or what a record is about, and where that lies.

Templates use AgentCore's syntax (``{actorId}``, ``{sessionId}``, own variables) and end with
``/``, so that no namespace is a prefix of another's by accident.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations
from typing import Final

from cloche.errors import PluginError
from cloche.ids import bounded, escape

MAX_TEMPLATE_CHARS: Final = 512
"""AgentCore: a namespace template has at most 512 characters."""
MAX_VARIABLES: Final = 5
"""AgentCore: at most 5 NamespaceKeys beside actorId and sessionId."""

_TEMPLATE: Final = re.compile(
    r"(?:[a-zA-Z0-9\-_]+|\{[a-zA-Z][a-zA-Z0-9]*\})(?:/(?:[a-zA-Z0-9\-_]+|\{[a-zA-Z][a-zA-Z0-9]*\}))*/"
)
_VARIABLE: Final = re.compile(r"\{([a-zA-Z][a-zA-Z0-9]*)\}")
_OWN_VARIABLE: Final = re.compile(r"[a-z][a-z0-9]*")
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")
_ROOT: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")


@dataclass(frozen=True, slots=True)
class MemoryScope:
    """One scope.

    Attributes:
        name: ``[a-z][a-z0-9_]*``.
        template: Segments joined by "/", ending with "/". Without ``{actorId}`` the scope is
            shared: written only by the operator, never by a turn.
        lifetime: How long its records live unless their kind says otherwise; None = no limit.
        order: Load order: global rules first (low), then personal, narrower, session last (high).
    """

    name: str
    template: str
    lifetime: timedelta | None = None
    order: int = 50

    @classmethod
    def personal(cls, root: str, lifetime: timedelta | None = None) -> MemoryScope:
        """What holds for a person everywhere: ``{root}/{actorId}/personal/``."""
        return cls("personal", f"{root}/{{actorId}}/personal/", lifetime, order=20)

    @classmethod
    def ecosystem(cls, root: str, lifetime: timedelta | None = None) -> MemoryScope:
        """Rules for everybody, kept by the operator: ``{root}/ecosystem/``."""
        return cls("ecosystem", f"{root}/ecosystem/", lifetime, order=10)

    @classmethod
    def keyed(cls, root: str, name: str, lifetime: timedelta | None = None) -> MemoryScope:
        """One project, repository or task of a person: ``{root}/{actorId}/{name}/{<name>}/``.

        The value comes with a message's ``scope_keys``.
        """
        return cls(name, f"{root}/{{actorId}}/{name}/{{{name}}}/", lifetime, order=60)

    @property
    def variables(self) -> tuple[str, ...]:
        """Variables of the template, in order."""
        return tuple(_VARIABLE.findall(self.template))

    @property
    def own_variables(self) -> tuple[str, ...]:
        """Variables that a turn's ``scope_keys`` give: all but actorId and sessionId."""
        return tuple(v for v in self.variables if v not in ("actorId", "sessionId"))

    def key(self, scope_keys: Mapping[str, str]) -> str | None:
        """A record's ``scope_key`` for these values; "" without variables, None = one lacks."""
        values = [scope_keys.get(variable, "") for variable in self.own_variables]
        return "/".join(map(_segment, values)) if all(values) else None

    @property
    def shared(self) -> bool:
        """True when it belongs to no one person."""
        return "actorId" not in self.variables

    def namespace(self, values: Mapping[str, str]) -> str:
        """The namespace for these values, each escaped into one segment.

        Raises:
            ValueError: a variable of the template is missing or empty.
        """

        def one(match: re.Match[str]) -> str:
            value = values.get(match[1], "")
            if not value:
                raise ValueError(f"scope {self.name!r} needs {match[1]}")
            # Actor and session ids are made by cloche.ids and are in the alphabet already.
            return value if match[1] in ("actorId", "sessionId") else _segment(value)

        return _VARIABLE.sub(one, self.template)

    def parse(self, namespace: str) -> dict[str, str] | None:
        """The (escaped) values a namespace was made of; None when it is not of this scope."""
        pattern = "".join(
            f"(?P<{part[1:-1]}>[A-Za-z0-9_-]+)" if part.startswith("{") else re.escape(part)
            for part in re.split(r"(\{[a-zA-Z0-9]+\})", self.template)
        )
        match = re.fullmatch(pattern, namespace)
        return match.groupdict() if match else None


@dataclass(frozen=True, slots=True)
class NamespaceScheme:
    """The scopes of one assistant under one root.

    Attributes:
        root: First segment of every namespace, ``[a-z][a-z0-9-]*``.
        scopes: In addition to ``long_term`` and ``episodic``, which every assistant has.

    Raises:
        PluginError: a scope breaks a rule; the reason names it.
    """

    root: str
    scopes: tuple[MemoryScope, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a scheme in which two people or two scopes could share a place."""
        faults = list(_scheme_faults(self))
        if faults:
            raise PluginError("namespaces", "; ".join(faults) + ".", hook="provide_namespaces")

    @property
    def all_scopes(self) -> tuple[MemoryScope, ...]:
        """Every scope, in load order."""
        mine = (
            MemoryScope("long_term", f"{self.root}/{{actorId}}/long_term/", order=30),
            MemoryScope("episodic", f"{self.root}/{{actorId}}/episodic/{{sessionId}}/", order=90),
        )
        declared = {scope.name for scope in self.scopes}
        kept = tuple(scope for scope in mine if scope.name not in declared)
        return tuple(sorted((*kept, *self.scopes), key=lambda scope: (scope.order, scope.name)))

    def __getitem__(self, name: str) -> MemoryScope:
        """The scope of that name; KeyError when there is none."""
        for scope in self.all_scopes:
            if scope.name == name:
                return scope
        raise KeyError(name)

    def scope_for(self, scope_keys: Mapping[str, str]) -> tuple[MemoryScope, str]:
        """Where a turn with these scope keys writes, and the ``scope_key`` of what it writes.

        That is the narrowest scope of the person's own that all its variables are known for,
        ``long_term`` when there is none.
        """
        for scope in reversed(self.all_scopes):
            key = scope.key(scope_keys)
            if (
                scope.own_variables
                and key
                and not scope.shared
                and "sessionId" not in scope.variables
            ):
                return scope, key
        return self["long_term"], ""

    def in_reach(self, scope: str, scope_key: str, scope_keys: Mapping[str, str]) -> bool:
        """True when a record of that scope and key may be recalled by a turn with these keys."""
        if not scope_key:
            return True
        return any(s.name == scope and s.key(scope_keys) == scope_key for s in self.all_scopes)

    def parse(self, namespace: str) -> tuple[MemoryScope, dict[str, str]] | None:
        """Which scope a namespace is of and the values it was made of, or None."""
        for scope in self.all_scopes:
            if (values := scope.parse(namespace)) is not None:
                return scope, values
        return None


def _segment(value: str) -> str:
    return bounded([escape(char) for char in value])


def _scheme_faults(scheme: NamespaceScheme) -> list[str]:
    if not _ROOT.fullmatch(scheme.root):
        return [f"root {scheme.root!r} must match {_ROOT.pattern}"]
    scopes, faults = scheme.all_scopes, []
    names = [scope.name for scope in scheme.scopes]
    repeated = sorted({name for name in names if names.count(name) > 1})
    faults += [f"scope {name!r} is declared twice" for name in repeated]
    for scope in scopes:
        faults += _scope_faults(scheme.root, scope)
    faults += [
        f"a namespace of scope {one.name!r} could lie inside one of {other.name!r}"
        for one, other in combinations(scopes, 2)
        if _may_nest(one.template, other.template)
    ]
    own = {v for scope in scopes for v in scope.variables} - {"actorId", "sessionId"}
    if len(own) > MAX_VARIABLES:
        faults.append(f"{len(own)} own variables, at most {MAX_VARIABLES} are allowed")
    return faults


def _may_nest(one: str, other: str) -> bool:
    """True when some values make a namespace of one template a prefix of the other's."""
    pairs = zip(one.strip("/").split("/"), other.strip("/").split("/"), strict=False)
    return all(_may_equal(a, b) for a, b in pairs)


def _may_equal(one: str, other: str) -> bool:
    if one.startswith("{") and other.startswith("{"):
        return True
    if not one.startswith("{") and not other.startswith("{"):
        return one == other
    variable, literal = (one, other) if one.startswith("{") else (other, one)
    # Actor and session ids always carry a mark of cloche.ids that a plain word does not.
    return variable not in ("{actorId}", "{sessionId}") or "_-" in literal or "_h" in literal


def _scope_faults(root: str, scope: MemoryScope) -> list[str]:
    faults = []
    if not _NAME.fullmatch(scope.name):
        faults.append(f"scope {scope.name!r} must match {_NAME.pattern}")
    if len(scope.template) > MAX_TEMPLATE_CHARS or not _TEMPLATE.fullmatch(scope.template):
        faults.append(
            f"template {scope.template!r} of {scope.name!r} must be segments of letters, digits, "
            f"'-', '_' or one {{variable}}, joined by '/', ending with '/'"
        )
    elif not scope.template.startswith(f"{root}/"):
        faults.append(f"template {scope.template!r} of {scope.name!r} must start with '{root}/'")
    variables = scope.variables
    faults += [
        f"variable {{{v}}} of {scope.name!r} must match {_OWN_VARIABLE.pattern}"
        for v in variables
        if v not in ("actorId", "sessionId") and not _OWN_VARIABLE.fullmatch(v)
    ]
    if len(set(variables)) != len(variables):
        faults.append(f"template {scope.template!r} of {scope.name!r} repeats a variable")
    if scope.shared and "sessionId" in variables:
        faults.append(f"scope {scope.name!r} has {{sessionId}} but no {{actorId}}")
    required = {"long_term": ("actorId",), "episodic": ("actorId", "sessionId")}
    for needed in required.get(scope.name, ()):
        if needed not in variables:
            faults.append(f"scope {scope.name!r} needs {{{needed}}}")
    return faults
