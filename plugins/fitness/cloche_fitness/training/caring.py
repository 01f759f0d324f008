"""What is said before anything else: who has to be asked first, and what is not for the young."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from cloche_fitness.training.aches import CHEST, aches_in
from cloche_fitness.training.knowing import Words, careful_in, is_young

Care = Literal["emergency", "pregnancy", "doctor", "ache", "young", "young_diet", "diet"]

_OF: Final[dict[str, Care]] = {"v-pregnancy": "pregnancy", "v-doctor": "doctor"}


def cares(text: str, words: Words, *, young: bool = False) -> Sequence[Care]:
    """What of a text is cared for first, the most pressing first; () = nothing.

    Args:
        text: A person's words.
        words: The tables of ``movements.toml``.
        young: True when the person is known to be under 18.
    """
    aches = aches_in(text, words)
    over = CHEST in {part.name for part in aches.well}
    if words.named("emergency", text) and not over:
        return ("emergency",)
    if words.named("other", text):
        return ()
    found: list[Care] = [_OF[name] for name in careful_in(text, words)]
    if aches.told and any(part.name != CHEST for part in aches.named):
        found.append("ache")
    diet, told_young = bool(words.named("diet", text)), is_young(text)
    if diet:
        found.append("young_diet" if young or told_young else "diet")
    elif told_young:
        found.append("young")
    order = list(_ORDER)
    return tuple(sorted(dict.fromkeys(found), key=order.index))


_ORDER: Final[tuple[Care, ...]] = (
    "emergency", "pregnancy", "doctor", "ache", "young", "young_diet", "diet",
)  # fmt: skip
