"""Rules by which a statement about other words takes an older one's place. Pure.

Each gives a comparison, or None where it has nothing to say.
"""

from __future__ import annotations

from typing import Final

from cloche.memory.truth.claims import CORE, Reading, Token
from cloche.memory.truth.relations import BOTH, UNSURE, Comparison
from cloche.memory.truth.slots import values

MAX_EXCHANGED: Final = 4
"""Core words that "now" or a correction may exchange for others."""


def placed(new: Reading, old: Reading) -> Comparison | None:
    """The same thing, said to be somewhere else."""
    if not (new.place and old.place and new.head and _same_head(new, old)):
        return None
    if new.place == old.place:
        return None
    if new.denies or old.denies or new.has("former") or old.has("former"):
        return BOTH
    if new.corrects or new.has("now"):
        return Comparison("changed", "place")
    return Comparison("changed", "place") if new.singular and old.singular else UNSURE


def _same_head(new: Reading, old: Reading) -> bool:
    return new.head == old.head or (len(new.head) > 1 and sorted(new.head) == sorted(old.head))


def identified(new: Reading, old: Reading) -> Comparison | None:
    """What everybody has one of (a name, a birthday) is said to be something else."""
    named = _called(new) == _called(old) != ()
    if not named and not (new.has("single") and new.has("be") and old.has("be")):
        return None
    if new.denies or old.denies or new.has("former") != old.has("former"):
        return None
    if not named and _singles(new) != _singles(old):
        return None
    if named and _one_of_several(new) and not new.corrects:
        return Comparison("both", "other_value")
    return Comparison("changed", "value")


def _called(reading: Reading) -> tuple[str, ...]:
    """What stands before a name: "our dog is called ..."; () when no name is told."""
    values = [token.value for token in reading.core if token.value != "have"]
    return tuple(values[: values.index("call") + 1]) if "call" in values else ()


def _one_of_several(reading: Reading) -> bool:
    """True for "a dog called ...": there may be another; "my dog is called ..." has but one."""
    kinds = [(token.kind, token.value) for token in reading.tokens]
    before = kinds[: next((i for i, (_, value) in enumerate(kinds) if value == "call"), 0)]
    return any(kind == "indef" or (kind, value) == ("number", "1") for kind, value in before)


def _singles(reading: Reading) -> tuple[tuple[str, str], ...]:
    head = [(t.kind, t.value) for t in reading.split[0] if t.kind in CORE]
    return tuple(sorted(head))


def ended(new: Reading, old: Reading) -> Comparison | None:
    """A no to what an old statement says with more words ("I no longer drink coffee")."""
    against = (new.denies or new.has("former")) and not (old.denies or old.has("former"))
    disliked = new.valence < 0 < old.valence
    if not (against or disliked) or not _within(new.core, old.core, skip_stance=disliked):
        return None
    if old.has("and"):
        return UNSURE  # half of it may still hold
    said = (values(new, "number"), values(new, "time"), values(new, "side"))
    was = (values(old, "number"), values(old, "time"), values(old, "side"))
    if all(set(a) <= set(b) for a, b in zip(said, was, strict=True)):
        return Comparison("changed", "ended")
    return None


def _within(new: tuple[Token, ...], old: tuple[Token, ...], *, skip_stance: bool) -> bool:
    """True when the new core's words stand in the old core in their order; two at least."""
    wanted = [t.value for t in new if not (skip_stance and t.kind == "stance")]
    if len(wanted) < (1 if skip_stance else 2):
        return False
    rest = iter([token.value for token in old])
    return all(value in rest for value in wanted)


def replaced(new: Reading, old: Reading) -> Comparison | None:
    """What stands after "instead of" is over where an old statement says it."""
    tokens = list(new.tokens)
    at = next((i for i, t in enumerate(tokens) if t.kind in ("instead", "switch")), None)
    if at is None or old.denies or old.valence < 0 or old.has("instead", "switch"):
        return None
    after = [t.value for t in tokens[at + 1 :] if t.kind in CORE]
    before = {t.value for t in tokens[:at] if t.kind in CORE}
    said = [t.value for t in old.core if t.kind != "stance"]
    if tokens[at].kind == "switch":
        gone = after[:1]
        fits = bool(gone) and gone[0] in said and len(said) <= 2
    else:
        gone = after
        fits = bool(gone) and _in(gone, said) and {v for v in said if v not in gone} <= before
    return Comparison("changed", "replaced") if fits else None


def _in(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(value in rest for value in part)


def exchanged(new: Reading, old: Reading) -> Comparison | None:
    """One thing of a statement exchanged for another, and said to be so ("now", "no, ...")."""
    if not (new.corrects or new.has("now")) or new.denies != old.denies:
        return None
    if new.valence * old.valence < 0:
        return None
    a, b = [t.value for t in new.core], [t.value for t in old.core]
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    gone, come = b[start : len(b) - end], a[start : len(a) - end]
    kept = [t for t in (*new.core[:start], *new.core[len(a) - end :]) if t.kind != "stance"]
    if not (kept and gone and come and max(len(gone), len(come)) <= MAX_EXCHANGED):
        return None
    if new.corrects:
        return Comparison("changed", "corrected")
    same_frame = values(new, "time") == values(old, "time") and new.head == old.head
    if new.has("be") or old.has("be"):
        return None  # a thing may have several properties now
    if not same_frame and new.split[1]:
        return UNSURE
    if values(new, "time") != values(old, "time") and values(new, "time"):
        return UNSURE
    return Comparison("changed", "now")
