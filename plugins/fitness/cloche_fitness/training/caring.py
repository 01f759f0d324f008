"""What is said before anything else: who has to be asked first, and what is not for the young."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Literal

from cloche import ToolContext
from cloche_fitness.training.aches import CHEST, aches_in
from cloche_fitness.training.knowing import careful_in, is_young, known_of
from cloche_fitness.training.tables import Words, read_words

MOVEMENTS: Final = Path(__file__).parent.parent / "skills" / "training-plan" / "movements.toml"
REMEMBERED: Final = 200
"""So many memories are looked at, the newest."""

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


async def lay_flat(ctx: ToolContext, exercises: Iterable[str]) -> str:
    """What they told of a pregnancy, where something they did lies flat on the back; "" = nothing.

    Args:
        ctx: The call's.
        exercises: What was done, as the log counts it.
    """
    words = read_words(MOVEMENTS)
    lying = {movement.name for movement in words.movements if movement.lying}
    if lying.isdisjoint(exercises):
        return ""
    known = known_of(await ctx.memory.search(limit=REMEMBERED), words)
    return next(iter(known.pregnant), "")


_ORDER: Final[tuple[Care, ...]] = (
    "emergency", "pregnancy", "doctor", "ache", "young", "young_diet", "diet",
)  # fmt: skip
