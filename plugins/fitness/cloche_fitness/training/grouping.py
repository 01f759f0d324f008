"""Numbers and their units, put together: which belong to one set, run or hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cloche_fitness.training.limits import LIMITS, Kind
from cloche_fitness.training.measures import MILE, POUND
from cloche_fitness.training.scanning import Token, UnreadableError

_KIND_OF: Final[dict[str, tuple[Kind, float]]] = {
    "sets": ("sets", 1),
    "reps": ("reps", 1),
    "kilo": ("kilos", 1),
    "jin": ("kilos", 0.5),
    "pound": ("kilos", POUND),
    "kilometre": ("metres", 1000),
    "mile": ("metres", MILE),
    "metre": ("metres", 1),
    "hour": ("seconds", 3600),
    "minute": ("seconds", 60),
    "second": ("seconds", 1),
}


@dataclass(slots=True)
class Group:
    """The numbers of one part, before what they mean is settled.

    Attributes:
        bare: Numbers without a unit, in order.
        amounts: What has a unit, in sets, times, kilos, metres and seconds.
        times: True where they are multiplied: "3x8".
        load_first: True for a load times repetitions times sets: "60kg*8*3".
        unit: Kilograms of what the load is measured in.
    """

    bare: list[float]
    amounts: dict[Kind, float]
    times: bool = False
    load_first: bool = False
    unit: float = 1.0


def groups_of(tokens: Sequence[Token]) -> list[Group]:
    """The numbers of a text, by the parts they belong to.

    Args:
        tokens: Numbers, units, times, and what parts them.

    Raises:
        UnreadableError: two amounts of a kind stand in one part, or nobody can tell the load.
    """
    groups, group, at = [], Group([], {}), 0
    while at < len(tokens):
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if token.kind == "then" and not _goes_on(tokens, at):
            groups.append(group)
            group = Group([], {})
        elif token.kind == "time":
            _add(group, "seconds", token.value)
        elif token.kind == "times":
            group.times = True
            group.load_first |= not group.bare and group.amounts.keys() == {"kilos"}
        elif token.kind == "number" and following and following.kind == "unit":
            kind, factor = _KIND_OF[following.unit]
            if kind == "kilos":
                group.unit = factor
            half = at + 2 < len(tokens) and tokens[at + 2].kind == "half"
            _add(group, kind, (token.value + (0.5 if half else 0)) * factor)
            at += 2 if half else 1
        elif token.kind == "number":
            group.bare.append(token.value)
        at += 1
    return _joined(_after_load(_of_loads([*groups, group])))


def _goes_on(tokens: Sequence[Token], at: int) -> bool:
    """True inside one time: "1 hour and 2 minutes"; "1 minute, 45 seconds" are two."""
    before, after = tokens[max(at - 1, 0)].unit, [one.unit for one in tokens[at + 1 : at + 3]]
    if before == "hour":
        return after == ["", "minute"]
    return before == "minute" and after == ["", "second"] and tokens[at].unit != ","


def _of_loads(groups: Sequence[Group]) -> list[Group]:
    """Of "60, 70, 80 kg for 5 reps" and of "100x5, 110x5" each first number is a load.

    Raises:
        UnreadableError: nobody can tell loads from repetitions.
    """
    pairs = [one for one in groups if one.times and len(one.bare) == 2 and not one.amounts]
    if pairs and len(pairs) == len(groups) and min(one.bare[0] for one in pairs) >= _FEWEST_LOAD:
        if len(pairs) == 1 and pairs[0].bare[0] <= LIMITS["sets"]:
            raise UnreadableError("amount")
        return [Group(one.bare[::-1], {}) for one in pairs]
    *rest, last = groups
    kinds = list(last.amounts)
    if rest and rest[0].amounts.keys() == {"reps"} and _only_load(last):
        last.amounts["reps"] = rest[0].amounts.pop("reps")
        kinds.append("reps")
    loads = kinds[:1] == ["kilos"] and (
        kinds == ["kilos", "reps"] or (last.load_first and len(last.bare) == 1)
    )
    if not rest or not loads or any(one.amounts or len(one.bare) != 1 for one in rest):
        return [*groups]
    if any(one.bare[0] < _FEWEST_LOAD for one in rest):
        raise UnreadableError("amount")
    made = []
    for one in rest:
        amounts = {**last.amounts, "kilos": one.bare[0] * last.unit}
        made.append(Group([*last.bare], amounts, last.times, last.load_first))
    return [*made, last]


def _after_load(groups: Sequence[Group]) -> list[Group]:
    """Of "80 8, 8, 6" the eighty is the load of all.

    Raises:
        UnreadableError: of "80 8" nobody can tell which is the load.
    """
    first, *rest = groups
    plain = not (first.amounts or first.times) and len(first.bare) == 2
    if not plain or first.bare[0] < max(_FEWEST_LOAD, first.bare[1]):
        return [*groups]
    alike = [one for one in rest if not (one.amounts or one.times) and len(one.bare) == 1]
    if not rest or len(alike) < len(rest):
        raise UnreadableError("amount")
    load, reps = first.bare
    return [Group([reps, load], {}), *(Group([*one.bare, load], {}) for one in rest)]


_FEWEST_LOAD: Final = 20


def _joined(groups: Sequence[Group]) -> list[Group]:
    """A part that only tells more of the one before it belongs to it: "5 km, 28 min"."""
    joined: list[Group] = []
    for group in groups:
        more = not group.bare and not group.times and "sets" not in group.amounts
        if joined and more and not _counted(joined[-1]) & group.amounts.keys():
            joined[-1].amounts |= group.amounts
        elif joined and _only_load(joined[-1]) and "kilos" not in group.amounts:
            group.amounts |= joined[-1].amounts  # "60 kg, 3 sets of 8"
            joined[-1] = group
        elif group.bare or group.amounts:
            joined.append(group)
    return joined


def _only_load(group: Group) -> bool:
    return not group.bare and group.amounts.keys() == {"kilos"}


def _counted(group: Group) -> set[Kind]:
    """What a part says already; a bare number in it may be its repetitions."""
    return {*group.amounts, *(("reps",) if group.bare else ())}


def _add(group: Group, kind: Kind, value: float) -> None:
    """1 h 20 min are one time; two loads or two distances in one part are a riddle."""
    if kind in group.amounts and kind != "seconds":
        raise UnreadableError("amount", f"{value:g}")
    group.amounts[kind] = group.amounts.get(kind, 0) + value
