"""When a statement stops being true, as far as its own words tell. Pure.

"On holiday until Friday" ends with Friday, "watered today" with today, "away for two weeks" in a
fortnight; "since Monday", "every Friday", "I bought it today" end nothing. Days end at four the
next morning, where a session's day ends. What says no end, or one that was over when it was said,
has none of its own: its kind and scope decide.

| kind | what ends it |
|---|---|
| fact, warning | an end that is named, and the day or span it speaks of |
| preference, rule | an end that is named, and "today", "this week": a wish for a while |
| decision, note | an end that is named; a day in it only says when it was decided or noted |
| summary, task_state | nothing: they have lifetimes of their own |
"""

from __future__ import annotations

from cloche.memory.extraction.timebound.reading import (
    expiry_of,
    names_an_end,
    says_a_day,
    tells_what_there_is,
)

__all__ = ["expiry_of", "names_an_end", "says_a_day", "tells_what_there_is"]
