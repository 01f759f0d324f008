"""What sentences ask for without a model: templates of what people say, and how one fits."""

from cloche.utterances.matching import (
    MAX_CHARS,
    REFERENCE,
    Example,
    Match,
    Trial,
    match,
    misunderstood,
    trials,
)

__all__ = [
    "MAX_CHARS",
    "REFERENCE",
    "Example",
    "Match",
    "Trial",
    "match",
    "misunderstood",
    "trials",
]
