"""Whether two statements of a person say the same, exclude each other, or stand side by side. Pure.

Likeness of words or vectors never decides: "only use" and "never use", "left door" and "right door"
are alike and say different things. What decides is what each claims, read by ``reading``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cloche.memory.truth.claims import CORE, Reading, Token
from cloche.memory.truth.endings import fed_otherwise, gone, recovered, refused
from cloche.memory.truth.relations import (
    BOTH,
    OTHER_VALUE,
    SAME_MEANING,
    SAME_WORDS,
    UNSURE,
    Comparison,
    Rule,
)
from cloche.memory.truth.slots import (
    classes,
    describes,
    exclude_each_other,
    head_classes,
    is_class,
    named_otherwise,
    number_can_change,
    same_numbers,
    same_values,
    values,
)
from cloche.memory.truth.succession import (
    counted,
    ended,
    exchanged,
    identified,
    placed,
    replaced,
)

NEAR: Final = 0.4
"""Share of common core words from which two statements may be about the same thing."""


STANDS_BESIDE: Final = frozenset(
    ("place", "value", "number", "date", "side", "property", "now", "corrected", "quantifier")
)
"""What changes nothing where it is said to be so "also"."""


def compare(new: Reading, old: Reading) -> Comparison:
    """How a new statement stands to an old one; "same" is symmetric, and ``x`` says ``x``."""
    if new.key == old.key:
        return SAME_WORDS
    if new.language == old.language:
        new, old = new.literal, old.literal
    if new.rather and new.rather[1] <= old.named:
        found = _compared(replace(new.rather[0], corrects=True, firm=True), old)
        if found.relation == "changed":
            return replace(found, loose=False, just_told=False)
    found = _compared(new, old)
    if found.relation == "changed" and found.rule in STANDS_BESIDE:
        if new.has("also"):
            return OTHER_VALUE
        if new.hedged and not (old.hedged or new.corrects or new.has("now")):
            return UNSURE  # what somebody thinks ends nothing that they said for sure
    return found


def _compared(new: Reading, old: Reading) -> Comparison:
    if set(new.of("who")) - {"me"} != set(old.of("who")) - {"me"}:
        return Comparison("both", "other_person")
    if fed := fed_otherwise(new, old):
        return fed
    if not (new.core and old.core):
        alone = new.core or old.core or refers_back(new) or refers_back(old)
        return BOTH if alone or not (_of_me(new) and _of_me(old)) else _by_slots(new, old)
    if _same_core(new.core, old.core):
        return _by_slots(new, old)
    for found in (
        gone(new, old),
        recovered(new, old),
        placed(new, old),
        identified(new, old),
        ended(new, old),
        replaced(new, old),
        counted(new, old),
        exchanged(new, old),
    ):
        if found:
            return found
    return UNSURE if _nearness(new, old) >= NEAR else BOTH


def _of_me(reading: Reading) -> bool:
    """True for a whole statement on the person themselves ("I'm 41"), not a piece of one."""
    return reading.has("who") and (reading.has("be") or reading.language != "en")


def refers_back(new: Reading) -> bool:
    """True when a statement says "it" of something that only an earlier one names.

    Spanish and Chinese may leave the "it" out ("No, está en el patio").
    """
    said = new.split[0] if new.split[1] else new.tokens
    if any(token.kind in CORE - {"stance"} for token in said):
        return False
    if _begins_with_its_place(new):
        return False
    told = bool(new.place) or (new.has("be") and bool(classes(new) or values(new, "number")))
    left_out = new.language != "en" and not new.has("who") and new.has("be", "at")
    return (new.has("it") and bool(new.valence or told)) or (left_out and told)


def _begins_with_its_place(new: Reading) -> bool:
    """True for "In the steel bed grow petunias": what is there comes after where it is."""
    first = new.tokens[0].kind if new.tokens else ""
    return first == "at" and not new.has("be", "it") and len(new.core) > 1 and not new.corrects


def about_same(new: Reading, old: Reading) -> Comparison:
    """How a statement that refers back stands to one that it may refer to."""
    if new.valence or old.valence:
        return _liking(new, old) if new.valence and old.valence else BOTH
    if not old.head or old.has("former"):
        return BOTH
    if new.language == old.language:
        new, old = new.literal, old.literal
    if new.place and old.place:
        if new.place == old.place:
            return Comparison("changed", "negation") if new.denies != old.denies else SAME_MEANING
        return BOTH if new.denies or old.denies else Comparison("changed", "place")
    if new.place or not (new.has("be") and old.has("be")):
        return BOTH
    if exclude_each_other(new, old):
        return Comparison("changed", "property")
    numbers = [values(reading, "number") for reading in (new, old)]
    units = [[number.partition(" ")[2] for number in each] for each in numbers]
    if numbers[0] and numbers[0] != numbers[1] and units[0] == units[1]:
        return Comparison("changed", "number")
    return BOTH


def _same_core(new: tuple[Token, ...], old: tuple[Token, ...]) -> bool:
    """The same things in the same order; what stands in front may stand at the end.

    Order counts, for "Ana is older than Luis" is not "Luis is older than Ana".
    """
    a, b = (
        [t.value for t in new if t.kind != "stance"],
        [t.value for t in old if t.kind != "stance"],
    )
    if not a or sorted(a) != sorted(b):
        return False
    # Of two words one must be a verb we know: two names may be either's subject.
    turned = len(a) > 2 or sum(token.kind == "known" for token in new) == 1
    return a == b or (turned and any(b == a[i:] + a[:i] for i in range(len(a))))


def _by_slots(new: Reading, old: Reading) -> Comparison:
    """The same things are spoken of: what is said of them decides."""
    if named_otherwise(new, old) and not new.firm:
        return OTHER_VALUE
    if values(new, "modal") != values(old, "modal"):
        return UNSURE  # to be able to, to want to, and to do are three things
    if bool(new.has("former")) != bool(old.has("former")):
        return Comparison("changed", "former")
    if new.valence or old.valence:
        liking = _liking(new, old)
        if liking.relation != "same":
            return liking
    return _by_claims(new, old)


def _by_claims(new: Reading, old: Reading) -> Comparison:
    """No or yes, with or without, how often; then what the rest of the words say."""
    if new.denies != old.denies:
        # "Not green" and "blue" go together; "not green" and "green" do not.
        if same_values(new, old):
            return Comparison("changed", "negation")
        return ended(new, old) or BOTH
    if values(new, "class.with") != values(old, "class.with"):
        return Comparison("changed", "negation")
    if new.quantifiers != old.quantifiers:
        if not same_numbers(new, old):
            return _one_differs("number", new, old)
        return Comparison("changed", "quantifier")
    return _by_values(new, old)


def _liking(new: Reading, old: Reading) -> Comparison:
    if new.valence == old.valence:
        return SAME_MEANING
    if refused(new, old):
        return Comparison("changed", "negation")
    if new.valence == 0 or old.valence == 0 or new.valence * old.valence > 0:
        return UNSURE
    # It is one thing only where no property, side or time tells two apart.
    if same_values(new, old) and values(new, "class.with") == values(old, "class.with"):
        return Comparison("changed", "liking")
    return ended(new, old) or UNSURE


def _by_values(new: Reading, old: Reading) -> Comparison:
    """Numbers, dates, sides, properties, places: all agree, or one changed, or they are several."""
    differ: list[Rule] = []
    if not same_numbers(new, old):
        differ.append("number")
    if values(new, "time") != values(old, "time"):
        differ.append("date")
    # A side may tell one thing from another ("the south gate"), or be what is said of it.
    told_apart = new.head != old.head and (new.split[1] or not new.corrects)
    if told_apart and values(new, "side") != values(old, "side"):
        return OTHER_VALUE
    if values(new, "side") != values(old, "side") or values(new, "at") != values(old, "at"):
        differ.append("side")
    if classes(new) != classes(old):
        if head_classes(new) != head_classes(old):
            return OTHER_VALUE
        differ.append("property")
    if not differ:
        return _worded(new, old) if _joined_alike(new, old) else UNSURE
    if len(differ) > 1:
        return Comparison("changed", "corrected") if new.corrects else UNSURE
    return _one_differs(differ[0], new, old)


def _one_differs(rule: Rule, new: Reading, old: Reading) -> Comparison:
    if rule == "property" and not exclude_each_other(new, old):
        return Comparison("changed", rule) if new.corrects else UNSURE
    if rule == "number" and not new.corrects:
        if new.named_by_number != old.named_by_number and not (new.stands and old.stands):
            return OTHER_VALUE
        tells = number_can_change(new) and number_can_change(old)
        return Comparison("changed", rule) if tells else UNSURE
    if new.corrects or new.has("now"):
        return Comparison("changed", rule)
    if rule == "date":
        # What is on a day moved to another; what one does on a day may be done on two.
        told = new.has("be") and old.has("be")
        return Comparison("changed", rule) if told else UNSURE
    if rule == "side":
        moved = bool(new.place) and bool(old.place) and new.singular
        return Comparison("changed", rule) if moved else OTHER_VALUE
    if describes(new) and describes(old):
        return Comparison("changed", rule)
    return UNSURE


def _joined_alike(new: Reading, old: Reading) -> bool:
    """True unless one says of a thing what the other says of another ("two cats, three dogs")."""
    several = any(
        reading.has("and") or any(len(values(reading, kind)) > 1 for kind in ("number", "time"))
        for reading in (new, old)
    )
    return not several or _in_order(new) == _in_order(old)


def _in_order(reading: Reading) -> list[tuple[str, str]]:
    said = CORE | {"number", "time", "side", "not", "quantifier", "at"}
    return [(t.kind, t.value) for t in reading.tokens if t.kind in said or is_class(t)]


def _worded(new: Reading, old: Reading) -> Comparison:
    """Everything agrees; within one language a thing must be called the same, too."""
    if new.language == old.language:
        called = [[t.written for t in r.tokens if t.kind == "thing"] for r in (new, old)]
        if sorted(called[0]) != sorted(called[1]):
            return UNSURE
    return SAME_MEANING


def _nearness(new: Reading, old: Reading) -> float:
    a = {t.value for t in new.core if t.kind != "stance"}
    b = {t.value for t in old.core if t.kind != "stance"}
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0
