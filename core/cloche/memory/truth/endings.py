"""What ends a statement that it does not deny: the thing is gone, or another way of living. Pure.

Each rule gives a comparison, or None where it has nothing to say.
"""

from __future__ import annotations

from typing import Final

from cloche.memory.truth.claims import Reading
from cloche.memory.truth.relations import Comparison
from cloche.memory.truth.slots import classes, values

_PARTED: Final = frozenset(("sell", "give away", "throw away", "steal"))
"""Values of doings after which one has a thing no more."""
_PARTICLES: Final = frozenset(("把", "被"))
_HURTS: Final = frozenset(("hurt", "疼"))
_HEALED: Final = frozenset(("heal", "recover", "healed", "recovered"))
_WELL: Final = frozenset(("fin", "ok", "okay", "fine"))
_ANEW: Final = frozenset(("again", "ya"))
_EATS: Final = frozenset(("eat", "吃"))


def gone(new: Reading, old: Reading) -> Comparison | None:
    """What one has died or was given away ("I have a cat", "my cat died")."""
    dead = ("class.state", "dead")
    parted = _PARTED & set(new.of("known"))
    if not (parted or dead in classes(new)) or new.denies or old.denies or new.has("indef"):
        return None
    had = [token.value for token in old.core]
    if "have" not in had or old.has("and", "former") or set(old.of("number")) - {"1"}:
        return None
    left_out = {*_PARTED, *_PARTICLES}
    thing = [token.value for token in new.core if token.value not in left_out]
    told_apart = classes(old) - classes(new) or (classes(new) - {dead}) - classes(old)
    if thing != [value for value in had if value != "have"] or told_apart:
        return None
    if any(values(new, kind) != values(old, kind) for kind in ("side", "class.with")):
        return None
    return Comparison("changed", "ended", loose=True)


def recovered(new: Reading, old: Reading) -> Comparison | None:
    """What hurt is well again ("my left knee hurts on stairs", "my knee is fine now")."""
    had, said = {token.value for token in old.core}, {token.value for token in new.core}
    if not had & _HURTS or said & _HURTS or old.denies or new.denies:
        return None
    if new.hedged or new.has("and", "former", "modal") or old.has("and", "former"):
        return None
    well = bool(said & _WELL) or ("class.quality", "good") in classes(new)
    anew = new.has("now") or bool(said & _ANEW) or new.language == "zh"
    part = said - _HEALED - _WELL - _ANEW
    if not (said & _HEALED or (well and anew)) or not part or not part <= had - _HURTS:
        return None
    sides = values(new, "side")
    return (
        None
        if sides and sides != values(old, "side")
        else Comparison("changed", "ended", loose=True)
    )


def fed_otherwise(new: Reading, old: Reading) -> Comparison | None:
    """Who eats meat is no vegetarian, and the other way round."""
    for one, other in ((new, old), (old, new)):
        known = set(one.of("known", "word"))
        if not (_EATS & known and "meat" in known) or one.denies or one.valence:
            continue
        without = other.has("class.diet") and not other.denies and not other.core
        if without and not one.has("modal", "former") and not other.has("former"):
            return Comparison("changed", "property")
    return None


def refused(new: Reading, old: Reading) -> bool:
    """True when one likes to eat or drink something and the other says that it is not taken."""
    for one, other in ((new, old), (old, new)):
        takes = {*_EATS, "drink", "喝"} & {token.value for token in one.core}
        if one.valence > 0 and not other.has("stance") and other.denies and takes:
            return True
    return False
