"""Parts of statements that can be held against each other: numbers, times, properties. Pure."""

from __future__ import annotations

from cloche.memory.truth.claims import Reading, Token


def values(reading: Reading, kind: str) -> tuple[str, ...]:
    """The values of one kind, in an order of their own."""
    return tuple(sorted(reading.of(kind)))


def same_values(new: Reading, old: Reading) -> bool:
    """True when numbers, times, sides, places' relations and properties agree."""
    kinds = ("number", "time", "side", "at")
    agree = all(values(new, kind) == values(old, kind) for kind in kinds)
    return agree and classes(new) == classes(old)


def classes(reading: Reading) -> frozenset[tuple[str, str]]:
    """Properties of classes whose members exclude each other, by class."""
    return frozenset((t.kind, t.value) for t in reading.tokens if is_class(t))


def head_classes(reading: Reading) -> frozenset[tuple[str, str]]:
    """The same in front of the verb, where they tell a thing from others."""
    if not reading.split[1]:
        return frozenset()
    return frozenset((t.kind, t.value) for t in reading.split[0] if is_class(t))


def exclude_each_other(new: Reading, old: Reading) -> bool:
    """True when both say something of the same class of properties (two colours)."""
    kinds = {kind for kind, _ in classes(new)} & {kind for kind, _ in classes(old)}
    return any(
        {v for k, v in classes(new) if k == kind} != {v for k, v in classes(old) if k == kind}
        for kind in kinds
    )


def describes(reading: Reading) -> bool:
    """True when a property is what is said of the thing, not what tells it from others."""
    return reading.has("be") or reading.ends_in_property


def is_class(token: Token) -> bool:
    """True for a property of such a class."""
    return token.kind.startswith("class.") and token.kind != "class.with"
