"""Rules by which a statement about other words takes an older one's place. Pure.

Each gives a comparison, or None where it has nothing to say.
"""

from __future__ import annotations

from typing import Final

from cloche.memory.truth.claims import CORE, Reading, Token
from cloche.memory.truth.lexicon import lexicon
from cloche.memory.truth.relations import BOTH, UNSURE, Comparison
from cloche.memory.truth.slots import values

MAX_EXCHANGED: Final = 4
"""Core words that "now" or a correction may exchange for others."""


def placed(new: Reading, old: Reading) -> Comparison | None:
    """The same thing, said to be somewhere else."""
    if not (new.place and old.place and new.head) or new.place == old.place:
        return None
    surely = new.corrects and new.firm
    if not _same_head(new, old, moved=surely or new.moves):
        return None
    if (new.goes_on or old.goes_on) and not surely:
        return UNSURE
    if new.denies or old.denies or new.has("former") or old.has("former"):
        return BOTH
    if new.singular and old.singular:
        return Comparison("changed", "place")
    # "I have a fig in the bed": there may be others, of which the newest is meant. Who tells how
    # many there are tells more than a place.
    if old.has("number") and not (new.has("number") or old.singular):
        return UNSURE
    now = new.has("now") and (new.singular or (new.plural and new.has("def")))
    if surely or new.moves or now:
        return Comparison("changed", "place", loose=True)
    return UNSURE


def _same_head(new: Reading, old: Reading, *, moved: bool) -> bool:
    if new.head == old.head or (len(new.head) > 1 and sorted(new.head) == sorted(old.head)):
        return True
    if not moved:
        return False
    # Having a thing there or living there is told of it as being there is.
    heads = [[v for v in reading.head if v not in ("have", "live")] for reading in (new, old)]
    return bool(heads[0]) and heads[0] == heads[1]


def identified(new: Reading, old: Reading) -> Comparison | None:
    """What everybody has one of (a name, a birthday) is said to be something else."""
    named = _called(new) == _called(old) != ()
    if not named and not (new.has("single") and new.has("be") and old.has("be")):
        return None
    if new.denies or old.denies or new.has("former") != old.has("former"):
        return None
    if not named and not (_singles(new) == _singles(old) != ()):
        return None
    if named and not _has_but_one(new):
        # "My son is called ..." may be told of another son.
        renamed = new.has("now") and not new.has("indef")
        if (new.corrects and new.firm) or renamed or new.quantifiers & {"only"}:
            return Comparison("changed", "value", loose=True)
        return Comparison("both", "other_value")
    return Comparison("changed", "value")


def _called(reading: Reading) -> tuple[str, ...]:
    """What stands before a name: "our dog is called ..."; () when no name is told."""
    values = [token.value for token in reading.core if token.value != "have"]
    return tuple(values[: values.index("call") + 1]) if "call" in values else ()


def _has_but_one(reading: Reading) -> bool:
    """True for one's own name and for what one has one of ("my wife"): no other can be meant."""
    kinds = [(token.kind, token.value) for token in reading.tokens]
    before = kinds[: next((i for i, (_, value) in enumerate(kinds) if value == "call"), 0)]
    if any(kind == "indef" or (kind, value) == ("number", "1") for kind, value in before):
        return False
    words, known = _called(reading)[:-1], lexicon(reading.language)
    if not words:
        return True
    if not known.spaced:
        return any("".join(words).endswith(one) for one in known.one)
    return words[-1] in {one if one in words else known.stem(one) for one in known.one}


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
    said, was = ([_told(r, kind) for kind in _TELLING] for r in (new, old))
    # Who likes black tea and not tea says of tea another thing, but who likes tea no longer does.
    less = not disliked or new.has("now") or "nolonger" in new.of("quantifier")
    if all(a <= b if less else a == b for a, b in zip(said, was, strict=True)):
        return Comparison("changed", "ended")
    return None


_TELLING: Final = ("number", "time", "side", "class")


def _told(reading: Reading, kind: str) -> set[tuple[str, str]]:
    return {
        (token.kind, token.value)
        for token in reading.tokens
        if token.kind == kind or (kind == "class" and token.kind.startswith("class."))
    }


def _within(new: tuple[Token, ...], old: tuple[Token, ...], *, skip_stance: bool) -> bool:
    """True when the new core's words stand in the old core in their order; two at least."""
    wanted = [t.value for t in new if not (skip_stance and t.kind == "stance")]
    if len(wanted) < (1 if skip_stance else 2):
        return False
    rest = iter([token.value for token in old])
    if not all(value in rest for value in wanted):
        return False
    # "I love apple pie" is no word on apples; to eat a thing is to like it.
    more = [t for t in old if t.value not in wanted and t.kind not in ("stance", "known")]
    return not (skip_stance and any(t.value not in _TAKEN for t in more))


_TAKEN: Final = frozenset(("吃", "喝"))


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
    """One thing of a statement exchanged for another, and said to be so ("now", "no, ...").

    What one has, keeps or grows is never exchanged by "now": the new comes to the old.
    """
    surely = new.corrects and new.firm
    if not (surely or new.has("now", "turned")) or new.denies != old.denies:
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
    if surely:
        # "The lemon is there" is no word on where the rose is.
        another = new.split[1] and old.split[1] and not _same_head(new, old, moved=True)
        return None if another else Comparison("changed", "corrected", loose=True, just_told=True)
    if new.has("be") or old.has("be") or {t.value for t in kept} <= HELD:
        return None  # a thing may have several properties now, and a person several things
    return _now(new, old)


def _now(new: Reading, old: Reading) -> Comparison | None:
    """Whether "now" ends what was: where one does one thing at a time, or says "instead"."""
    if new.split[1] and (values(new, "time") != values(old, "time") or new.head != old.head):
        return UNSURE
    if new.has("turned") or new.has("live"):
        return Comparison("changed", "now")
    if not values(new, "time"):
        return UNSURE
    same = values(new, "time") == values(old, "time")
    return Comparison("changed", "now") if same else UNSURE


HELD: Final = frozenset(("have", "grow", "need", "buy"))
"""Doings of which there may be several at once, whatever there is now."""


def counted(new: Reading, old: Reading) -> Comparison | None:
    """Another number of what one has, told after what came about ("..., now I have two")."""
    if not new.has("now", "turned") or new.denies or old.denies:
        return None
    kinds = [t for t in new.tokens if t.kind in (*CORE, "number")]
    at = max((i for i, t in enumerate(kinds) if t.value == "have"), default=-1)
    number = kinds[at + 1] if 0 <= at < len(kinds) - 1 else None
    had = values(old, "number")
    things = {t.value for t in old.core if t.value != "have"}
    if number is None or number.kind != "number" or len(had) != 1 or had == (number.value,):
        return None
    after = {t.value for t in kinds[at + 2 :]}
    rest = {t.value for t in kinds[:at]}
    told = "have" in {t.value for t in old.core} and things and things <= rest | after
    return Comparison("changed", "number") if told and after <= things else None
