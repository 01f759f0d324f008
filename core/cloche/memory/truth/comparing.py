"""Whether two statements of a person say the same, exclude each other, or stand side by side. Pure.

Likeness of words or vectors never decides: "only use" and "never use", "south bed" and "north bed"
are alike and say different things. What decides is what each claims, read by ``reading``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from cloche.memory.truth.reading import CORE, Reading, Token

Relation = Literal["same", "changed", "both"]
"""Of a new statement to an old one: says it again, takes its place, or stands beside it."""

Rule = Literal[
    "same_words",
    "same_meaning",
    "liking",
    "negation",
    "former",
    "quantifier",
    "number",
    "date",
    "side",
    "property",
    "place",
    "value",
    "ended",
    "replaced",
    "now",
    "corrected",
    "other_person",
    "other_value",
    "other",
    "unsure",
    "model",
]
"""Why, as a short code that ``why`` shows in words."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a new statement stands to an old one, and by which rule.

    ``unsure`` is True when the two are near each other and the rules cannot tell: then the
    relation is "both", unless a model is asked.
    """

    relation: Relation
    rule: Rule
    unsure: bool = False


SAME_WORDS: Final = Comparison("same", "same_words")
SAME_MEANING: Final = Comparison("same", "same_meaning")
BOTH: Final = Comparison("both", "other")
UNSURE: Final = Comparison("both", "unsure", unsure=True)
NEAR: Final = 0.4
"""Share of common core words from which two statements may be about the same thing."""
MAX_EXCHANGED: Final = 4
"""Core words that "now" or a correction may exchange for others."""


def compare(new: Reading, old: Reading) -> Comparison:
    """How a new statement stands to an old one; "same" is symmetric, and ``x`` says ``x``."""
    if new.key == old.key:
        return SAME_WORDS
    if set(new.of("who")) - {"me"} != set(old.of("who")) - {"me"}:
        return Comparison("both", "other_person")
    if not (new.core and old.core):
        alone = new.core or old.core or refers_back(new) or refers_back(old)
        return BOTH if alone else _by_slots(new, old)
    if _same_core(new.core, old.core):
        return _by_slots(new, old)
    for found in (
        _placed(new, old),
        _identified(new, old),
        _ended(new, old),
        _replaced(new, old),
        _exchanged(new, old),
    ):
        if found:
            return found
    return UNSURE if _nearness(new, old) >= NEAR else BOTH


def refers_back(new: Reading) -> bool:
    """True when a statement says "it" of something that only an earlier one names.

    Spanish and Chinese may leave the "it" out ("No, está en el patio").
    """
    said = new.split[0] if new.split[1] else new.tokens
    if any(token.kind in CORE - {"stance"} for token in said):
        return False
    told = bool(new.place) or (new.has("be") and bool(_classes(new) or _values(new, "number")))
    left_out = new.language != "en" and not new.has("who") and new.has("be", "at")
    return (new.has("it") and bool(new.valence or told)) or (left_out and told)


def about_same(new: Reading, old: Reading) -> Comparison:
    """How a statement that refers back stands to one that it may refer to."""
    if new.valence or old.valence:
        return _liking(new, old) if new.valence and old.valence else BOTH
    if not old.head or old.has("former"):
        return BOTH
    if new.place and old.place:
        if new.place == old.place:
            return Comparison("changed", "negation") if new.denies != old.denies else SAME_MEANING
        return BOTH if new.denies or old.denies else Comparison("changed", "place")
    if new.place or not (new.has("be") and old.has("be")):
        return BOTH
    if _exclusive(new, old):
        return Comparison("changed", "property")
    numbers = [_values(reading, "number") for reading in (new, old)]
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
    if bool(new.has("former")) != bool(old.has("former")):
        return Comparison("changed", "former")
    if new.valence or old.valence:
        liking = _liking(new, old)
        if liking.relation != "same":
            return liking
    if new.denies != old.denies:
        # "Not green" and "blue" go together; "not green" and "green" do not.
        if _same_values(new, old):
            return Comparison("changed", "negation")
        return _ended(new, old) or BOTH
    if _values(new, "class.with") != _values(old, "class.with"):
        return Comparison("changed", "negation")
    if new.quantifiers != old.quantifiers:
        return Comparison("changed", "quantifier")
    return _by_values(new, old)


def _same_values(new: Reading, old: Reading) -> bool:
    kinds = ("number", "time", "side", "at")
    agree = all(_values(new, kind) == _values(old, kind) for kind in kinds)
    return agree and _classes(new) == _classes(old)


def _liking(new: Reading, old: Reading) -> Comparison:
    if new.valence == old.valence:
        return SAME_MEANING
    if new.valence == 0 or old.valence == 0 or new.valence * old.valence > 0:
        return UNSURE
    return Comparison("changed", "liking")


def _by_values(new: Reading, old: Reading) -> Comparison:
    """Numbers, dates, sides, properties, places: all agree, or one changed, or they are several."""
    differ: list[Rule] = []
    if _values(new, "number") != _values(old, "number"):
        differ.append("number")
    if _values(new, "time") != _values(old, "time"):
        differ.append("date")
    if new.head != old.head and _values(new, "side") != _values(old, "side"):
        return Comparison("both", "other_value")
    if _values(new, "side") != _values(old, "side") or _values(new, "at") != _values(old, "at"):
        differ.append("side")
    if _classes(new) != _classes(old):
        if _classes_of_head(new) != _classes_of_head(old):
            return Comparison("both", "other_value")
        differ.append("property")
    if not differ:
        return _worded(new, old)
    if len(differ) > 1:
        return Comparison("changed", "corrected") if new.corrects else UNSURE
    return _one_differs(differ[0], new, old)


def _one_differs(rule: Rule, new: Reading, old: Reading) -> Comparison:
    if new.corrects or new.has("now"):
        return Comparison("changed", rule)
    if rule == "number":
        return Comparison("changed", rule)
    if rule == "date":
        # What is on a day moved to another; what one does on a day may be done on two.
        told = new.has("be") and old.has("be")
        return Comparison("changed", rule) if told else UNSURE
    if rule == "side":
        moved = bool(new.place) and bool(old.place) and new.singular
        return Comparison("changed", rule) if moved else Comparison("both", "other_value")
    if _exclusive(new, old) and _describes(new) and _describes(old):
        return Comparison("changed", rule)
    return UNSURE


def _describes(reading: Reading) -> bool:
    """True when a property is what is said of the thing, not what tells it from others."""
    return reading.has("be") or reading.ends_in_property


def _exclusive(new: Reading, old: Reading) -> bool:
    """True when both say something of the same class of properties (two colours)."""
    kinds = {kind for kind, _ in _classes(new)} & {kind for kind, _ in _classes(old)}
    return any(
        {v for k, v in _classes(new) if k == kind} != {v for k, v in _classes(old) if k == kind}
        for kind in kinds
    )


def _worded(new: Reading, old: Reading) -> Comparison:
    """Everything agrees; within one language a thing must be called the same, too."""
    if new.language == old.language:
        called = [[t.written for t in r.tokens if t.kind == "thing"] for r in (new, old)]
        if sorted(called[0]) != sorted(called[1]):
            return UNSURE
    return SAME_MEANING


def _placed(new: Reading, old: Reading) -> Comparison | None:
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


def _identified(new: Reading, old: Reading) -> Comparison | None:
    """What everybody has one of (a name, a birthday) is said to be something else."""
    named = _called(new) == _called(old) != ()
    if not named and not (new.has("single") and new.has("be") and old.has("be")):
        return None
    if new.denies or old.denies or new.has("former") != old.has("former"):
        return None
    if not named and _singles(new) != _singles(old):
        return None
    return Comparison("changed", "value")


def _called(reading: Reading) -> tuple[str, ...]:
    """What stands before a name: "our dog is called ..."; () when no name is told."""
    values = [token.value for token in reading.core]
    return tuple(values[: values.index("call") + 1]) if "call" in values else ()


def _singles(reading: Reading) -> tuple[tuple[str, str], ...]:
    head = [(t.kind, t.value) for t in reading.split[0] if t.kind in CORE]
    return tuple(sorted(head))


def _ended(new: Reading, old: Reading) -> Comparison | None:
    """A no to what an old statement says with more words ("I no longer drink coffee")."""
    against = (new.denies or new.has("former")) and not (old.denies or old.has("former"))
    disliked = new.valence < 0 < old.valence
    if not (against or disliked) or not _within(new.core, old.core, skip_stance=disliked):
        return None
    said = (_values(new, "number"), _values(new, "time"), _values(new, "side"))
    was = (_values(old, "number"), _values(old, "time"), _values(old, "side"))
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


def _replaced(new: Reading, old: Reading) -> Comparison | None:
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


def _exchanged(new: Reading, old: Reading) -> Comparison | None:
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
    same_frame = _values(new, "time") == _values(old, "time") and new.head == old.head
    if new.has("be") or old.has("be"):
        return None  # a thing may have several properties now
    if not same_frame and new.split[1]:
        return UNSURE
    if _values(new, "time") != _values(old, "time") and _values(new, "time"):
        return UNSURE
    return Comparison("changed", "now")


def _nearness(new: Reading, old: Reading) -> float:
    a = {t.value for t in new.core if t.kind != "stance"}
    b = {t.value for t in old.core if t.kind != "stance"}
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def _values(reading: Reading, kind: str) -> tuple[str, ...]:
    return tuple(sorted(reading.of(kind)))


def _classes(reading: Reading) -> frozenset[tuple[str, str]]:
    return frozenset((t.kind, t.value) for t in reading.tokens if _is_class(t))


def _classes_of_head(reading: Reading) -> frozenset[tuple[str, str]]:
    if not reading.split[1]:
        return frozenset()
    return frozenset((t.kind, t.value) for t in reading.split[0] if _is_class(t))


def _is_class(token: Token) -> bool:
    return token.kind.startswith("class.") and token.kind != "class.with"
