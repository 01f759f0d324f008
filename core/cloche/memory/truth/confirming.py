"""What becomes of a record that is said once more. Pure."""

from __future__ import annotations

from dataclasses import replace

from cloche.memory.records import MemoryRecord
from cloche.memory.truth.hedges import is_hedged


def confirmed_by(old: MemoryRecord, new: MemoryRecord) -> MemoryRecord | None:
    """The old record, said once more; None when this saying is counted already or counts not.

    What was inferred becomes stated by being said, in the person's own words; what they were not
    sure of becomes certain by being said for sure.
    """
    known = (old.source.ref, *old.source.derived_from)
    if not new.source.stated or not new.source.ref or new.source.ref in known:
        return None
    heard = not old.source.stated or (is_hedged(old.text) and not is_hedged(new.text))
    source = new.source if heard else old.source
    told = [ref for ref in (*known, new.source.ref) if ref and ref != source.ref]
    return replace(
        old,
        text=new.text if heard else old.text,
        source=replace(source, derived_from=tuple(told)),
        validity=replace(
            old.validity,
            updated_at=new.validity.created_at,
            expires_at=new.validity.expires_at,
            review_after=new.validity.review_after,
        ),
        trust=replace(
            old.trust,
            confirmations=old.trust.confirmations + 1,
            confidence=max(old.trust.confidence, new.trust.confidence),
        ),
    )
